"""The job behind feedback: store the feedback of all callers of a group commit. Each row changes its impression only.

Nearly all feedback is a reward for an impression that is open and in time. Guarded statements accept it without reading
the row first; a test checks that the guard accepts what `feedback.decide` accepts. The rest (sent twice, late, unknown,
a list of clicked items) is read and decided one by one.
"""

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from operator import not_
from typing import NamedTuple

from sqlalchemy import Connection, select

from app.database.database import POSTGRESQL_NOW, SQLITE_NOW, Clock
from app.database.statements import (
    BulkUpdate,
    IsOneOf,
    Prepared,
    execute,
    is_storable,
    number_array,
    text_array,
)
from app.database.store import Job
from app.database.tables import impressions, sessions
from app.database.watch import ClockStep, Receipt
from app.errors import SessionError, SessionNotFound
from app.impressions.feedback import Decision, FeedbackRows, FeedbackStatus, Rewards, StoredImpression, decide
from app.impressions.handout_order import is_exploit_ticket
from app.sessions.model import FixedParts
from app.sessions.sql import SessionCache, fixed_parts
from app.telemetry.metrics import Meter
from app.wire.serving import Feedback

_FEW = 4
"""With fewer rows of the same reward in a commit, a separate statement does not pay off on SQLite."""

_SESSIONS = Prepared(
    select(
        sessions.c.id,
        sessions.c.created_at,
        sessions.c.open_at_clock_step,
        sessions.c.clock_step_at,
        Clock().label("now"),
    ).where(IsOneOf(sessions.c.id, "ids"))
)
_LOCKED = (
    select(
        impressions.c.ticket,
        impressions.c.session_id,
        *(impressions.c[field] for field in StoredImpression._fields),
    )
    .where(IsOneOf(impressions.c.ticket, "tickets"))
    .order_by(impressions.c.session_id, impressions.c.sequence)
    .with_for_update()
    .cte("locked")
)
_BY_TICKET = Prepared(select(Clock().label("now"), _LOCKED))  # the time at which each row had been locked

_STILL_OPEN = "NOT impressions.given_up AND impressions.outcome IS NULL AND NOT impressions.not_shown"
_KEYS = ["session_id", "sequence"]
_ACCEPT = BulkUpdate(impressions, ["outcome", "clicked", "not_shown", "void", "answered_at"], _KEYS, _STILL_OPEN)
_STORE_LATE = BulkUpdate(
    impressions, ["late_outcome", "late_clicked", "late_at"], _KEYS, "impressions.late_outcome IS NULL"
)

_UNANSWERED = "impressions.outcome IS NULL AND NOT not_shown AND late_outcome IS NULL AND NOT void AND NOT given_up"
_ACCEPT_SQLITE = (
    f"UPDATE impressions SET outcome = ?, answered_at = (SELECT {SQLITE_NOW})"  # noqa: S608 - no values
    # By row number: a sorted list of numbers costs a third less than one of tickets.
    " WHERE rowid IN (SELECT impressions.rowid FROM json_each(?) AS given"
    " CROSS JOIN impressions ON impressions.ticket = given.value)"
    # The plus keeps SQLite from reading all rows of the session instead of the tickets.
    f" AND +session_id = ? AND {_UNANSWERED}"
    f" AND issued_at + ? > (SELECT {SQLITE_NOW})"
)
_LOCK_POSTGRESQL = (
    "WITH locked AS (SELECT 1 FROM impressions WHERE ticket = ANY(%s::text[]) ORDER BY session_id, sequence FOR UPDATE)"
    " SELECT count(*) FROM locked"
)
_ACCEPT_POSTGRESQL = (
    f"WITH taken AS (UPDATE impressions SET outcome = given.outcome, answered_at = {POSTGRESQL_NOW}"  # noqa: S608 - no values
    " FROM unnest(%s::text[], %s::text[], %s::double precision[], %s::double precision[])"
    " AS given (ticket, session_id, outcome, seconds)"
    # A CASE expression, because PostgreSQL does not estimate its selectivity, and cannot use the session to find rows.
    # With plain conditions on a new table, it estimated one row, read the whole table for each answer, and took 10 s.
    " WHERE impressions.ticket = given.ticket"
    f" AND CASE WHEN impressions.session_id = given.session_id AND {_UNANSWERED} THEN TRUE ELSE FALSE END"
    f" AND issued_at + given.seconds > {POSTGRESQL_NOW} RETURNING impressions.ticket)"
    " SELECT CASE WHEN count(*) < %s THEN array_agg(ticket) END, count(*) FROM taken"
)


@dataclass(frozen=True, eq=False, slots=True)
class FeedbackRequest:
    """Feedback of one caller for one session."""

    session_id: str
    rows: FeedbackRows

    @property
    def tickets(self) -> list[str]:
        """The ticket of each row."""
        return self.rows.tickets if isinstance(self.rows, Rewards) else [feedback.ticket for feedback in self.rows]


class Rewarded(NamedTuple):
    """What tickets that are accepted by one statement have in common."""

    session_id: str
    outcome: float
    seconds: float  # an impression of this session is final this long after its issue


