"""Reads of sessions, and caches of what never changes: items, settings, the key of tickets."""

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection, Select, bindparam, func, select, tuple_

from app.database.database import Clock, Timeline
from app.database.statements import AnyRow, is_storable
from app.database.store import Store
from app.database.tables import impressions, session_items, sessions
from app.errors import SessionNotFound
from app.sessions.model import Counters, FixedParts, Item, Session, SessionView, Settings, Snapshot
from app.wire.session_settings import EditableSettings

Value = TypeVar("Value")

_CACHED_PARTS = 256
_CACHED_SESSIONS = 1000

SESSION_COLUMNS = [
    sessions.c[name]
    for name in ("id", "name", "state", "budget", "plan_version", "plan_id", "watermark", "created_at", "updated_at")
]
"""The part of a session that changes; `FixedParts` is the rest."""

_ANSWERED_ABOVE = (
    select(func.count())
    .select_from(impressions)
    .where(
        impressions.c.session_id == sessions.c.id,
        impressions.c.sequence > sessions.c.watermark,
        impressions.c["counts"],
        impressions.c.outcome.is_not(None),
    )
    .correlate(sessions)
    .scalar_subquery()
)
COUNTER_COLUMNS = [
    sessions.c.issued,
    (sessions.c.answered_closed + _ANSWERED_ABOVE).label("answered"),
    sessions.c.void,
    sessions.c.counted,
]
"""The columns of `Counters`; their cost grows with the number of impressions above the watermark."""

_LOCKED = (
    select(sessions, Timeline().label("timeline"), Clock().label("now"))
    .where(sessions.c.id == bindparam("id"))
    .with_for_update()
)
_SESSION = select(*SESSION_COLUMNS).where(sessions.c.id == bindparam("id"))
_VIEWS = select(*SESSION_COLUMNS, *COUNTER_COLUMNS, sessions.c.snapshot, sessions.c.etag, sessions.c.editable_settings)
_VIEW = _VIEWS.where(sessions.c.id == bindparam("id"))
_NEWEST = _VIEWS.order_by(sessions.c.created_at.desc(), sessions.c.id.desc()).limit(bindparam("limit"))
_OLDER = _NEWEST.where(
    tuple_(sessions.c.created_at, sessions.c.id) < tuple_(bindparam("created_at"), bindparam("before"))
)
_FIXED = (
    select(session_items.c["items"], sessions.c.settings, sessions.c.ticket_key)
    .join_from(sessions, session_items)
    .where(sessions.c.id == bindparam("id"))
)


class ParsedCache(Generic[Value]):
    """The most recently used values; safe to use from several threads.

    A key must name something immutable (a session and when it was created, a plan's id), so that an entry is either
    right or never asked for again.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: OrderedDict[Hashable, Value] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Returns the cached value, or makes and caches it; two threads may both make it, which is harmless."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        with self._lock:
            self._values[key] = value
            while len(self._values) > self._size:
                self._values.popitem(last=False)
        return value

    def clear(self) -> None:
        """Drops all values."""
        with self._lock:
            self._values.clear()


class SessionCache(ParsedCache[FixedParts]):
    """The fixed parts of sessions, by session id and time of creation."""

    def __init__(self) -> None:
        super().__init__(_CACHED_PARTS)


def not_found(session_id: str) -> SessionNotFound:
    """Returns the error for an id that no session has."""
    return SessionNotFound(f"there is no session {session_id}")


def one_row(connection: Connection, statement: Select[*tuple[Any, ...]], session_id: str) -> AnyRow:
    """Returns the row that the statement finds for this session; raises SessionNotFound if there is none."""
    if not is_storable(session_id):  # the database would report an error instead of finding nothing
        raise not_found(ascii(session_id))
    row = connection.execute(statement, {"id": session_id}).one_or_none()
    if row is None:
        raise not_found(session_id)
    return row


def locked_session(connection: Connection, session_id: str) -> AnyRow:
    """Returns the session's row, locked until the transaction ends; raises SessionNotFound.

    This lock comes first in every transaction that changes a session. SQLite has no row locks and needs none: its
    writer began with BEGIN IMMEDIATE.
    """
    return one_row(connection, _LOCKED, session_id)


def fixed_parts(connection: Connection, session_id: str, created_at: float, cache: SessionCache) -> FixedParts:
    """Returns the fixed parts of a session that this transaction has seen."""

    def read() -> FixedParts:
        row = connection.execute(_FIXED, {"id": session_id}).one()
        return FixedParts(_items_from_text(row[0]), Settings.from_text(row[1]), bytes(row[2]))

    return cache.get((session_id, created_at), read)


def session_from_row(connection: Connection, row: AnyRow, cache: SessionCache) -> Session:
    """Returns the session of a row that has `SESSION_COLUMNS`."""
    return Session.from_row(row, fixed_parts(connection, row.id, row.created_at, cache))


def read_session(connection: Connection, session_id: str, cache: SessionCache) -> Session:
    """Returns the session; raises SessionNotFound."""
    return session_from_row(connection, one_row(connection, _SESSION, session_id), cache)


def read_view(connection: Connection, session_id: str, cache: SessionCache) -> SessionView:
    """Returns the session with its counters and snapshot; raises SessionNotFound."""
    return _view(connection, one_row(connection, _VIEW, session_id), cache)


def read_views(connection: Connection, limit: int, before: str | None, cache: SessionCache) -> list[SessionView]:
    """Returns sessions, newest first; `before` is the last id of the previous page.

    Raises SessionNotFound if `before` was deleted.
    """
    given: dict[str, object] = {"limit": limit}
    if before is None:
        rows = connection.execute(_NEWEST, given)
    else:
        given |= {"before": before, "created_at": one_row(connection, _SESSION, before).created_at}
        rows = connection.execute(_OLDER, given)
    return [_view(connection, row, cache) for row in rows.all()]


def _view(connection: Connection, row: AnyRow, cache: SessionCache) -> SessionView:
    session = session_from_row(connection, row, cache)
    return SessionView(session, Counters.from_row(row), Snapshot(row.snapshot, row.etag), editable_from_row(row))


def editable_from_row(row: AnyRow) -> EditableSettings:
    """Returns the editable settings of a row that has the columns `name` and `editable_settings`.

    One that is not stored has its default; one of a newer version is ignored.
    """
    return EditableSettings.model_construct(**json.loads(row.editable_settings), name=row.name)


def _items_from_text(text: str) -> tuple[Item, ...]:
    return tuple(Item(id_, label) for id_, label in json.loads(text))


class SessionLookup:
    """Finds sessions. All calls come from one event loop."""

    def __init__(self, store: Store, cache: SessionCache) -> None:
        self._store = store
        self._cache = cache
        self._known: dict[str, Session] = {}

    def cached(self, session_id: str) -> Session | None:
        """Returns the session if it is cached; state, budget and plan may be those of an earlier moment."""
        return self._known.get(session_id)

    async def get(self, session_id: str) -> Session:
        """Returns the session as `cached` does, or reads it; raises SessionNotFound."""
        known = self._known.get(session_id)
        if known is None:
            known = await self.read(session_id)
            if len(self._known) >= _CACHED_SESSIONS:
                self._known.pop(next(iter(self._known)))
            self._known[session_id] = known
        return known

    async def read(self, session_id: str) -> Session:
        """Returns the session as it is in the database now; raises SessionNotFound."""
        return await self._store.read(read_session, session_id, self._cache)

    def forget(self, session_id: str) -> None:
        """Drops a deleted session."""
        self._known.pop(session_id, None)
