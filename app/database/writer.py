"""The writer: the only thread of a process that writes. It commits in groups; callers get results after the commit.

While one commit runs, requests queue; the next transaction takes all of them (up to a number of rows). These requests
share the cost of one commit, and no request waits for more than two commits.

Every transaction takes locks in the same order, so that processes cannot deadlock: session rows by id, then impressions
by (session, sequence), then everything else. Feedback locks no session rows.

A request that is refused (its session is stopped, its idempotency key was used with another body) gets an error as its
result. If a transaction fails as a whole, it runs again when another process's transaction was the cause, or when its
connection had died before the commit was sent. If the database cannot be used, all callers of the transaction get that
error. Otherwise one of its requests must have caused the failure, and each request runs again in a separate
transaction.
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

from app.database.faults import cause, is_retryable, is_unavailable, reason, unavailable
from app.errors import Overloaded, SessionError, StorageUnavailable
from app.telemetry.metrics import Meter, cell_index

Request = TypeVar("Request")
Result = TypeVar("Result")

_ATTEMPTS = 4
_BUSY_BATCH = 16
_LINGER_SECONDS = 0.002
"""After a transaction of at least `_BUSY_BATCH` requests, the writer waits this long for more requests: callers send
the next ones when they get their results. This halves the number of transactions, and the delay is small compared with
the time in the queue. A single caller never waits."""
_CALM_SECONDS = 3.0
"""Time without a failed commit before writes are reported to work again: maintenance may need less space or fewer
rights than a commit."""
_STUCK_SECONDS = 30.0
"""Time without a completed maintenance run before writes are reported as stuck; waiting for a lock never takes as
long."""
_ROWS_PER_REQUEST = 10
"""The queue's limit of rows is this many times its limit of requests. Without it, a queue of requests with full batches
could hold 1,000 rows for each request."""
_ENQUEUED = cell_index("bestpair_writer_queue_requests")
_DEQUEUED = _ENQUEUED + 1
_log = logging.getLogger(__name__)


@dataclass(eq=False, slots=True)
class _Entry(Generic[Request]):
    """One entry of the queue: a request for a shared transaction, or work for an exclusive one."""

    request: Request | None
    exclusive: Callable[[Connection], Any] | None
    rows: int
    drop_if_cancelled: bool  # skip the entry if its caller has cancelled it before it runs
    future: asyncio.Future[Any]


class _LoopBuffer(Generic[Request]):
    """Entries of one event loop: all that are added in one iteration of the loop are passed to the writer together.

    Waking another thread costs more than a request. If the first of a hundred requests woke the writer, it would also
    commit that request alone.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, queue: "SimpleQueue[list[_Entry[Request]] | None]", meter: Meter
    ) -> None:
        self.n_added = 0  # entries so far, and their rows; only this loop's thread writes these
        self.n_rows_added = 0
        self._loop = loop
        self._queue = queue
        self._cells = meter.cells
        self._entries: list[_Entry[Request]] = []

    def add(self, entry: _Entry[Request]) -> None:
        self.n_added += 1
        self.n_rows_added += entry.rows
        if not self._entries:
            self._loop.call_soon(self._flush)
        self._entries.append(entry)

    def _flush(self) -> None:
        self._cells[_ENQUEUED] += len(self._entries)
        self._queue.put(self._entries)
        self._entries = []


