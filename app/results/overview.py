"""All sessions together, for operators: asked of the database every few seconds at most, however often it is read."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from app.errors import SessionError
from app.sessions.ports import Census

log = logging.getLogger(__name__)

FRESH_SECONDS = 5.0
PATIENCE_SECONDS = 3.0
"""A database that takes longer is as good as away; whoever collects metrics gives up after ten seconds."""
MOST_NAMED = 1_000
"""Sessions with figures of their own: each is a time series in somebody's memory."""

Read = Callable[[int], Awaitable[Census]]


class Overview:
    """The last census, taken anew when it is asked for and too old."""

    def __init__(self, read: Read, *, by_session: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        self._read = read
        self._most_named = MOST_NAMED if by_session else 0
        self._clock = clock
        self._taken_at: float | None = None
        self._last: Census | None = None
        self._one_at_a_time = asyncio.Lock()

    async def take(self) -> Census | None:
        """Returns the census, some seconds old at the most; None if the database cannot be asked."""
        async with self._one_at_a_time:
            now = self._clock()
            if self._taken_at is None or now - self._taken_at >= FRESH_SECONDS:
                try:
                    self._last = await asyncio.wait_for(self._read(self._most_named), PATIENCE_SECONDS)
                except (SessionError, TimeoutError):
                    self._last = None
                except Exception:  # whatever it is, the other metrics must be told
                    log.exception("census_failed")
                    self._last = None
                self._taken_at = now
            return self._last
