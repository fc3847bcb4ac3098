"""Feeds: prefetched pairs for pages, and outcomes sent in the background; with threads or with asyncio.

    with Client(url) as client, Feed(client, session_id) as feed:
        pair = feed.next()
        feed.report(pair, reward=show(*pair.items))

`next` returns a prefetched pair, or the last best pair if the service is slow or away. `report` returns at once; an
outcome is sent again until the service has it on disk. Closing returns the pairs that were not shown and sends the
remaining outcomes; those that could not be sent are in FeedbackLost.
"""

import asyncio
import contextlib
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from app.client.calls import Call, Calls
from app.client.clients import AsyncClient, Client
from app.client.feed_work import FeedSettings, FeedWork, PairToShow, Task
from app.client.retries import ServiceUnreachable, Wait
from app.wire.serving import Feedback

CLOSE_SECONDS = 30.0


class FeedbackLost(Exception):
    """The feed was closed while the service was away; `rows` can be sent later with `Client.feedbacks`."""

    def __init__(self, rows: tuple[Feedback, ...], trouble: Exception | None) -> None:
        self.rows = rows
        super().__init__(f"{len(rows)} outcomes could not be sent: {trouble or 'the time was up'}")


class _FeedBase(ABC):
    """The methods that do not wait, and so are the same with threads and with asyncio."""

    _work: FeedWork

    def report(
        self,
        pair: PairToShow,
        *,
        reward: float | None = None,
        clicked: Sequence[str] | None = None,
        not_shown: bool = False,
    ) -> None:
        """Queues the outcome of a pair and returns at once; raises FeedbackBacklog if too many are queued."""
        self._work.report(pair, reward, clicked, not_shown)
        if self._work.outbox.full_batch:
            self._wake_sender()

    @property
    def statuses(self) -> Counter[str]:
        """The number of sent outcomes by status, including pairs returned as not shown."""
        return Counter(self._work.outbox.statuses)

    @property
    def trouble(self) -> Exception | None:
        """The error of the last call in the background; None if the service answers."""
        return self._work.trouble

    @abstractmethod
    def _wake_sender(self) -> None:
        """Makes the sender check the queue now."""

    def _wait_seconds(self, fallback: PairToShow | None, timeout_seconds: float | None) -> float:
        """Returns how long to wait for a pair: not at all if fetching fails and there is a fallback."""
        settings = self._work.settings
        if fallback is not None and self._work.cut_off:
            return 0.0
        if timeout_seconds is not None:
            return timeout_seconds
        return settings.first_timeout_seconds if fallback is None else settings.timeout_seconds

    def _fallback_or_raise(self, fallback: PairToShow | None) -> PairToShow:
        if fallback is None:
            why = "the service has not answered yet, and no fallback was given"
            raise ServiceUnreachable(why) from self._work.trouble
        return fallback

    def _raise_if_unsent(self) -> None:
        if left := self._work.outbox.seal():
            raise FeedbackLost(left, self._work.trouble)


class Feed(_FeedBase):
    """Pairs of one session, for programs with threads; all threads may share it. Open it after forking."""

    def __init__(self, client: Client, session_id: str, settings: FeedSettings | None = None) -> None:
        self._arrived = threading.Condition()
        self._work = FeedWork(Calls(), session_id, settings or FeedSettings(), self._notify_arrival)
        self._abandoned = threading.Event()
        self._stocker = _Worker(self._work.keep_stocked(), client, self._abandoned)
        self._sender = _Worker(self._work.keep_sent(), client, self._abandoned)
        self._stocker.start()
        self._sender.start()

    def next(self, timeout_seconds: float | None = None) -> PairToShow:
        """Returns a pair to show: from the stock, or the last best pair after the timeout.

        Raises:
            ServiceUnreachable: the service has never answered, and no fallback was given.
        """
        if (pair := self._work.take()) is not None:
            return pair
        began = time.monotonic()
        while True:
            self._stocker.wake.set()
            fallback = self._work.fallback()
            with self._arrived:
                if (pair := self._work.take()) is not None:
                    return pair
                left = began + self._wait_seconds(fallback, timeout_seconds) - time.monotonic()
                if left > 0:
                    # In short steps, because a fallback may become known meanwhile, which changes the timeout.
                    self._arrived.wait(min(left, 0.05))
                    continue
            return self._fallback_or_raise(fallback)

    def close(self, timeout_seconds: float = CLOSE_SECONDS) -> None:
        """Returns unshown pairs and sends all outcomes; raises FeedbackLost if this takes longer than the timeout."""
        self._work.closing = True
        until = time.monotonic() + timeout_seconds
        for worker in (self._stocker, self._sender):
            worker.wake.set()
        for worker in (self._stocker, self._sender):
            worker.join(max(0.0, until - time.monotonic()))
        self._abandoned.set()
        self._raise_if_unsent()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _wake_sender(self) -> None:
        self._sender.wake.set()

    def _notify_arrival(self) -> None:
        with self._arrived:
            self._arrived.notify_all()


