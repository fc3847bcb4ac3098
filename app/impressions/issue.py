"""Handing out impressions: all orders of a group commit in one go."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, and_, bindparam, delete, or_, select, tuple_

from app.database.bulk import BulkInsert, BulkUpdate
from app.database.database import Clock
from app.database.prepared import IsOneOf, Prepared
from app.database.tables import idempotency_keys, impressions, sessions
from app.errors import IdempotencyMismatch, SessionError, SessionNotFound
from app.impressions.handout import Desk
from app.impressions.insert import add_impressions
from app.sessions.cache import Shelf
from app.sessions.model import HandedOut, Purpose, State
from app.sessions.ports import Order
from app.sessions.rows import RECORD_COLUMNS, AnyRow, response_from_text, response_to_text, session_record

KEY_LIFETIME_SECONDS = 24 * 3600.0
_FEW = 4
"""Impressions of a session in one commit, below which a statement of its own does not pay."""
_SWEPT_AT_ONCE = 5_000

_DESK = select(
    *RECORD_COLUMNS,
    *(sessions.c[name] for name in ("issued", "void", "next_sequence", "cursor", "best_i", "best_j")),
)
_LOCKED = (
    _DESK.where(
        IsOneOf(sessions.c.id, "ids"),
        or_(
            and_(
                sessions.c.state == State.RUNNING.value,
                sessions.c.handout_total > 0,
                or_(sessions.c.budget.is_(None), sessions.c.issued - sessions.c.void < sessions.c.budget),
            ),
            IsOneOf(sessions.c.id, "keyed"),
        ),
    )
    .order_by(sessions.c.id)
    .with_for_update()
    .cte("locked")
)
"""Sessions that may explore, or whose callers sent keys. The others only show their best pair: they need no lock, and
a session that is finished costs PostgreSQL no write."""
_LOCKED_DESKS = Prepared(select(_LOCKED, Clock().label("now")))  # the time at which each row had been locked
_OTHER_DESKS = Prepared(_DESK.where(IsOneOf(sessions.c.id, "ids")))

_KEY = tuple_(idempotency_keys.c.session_id, idempotency_keys.c.route, idempotency_keys.c.key)
_KNOWN = select(
    idempotency_keys.c.session_id,
    idempotency_keys.c.route,
    idempotency_keys.c.key,
    idempotency_keys.c.body_digest,
    idempotency_keys.c.response,
).where(_KEY.in_(bindparam("keys", expanding=True)), idempotency_keys.c.created_at > bindparam("after"))
_EXPIRED = (
    select(idempotency_keys.c.session_id, idempotency_keys.c.route, idempotency_keys.c.key)
    .where(idempotency_keys.c.created_at <= bindparam("before"))
    .limit(_SWEPT_AT_ONCE)
    .with_for_update(skip_locked=True)
)

_ADD_IMPRESSIONS = BulkInsert(
    impressions,
    ["session_id", "sequence", "ticket", "i", "j", "idempotency_key", "purpose", "counts", "plan_version", "issued_at",
     "not_shown", "void"],
)  # fmt: skip
_WRITE_DESKS = BulkUpdate(sessions, ["issued", "next_sequence", "cursor"], ["id"])
_KEEP_RESPONSES = BulkInsert(
    idempotency_keys,
    ["session_id", "route", "key", "body_digest", "response", "created_at"],
    # An expired key that no sweep has removed yet.
    "ON CONFLICT (session_id, route, key) DO UPDATE SET body_digest = excluded.body_digest,"
    " response = excluded.response, created_at = excluded.created_at",
)

Key = tuple[str, str, str]
Given = list[HandedOut]


@dataclass(frozen=True, eq=False, slots=True)
class Issue:
    """A wish for impressions of one session."""

    session_id: str
    order: Order

    @property
    def key(self) -> Key | None:
        """Where a retry of this order is recognised, None without an Idempotency-Key."""
        if self.order.idempotency_key is None:
            return None
        return self.session_id, self.order.route, self.order.idempotency_key


class Issuing:
    """Serves the orders of one group commit; made anew for each."""

    def __init__(
        self, connection: Connection, wishes: Sequence[Issue], shelf: Shelf, rng: random.Random, issued: Counter[str]
    ) -> None:
        self._connection = connection
        self._wishes = wishes
        self._rng = rng
        self._issued = issued  # by purpose, added to
        self._desks, self._now = _desks(connection, wishes, shelf)
        self._known = _known(connection, wishes, self._now)
        self._keys: dict[str, list[str | None]] = {}  # by session: the caller's key of each of its desk's new rows
        self._responses: list[tuple[object, ...]] = []

    def results(self) -> list[Given | SessionError]:
        """Returns what each caller gets, in order; all that needs a row has been written."""
        results = [self._result(wish) for wish in self._wishes]
        changed = [desk for desk in self._desks.values() if desk.new]
        self._add(changed)
        _WRITE_DESKS.run(
            self._connection, [(desk.issued, desk.next_sequence, desk.cursor, desk.record.id) for desk in changed]
        )
        _KEEP_RESPONSES.run(self._connection, self._responses)
        return results

    def _add(self, changed: Sequence[Desk]) -> None:
        """Stores the new impressions: session by session, or all at once if each has only a few."""
        if sum(len(desk.new) for desk in changed) >= _FEW * len(changed):
            for desk in changed:
                id_, first = desk.record.id, desk.next_sequence - len(desk.new)
                add_impressions(self._connection, id_, first, self._now, desk.new, self._keys[id_])
            return
        _ADD_IMPRESSIONS.run(self._connection, [
            (desk.record.id, sequence, new.ticket, new.i, new.j, key, Purpose.EXPLORE.value,
             new.counts, new.plan_version, self._now, False, False)
            for desk in changed
            for sequence, (new, key) in enumerate(
                zip(desk.new, self._keys[desk.record.id], strict=True), desk.next_sequence - len(desk.new)
            )
        ])  # fmt: skip

    def _result(self, wish: Issue) -> Given | SessionError:
        desk, order, key = self._desks.get(wish.session_id), wish.order, wish.key
        if desk is None:
            return SessionNotFound(f"there is no session {wish.session_id}")
        if key is not None and key in self._known:
            digest, response = self._known[key]
            if digest == order.body_digest:
                return response
            return IdempotencyMismatch("this Idempotency-Key was used with another body; use a new key for a new call")
        before = len(desk.new)
        try:
            given = desk.serve(order.count, self._rng)
        except SessionError as error:
            return error
        explored = len(desk.new) - before
        self._issued["explore"] += explored
        self._issued["exploit"] += order.count - explored
        self._keys.setdefault(wish.session_id, []).extend([order.idempotency_key] * explored)
        if key is not None:
            self._known[key] = order.body_digest, given
            self._responses.append((*key, order.body_digest, response_to_text(given), self._now))
        return given


def sweep_keys(connection: Connection, at: float) -> None:
    """Deletes keys that have expired, some at a time; rows that another process is sweeping are left to it."""
    expired = connection.execute(_EXPIRED, {"before": at - KEY_LIFETIME_SECONDS}).all()
    if expired:
        connection.execute(delete(idempotency_keys).where(_KEY.in_([tuple(row) for row in expired])))


def _desks(connection: Connection, wishes: Sequence[Issue], shelf: Shelf) -> tuple[dict[str, Desk], float]:
    """Returns the desks of the sessions that exist, and the time; those that may change are locked.

    Without a locked desk nothing will be written, and the time does not matter.
    """
    ids = sorted({wish.session_id for wish in wishes})
    keyed = sorted({wish.session_id for wish in wishes if wish.key is not None})
    locked = _LOCKED_DESKS.named(connection, ids=ids, keyed=keyed)
    desks = {row.id: _desk(connection, row, shelf, may_explore=True) for row in locked}
    if len(desks) < len(ids):
        # One of these may have been resumed since: without its lock it shows the best pair once more.
        others = _OTHER_DESKS.named(connection, ids=[id_ for id_ in ids if id_ not in desks])
        desks |= {row.id: _desk(connection, row, shelf, may_explore=False) for row in others}
    return desks, max((row.now for row in locked), default=0.0)


def _desk(connection: Connection, row: AnyRow, shelf: Shelf, *, may_explore: bool) -> Desk:
    record = session_record(row, shelf.fixed(connection, row.id, row.created_at))
    return Desk(
        record=record,
        sequence=shelf.sequence(connection, record) if may_explore else None,
        best=(row.best_i, row.best_j),
        issued=row.issued,
        void=row.void,
        next_sequence=row.next_sequence,
        cursor=row.cursor,
    )


def _known(connection: Connection, wishes: Sequence[Issue], at: float) -> dict[Key, tuple[str, Given]]:
    """Returns the answers given before to the keys that came with this batch."""
    keys = {wish.key for wish in wishes if wish.key is not None}
    if not keys:
        return {}
    rows = connection.execute(_KNOWN, {"keys": sorted(keys), "after": at - KEY_LIFETIME_SECONDS})
    return {(row[0], row[1], row[2]): (row[3], response_from_text(row[4])) for row in rows}
