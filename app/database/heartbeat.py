"""Heartbeats: the periods in which this process could take feedback, stored so that outages are known later.

A period has no gaps. It ends when the process writes no beat for `SILENCE_SECONDS`, when it refuses feedback, or when
the clock is set.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, insert, select, update

from app.database.tables import uptimes

BEAT_SECONDS = 1.0
SILENCE_SECONDS = 3.0
"""A process that wrote no beat for longer was paused or hung: that time is an outage, even if the process continued."""
CLOCK_TOLERANCE_SECONDS = 1.0
"""Beats may be this far ahead of the clock; a larger difference means that the clock was set back."""

_BEAT = (
    update(uptimes)
    .where(
        uptimes.c.process_id == bindparam("period"),
        uptimes.c.last_beat_at.between(bindparam("earliest"), bindparam("latest")),
    )
    .values(last_beat_at=bindparam("now"), beats=uptimes.c.beats + 1)
    .returning(uptimes.c.beats)
)
_BEGIN = insert(uptimes)
_BEATS = select(uptimes.c.beats).where(uptimes.c.process_id == bindparam("period"))
_SINCE = select(uptimes.c.began_at, uptimes.c.last_beat_at).where(uptimes.c.last_beat_at >= bindparam("since"))


@dataclass(frozen=True)
class Uptime:
    """A period in which some server process could take feedback."""

    began: float
    ended: float


@dataclass(frozen=True)
class _Beat:
    """A beat: the period it belongs to, and its number in that period."""

    period: str
    number: int


class Heartbeat:
    """The current period of this process. Only the writer's thread calls it, except for `note_refusal`."""

    def __init__(self) -> None:
        self._period = uuid.uuid4().hex
        self._written: tuple[Connection, _Beat] | None = None  # in a transaction that may still fail
        self._on_disk: _Beat | None = None
        self._last_at: float | None = None
        self._is_lost = False
        self._refused = False
        self.is_broken_off = True

    def note_refusal(self) -> None:
        """Records that feedback was refused: if it is not sent again, its absence does not mean 'no click'."""
        self._refused = True

    def beat(self, connection: Connection, now: float) -> None:
        """Extends the period to `now`, or begins another period if this one has ended or feedback was refused."""
        if self._refused:
            self._refused = False  # cleared first: the next beat handles a refusal from here on
            self.break_off()
        self.is_broken_off = False
        parameters = {
            "period": self._period,
            "now": now,
            "earliest": now - SILENCE_SECONDS,
            "latest": now + CLOCK_TOLERANCE_SECONDS,
        }
        number = connection.execute(_BEAT, parameters).scalar_one_or_none()
        self._last_at = now
        # Checked here too: after the next commit, the number on disk that is compared here would be overwritten.
        self._is_lost = self._is_lost or (number is None and self.is_missing_from(connection))
        self._is_lost = self._is_lost or (number is not None and number <= self._number_on_disk())
        if number is None:
            self._period, number = uuid.uuid4().hex, 1
            row = {"process_id": self._period, "began_at": now, "last_beat_at": now, "beats": number}
            connection.execute(_BEGIN, row)
        self._written = connection, _Beat(self._period, number)

    def committed(self, connection: Connection) -> None:
        """Records that the transaction of this connection is on disk."""
        if self._written is not None and self._written[0] is connection:
            self._on_disk = self._written[1]

    def break_off(self) -> None:
        """Ends the period at its last beat, because feedback was refused after it; the next beat begins another one."""
        self._period = uuid.uuid4().hex  # no row has this id yet, so the next beat inserts one
        self.is_broken_off = True

    def is_current(self, now: float) -> bool:
        """Returns whether the last beat is recent; if not, there was an outage or the clock was set."""
        return self._last_at is not None and -CLOCK_TOLERANCE_SECONDS <= now - self._last_at <= SILENCE_SECONDS

    def has_lost_beats(self, connection: Connection) -> bool:
        """Returns whether beats that were on disk are missing from the database."""
        return self._is_lost or self.is_missing_from(connection)

    def forget_loss(self) -> None:
        """Records that the loss was handled."""
        self._is_lost = False

    def _number_on_disk(self) -> int:
        on_disk = self._on_disk
        return on_disk.number if on_disk is not None and on_disk.period == self._period else 0

    def is_missing_from(self, connection: Connection) -> bool:
        """Returns whether the last beat on disk is missing: the database went back to an earlier state."""
        if self._on_disk is None:
            return False
        beats = connection.execute(_BEATS, {"period": self._on_disk.period}).scalar_one_or_none()
        return beats is None or beats < self._on_disk.number


def uptime_periods(connection: Connection, since: float) -> Sequence[Uptime]:
    """Returns the periods of all processes that end after `since`."""
    return [Uptime(began, ended) for began, ended in connection.execute(_SINCE, {"since": since})]
