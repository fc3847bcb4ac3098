"""The census: numbers of sessions for operators, read from the database at most every few seconds."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from app.errors import SessionError
from app.results.sql import Census

log = logging.getLogger(__name__)

FRESH_SECONDS = 5.0
READ_TIMEOUT_SECONDS = 3.0
"""A read that takes longer counts as failed: a metrics collector gives up after ten seconds."""
MAX_NAMED = 1_000
"""Sessions that get separate figures at most: each is a time series that the metrics collector has to keep."""

Read = Callable[[int], Awaitable[Census]]


class CensusCache:
    """The last census; it is read again when it is requested and too old."""

    def __init__(self, read: Read, *, by_session: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        self._read = read
        self._max_named = MAX_NAMED if by_session else 0
        self._clock = clock
        self._taken_at: float | None = None
        self._last: Census | None = None
        self._one_at_a_time = asyncio.Lock()

    async def take(self) -> Census | None:
        """Returns the census, at most `FRESH_SECONDS` old; None if the database cannot be read."""
        async with self._one_at_a_time:
            now = self._clock()
            if self._taken_at is None or now - self._taken_at >= FRESH_SECONDS:
                try:
                    self._last = await asyncio.wait_for(self._read(self._max_named), READ_TIMEOUT_SECONDS)
                except (SessionError, TimeoutError):
                    self._last = None
                except Exception:  # an unexpected error must not hide the other metrics
                    log.exception("census_failed")
                    self._last = None
                self._taken_at = now
            return self._last