class _Worker(threading.Thread):
    """A thread that runs one of the feed's tasks; a daemon, so that it does not keep the program alive."""

    def __init__(self, task: Task, client: Client, abandoned: threading.Event) -> None:
        super().__init__(daemon=True, name="bestpair-feed")
        self.wake = threading.Event()
        self._task, self._client, self._abandoned = task, client, abandoned

    def run(self) -> None:
        with contextlib.suppress(StopIteration):
            step = next(self._task)
            while not self._abandoned.is_set():
                try:
                    outcome = self._do(step)
                except Exception as error:  # the task handles it
                    step = self._task.throw(error)
                else:
                    step = self._task.send(outcome)

    def _do(self, step: Call[Any] | Wait) -> object:
        if isinstance(step, Wait):
            self.wake.wait(step.seconds)
            self.wake.clear()
            return None
        return self._client.send(step)


class AsyncFeed(_FeedBase):
    """The feed for asyncio; open it with `async with`, in the event loop that uses it."""

    def __init__(self, client: AsyncClient, session_id: str, settings: FeedSettings | None = None) -> None:
        self._client = client
        self._arrived, self._stocking, self._sending = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._work = FeedWork(Calls(), session_id, settings or FeedSettings(), self._arrived.set)
        self._running: list[asyncio.Task[None]] = []

    async def next(self, timeout_seconds: float | None = None) -> PairToShow:
        """Returns a pair to show: from the stock, or the last best pair after the timeout.

        Raises:
            ServiceUnreachable: the service has never answered, and no fallback was given.
        """
        began = time.monotonic()
        while (pair := self._work.take()) is None:
            self._arrived.clear()
            self._stocking.set()
            fallback = self._work.fallback()
            left = began + self._wait_seconds(fallback, timeout_seconds) - time.monotonic()
            if left <= 0:
                return self._fallback_or_raise(fallback)
            await _wait(self._arrived, min(left, 0.05))
        return pair

    async def close(self, timeout_seconds: float = CLOSE_SECONDS) -> None:
        """Returns unshown pairs and sends all outcomes; raises FeedbackLost if this takes longer than the timeout."""
        self._work.closing = True
        self._stocking.set()
        self._sending.set()
        if self._running:
            _, late = await asyncio.wait(self._running, timeout=timeout_seconds)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        self._raise_if_unsent()

    async def __aenter__(self) -> Self:
        tasks = ((self._work.keep_stocked(), self._stocking), (self._work.keep_sent(), self._sending))
        self._running = [asyncio.create_task(self._run(task, wake)) for task, wake in tasks]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()

    def _wake_sender(self) -> None:
        self._sending.set()

    async def _run(self, task: Task, wake: asyncio.Event) -> None:
        with contextlib.suppress(StopIteration):
            step = next(task)
            while True:
                try:
                    outcome = await self._do(step, wake)
                except Exception as error:
                    step = task.throw(error)
                else:
                    step = task.send(outcome)

    async def _do(self, step: Call[Any] | Wait, wake: asyncio.Event) -> object:
        if isinstance(step, Wait):
            await _wait(wake, step.seconds)
            wake.clear()
            return None
        return await self._client.send(step)


async def _wait(event: asyncio.Event, seconds: float) -> None:
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)
