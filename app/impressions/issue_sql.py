"""The job behind next-pair: hand out impressions to all callers of a group commit, and store those that need a row."""

import json
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from sqlalchemy import Connection, and_, bindparam, delete, or_, select, tuple_

from app.database.database import Clock
from app.database.statements import AnyRow, BulkInsert, BulkUpdate, IsOneOf, Prepared, compact_json, execute
from app.database.store import Job
from app.database.tables import idempotency_keys, impressions, plans, sessions
from app.database.watch import Receipt
from app.errors import IdempotencyMismatch, SessionError, SessionNotFound
from app.impressions.handout_order import HandoutSequence, HandoutState, Impression, Key, Order, PairCounts, Purpose
from app.sessions.model import Session
from app.sessions.sql import SESSION_COLUMNS, ParsedCache, SessionCache, session_from_row
from app.telemetry.metrics import Meter
from app.wire.vocabulary import State

KEY_LIFETIME_SECONDS = 24 * 3600.0
_SEQUENCES_CACHED = 64
"""A sequence in use holds up to two shuffled chunks of 0.8 MB."""
_FEW = 4
"""Below this average of impressions per session, one statement for all sessions is cheaper than one for each."""
_EXPIRED_AT_ONCE = 5_000
_BLOCK = 256
"""Rows of the largest statement on SQLite, which allows 32,766 parameters in a statement."""