class Writer(Generic[Request]):
    """A bounded queue and its thread. `run_batch` serves many requests in one transaction, with a result for each."""

    def __init__(
        self,
        engine: Engine,
        run_batch: Callable[[Connection, Sequence[Request]], Sequence[object]],
        *,
        maintenance: Callable[[Connection], None],
        maintenance_seconds: float,
        on_outage: Callable[[], None],
        capacity: int,
        rows_per_commit: int,
        on_batch_committed: Callable[[], None] = lambda: None,
        confirm: Callable[[Connection], None] = lambda _: None,
        meter: Meter | None = None,
    ) -> None:
        self._engine = engine
        self._run_batch = run_batch
        self._maintenance = maintenance  # runs every `maintenance_seconds`, and at the end
        self._maintenance_seconds = maintenance_seconds
        self._on_outage = on_outage
        self._capacity = capacity
        self._rows_per_commit = rows_per_commit
        self._on_batch_committed = on_batch_committed  # before callers get their results
        self._confirm = confirm  # raises after a commit that must not be acknowledged
        self._meter = meter or Meter()
        self._queue: SimpleQueue[list[_Entry[Request]] | None] = SimpleQueue()  # None: no more entries will come
        self._buffers: dict[asyncio.AbstractEventLoop, _LoopBuffer[Request]] = {}
        self._waiting: deque[_Entry[Request]] = deque()  # only the writer's thread uses it
        self._n_taken = 0
        self._n_rows_taken = 0
        self._ended = False
        self._last_batch = 0  # requests in the last transaction
        self._open = False
        self._trouble: str | None = None
        self._failed_at = float("-inf")  # the last failed commit that callers waited for
        self._wrote_at = time.monotonic()  # the last completed maintenance
        self._thread = threading.Thread(target=self._run, name="bestpair-writer", daemon=True)

    def start(self) -> None:
        """Starts the thread."""
        self._open = True
        self._wrote_at = time.monotonic()
        self._thread.start()

    def trouble(self) -> str | None:
        """Returns why writes fail, without secrets; None while they work. Does not access the database."""
        if self._trouble is None and time.monotonic() - self._wrote_at > _STUCK_SECONDS:
            return f"no write has completed for {_STUCK_SECONDS:g} seconds"
        return self._trouble

    def close(self) -> None:
        """Refuses new requests, finishes those in the queue, and returns when the thread has ended."""
        self._open = False
        for loop in list(self._buffers):
            with contextlib.suppress(RuntimeError):  # the loop was closed: its buffer is empty
                # The loop calls this after a flush that it has already scheduled.
                loop.call_soon_threadsafe(lambda: self._queue.put(None))
        if not any(loop.is_running() for loop in self._buffers):
            self._queue.put(None)
        if self._thread.is_alive():
            self._thread.join()

    def submit(self, request: Request, rows: int, drop_if_cancelled: bool) -> asyncio.Future[Any]:
        """Returns a future of the request's result, set once its shared transaction is on disk.

        Raises StorageUnavailable, Overloaded.
        """
        return self._enqueue(request, None, rows, drop_if_cancelled)

    async def run_exclusive(self, work: Callable[[Connection], Result]) -> Result:
        """Runs `work` in a separate transaction; returns its result once the transaction is on disk."""
        result: Result = await self._enqueue(None, work, 1, False)
        return result

    def _enqueue(
        self,
        request: Request | None,
        exclusive: Callable[[Connection], Any] | None,
        rows: int,
        drop_if_cancelled: bool,
    ) -> asyncio.Future[Any]:
        if not self._open:
            raise StorageUnavailable("the server is shutting down")
        loop = asyncio.get_running_loop()
        buffer = self._buffers.get(loop)
        if buffer is None:
            buffer = self._buffers[loop] = _LoopBuffer(loop, self._queue, self._meter)
        self._check_capacity()
        future: asyncio.Future[Any] = loop.create_future()
        buffer.add(_Entry(request, exclusive, rows, drop_if_cancelled, future))
        return future

    def _check_capacity(self) -> None:
        """Raises Overloaded if too many requests or rows are queued."""
        buffers = tuple(self._buffers.values())  # a copy: another loop may add its buffer at the same time
        requests = sum([each.n_added for each in buffers]) - self._n_taken
        rows = sum([each.n_rows_added for each in buffers]) - self._n_rows_taken
        if requests >= self._capacity or rows >= self._capacity * _ROWS_PER_REQUEST:
            self._meter.count("bestpair_writer_refused_total")
            raise Overloaded(f"{requests} writes are already waiting; try again shortly")

    def _run(self) -> None:
        due = time.monotonic() + self._maintenance_seconds
        while (batch := self._next_batch(due)) is not None:
            if batch:
                self._commit(batch)
            if time.monotonic() >= due:
                self._maintain()
                due = time.monotonic() + self._maintenance_seconds
        self._maintain()

    def _next_batch(self, due: float) -> list[_Entry[Request]] | None:
        """Returns the entries of the next transaction, an empty list if maintenance is due first, None at the end."""
        waiting = self._waiting
        if not self._collect(0.0 if waiting or self._ended else max(0.0, due - time.monotonic())):
            return None
        if not waiting:
            return []
        if self._last_batch >= _BUSY_BATCH and len(waiting) < self._last_batch:
            time.sleep(_LINGER_SECONDS)
            self._collect(0.0)
        batch = [waiting.popleft()]
        rows = batch[0].rows
        while batch[0].exclusive is None and waiting and waiting[0].exclusive is None:
            rows += waiting[0].rows
            if rows > self._rows_per_commit:
                break
            batch.append(waiting.popleft())
        self._last_batch = len(batch)
        self._n_taken += len(batch)
        self._meter.cells[_DEQUEUED] += len(batch)
        self._n_rows_taken += sum([entry.rows for entry in batch])
        return [entry for entry in batch if not (entry.drop_if_cancelled and entry.future.cancelled())]

    def _collect(self, seconds: float) -> bool:
        """Moves entries from the queue to `_waiting`; waits up to `seconds` for the first.

        Returns False if no entry is waiting and the queue has ended.
        """
        try:
            entries = self._queue.get(timeout=seconds) if seconds else self._queue.get_nowait()
            while True:
                if entries is None:
                    self._ended = True
                else:
                    self._waiting.extend(entries)
                entries = self._queue.get_nowait()
        except Empty:
            return bool(self._waiting) or not self._ended

    def _commit(self, batch: list[_Entry[Request]]) -> None:
        try:
            with self._meter.timed("bestpair_commit_seconds"):
                results = self._transact(lambda connection: self._serve(connection, batch))
        except Exception as error:
            if not is_unavailable(error) and len(batch) > 1:
                for entry in batch:
                    self._commit([entry])
                return
            if is_unavailable(error):
                self._failed_at = time.monotonic()
            results = [self._failure(error)] * len(batch)
        else:
            self._meter.observe("bestpair_commit_requests", len(batch))
            if batch[0].exclusive is None:
                self._on_batch_committed()
        _deliver(batch, results)

    def _serve(self, connection: Connection, batch: list[_Entry[Request]]) -> Sequence[object]:
        if batch[0].exclusive is not None:
            return [batch[0].exclusive(connection)]
        return self._run_batch(connection, [entry.request for entry in batch if entry.request is not None])

    def _transact(self, work: Callable[[Connection], Result]) -> Result:
        """Returns the result of the work after its commit; runs it again if the error is retryable (`is_retryable`)."""
        attempt = 1
        while True:
            committing = False
            try:
                with self._engine.connect() as connection:
                    transaction = connection.begin()
                    result = work(connection)
                    committing = True  # if the connection is lost from here on, the commit may have happened
                    transaction.commit()
                    self._confirm(connection)
                    return result
            except Exception as error:
                if committing or attempt == _ATTEMPTS or not is_retryable(error):
                    raise
                _log.info("transaction_tried_again", extra={"reason": reason(error), "attempt": attempt})
            time.sleep(0.01 * attempt * random.random())  # noqa: S311 - so that the same two do not collide again
            attempt += 1

    def _failure(self, error: Exception) -> Exception:
        if isinstance(error, SessionError) or not is_unavailable(error):
            return error
        self._trouble = cause(error)
        self._meter.count("bestpair_commit_failures_total")
        _log.warning("database_unavailable", extra={"reason": reason(error)})
        self._on_outage()
        self._engine.dispose()  # the next transaction gets a new connection, in a known state
        return unavailable()

    def _maintain(self) -> None:
        try:
            self._transact(self._maintenance)
        except Exception as error:
            if not is_unavailable(error):
                self._meter.count("bestpair_unexpected_errors_total", "writer")
                _log.exception("idle_task_failed")
                self._trouble = "the server cannot write its heartbeat; see its log"
            self._failure(error)
        else:
            self._wrote_at = time.monotonic()
            if self._wrote_at - self._failed_at >= _CALM_SECONDS:
                self._trouble = None


def _deliver(batch: Sequence[_Entry[Any]], results: Sequence[object]) -> None:
    """Passes the results to the callers' event loops, with one call for each loop."""
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Any], object]]] = {}
    for entry, result in zip(batch, results, strict=True):
        by_loop.setdefault(entry.future.get_loop(), []).append((entry.future, result))
    for loop, settled in by_loop.items():
        try:
            loop.call_soon_threadsafe(_settle, settled)
        except RuntimeError:  # the loop was closed: its callers are gone
            _log.info("callers_gone", extra={"callers": len(settled)})


def _settle(settled: list[tuple[asyncio.Future[Any], object]]) -> None:
    for future, result in settled:
        if future.done():  # cancelled: the caller is gone
            continue
        if isinstance(result, Exception):
            future.set_exception(result)
        else:
            future.set_result(result)