class FeedbackJob(Job[FeedbackRequest, list[FeedbackStatus]]):
    """Stores the feedback of one group commit."""

    lock_order = 2  # locks impressions

    def __init__(self, cache: SessionCache, meter: Meter) -> None:
        self._cache = cache
        self._meter = meter
        self._results: list[list[FeedbackStatus] | SessionError] = []  # of the last run

    def run(
        self, connection: Connection, requests: Sequence[FeedbackRequest]
    ) -> list[list[FeedbackStatus] | SessionError]:
        """Returns the status of each row of each request; accepted and late feedback is stored."""
        sessions_, steps = self._sessions(connection, requests)
        simple, others = _split(requests, sessions_, steps)
        touched = [ticket for tickets in (*simple.values(), others) for ticket in tickets]
        accepted = accept_simple(connection, simple, touched) if simple else set()
        if len(accepted) == sum(len(each.rows) for each in requests if each.session_id in sessions_):
            self._results = [_all_accepted(each, sessions_) for each in requests]
            return self._results
        rest = set(touched) - accepted | set(others)
        # The time is read after the rows were locked: a fold that came first has marked those that it gave up.
        stored, now = _lock(connection, rest, steps)
        changes = _Changes(now)
        self._results = [_result(each, sessions_, accepted, stored, changes) for each in requests]
        _ACCEPT.run(connection, changes.accepted)
        _STORE_LATE.run(connection, changes.late)
        return self._results

    def receipt(self, request: FeedbackRequest, result: list[FeedbackStatus]) -> Receipt | None:
        """Returns the last row of the request if it was accepted."""
        if not result or result[-1] is not FeedbackStatus.ACCEPTED:
            return None
        return Receipt(request.session_id, request.rows[len(request.rows) - 1].ticket, answered=True)

    def committed(self) -> None:
        """Counts the rows of the last run by status."""
        statuses: Counter[FeedbackStatus] = Counter()
        for result in self._results:
            if isinstance(result, list):
                statuses.update(result)
        for status, count in statuses.items():
            self._meter.count("bestpair_feedback_total", status.value, by=count)

    def _sessions(
        self, connection: Connection, requests: Sequence[FeedbackRequest]
    ) -> tuple[dict[str, FixedParts], dict[str, ClockStep]]:
        """Returns the sessions that exist, and the clock steps of those with impressions from before a step."""
        existing: dict[str, FixedParts] = {}
        steps: dict[str, ClockStep] = {}
        for id_, created_at, sequence, step_at, now in _SESSIONS.rows(
            connection, ids=sorted({each.session_id for each in requests})
        ):
            existing[id_] = fixed_parts(connection, id_, created_at, self._cache)
            if step_at and now < step_at + existing[id_].settings.final_after_seconds:
                steps[id_] = ClockStep(sequence, step_at)
        return existing, steps


def accept_simple(connection: Connection, simple: Mapping[Rewarded, list[str]], touched: Sequence[str]) -> set[str]:
    """Stores rewards without reading their impressions first; returns the tickets that were accepted.

    Each ticket comes at most once. `touched` are all tickets whose rows this transaction may write: on PostgreSQL they
    are locked in a fixed order, before anything is written and before the time is read.
    """
    if connection.dialect.name == "sqlite":
        return _accept_on_sqlite(connection, simple)
    execute(connection, _LOCK_POSTGRESQL, [text_array(touched)])
    rows = [(reward, ticket) for reward, tickets in simple.items() for ticket in tickets]
    columns = (
        text_array([ticket for _, ticket in rows]),
        text_array([reward.session_id for reward, _ in rows]),
        number_array([reward.outcome for reward, _ in rows]),
        number_array([reward.seconds for reward, _ in rows]),
    )
    some, count = execute(connection, _ACCEPT_POSTGRESQL, [*columns, len(rows)]).fetchone()
    return {ticket for _, ticket in rows} if count == len(rows) else set(some or ())


def _accept_on_sqlite(connection: Connection, simple: Mapping[Rewarded, list[str]]) -> set[str]:
    """Accepts all tickets of one reward, or none of them if one cannot be accepted."""
    accepted: set[str] = set()
    for reward, tickets in simple.items():
        if len(tickets) < _FEW:
            continue
        execute(connection, "SAVEPOINT accepting", ())
        parameters = (reward.outcome, json.dumps(tickets), reward.session_id, reward.seconds)
        if execute(connection, _ACCEPT_SQLITE, parameters).rowcount == len(tickets):
            accepted.update(tickets)
        else:
            execute(connection, "ROLLBACK TO accepting", ())
        execute(connection, "RELEASE accepting", ())
    return accepted