_STATE = select(
    *SESSION_COLUMNS,
    *(sessions.c[name] for name in ("issued", "void", "next_sequence", "cursor", "best_i", "best_j")),
)
_LOCKED = (
    _STATE.where(
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
a certified session costs PostgreSQL no write."""
_LOCKED_STATES = Prepared(select(_LOCKED, Clock().label("now")))  # the time at which each row had been locked
_OTHER_STATES = Prepared(_STATE.where(IsOneOf(sessions.c.id, "ids")))
_HANDOUT = select(plans.c.handout).where(plans.c.session_id == bindparam("id"), plans.c.version == bindparam("version"))

_KEY = tuple_(idempotency_keys.c.session_id, idempotency_keys.c.route, idempotency_keys.c.key)
_STORED_RESPONSES = select(
    idempotency_keys.c.session_id,
    idempotency_keys.c.route,
    idempotency_keys.c.key,
    idempotency_keys.c.body_digest,
    idempotency_keys.c.response,
).where(_KEY.in_(bindparam("keys", expanding=True)), idempotency_keys.c.created_at > bindparam("after"))
_EXPIRED = (
    select(idempotency_keys.c.session_id, idempotency_keys.c.route, idempotency_keys.c.key)
    .where(idempotency_keys.c.created_at <= bindparam("before"))
    .limit(_EXPIRED_AT_ONCE)
    .with_for_update(skip_locked=True)
)

_ADD_IMPRESSIONS = BulkInsert(
    impressions,
    ["session_id", "sequence", "ticket", "i", "j", "idempotency_key", "purpose", "counts", "plan_version", "issued_at",
     "not_shown", "void"],
)  # fmt: skip
_UPDATE_SESSIONS = BulkUpdate(sessions, ["issued", "next_sequence", "cursor"], ["id"])
_ADD_RESPONSES = BulkInsert(
    idempotency_keys,
    ["session_id", "route", "key", "body_digest", "response", "created_at"],
    # The key may be there already: expired, and not deleted yet.
    "ON CONFLICT (session_id, route, key) DO UPDATE SET body_digest = excluded.body_digest,"
    " response = excluded.response, created_at = excluded.created_at",
)
_INSERT = (
    "INSERT INTO impressions (session_id, sequence, ticket, i, j, counts, idempotency_key, plan_version, issued_at,"
    " purpose, not_shown, void)"
)
_INSERT_POSTGRESQL = _INSERT + (  # noqa: S608 - no values
    " SELECT %s, %s + g.n, g.ticket, g.i, g.j, g.counts, g.key, %s, %s, 'explore', FALSE, FALSE"
    " FROM unnest(%s::text[], %s::integer[], %s::integer[], %s::boolean[], %s::text[])"
    " WITH ORDINALITY AS g (ticket, i, j, counts, key, n)"
)


class IssueJob(Job[Order, list[Impression]]):
    """Serves the orders of one group commit."""

    lock_order = 1  # locks session rows

    def __init__(self, cache: SessionCache, rng: random.Random, meter: Meter) -> None:
        self._cache = cache
        self._sequences: ParsedCache[HandoutSequence | None] = ParsedCache(_SEQUENCES_CACHED)
        self._rng = rng
        self._meter = meter
        self._issued: Counter[str] = Counter()  # of the last run, by purpose

    def run(self, connection: Connection, requests: Sequence[Order]) -> list[list[Impression] | SessionError]:
        """Returns the impressions of each order; those that explore are stored."""
        self._issued.clear()
        states, now = self._states(connection, requests)
        responses = _stored_responses(connection, requests, now)
        keys: dict[str, list[str | None]] = {}  # by session: the caller's key of each new impression
        new_responses: list[tuple[object, ...]] = []
        results: list[list[Impression] | SessionError] = []
        for order in requests:
            state, key = states.get(order.session_id), order.key
            if state is None:
                results.append(SessionNotFound(f"there is no session {order.session_id}"))
                continue
            if key is not None and key in responses:
                results.append(_repeated(order, *responses[key]))
                continue
            n_before = len(state.new)
            try:
                handed_out = state.hand_out(order.n_impressions, self._rng)
            except SessionError as error:
                results.append(error)
                continue
            n_explored = len(state.new) - n_before
            self._issued["explore"] += n_explored
            self._issued["exploit"] += order.n_impressions - n_explored
            keys.setdefault(order.session_id, []).extend([order.idempotency_key] * n_explored)
            if key is not None:
                responses[key] = order.body_digest, handed_out
                new_responses.append((*key, order.body_digest, _response_to_text(handed_out), now))
            results.append(handed_out)
        changed = [state for state in states.values() if state.new]
        _insert(connection, changed, keys, now)
        _UPDATE_SESSIONS.run(
            connection, [(state.issued, state.next_sequence, state.cursor, state.session.id) for state in changed]
        )
        _ADD_RESPONSES.run(connection, new_responses)
        return results

    def receipt(self, request: Order, result: list[Impression]) -> Receipt | None:
        """Returns the last impression of the order if it has a row."""
        if not result or not result[-1].counts:
            return None
        return Receipt(request.session_id, result[-1].ticket, answered=False)

    def committed(self) -> None:
        """Counts the impressions of the last run by purpose."""
        for purpose, count in self._issued.items():
            self._meter.count("bestpair_impressions_total", purpose, by=count)

    def clear_caches(self) -> None:
        """Drops all parsed hand-out sequences."""
        self._sequences.clear()

    def _states(self, connection: Connection, orders: Sequence[Order]) -> tuple[dict[str, HandoutState], float]:
        """Returns the states of the sessions that exist, and the time; those that may change are locked.

        If none is locked, nothing will be written, and the time does not matter.
        """
        ids = sorted({order.session_id for order in orders})
        keyed = sorted({order.session_id for order in orders if order.idempotency_key is not None})
        locked = _LOCKED_STATES.named(connection, ids=ids, keyed=keyed)
        states = {row.id: self._state(connection, row, may_explore=True) for row in locked}
        if len(states) < len(ids):
            # One of these may have been resumed since: without its lock it shows the best pair once more.
            others = _OTHER_STATES.named(connection, ids=[id_ for id_ in ids if id_ not in states])
            states |= {row.id: self._state(connection, row, may_explore=False) for row in others}
        return states, max((row.now for row in locked), default=0.0)

    def _state(self, connection: Connection, row: AnyRow, *, may_explore: bool) -> HandoutState:
        session = session_from_row(connection, row, self._cache)
        return HandoutState(
            session=session,
            sequence=self._sequence(connection, session) if may_explore else None,
            best=(row.best_i, row.best_j),
            issued=row.issued,
            void=row.void,
            next_sequence=row.next_sequence,
            cursor=row.cursor,
        )

    def _sequence(self, connection: Connection, session: Session) -> HandoutSequence | None:
        """Returns the hand-out sequence of the session's current plan, None if the plan asks for nothing."""

        def read() -> HandoutSequence | None:
            plan = {"id": session.id, "version": session.plan_version}
            pairs = PairCounts(connection.execute(_HANDOUT, plan).scalar_one()).triples
            return HandoutSequence(pairs, session.settings.seed, session.plan_version) if pairs else None

        return self._sequences.get((session.id, session.created_at, session.plan_version, session.plan_id), read)


def delete_expired_keys(connection: Connection, at: float) -> None:
    """Deletes some idempotency keys that have expired; rows that another process is deleting are skipped."""
    expired = connection.execute(_EXPIRED, {"before": at - KEY_LIFETIME_SECONDS}).all()
    if expired:
        connection.execute(delete(idempotency_keys).where(_KEY.in_([tuple(row) for row in expired])))


def _stored_responses(
    connection: Connection, orders: Sequence[Order], at: float
) -> dict[Key, tuple[str, list[Impression]]]:
    """Returns the earlier responses to the keys of these orders, each with the digest of its request's body."""
    keys = {order.key for order in orders if order.key is not None}
    if not keys:
        return {}
    rows = connection.execute(_STORED_RESPONSES, {"keys": sorted(keys), "after": at - KEY_LIFETIME_SECONDS})
    return {(row[0], row[1], row[2]): (row[3], _response_from_text(row[4])) for row in rows}


def _repeated(order: Order, digest: str, response: list[Impression]) -> list[Impression] | SessionError:
    """Returns the earlier response again, or an error if the earlier request had another body."""
    if digest == order.body_digest:
        return response
    return IdempotencyMismatch("this Idempotency-Key was used with another body; use a new key for a new call")


def _response_to_text(response: Iterable[Impression]) -> str:
    return compact_json([list(impression) for impression in response])


def _response_from_text(text: str) -> list[Impression]:
    return [
        Impression(ticket, i, j, Purpose(purpose), counts, version)
        for ticket, i, j, purpose, counts, version in json.loads(text)
    ]


def _insert(
    connection: Connection, changed: Sequence[HandoutState], keys: dict[str, list[str | None]], at: float
) -> None:
    """Stores the new impressions: session by session, or all at once if each session has only a few."""
    if sum(len(state.new) for state in changed) >= _FEW * len(changed):
        for state in changed:
            id_, first = state.session.id, state.next_sequence - len(state.new)
            insert_impressions(connection, id_, first, at, state.new, keys[id_])
        return
    _ADD_IMPRESSIONS.run(connection, [
        (state.session.id, sequence, new.ticket, new.i, new.j, key, Purpose.EXPLORE.value,
         new.counts, new.plan_version, at, False, False)
        for state in changed
        for sequence, (new, key) in enumerate(
            zip(state.new, keys[state.session.id], strict=True), state.next_sequence - len(state.new)
        )
    ])  # fmt: skip


def insert_impressions(
    connection: Connection,
    session_id: str,
    first: int,
    at: float,
    new: Sequence[Impression],
    keys: Sequence[str | None],
) -> None:
    """Stores impressions with sequences from `first` on, all issued now under one plan, each with its caller's key.

    One statement, in the form that costs each driver least: values that are the same for all rows are sent once.
    """
    if connection.dialect.name == "sqlite":
        _insert_sqlite(connection, session_id, first, at, new, keys)
        return
    tickets, i, j, _, counts, _ = zip(*new, strict=True)
    columns = (
        _array(tickets),  # letters, digits, - and _ only
        _array(map(str, i)),
        _array(map(str, j)),
        _array("t" if each else "f" for each in counts),
        list(keys) if any(keys) else "{}",  # unnest fills missing values with NULL
    )
    execute(connection, _INSERT_POSTGRESQL, (session_id, first - 1, new[0].plan_version, at, *columns))


def _array(values: Iterable[str]) -> str:
    """Returns an array literal; the driver's own conversion of lists takes ten times as long."""
    return "{" + ",".join(values) + "}"


def _insert_sqlite(
    connection: Connection,
    session_id: str,
    first: int,
    at: float,
    new: Sequence[Impression],
    keys: Sequence[str | None],
) -> None:
    """Stores impressions in blocks of a power of two, so that a dozen prepared statements serve every number."""
    keyed = any(keys)
    start = 0
    while start < len(new):
        size = min(_BLOCK, 1 << (len(new) - start).bit_length() - 1)
        tickets, i, j, _, counts, _ = zip(*new[start : start + size], strict=True)
        own_keys = keys[start : start + size] if keyed else ()
        parameters = (session_id, new[0].plan_version, at, first + start, *tickets, *i, *j, *counts, *own_keys)
        execute(connection, _sqlite_statement(size, keyed), parameters)
        start += size


@cache
def _sqlite_statement(size: int, keyed: bool) -> str:
    rows = []
    for place in range(size):
        ticket, i, j, counts, key = (f"?{5 + place + column * size}" for column in range(5))
        own = f"{ticket}, {i}, {j}, {counts}, {key if keyed else 'NULL'}"
        rows.append(f"(?1, ?4 + {place}, {own}, ?2, ?3, 'explore', 0, 0)")
    return f"{_INSERT} VALUES {', '.join(rows)}"
