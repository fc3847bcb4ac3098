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
import contextlib
import logging
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection, Engine

from app.database.faults import cause, is_unavailable, is_worth_another_try, reason, unavailable
from app.errors import Overloaded, SessionError, StorageUnavailable
from app.telemetry.metrics import Meter, cell_index

Wish = TypeVar("Wish")
Result = TypeVar("Result")

_ATTEMPTS = 4
_CROWD = 16
_LINGER_SECONDS = 0.002
"""After a transaction of at least so many requests the writer waits a moment for those its answers will bring: half as
many transactions, at a price in time that is small beside the wait in such a crowd. A lone caller never waits."""
_CALM_SECONDS = 3.0
"""Without a failed commit before writes are said to work again: the idle task may need less room or fewer rights."""
_STUCK_SECONDS = 30.0
"""Without an idle task that ran through before writes are said to be stuck; no lock is waited for as long."""
_ROWS_PER_REQUEST = 10
"""Rows that may wait, for each request that may: a queue of full batches would be a thousand times as long."""
_CAME_IN = cell_index("bestpair_writer_queue_requests")
_WENT_OUT = _CAME_IN + 1
_log = logging.getLogger(__name__)


@dataclass(eq=False, slots=True)
class _Request(Generic[Wish]):
    """One caller: what it wants (shared transactions), or what to run in a transaction of its own."""

    wish: Wish | None
    alone: Callable[[Connection], Any] | None
    rows: int
    lapses: bool  # nothing to do any more if the caller has gone before its turn
    future: asyncio.Future[Any]


