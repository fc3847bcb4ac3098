"""Detects two faults of the database: its clock was set, or it lost rows that it had confirmed.

*The clock.* Windows and lifetimes are measured by the database's clock. If it is set while an impression is open,
the real length of its window is unknown. Open impressions are marked: with a window they become void, without one
their lifetime begins again. Later impressions count as usual.

*Confirmed rows.* A standby that takes over without having everything, or a restored backup, puts the database back
into an earlier state. The remaining rows are correct; a health entry tells people that some are missing.
"""

import logging
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from queue import SimpleQueue
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Select, Update, bindparam, case, func, or_, select, update

from app.database.database import Clock
from app.database.heartbeat import CLOCK_TOLERANCE_SECONDS, SILENCE_SECONDS, Heartbeat
from app.database.tables import impressions, sessions, uptimes
from app.health import Health, replace_entry
from app.wire.vocabulary import State

_log = logging.getLogger(__name__)

_LATEST_BEAT = select(func.max(uptimes.c.last_beat_at), Clock())
_SESSIONS = select(sessions.c.id, sessions.c.health).order_by(sessions.c.id).with_for_update()
_WITH_OPEN = _SESSIONS.where(sessions.c.next_sequence - 1 > sessions.c.watermark)
_WITH_IMPRESSIONS = _SESSIONS.where(sessions.c.state != State.STOPPED.value, sessions.c.issued > 0)
_END_FUTURE_PERIODS = (
    update(uptimes)
    .where(uptimes.c.last_beat_at > bindparam("now") + CLOCK_TOLERANCE_SECONDS)
    .values(
        began_at=case((uptimes.c.began_at > bindparam("now"), bindparam("now")), else_=uptimes.c.began_at),
        last_beat_at=bindparam("now"),
    )
)
_SET_HEALTH = update(sessions).where(sessions.c.id == bindparam("session")).values(health=bindparam("new_health"))
_MARK_OPEN = _SET_HEALTH.values(open_at_clock_step=sessions.c.next_sequence - 1, clock_step_at=Clock())
_FIND_RECEIPT = (  # a session that is being deleted is stopped first, and its rows are deleted before it
    select(
        impressions.c.sequence.label("sequence"),
        or_(impressions.c.outcome.is_not(None), impressions.c.not_shown, impressions.c.late_outcome.is_not(None)),
    )
    .select_from(sessions)
    .outerjoin(impressions, (impressions.c.session_id == sessions.c.id) & (impressions.c.ticket == bindparam("ticket")))
    .where(sessions.c.id == bindparam("session"), sessions.c.state != State.STOPPED.value)
)


class ClockStep(NamedTuple):
    """The last time the clock was set while a session had open impressions: to `at`, after `sequence` was issued."""

    sequence: int = 0
    at: float = 0.0

    def covers(self, sequence: int) -> bool:
        """Returns whether this impression was issued before the step; if it is still open, its times mean nothing."""
        return sequence <= self.sequence


class Receipt(NamedTuple):
    """An impression that a caller has received, and whether its feedback was acknowledged."""

    session_id: str
    ticket: str
    answered: bool


class _Check(NamedTuple):
    """The results of one check, in a transaction that may still fail."""

    connection: Connection
    at: tuple[float, float]  # database time, and monotonic time just before the query
    events: list[Callable[[], None]]  # lines for the log
    changed: list[str]  # sessions that got a health entry
    lost: bool


