"""Event streams: many subscribers follow sessions, with one read of the database per process and second."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from contextvars import Context

from app.errors import Overloaded, SessionError
from app.results.sql import Live
from app.telemetry.metrics import Meter

log = logging.getLogger(__name__)

POLL_SECONDS = 1.0
MAX_STREAMS = 2_000
"""Each stream keeps a connection open. Callers beyond this number should poll best-pair, which uses none while idle."""

Read = Callable[[Sequence[str]], Awaitable[dict[str, Live]]]


class _Subscriber:
    """One stream. It gets the newest state; older states that it has not read yet are skipped."""

    def __init__(self) -> None:
        self.ended = False
        self._pending: Live | None = None
        self._sent: Live | None = None
        self._changed = asyncio.Event()

    def publish(self, live: Live) -> None:
        if live != self._sent:
            self._pending = live
            self._changed.set()

    def end(self) -> None:
        self.ended = True
        self._changed.set()

    async def wait(self, seconds: float) -> Live | None:
        """Returns the newest state, or None if nothing changed for `seconds` or the stream has ended."""
        if not self.ended:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), seconds)
        self._changed.clear()
        live, self._pending = self._pending, None
        self._sent = live or self._sent
        return live


class EventStreams:
    """Reads the sessions that streams follow, all at once, while there are any. All calls come from one event loop."""

    def __init__(self, read: Read, poll_seconds: float = POLL_SECONDS, meter: Meter | None = None) -> None:
        self._meter = meter or Meter()
        self._read = read
        self._poll_seconds = poll_seconds
        self._subscribers: dict[str, set[_Subscriber]] = {}
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def streams(self) -> int:
        """The number of open streams."""
        return sum(map(len, self._subscribers.values()))

    def follow(self, session_id: str, idle_seconds: float) -> AsyncIterator[Live | None]:
        """Yields the session now and whenever it changes; None after `idle_seconds` without a change.

        It ends when the session is deleted or the service stops.

        Raises:
            Overloaded: too many streams are open.
        """
        if self.streams >= MAX_STREAMS:
            raise Overloaded(f"{MAX_STREAMS} streams are open; poll best-pair instead")
        return self._follow(session_id, idle_seconds)

    async def _follow(self, session_id: str, idle_seconds: float) -> AsyncIterator[Live | None]:
        subscriber = _Subscriber()
        self._subscribers.setdefault(session_id, set()).add(subscriber)
        if self._closed:
            subscriber.end()
        elif self._task is None:
            # In an empty context: the task serves other streams after the request that started it has ended.
            self._task = asyncio.create_task(self._run(), name="bestpair-streams", context=Context())
        try:
            while True:
                change = await subscriber.wait(idle_seconds)
                if subscriber.ended and change is None:
                    return
                yield change
        finally:
            self._subscribers[session_id].discard(subscriber)
            if not self._subscribers[session_id]:
                del self._subscribers[session_id]

    def close(self) -> None:
        """Ends all streams, and new ones at once: a server that shuts down waits until its responses have ended."""
        self._closed = True
        for subscribers in self._subscribers.values():
            for subscriber in subscribers:
                subscriber.end()

    async def stop(self) -> None:
        """Ends all streams and the task that reads sessions."""
        self.close()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        try:
            while self._subscribers and not self._closed:
                await self._publish_changes()
                await asyncio.sleep(self._poll_seconds)
        finally:
            self._task = None

    async def _publish_changes(self) -> None:
        """Reads all sessions that have subscribers, and publishes their states."""
        session_ids = list(self._subscribers)
        try:
            states = await self._read(session_ids)
        except SessionError as error:
            log.warning("followed_sessions_unread", extra={"reason": error.detail})  # the next read may succeed
            return
        except Exception:
            self._meter.count("bestpair_unexpected_errors_total", "streams")
            log.exception("followed_sessions_failed")
            return
        for session_id in session_ids:
            for subscriber in self._subscribers.get(session_id, ()):
                if session_id in states:
                    subscriber.publish(states[session_id])
                else:
                    subscriber.end()