class _Outbox(Generic[Wish]):
    """Requests of one event loop on their way to the writer: what comes in one turn of the loop is handed over at once.

    Waking another thread costs more than a request; and a writer that wakes for the first of a hundred requests takes
    it alone.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, queue: "SimpleQueue[list[_Request[Wish]] | None]", meter: Meter
    ) -> None:
        self.taken_in = 0  # requests so far, and their rows; only this loop's thread writes these
        self.rows_taken_in = 0
        self._loop = loop
        self._queue = queue
        self._cells = meter.cells
        self._requests: list[_Request[Wish]] = []

    def add(self, request: _Request[Wish]) -> None:
        self.taken_in += 1
        self.rows_taken_in += request.rows
        if not self._requests:
            self._loop.call_soon(self._hand_over)
        self._requests.append(request)

    def _hand_over(self) -> None:
        self._cells[_CAME_IN] += len(self._requests)
        self._queue.put(self._requests)
        self._requests = []


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
        on_commit: Callable[[Sequence[object]], None] = lambda _: None,
        confirm: Callable[[Connection], None] = lambda _: None,
        meter: Meter | None = None,
    ) -> None:
        self._engine = engine
        self._together = together
        self._idle_task = idle_task
        self._idle_seconds = idle_seconds
        self._on_outage = on_outage
        self._capacity = capacity
        self._rows_per_commit = rows_per_commit
        self._on_commit = on_commit  # told the results of wishes that are on disk
        self._confirm = confirm  # raises after a commit that must not be acknowledged
        self._meter = meter or Meter()
        self._queue: SimpleQueue[list[_Request[Wish]] | None] = SimpleQueue()  # None: there will be no more
        self._outboxes: dict[asyncio.AbstractEventLoop, _Outbox[Wish]] = {}
        self._waiting: deque[_Request[Wish]] = deque()  # only the writer's thread touches it
        self._taken_out = 0
        self._rows_taken_out = 0
        self._ended = False
        self._crowd = 0  # requests in the last transaction
        self._open = False
        self._trouble: str | None = None
        self._failed_at = float("-inf")  # the last commit that callers waited for
        self._wrote_at = time.monotonic()  # the last idle task that ran through
        self._thread = threading.Thread(target=self._run, name="bestpair-writer", daemon=True)

    def start(self) -> None:
        """Starts the thread."""
        self._open = True
        self._wrote_at = time.monotonic()
        self._thread.start()

    def trouble(self) -> str | None:
        """Returns why writes fail, in words for anyone; None while they work. Nothing is asked of the database."""
        if self._trouble is None and time.monotonic() - self._wrote_at > _STUCK_SECONDS:
            return f"no write has come to an end for {_STUCK_SECONDS:g} seconds"
        return self._trouble

    def close(self) -> None:
        """Refuses new requests, finishes those that wait, and returns when the thread has ended."""
        self._open = False
        for loop in list(self._outboxes):
            with contextlib.suppress(RuntimeError):  # the loop was closed: it has nothing more to hand over
                # Behind what its outbox may still have to hand over.
                loop.call_soon_threadsafe(lambda: self._queue.put(None))
        if not any(loop.is_running() for loop in self._outboxes):
            self._queue.put(None)
        if self._thread.is_alive():
            self._thread.join()

    async def together(self, wish: Wish, *, rows: int, lapses: bool) -> Any:  # noqa: ANN401 - the wish decides
        """Returns the wish's result, once the transaction that it shared with others is on disk."""
        return await self.enqueue(wish, None, rows, lapses)

    async def alone(self, work: Callable[[Connection], Result]) -> Result:
        """Returns the work's result, once the transaction that it had for itself is on disk."""
        result: Result = await self.enqueue(None, work, 1, False)
        return result

    def enqueue(
        self, wish: Wish | None, alone: Callable[[Connection], Any] | None, rows: int, lapses: bool
    ) -> asyncio.Future[Any]:
        """Returns a future of the result; raises StorageUnavailable, Overloaded."""
        if not self._open:
            raise StorageUnavailable("the server is shutting down")
        loop = asyncio.get_running_loop()
        outbox = self._outboxes.get(loop)
        if outbox is None:
            outbox = self._outboxes[loop] = _Outbox(loop, self._queue, self._meter)
        self._check_room()
        future: asyncio.Future[Any] = loop.create_future()
        outbox.add(_Request(wish, alone, rows, lapses, future))
        return future

    def _check_room(self) -> None:
        """Raises Overloaded if too many requests wait, or requests with too many rows."""
        outboxes = tuple(self._outboxes.values())  # another loop may come and add its own meanwhile
        requests = sum([each.taken_in for each in outboxes]) - self._taken_out
        rows = sum([each.rows_taken_in for each in outboxes]) - self._rows_taken_out
        if requests >= self._capacity or rows >= self._capacity * _ROWS_PER_REQUEST:
            self._meter.count("bestpair_writer_refused_total")
            raise Overloaded(f"{requests} writes are waiting already; try again shortly")

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
        waiting = self._waiting
        if not self._collect(0.0 if waiting or self._ended else max(0.0, due - time.monotonic())):
            return None
        if not waiting:
            return []
        if self._crowd >= _CROWD and len(waiting) < self._crowd:
            time.sleep(_LINGER_SECONDS)
            self._collect(0.0)
        batch = [waiting.popleft()]
        rows = batch[0].rows
        while batch[0].alone is None and waiting and waiting[0].alone is None:
            rows += waiting[0].rows
            if rows > self._rows_per_commit:
                break
            batch.append(waiting.popleft())
        self._crowd = len(batch)
        self._taken_out += len(batch)
        self._meter.cells[_WENT_OUT] += len(batch)
        self._rows_taken_out += sum([request.rows for request in batch])
        return [request for request in batch if not (request.lapses and request.future.cancelled())]

    def _collect(self, seconds: float) -> bool:
        """Takes over what was handed over, waiting for the first so long; returns False if all is done for good."""
        try:
            handed_over = self._queue.get(timeout=seconds) if seconds else self._queue.get_nowait()
            while True:
                if handed_over is None:
                    self._ended = True
                else:
                    self._waiting.extend(handed_over)
                handed_over = self._queue.get_nowait()
        except Empty:
            return bool(self._waiting) or not self._ended

    def _commit(self, batch: list[_Request[Wish]]) -> None:
        try:
            with self._meter.timed("bestpair_commit_seconds"):
                results = self._transact(lambda connection: self._serve(connection, batch))
        except Exception as error:
            if not is_unavailable(error) and len(batch) > 1:
                for request in batch:
                    self._commit([request])
                return
            if is_unavailable(error):
                self._failed_at = time.monotonic()
            results = [self._failure(error)] * len(batch)
        else:
            self._meter.observe("bestpair_commit_requests", len(batch))
            if batch[0].alone is None:
                self._on_commit(results)
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
                    self._confirm(connection)
                    return result
            except Exception as error:
                if committing or attempt == _ATTEMPTS or not is_worth_another_try(error):
                    raise
                _log.info("transaction_tried_again", extra={"reason": reason(error), "attempt": attempt})
            time.sleep(0.01 * attempt * random.random())  # noqa: S311 - so that two that collided do not do so again
            attempt += 1

    def _failure(self, error: Exception) -> Exception:
        if isinstance(error, SessionError) or not is_unavailable(error):
            return error
        self._trouble = cause(error)
        self._meter.count("bestpair_commit_failures_total")
        _log.warning("database_unavailable", extra={"reason": reason(error)})
        self._on_outage()
        self._engine.dispose()  # whatever state the connection is in, the next transaction gets a new one
        return unavailable()

    def _do_idle_task(self) -> None:
        try:
            self._transact(self._idle_task)
        except Exception as error:
            if not is_unavailable(error):
                self._meter.count("bestpair_unexpected_errors_total", "writer")
                _log.exception("idle_task_failed")
                self._trouble = "the server cannot write its heartbeat; its log has the fault"
            self._failure(error)
        else:
            self._wrote_at = time.monotonic()
            if self._wrote_at - self._failed_at >= _CALM_SECONDS:
                self._trouble = None


def _answer(batch: Sequence[_Request[Any]], results: Sequence[object]) -> None:
    """Hands the results to the callers' event loops, one call for each loop."""
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Any], object]]] = {}
    for request, result in zip(batch, results, strict=True):
        by_loop.setdefault(request.future.get_loop(), []).append((request.future, result))
    for loop, answers in by_loop.items():
        try:
            loop.call_soon_threadsafe(_settle, answers)
        except RuntimeError:  # the loop was closed: nobody is waiting any more
            _log.info("callers_gone", extra={"callers": len(answers)})


def _settle(answers: list[tuple[asyncio.Future[Any], object]]) -> None:
    for future, result in answers:
        if future.done():  # cancelled: the caller has gone
            continue
        if isinstance(result, Exception):
            future.set_exception(result)
        else:
            future.set_result(result)
