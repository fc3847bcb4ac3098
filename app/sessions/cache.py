"""What was parsed before and cannot have changed: the fixed parts of sessions, and hand-out sequences of plans.

No truth is kept here: every entry is named by what makes it immutable (a session and when it was created, a plan's
identity), so an entry is either right or never asked for again.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from sqlalchemy import Connection, bindparam, select

from app.database.tables import plans, session_items, sessions
from app.impressions.handout import HandoutSequence
from app.sessions.model import Asked, SessionRecord
from app.sessions.rows import FixedParts, items_from_text, settings_from_text

Value = TypeVar("Value")

_SESSIONS_KEPT = 256
_SEQUENCES_KEPT = 64
"""A sequence in use holds up to two shuffled chunks of 0.8 MB."""

_FIXED = (
    select(session_items.c["items"], sessions.c.settings, sessions.c.ticket_key)
    .join_from(sessions, session_items)
    .where(sessions.c.id == bindparam("id"))
)
_HANDOUT = select(plans.c.handout).where(plans.c.session_id == bindparam("id"), plans.c.version == bindparam("version"))


class _Kept(Generic[Value]):
    """The last used values, at most so many; safe to use from several threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Hashable, Value] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Returns the kept value or makes it; two threads may both make it, which is harmless."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        with self._lock:
            self._values[key] = value
            while len(self._values) > self._most:
                self._values.popitem(last=False)
        return value

    def clear(self) -> None:
        with self._lock:
            self._values.clear()


class Shelf:
    """The parsed parts that this process has used lately."""

    def __init__(self) -> None:
        self._fixed: _Kept[FixedParts] = _Kept(_SESSIONS_KEPT)
        self._sequences: _Kept[HandoutSequence | None] = _Kept(_SEQUENCES_KEPT)

    def fixed(self, connection: Connection, session_id: str, created_at: float) -> FixedParts:
        """Returns the fixed parts of a session that this transaction has seen."""

        def read() -> FixedParts:
            row = connection.execute(_FIXED, {"id": session_id}).one()
            return FixedParts(items_from_text(row[0]), settings_from_text(row[1]), bytes(row[2]))

        return self._fixed.get((session_id, created_at), read)

    def sequence(self, connection: Connection, record: SessionRecord) -> HandoutSequence | None:
        """Returns the hand-out sequence of the session's current plan, None if it asks for nothing."""

        def read() -> HandoutSequence | None:
            given = {"id": record.id, "version": record.plan_version}
            pairs = Asked(connection.execute(_HANDOUT, given).scalar_one()).triples
            return HandoutSequence(pairs, record.settings.seed, record.plan_version) if pairs else None

        return self._sequences.get((record.id, record.created_at, record.plan_version, record.plan_id), read)

    def clear(self) -> None:
        """Drops everything."""
        self._fixed.clear()
        self._sequences.clear()