class DatabaseWatch:
    """Checks the database once a second. Only the writer's thread uses it, except for `changed_sessions`."""

    def __init__(self, heartbeat: Heartbeat, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._heartbeat = heartbeat
        self._monotonic = monotonic
        self._last: tuple[float, float] | None = None  # database time and monotonic time of the last check
        self._written: Receipt | None = None
        # The last one of each tenth of a second since the last check: a row written to a database that went back must
        # not hide that an earlier one is missing.
        self._acknowledged: dict[int, Receipt] = {}
        self._check: _Check | None = None
        self.changed_sessions: SimpleQueue[str] = SimpleQueue()
        self.on_loss: list[Callable[[], None]] = []  # called when rows were lost: caches are no longer right

    def written(self, receipt: Receipt | None) -> None:
        """Remembers one impression of a transaction that is about to be committed, None if it has none."""
        self._written = receipt

    def acknowledged(self) -> None:
        """Records that the transaction is on disk and its callers get their results."""
        if self._written is not None:
            self._acknowledged[int(self._monotonic() * 10)] = self._written

    def check(self, connection: Connection) -> tuple[float, bool]:
        """Handles what happened since the last check, in a transaction that has locked nothing yet.

        Returns the database's time, and whether its clock was set.
        """
        queried_at = self._monotonic()  # before the query: a slow reply must not look like a clock step
        latest_beat, now = connection.execute(_LATEST_BEAT).one()
        lost = self._heartbeat.has_lost_beats(connection) or self._is_receipt_missing(connection)
        check = self._check = _Check(connection, (now, queried_at), [], [], lost)
        if lost:
            check.changed.extend(_change(connection, _WITH_IMPRESSIONS, _SET_HEALTH, _rows_lost(_date(now))))
            advice = {"advice": "see synchronous_standby_names in docs/operations.md"}
            check.events.append(lambda: _log.error("database_went_back", extra=advice))
        step = self._clock_step(connection, latest_beat, now)
        if step:
            changed = _change(connection, _WITH_OPEN, _MARK_OPEN, _clock_set(_date(now - step), step))
            check.changed.extend(changed)
            check.events.append(lambda: _log_step(step, len(changed)))
        return now, step != 0

    def committed(self, connection: Connection) -> None:
        """Records that the transaction of this connection is on disk."""
        check = self._check
        if check is None or check.connection is not connection:
            return
        self._check, self._last = None, check.at
        self._acknowledged.clear()
        self._heartbeat.forget_loss()
        if check.lost:
            for callback in self.on_loss:
                callback()
        for write_line in check.events:
            write_line()
        for session_id in check.changed:
            self.changed_sessions.put(session_id)

    def _clock_step(self, connection: Connection, latest_beat: float | None, now: float) -> float:
        """Returns by how many seconds the clock was set forward, or back (negative); 0 if it was not.

        After a step back, beats are in the future. Only the first process that corrects them handles the step.
        """
        if latest_beat is not None and latest_beat > now + CLOCK_TOLERANCE_SECONDS:
            connection.execute(_WITH_OPEN)  # sessions first: that is the order of locks
            is_first = connection.execute(_END_FUTURE_PERIODS, {"now": now}).rowcount > 0
            return now - latest_beat if is_first else 0.0
        ahead = 0.0 if self._last is None else (now - self._last[0]) - (self._monotonic() - self._last[1])
        return ahead if ahead > SILENCE_SECONDS else 0.0

    def _is_receipt_missing(self, connection: Connection) -> bool:
        return any(_is_missing(connection, receipt) for receipt in self._acknowledged.values())


def _log_step(seconds: float, n_sessions: int) -> None:
    fields = {"seconds": round(abs(seconds), 3), "sessions": n_sessions}
    if seconds > 0:
        _log.warning("clock_set_forward", extra=fields)
    else:
        _log.warning("clock_set_back", extra=fields)


def _is_missing(connection: Connection, receipt: Receipt) -> bool:
    row = connection.execute(_FIND_RECEIPT, {"session": receipt.session_id, "ticket": receipt.ticket}).one_or_none()
    return row is not None and (row[0] is None or (receipt.answered and not row[1]))


def _change(
    connection: Connection, select_sessions: Select[*tuple[str, str]], change: Update, entry: Health
) -> list[str]:
    """Gives the selected sessions the health entry; returns their ids."""
    rows: Sequence[Row[*tuple[Any, ...]]] = connection.execute(select_sessions).all()
    if rows:
        changes = [{"session": row.id, "new_health": replace_entry(row.health, entry)} for row in rows]
        connection.execute(change, changes)
    return [row.id for row in rows]


def _clock_set(when: str, seconds: float) -> Health:
    direction = "forward" if seconds > 0 else "back"
    return Health(
        problem=f"the database's clock was set {direction} by {_duration(abs(seconds))} on {when}; impressions "
        "with a window that were open at that moment are void",
        cause="somebody or something set the clock of the database's machine, or the machine slept",
        advice="use a time service that adjusts the clock gradually; nothing else needs to be done here",
        suspends=False,
    )


def _rows_lost(when: str) -> Health:
    return Health(
        problem=f"on {when} the database was found in an earlier state than before; impressions and answers that were "
        "acknowledged shortly before are missing",
        cause="a standby took over that did not have everything, or a backup was put in place while servers ran",
        advice="the stored data is consistent and continues to count; set synchronous_standby_names in PostgreSQL, so "
        "that an acknowledged answer is on a standby too",
        suspends=False,
    )


def _duration(seconds: float) -> str:
    for size, unit in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} seconds"


def _date(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
