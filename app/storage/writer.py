"""The one thread of a process that writes: it commits in groups, and answers its callers after the commit.

While one commit runs, requests queue; the next transaction takes all of them (up to a number of rows). The price of a
commit is then shared by everyone who waited, and nobody waits for more than two of them.

Order of locks, the same in every transaction, so that processes cannot wait for each other in a circle:
session rows by id, then impressions by (session, sequence), then everything else. Feedback takes no session rows.

A request that is itself at fault (a stopped session, a key with another body) gets its error as its result. If a
transaction fails as a whole, it is run again when another process's transaction was the cause, or when its connection
had died before the commit was sent; otherwise, if the database cannot be used, all its callers hear so; otherwise one
of its requests must be at fault, and each is run in a transaction of its own.
"""

import asyncio
import logging
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection, Engine

from app.sessions.errors import Overloaded, SessionError, StorageUnavailable
from app.storage.faults import is_unavailable, is_worth_another_try, unavailable

Wish = TypeVar("Wish")
Result = TypeVar("Result")

_ATTEMPTS = 4
_log = logging.getLogger(__name__)


@dataclass(eq=False, slots=True)
class _Request(Generic[Wish]):
    """One caller: what it wants (shared transactions), or what to run in a transaction of its own."""

    wish: Wish | None
    alone: Callable[[Connection], Any] | None
    rows: int
    lapses: bool  # nothing to do any more if the caller has gone before its turn
    future: asyncio.Future[Any]


class Writer(Generic[Wish]):
    """A bounded queue and its thread. `together` serves many wishes in one transaction: a result or an error each."""

    def __init__(
        self,
        engine: Engine,
        together: Callable[[Connection, Sequence[Wish]], Sequence[object]],
        *,
        idle_task: Callable[[Connection], None],
        idle_seconds: float,
        on_outage: Callable[[], None],
        capacity: int,
        rows_per_commit: int,
    ) -> None:
        self._engine = engine
        self._together = together
        self._idle_task = idle_task
        self._idle_seconds = idle_seconds
        self._on_outage = on_outage
        self._capacity = capacity
        self._rows_per_commit = rows_per_commit
        self._queue: deque[_Request[Wish]] = deque()
        self._changed = threading.Condition()
        self._open = False
        self._thread = threading.Thread(target=self._run, name="bestpair-writer", daemon=True)

    def start(self) -> None:
        """Starts the thread."""
        self._open = True
        self._thread.start()

    def close(self) -> None:
        """Refuses new requests, finishes those that wait, and returns when the thread has ended."""
        with self._changed:
            self._open = False
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join()

    async def together(self, wish: Wish, *, rows: int, lapses: bool) -> Any:  # noqa: ANN401 - the wish decides
        """Returns the wish's result, once the transaction that it shared with others is on disk."""
        return await self._enqueue(_Request(wish, None, rows, lapses, asyncio.get_running_loop().create_future()))

    async def alone(self, work: Callable[[Connection], Result]) -> Result:
        """Returns the work's result, once the transaction that it had for itself is on disk."""
        result: Result = await self._enqueue(_Request(None, work, 1, False, asyncio.get_running_loop().create_future()))
        return result

    def _enqueue(self, request: _Request[Wish]) -> asyncio.Future[Any]:
        with self._changed:
            if not self._open:
                raise StorageUnavailable("the server is shutting down")
            if len(self._queue) >= self._capacity:
                raise Overloaded(f"{self._capacity} writes are waiting already; try again shortly")
            self._queue.append(request)
            self._changed.notify()
        return request.future

    def _run(self) -> None:
        due = time.monotonic() + self._idle_seconds
        while (batch := self._take(due)) is not None:
            if batch:
                self._commit(batch)
            if time.monotonic() >= due:
                self._do_idle_task()
                due = time.monotonic() + self._idle_seconds
        self._do_idle_task()

    def _take(self, due: float) -> list[_Request[Wish]] | None:
        """Returns the requests of the next transaction, none if it is time for the idle task, None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._queue or not self._open, timeout=max(0.0, due - time.monotonic()))
            if not self._queue:
                return [] if self._open else None
            batch = [self._queue.popleft()]
            rows = batch[0].rows
            while batch[0].alone is None and self._queue and self._queue[0].alone is None:
                rows += self._queue[0].rows
                if rows > self._rows_per_commit:
                    break
                batch.append(self._queue.popleft())
        return [request for request in batch if not (request.lapses and request.future.cancelled())]

    def _commit(self, batch: list[_Request[Wish]]) -> None:
        try:
            results = self._transact(lambda connection: self._serve(connection, batch))
        except Exception as error:
            if not is_unavailable(error) and len(batch) > 1:
                for request in batch:
                    self._commit([request])
                return
            results = [self._failure(error)] * len(batch)
        _answer(batch, results)

    def _serve(self, connection: Connection, batch: list[_Request[Wish]]) -> Sequence[object]:
        if batch[0].alone is not None:
            return [batch[0].alone(connection)]
        return self._together(connection, [request.wish for request in batch if request.wish is not None])

    def _transact(self, work: Callable[[Connection], Result]) -> Result:
        """Returns the work's result after its commit; what was undone through no fault of its own is tried again."""
        attempt = 1
        while True:
            committing = False
            try:
                with self._engine.connect() as connection:
                    transaction = connection.begin()
                    result = work(connection)
                    committing = True  # from here on a lost connection leaves it open whether it was committed
                    transaction.commit()
                    return result
            except Exception as error:
                if committing or attempt == _ATTEMPTS or not is_worth_another_try(error):
                    raise
                _log.info("transaction is tried again after: %s", error)
            time.sleep(0.01 * attempt * random.random())  # noqa: S311 - so that two that collided do not do so again
            attempt += 1

    def _failure(self, error: Exception) -> Exception:
        if isinstance(error, SessionError) or not is_unavailable(error):
            return error
        _log.warning("the database cannot be used: %s", error)
        self._on_outage()
        self._engine.dispose()  # whatever state the connection is in, the next transaction gets a new one
        return unavailable()

    def _do_idle_task(self) -> None:
        try:
            self._transact(self._idle_task)
        except Exception as error:
            if not is_unavailable(error):
                _log.exception("the writer's idle task failed")
            self._failure(error)


def _answer(batch: Sequence[_Request[Any]], results: Sequence[object]) -> None:
    """Hands the results to the callers' event loops, one call for each loop."""
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Any], object]]] = {}
    for request, result in zip(batch, results, strict=True):
        by_loop.setdefault(request.future.get_loop(), []).append((request.future, result))
    for loop, answers in by_loop.items():
        try:
            loop.call_soon_threadsafe(_settle, answers)
        except RuntimeError:  # the loop was closed: nobody is waiting any more
            _log.info("%d callers were gone before their answer", len(answers))


def _settle(answers: list[tuple[asyncio.Future[Any], object]]) -> None:
    for future, result in answers:
        if future.done():  # cancelled: the caller has gone
            continue
        if isinstance(result, Exception):
            future.set_exception(result)
        else:
            future.set_result(result)
