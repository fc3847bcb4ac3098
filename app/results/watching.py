"""Telling any number of streams what changes, with one read of the database per process and second."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from contextvars import Context

from app.errors import Overloaded, SessionError
from app.sessions.model import Live
from app.telemetry.metrics import Meter

log = logging.getLogger(__name__)

POLL_SECONDS = 1.0
MOST_STREAMS = 2_000
"""Each holds a connection of the server; beyond, callers should poll best-pair, which costs nothing while idle."""

Read = Callable[[Sequence[str]], Awaitable[dict[str, Live]]]


class _Ear:
    """One stream's place: the newest thing it has not told yet. What was overtaken meanwhile is not told at all."""

    def __init__(self) -> None:
        self.news: Live | None = None
        self.over = False
        self._told: Live | None = None
        self._woken = asyncio.Event()

    def hear(self, live: Live) -> None:
        if live != self._told:
            self.news = live
            self._woken.set()

    def end(self) -> None:
        self.over = True
        self._woken.set()

    async def listen(self, seconds: float) -> Live | None:
        """Returns the news, or None if so many seconds bring none or all is over."""
        if not self.over:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), seconds)
        self._woken.clear()
        news, self.news = self.news, None
        self._told = news or self._told
        return news


class Watch:
    """Reads the sessions that streams follow, all at once, while there are any. All calls come from one event loop."""

    def __init__(self, read: Read, poll_seconds: float = POLL_SECONDS, meter: Meter | None = None) -> None:
        self._meter = meter or Meter()
        self._read = read
        self._poll_seconds = poll_seconds
        self._ears: dict[str, set[_Ear]] = {}
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def streams(self) -> int:
        """How many streams are open."""
        return sum(map(len, self._ears.values()))

    def follow(self, session_id: str, idle_seconds: float) -> AsyncIterator[Live | None]:
        """Returns the session as it is and then whenever it changes; None after so long without news.

        It ends when the session is deleted or the service stops.

        Raises:
            Overloaded: too many streams are open.
        """
        if self.streams >= MOST_STREAMS:
            raise Overloaded(f"{MOST_STREAMS} streams are open; poll best-pair instead")
        return self._follow(session_id, idle_seconds)

    async def _follow(self, session_id: str, idle_seconds: float) -> AsyncIterator[Live | None]:
        ear = _Ear()
        self._ears.setdefault(session_id, set()).add(ear)
        if self._closed:
            ear.end()
        elif self._task is None:
            # In a context of its own: it goes on for others when the request that began it is over.
            self._task = asyncio.create_task(self._run(), name="bestpair-watch", context=Context())
        try:
            while True:
                news = await ear.listen(idle_seconds)
                if ear.over and news is None:
                    return
                yield news
        finally:
            self._ears[session_id].discard(ear)
            if not self._ears[session_id]:
                del self._ears[session_id]

    def close(self) -> None:
        """Ends all streams, and those that still come at once: a server that stops waits for its answers."""
        self._closed = True
        for ears in self._ears.values():
            for ear in ears:
                ear.end()

    async def stop(self) -> None:
        """Ends all streams and the reading."""
        self.close()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        try:
            while self._ears and not self._closed:
                await self._look()
                await asyncio.sleep(self._poll_seconds)
        finally:
            self._task = None

    async def _look(self) -> None:
        """Reads all sessions that are followed and tells their streams."""
        asked = list(self._ears)
        try:
            found = await self._read(asked)
        except SessionError as error:
            log.warning("followed_sessions_unread", extra={"reason": error.detail})  # streams wait for better times
            return
        except Exception:
            self._meter.count("bestpair_unexpected_errors_total", "streams")
            log.exception("followed_sessions_failed")
            return
        for session_id in asked:
            for ear in self._ears.get(session_id, ()):
                if session_id in found:
                    ear.hear(found[session_id])
                else:
                    ear.end()