def _split(
    requests: Sequence[FeedbackRequest], sessions_: Mapping[str, FixedParts], steps: Mapping[str, ClockStep]
) -> tuple[dict[Rewarded, list[str]], list[str]]:
    """Returns the tickets of feedback that a guarded statement may accept, by reward, and all other tickets."""
    simple: dict[Rewarded, list[str]] = {}
    others: list[str] = []
    seen: set[str] = set()
    for request in requests:
        session, rows = sessions_.get(request.session_id), request.rows
        if session is None:
            continue
        seconds = session.settings.final_after_seconds
        by_reward = {
            outcome: simple.setdefault(Rewarded(request.session_id, outcome, seconds), []) for outcome in (0.0, 1.0)
        }
        if request.session_id in steps:  # the statements compare times, which a clock step made useless
            others += request.tickets
            continue
        if isinstance(rows, Rewards) and _add_new(rows.tickets, seen):
            by_reward[1.0] += compress(rows.tickets, rows.clicks)
            by_reward[0.0] += compress(rows.tickets, map(not_, rows.clicks))
            continue
        for feedback in rows:
            ticket = feedback.ticket
            tickets = None if feedback.reward is None else by_reward.get(feedback.reward)
            if tickets is None or ticket in seen or not (ticket.isascii() and ticket.isprintable()):
                tickets = others
            tickets.append(ticket)
            seen.add(ticket)
    return {reward: tickets for reward, tickets in simple.items() if tickets}, list(filter(is_storable, others))


def _add_new(tickets: Sequence[str], seen: set[str]) -> bool:
    """Adds the tickets to `seen` and returns True, if none of them comes twice or was seen before."""
    own = set(tickets)
    if len(own) < len(tickets) or not seen.isdisjoint(own):
        return False
    seen |= own
    return True


def _lock(
    connection: Connection, tickets: Collection[str], steps: Mapping[str, ClockStep]
) -> tuple[dict[str, tuple[str, StoredImpression]], float]:
    """Returns the impressions of these tickets, locked, each with its session; and the time."""
    rows = _BY_TICKET.rows(connection, tickets=list(tickets)) if tickets else []
    by_ticket = {row[1]: (row[2], StoredImpression(*row[3:])) for row in rows}
    for ticket, (session_id, impression) in by_ticket.items():
        step = steps.get(session_id)
        if step is not None and step.covers(impression.sequence):
            by_ticket[ticket] = session_id, impression._replace(issued_at=step.at)  # its lifetime began again
    return by_ticket, max((row[0] for row in rows), default=0.0)


class _Changes:
    """What the decisions of one run write."""

    def __init__(self, now: float) -> None:
        self.now = now
        self.accepted: list[tuple[object, ...]] = []
        self.late: list[tuple[object, ...]] = []

    def add(self, decision: Decision, session_id: str, sequence: int) -> None:
        if decision.late:
            self.late.append((decision.outcome, decision.clicked, self.now, session_id, sequence))
        else:
            new = (decision.outcome, decision.clicked, decision.not_shown, decision.not_shown, self.now)
            self.accepted.append((*new, session_id, sequence))


def _all_accepted(request: FeedbackRequest, sessions_: Mapping[str, FixedParts]) -> list[FeedbackStatus] | SessionError:
    if request.session_id not in sessions_:
        return SessionNotFound(f"there is no session {request.session_id}")
    return [FeedbackStatus.ACCEPTED] * len(request.rows)


def _result(
    request: FeedbackRequest,
    sessions_: Mapping[str, FixedParts],
    accepted: set[str],
    stored: dict[str, tuple[str, StoredImpression]],
    changes: _Changes,
) -> list[FeedbackStatus] | SessionError:
    """Returns the status of each row of one request, and adds to `changes` what has to be written."""
    session = sessions_.get(request.session_id)
    if session is None:
        return SessionNotFound(f"there is no session {request.session_id}")
    statuses = []
    for place, ticket in enumerate(request.tickets):  # columns: an object is made only where it is needed
        if ticket in accepted:
            accepted.remove(ticket)  # the first row of this ticket; a second one is decided below
            statuses.append(FeedbackStatus.ACCEPTED)
        else:
            statuses.append(_decide(request.session_id, session, request.rows[place], stored, changes))
    return statuses


def _decide(
    session_id: str,
    session: FixedParts,
    feedback: Feedback,
    stored: dict[str, tuple[str, StoredImpression]],
    changes: _Changes,
) -> FeedbackStatus:
    """Returns the status of one row; `stored` and `changes` are updated if it changes its impression."""
    owner, impression = stored.get(feedback.ticket, (None, None))
    if impression is None or owner != session_id:
        exploit = is_exploit_ticket(feedback.ticket, session.ticket_key, session_id)
        return FeedbackStatus.IGNORED if exploit else FeedbackStatus.NOT_FOUND
    decision = decide(impression, feedback, session, changes.now)
    if decision.late or decision.status is FeedbackStatus.ACCEPTED:
        changes.add(decision, session_id, impression.sequence)
        stored[feedback.ticket] = owner, _after(impression, decision)  # for a later row of the same ticket
    return decision.status


def _after(impression: StoredImpression, decision: Decision) -> StoredImpression:
    """Returns the impression as this decision leaves it."""
    if decision.late:
        return impression._replace(late_outcome=decision.outcome, late_clicked=decision.clicked)
    return impression._replace(outcome=decision.outcome, clicked=decision.clicked, not_shown=decision.not_shown)
