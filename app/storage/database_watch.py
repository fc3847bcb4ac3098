"""Notices what a database should not do: set its clock, or forget what it has confirmed.

*The clock.* Windows and lifetimes are measured by the database's clock. If it is set while an impression is open,
nobody knows how long its window really was: what is open then becomes void, and what comes later counts as usual. A
step forward leaves a gap between two periods of uptime, which makes open windows void by itself. After a step back the
periods would claim the future, and impressions would stay open until the clock gets there again; they are closed here.

*Confirmed rows.* A standby that takes over without having everything, or a restored backup, puts the database back
into an earlier state. Nothing that is there is wrong then, but people should know that something is missing.
"""

import logging
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from sqlalchemy import Connection, Select, Update, bindparam, case, exists, func, or_, select, update

from app.sessions.health import clock_was_set, database_went_back
from app.sessions.model import Answers, FeedbackStatus, HandedOut, Health, Rewards, State
from app.storage.answering import Answer
from app.storage.database import Clock
from app.storage.issuing import Issue
from app.storage.records import AnyRow, add_note
from app.storage.shelf import Shelf
from app.storage.tables import impressions, sessions, uptimes
from app.storage.uptimes import CLOCK_TOLERANCE_SECONDS, SILENCE_SECONDS, Heartbeat

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
_CLOSE_OPEN = _ADD_NOTE.values(open_at_clock_step=sessions.c.next_sequence - 1)
_FIND_CONFIRMED = (  # a session that is being deleted is stopped first, and its rows go before it
    select(
        impressions.c.sequence,
        or_(impressions.c.outcome.is_not(None), impressions.c.not_shown, impressions.c.late_outcome.is_not(None)),
    )
    .select_from(sessions)
    .outerjoin(impressions, (impressions.c.session_id == sessions.c.id) & (impressions.c.ticket == bindparam("ticket")))
    .where(sessions.c.id == bindparam("session"), sessions.c.state != State.STOPPED.value)
)


class _Confirmed(NamedTuple):
    """An impression that a caller was told about, and whether its answer was acknowledged."""

    session_id: str
    ticket: str
    answered: bool


class DatabaseWatch:
    """Looks at the database once a second. Only the writer's thread uses it, inside its transactions."""

    def __init__(self, heartbeat: Heartbeat, shelf: Shelf, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._heartbeat = heartbeat
        self._shelf = shelf
        self._monotonic = monotonic
        self._last: tuple[float, float] | None = None  # database time and monotonic time of the last look
        self._written: _Confirmed | None = None
        self._confirmed: _Confirmed | None = None

    def written(self, wishes: Sequence[Issue | Answer], results: Sequence[object]) -> None:
        """Remembers one impression of a transaction that is about to be committed, if it holds any."""
        self._written = next(filter(None, map(_confirmed, reversed(wishes), reversed(results))), None)

    def committed(self) -> None:
        """Notes that the transaction is on disk."""
        self._confirmed = self._written or self._confirmed

    def look(self, connection: Connection) -> bool:
        """Deals with what has happened since the last look, in a transaction that has locked nothing yet.

        Returns whether the clock was set.
        """
        latest_beat, now = connection.execute(_LATEST_BEAT).one()
        before, self._last = self._last, (now, self._monotonic())
        if self._heartbeat.is_missing_from(connection) or self._is_confirmed_missing(connection):
            self._confirmed = None
            self._shelf.clear()
            _change(connection, _WITH_IMPRESSIONS, _ADD_NOTE, database_went_back(_date(now)))
            _log.error("database_went_back", extra={"advice": "see synchronous_standby_names in docs/operations.md"})
        if latest_beat is not None and latest_beat > now + CLOCK_TOLERANCE_SECONDS:
            return _close_open_impressions(connection, now, latest_beat - now)
        ahead = 0.0 if before is None else (now - before[0]) - (self._last[1] - before[1])
        if ahead > SILENCE_SECONDS:  # the gap in the periods of uptime makes open windows void
            changed = _change(connection, _WITH_OPEN, _ADD_NOTE, clock_was_set(_date(now - ahead), ahead))
            _log.warning("clock_set_forward", extra={"seconds": round(ahead, 3), "sessions": changed})
        return ahead > SILENCE_SECONDS

    def _is_confirmed_missing(self, connection: Connection) -> bool:
        if self._confirmed is None:
            return False
        session_id, ticket, answered = self._confirmed
        row = connection.execute(_FIND_CONFIRMED, {"session": session_id, "ticket": ticket}).one_or_none()
        return row is not None and (row[0] is None or (answered and not row[1]))


def _close_open_impressions(connection: Connection, now: float, back: float) -> bool:
    """Marks what is open as having met a step, in every session; returns False if another process did so."""
    connection.execute(_WITH_OPEN)  # sessions first: that is the order of locks
    if connection.execute(_END_FUTURE_PERIODS, {"now": now}).rowcount == 0:
        return False
    changed = _change(connection, _WITH_OPEN, _CLOSE_OPEN, clock_was_set(_date(now + back), -back))
    _log.warning("clock_set_back", extra={"seconds": round(back, 3), "sessions": changed})
    return True


def _change(connection: Connection, which: Select[*tuple[str, str]], how: Update, note: Health) -> int:
    """Returns how many sessions were changed and got the note."""
    found: Sequence[AnyRow] = connection.execute(which).all()
    if found:
        connection.execute(how, [{"session": row.id, "new_health": add_note(row.health, note)} for row in found])
    return len(found)


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
