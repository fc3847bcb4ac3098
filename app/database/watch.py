"""Notices what a database should not do: set its clock, or forget what it has confirmed.

*The clock.* Windows and lifetimes are measured by the database's clock. If it is set while an impression is open,
nobody knows how long its window really was. What is open then is marked: with a window it becomes void, without one its
lifetime begins again. What comes later counts as usual.

*Confirmed rows.* A standby that takes over without having everything, or a restored backup, puts the database back
into an earlier state. Nothing that is there is wrong then, but people should know that something is missing.
"""

import logging
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from queue import SimpleQueue
from typing import NamedTuple

from sqlalchemy import Connection, Select, Update, bindparam, case, exists, func, or_, select, update

from app.database.database import Clock
from app.database.tables import impressions, sessions, uptimes
from app.database.uptimes import CLOCK_TOLERANCE_SECONDS, SILENCE_SECONDS, Heartbeat
from app.impressions.feedback import Answer
from app.impressions.issue import Issue
from app.results.health import clock_was_set, database_went_back
from app.sessions.cache import Shelf
from app.sessions.model import Answers, FeedbackStatus, HandedOut, Health, Rewards, State
from app.sessions.rows import AnyRow, add_note

_log = logging.getLogger(__name__)

_LATEST_BEAT = select(func.max(uptimes.c.last_beat_at), Clock())
_SESSIONS = select(sessions.c.id, sessions.c.health).order_by(sessions.c.id).with_for_update()
_WITH_OPEN = _SESSIONS.where(exists().where(impressions.c.session_id == sessions.c.id, impressions.c.epoch.is_(None)))
_WITH_IMPRESSIONS = _SESSIONS.where(sessions.c.state != State.STOPPED.value, sessions.c.issued > 0)
_END_FUTURE_PERIODS = (
    update(uptimes)
    .where(uptimes.c.last_beat_at > bindparam("now") + CLOCK_TOLERANCE_SECONDS)
    .values(
        began_at=case((uptimes.c.began_at > bindparam("now"), bindparam("now")), else_=uptimes.c.began_at),
        last_beat_at=bindparam("now"),
    )
)
_ADD_NOTE = update(sessions).where(sessions.c.id == bindparam("session")).values(health=bindparam("new_health"))
_MARK_OPEN = _ADD_NOTE.values(open_at_clock_step=sessions.c.next_sequence - 1, clock_step_at=Clock())
_FIND_CONFIRMED = (  # a session that is being deleted is stopped first, and its rows go before it
    select(
        impressions.c.sequence.label("sequence"),
        or_(impressions.c.outcome.is_not(None), impressions.c.not_shown, impressions.c.late_outcome.is_not(None)),
    )
    .select_from(sessions)
    .outerjoin(impressions, (impressions.c.session_id == sessions.c.id) & (impressions.c.ticket == bindparam("ticket")))
    .where(sessions.c.id == bindparam("session"), sessions.c.state != State.STOPPED.value)
)


class _Confirmed(NamedTuple):
    """An impression that a caller has received, and whether its answer was acknowledged."""

    session_id: str
    ticket: str
    answered: bool


class _Look(NamedTuple):
    """What a look has found, in a transaction that may still fail."""

    connection: Connection
    at: tuple[float, float]  # database time, and monotonic time just before it was asked for
    events: list[Callable[[], None]]  # lines for the log
    changed: list[str]  # sessions that have got a note
    lost: bool


