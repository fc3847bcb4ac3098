"""Heartbeats: stretches of time in which this process could take answers, kept so that outages can be seen later."""

import uuid
from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, insert, select, update

from app.sessions.maturity import Uptime
from app.storage.tables import uptimes

BEAT_SECONDS = 1.0
_SILENCE_SECONDS = 3.0
"""A process that did not beat for so long was paused or hung: what it missed is an outage, even if it caught up."""

_BEAT = (
    update(uptimes)
    .where(uptimes.c.process_id == bindparam("stretch"), uptimes.c.last_beat_at >= bindparam("earliest"))
    .values(last_beat_at=bindparam("now"))
)
_BEGIN = insert(uptimes)
_SINCE = select(uptimes.c.began_at, uptimes.c.last_beat_at).where(uptimes.c.last_beat_at >= bindparam("since"))


class Heartbeat:
    """This process's current stretch. Only the writer's thread uses it, inside its transactions, but for refusals."""

    def __init__(self) -> None:
        self._stretch = uuid.uuid4().hex
        self._refused = False
        self.is_broken_off = True

    def note_refusal(self) -> None:
        """Takes note that an answer was refused; unless it is sent again, its silence proves nothing."""
        self._refused = True

    def beat(self, connection: Connection, now: float) -> None:
        """Extends the stretch to `now`, or begins another if the last one has broken off or answers were refused."""
        if self._refused:
            self._refused = False  # first: what is refused from here on is for the next beat
            self.break_off()
        self.is_broken_off = False
        given = {"stretch": self._stretch, "now": now, "earliest": now - _SILENCE_SECONDS}
        if connection.execute(_BEAT, given).rowcount == 0:
            self._stretch = uuid.uuid4().hex
            connection.execute(_BEGIN, {"process_id": self._stretch, "began_at": now, "last_beat_at": now})

    def break_off(self) -> None:
        """Ends the stretch at its last beat: answers were refused since."""
        self._stretch = uuid.uuid4().hex  # no row has this name yet, so the next beat begins one
        self.is_broken_off = True


def stretches(connection: Connection, since: float) -> Sequence[Uptime]:
    """Returns the stretches of all processes that reach beyond `since`."""
    return [Uptime(began, ended) for began, ended in connection.execute(_SINCE, {"since": since})]
