"""Taking answers: all feedback of a group commit in one go. Each answer touches its own impression and nothing else."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from operator import not_

from sqlalchemy import Connection, select

from app.counting.rules import ClockStep
from app.database.bulk import BulkUpdate
from app.database.database import Clock
from app.database.prepared import IsOneOf, Prepared
from app.database.tables import impressions, sessions
from app.errors import SessionError, SessionNotFound
from app.impressions.accept import Kind, take
from app.impressions.judging import Judgement, judge
from app.impressions.tickets import is_exploit_ticket
from app.sessions.cache import Shelf
from app.sessions.model import Answers, Feedback, FeedbackStatus, Rewards, StoredImpression
from app.sessions.rows import FixedParts, is_storable

_SESSIONS = Prepared(
    select(
        sessions.c.id,
        sessions.c.created_at,
        sessions.c.open_at_clock_step,
        sessions.c.clock_step_at,
        Clock().label("now"),
    ).where(IsOneOf(sessions.c.id, "ids"))
)
_STORED = [impressions.c[field] for field in StoredImpression.__dataclass_fields__]  # in the order of its fields
_LOCKED = (
    select(impressions.c.ticket, impressions.c.session_id, *_STORED)
    .where(IsOneOf(impressions.c.ticket, "tickets"))
    .order_by(impressions.c.session_id, impressions.c.sequence)
    .with_for_update()
    .cte("locked")
)
_BY_TICKET = Prepared(select(Clock().label("now"), _LOCKED))  # the time at which each row had been locked

# Not "epoch IS NULL": PostgreSQL, as long as it has no statistics, would take that for rare and read all that is open.
_STILL_OPEN = "coalesce(impressions.epoch, -1) = -1 AND impressions.outcome IS NULL AND NOT impressions.not_shown"
_KEYS = ["session_id", "sequence"]
_ACCEPT = BulkUpdate(impressions, ["outcome", "clicked", "not_shown", "answered_at"], _KEYS, _STILL_OPEN)
_KEEP_LATE = BulkUpdate(
    impressions, ["late_outcome", "late_clicked", "late_at"], _KEYS, "impressions.late_outcome IS NULL"
)


@dataclass(frozen=True, eq=False, slots=True)
class Answer:
    """A wish to store answers for one session."""

    session_id: str
    answers: Answers


class Answering:
    """Judges and stores the answers of one group commit; made anew for each."""

    def __init__(self, connection: Connection, wishes: Sequence[Answer], shelf: Shelf) -> None:
        self._connection = connection
        self._wishes = wishes
        self._sessions, self._steps = _sessions(connection, wishes, shelf)
        plain, unusual = self._sorted_out()
        touched = [ticket for few in (*plain.values(), unusual) for ticket in few]
        self._taken = take(connection, plain, touched) if plain else set()
        self._all_taken = len(self._taken) == sum(len(w.answers) for w in wishes if w.session_id in self._sessions)
        left = set() if self._all_taken else set(touched) - self._taken | set(unusual)
        # The time is from after the rows were locked: a fold that went first has stamped them already.
        self._impressions, self._now = _impressions(connection, left, self._steps)
        self._judged: dict[str, Judgement] = {}
        self._accepted: list[tuple[object, ...]] = []
        self._late: list[tuple[object, ...]] = []

    def _sorted_out(self) -> tuple[dict[Kind, list[str]], list[str]]:
        """Returns the tickets of answers that may be taken without judgement, and those of the others."""
        plain: dict[Kind, list[str]] = {}
        unusual: list[str] = []
        seen: set[str] = set()
        for wish in self._wishes:
            session = self._sessions.get(wish.session_id)
            if session is None:
                continue
            seconds = session.settings.final_after_seconds
            by_reward = {one: plain.setdefault(Kind(wish.session_id, one, seconds), []) for one in (0.0, 1.0)}
            if wish.session_id in self._steps:  # the statements would go by times that mean nothing any more
                unusual += [feedback.ticket for feedback in wish.answers]
                continue
            if isinstance(wish.answers, Rewards) and _are_new(wish.answers.tickets, seen):
                tickets, clicks = wish.answers.tickets, wish.answers.clicks
                by_reward[1.0] += compress(tickets, clicks)
                by_reward[0.0] += compress(tickets, map(not_, clicks))
                continue
            for ticket, reward, _, _ in wish.answers:
                few = None if reward is None else by_reward.get(reward)
                if few is None or ticket in seen or not (ticket.isascii() and ticket.isprintable()):
                    few = unusual
                few.append(ticket)
                seen.add(ticket)
        return {kind: few for kind, few in plain.items() if few}, [one for one in unusual if is_storable(one)]

    def results(self) -> list[list[FeedbackStatus] | SessionError]:
        """Returns the statuses for each caller, in order; what is worth it has been written."""
        results = [self._result(wish) for wish in self._wishes]
        _ACCEPT.run(self._connection, self._accepted)
        _KEEP_LATE.run(self._connection, self._late)
        return results

    def _result(self, wish: Answer) -> list[FeedbackStatus] | SessionError:
        session = self._sessions.get(wish.session_id)
        if session is None:
            return SessionNotFound(f"there is no session {wish.session_id}")
        if self._all_taken:
            return [FeedbackStatus.ACCEPTED] * len(wish.answers)
        taken, accepted, statuses = self._taken, FeedbackStatus.ACCEPTED, []
        for feedback in wish.answers:
            if feedback.ticket in taken:
                taken.remove(feedback.ticket)  # the first of its ticket; another one is judged
                statuses.append(accepted)
            else:
                statuses.append(self._status(wish.session_id, session, feedback))
        return statuses

    def _status(self, session_id: str, session: FixedParts, feedback: Feedback) -> FeedbackStatus:
        owner, impression = self._impressions.get(feedback.ticket, (None, None))
        if impression is None or owner != session_id:
            exploit = is_exploit_ticket(feedback.ticket, session.ticket_key, session_id)
            return FeedbackStatus.IGNORED if exploit else FeedbackStatus.NOT_FOUND
        if feedback.ticket in self._judged:
            impression = _after(impression, self._judged[feedback.ticket])
        judgement = judge(impression, feedback, session.settings, self._now)
        if judgement.late:
            self._late.append((judgement.outcome, judgement.clicked, self._now, session_id, impression.sequence))
            self._judged[feedback.ticket] = judgement
        elif judgement.status is FeedbackStatus.ACCEPTED:
            new = (judgement.outcome, judgement.clicked, judgement.not_shown, self._now)
            self._accepted.append((*new, session_id, impression.sequence))
            self._judged[feedback.ticket] = judgement
        return judgement.status


def _are_new(tickets: Sequence[str], seen: set[str]) -> bool:
    """Returns whether no ticket comes twice or has been seen; they are noted as seen then."""
    own = set(tickets)
    if len(own) < len(tickets) or not seen.isdisjoint(own):
        return False
    seen |= own
    return True


def _after(impression: StoredImpression, judgement: Judgement) -> StoredImpression:
    """Returns the impression as an answer earlier in the same batch has left it."""
    if judgement.late:
        return replace(impression, late_outcome=judgement.outcome, late_clicked=judgement.clicked)
    return replace(impression, outcome=judgement.outcome, clicked=judgement.clicked, not_shown=judgement.not_shown)


def _sessions(
    connection: Connection, wishes: Sequence[Answer], shelf: Shelf
) -> tuple[dict[str, FixedParts], dict[str, ClockStep]]:
    """Returns the sessions that exist, and the clock steps of those in which impressions may be open since before."""
    found: dict[str, FixedParts] = {}
    steps: dict[str, ClockStep] = {}
    for id_, created_at, sequence, step_at, now in _SESSIONS.rows(
        connection, ids=sorted({wish.session_id for wish in wishes})
    ):
        found[id_] = shelf.fixed(connection, id_, created_at)
        if step_at and now < step_at + found[id_].settings.final_after_seconds:
            steps[id_] = ClockStep(sequence, step_at)
    return found, steps


def _impressions(
    connection: Connection, tickets: Collection[str], steps: Mapping[str, ClockStep]
) -> tuple[dict[str, tuple[str, StoredImpression]], float]:
    """Returns the impressions that the tickets name, locked, with the session of each; and the time."""
    rows = _BY_TICKET.rows(connection, tickets=list(tickets)) if tickets else []
    found = {row[1]: (row[2], StoredImpression(*row[3:])) for row in rows}
    for session_id, impression in found.values():
        step = steps.get(session_id)
        if step is not None and step.met(impression.sequence):
            impression.issued_at = step.at  # its lifetime began again
    return found, max((row[0] for row in rows), default=0.0)