class DatabaseWatch:
    """Looks at the database once a second. Only the writer's thread uses it, but for `changed_sessions`."""

    def __init__(self, heartbeat: Heartbeat, shelf: Shelf, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._heartbeat = heartbeat
        self._shelf = shelf
        self._monotonic = monotonic
        self._last: tuple[float, float] | None = None  # database time and monotonic time of the last look
        self._written: _Confirmed | None = None
        # The last one of each tenth of a second since the last look: what is written to a database that has gone back
        # must not hide what was written before.
        self._confirmed: dict[int, _Confirmed] = {}
        self._look: _Look | None = None
        self.changed_sessions: SimpleQueue[str] = SimpleQueue()

    def written(self, wishes: Sequence[Issue | Answer], results: Sequence[object]) -> None:
        """Remembers one impression of a transaction that is about to be committed, if it holds any."""
        self._written = next(filter(None, map(_confirmed, reversed(wishes), reversed(results))), None)

    def answered(self) -> None:
        """Notes that what was written is on disk, and that callers hear of it."""
        if self._written is not None:
            self._confirmed[int(self._monotonic() * 10)] = self._written

    def look(self, connection: Connection) -> tuple[float, bool]:
        """Deals with what has happened since the last look, in a transaction that has locked nothing yet.

        Returns the database's time, and whether its clock was set.
        """
        asked_at = self._monotonic()  # before: a reply that comes late must not look like a step
        latest_beat, now = connection.execute(_LATEST_BEAT).one()
        lost = self._heartbeat.has_lost_beats(connection) or self._is_confirmed_missing(connection)
        look = self._look = _Look(connection, (now, asked_at), [], [], lost)
        if lost:
            look.changed.extend(_change(connection, _WITH_IMPRESSIONS, _ADD_NOTE, database_went_back(_date(now))))
            advice = {"advice": "see synchronous_standby_names in docs/operations.md"}
            look.events.append(lambda: _log.error("database_went_back", extra=advice))
        step = self._step(connection, latest_beat, now)
        if step:
            changed = _change(connection, _WITH_OPEN, _MARK_OPEN, clock_was_set(_date(now - step), step))
            look.changed.extend(changed)
            look.events.append(lambda: _log_step(step, len(changed)))
        return now, step != 0

    def committed(self, connection: Connection) -> None:
        """Notes that the transaction of this connection is on disk."""
        look = self._look
        if look is None or look.connection is not connection:
            return
        self._look, self._last = None, look.at
        self._confirmed.clear()
        self._heartbeat.forget_loss()
        if look.lost:
            self._shelf.clear()
        for write_line in look.events:
            write_line()
        for session_id in look.changed:
            self.changed_sessions.put(session_id)

    def _step(self, connection: Connection, latest_beat: float | None, now: float) -> float:
        """Returns by how many seconds the clock was set forward, or back (negative); 0 if it was not.

        A step back shows in beats that lie in the future. The process that ends them deals with the step.
        """
        if latest_beat is not None and latest_beat > now + CLOCK_TOLERANCE_SECONDS:
            connection.execute(_WITH_OPEN)  # sessions first: that is the order of locks
            is_mine = connection.execute(_END_FUTURE_PERIODS, {"now": now}).rowcount > 0
            return now - latest_beat if is_mine else 0.0
        ahead = 0.0 if self._last is None else (now - self._last[0]) - (self._monotonic() - self._last[1])
        return ahead if ahead > SILENCE_SECONDS else 0.0

    def _is_confirmed_missing(self, connection: Connection) -> bool:
        return any(_is_missing(connection, *one) for one in self._confirmed.values())


def _log_step(seconds: float, n_sessions: int) -> None:
    fields = {"seconds": round(abs(seconds), 3), "sessions": n_sessions}
    if seconds > 0:
        _log.warning("clock_set_forward", extra=fields)
    else:
        _log.warning("clock_set_back", extra=fields)


def _is_missing(connection: Connection, session_id: str, ticket: str, answered: bool) -> bool:
    row = connection.execute(_FIND_CONFIRMED, {"session": session_id, "ticket": ticket}).one_or_none()
    return row is not None and (row[0] is None or (answered and not row[1]))


def _change(connection: Connection, which: Select[*tuple[str, str]], how: Update, note: Health) -> list[str]:
    """Returns the sessions that were changed and got the note."""
    found: Sequence[AnyRow] = connection.execute(which).all()
    if found:
        connection.execute(how, [{"session": row.id, "new_health": add_note(row.health, note)} for row in found])
    return [row.id for row in found]


def _confirmed(wish: Issue | Answer, result: object) -> _Confirmed | None:
    """Returns the last impression that this result tells a caller about, None if it needs no row."""
    if not isinstance(result, list) or not result:
        return None
    last = result[-1]
    if isinstance(wish, Answer):
        accepted = last is FeedbackStatus.ACCEPTED
        return _Confirmed(wish.session_id, _last_ticket(wish.answers), answered=True) if accepted else None
    stored = isinstance(last, HandedOut) and last.counts
    return _Confirmed(wish.session_id, last.ticket, answered=False) if stored else None


def _last_ticket(answers: Answers) -> str:
    return answers.tickets[-1] if isinstance(answers, Rewards) else answers[-1].ticket


def _date(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
