"""The store: one database, opened, checked and watched. Reads run in threads; writes go through the writer.

The flows (`impressions`, `counting`, `planning`, `results`, `sessions`) pass their own statements: functions that take
a connection. This module does not depend on sessions.
"""

import asyncio
import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Concatenate, Generic, ParamSpec, TypeVar

from sqlalchemy import Connection, select

from app.database import migrations
from app.database.database import Database, Timeline, now
from app.database.faults import DatabaseBehind, UnsupportedDatabase, as_storage_unavailable, cause, reason
from app.database.heartbeat import BEAT_SECONDS, Heartbeat
from app.database.postgresql import missing_rights
from app.database.sqlite import FileLock, check_is_not_lost, files_of
from app.database.watch import DatabaseWatch, Receipt
from app.database.writer import Writer
from app.errors import SessionError, StorageUnavailable
from app.telemetry.metrics import Meter

P = ParamSpec("P")
Request = TypeVar("Request")
Result = TypeVar("Result")

_CLEANUP_SECONDS = 60.0
_log = logging.getLogger(__name__)


class Job(ABC, Generic[Request, Result]):
    """One kind of write: a transaction serves the requests of many callers together.

    Only the writer's thread calls these methods, so a job may keep values from `run` to `committed`.
    """

    lock_order: ClassVar[int]
    """Jobs of one transaction run in this order. Session rows are locked before impressions, in every process."""

    @abstractmethod
    def run(self, connection: Connection, requests: Sequence[Request]) -> Sequence[Result | SessionError]:
        """Returns a result or an error for each request, in order. Called again if the transaction is retried."""

    @abstractmethod
    def receipt(self, request: Request, result: Result) -> Receipt | None:
        """Returns an impression that must be in the database from now on, None if the result stored none."""

    @abstractmethod
    def committed(self) -> None:
        """Updates the metrics for the last `run`, once its transaction is on disk."""


class Store:
    """The SQLite file or PostgreSQL database at `url`; `start` it before use and `close` it after."""

    def __init__(
        self,
        url: str,
        *,
        queue_limit: int = 10_000,
        rows_per_commit: int = 2_000,
        busy_seconds: float = 5.0,
        meter: Meter | None = None,
    ) -> None:
        self.url = url
        self.heartbeat = Heartbeat()
        self.watch = DatabaseWatch(self.heartbeat)
        self.cleanup: list[Callable[[Connection, float], None]] = []  # once a minute, with the database's time
        self._database = Database(url, busy_seconds=busy_seconds)
        file = self._database.file
        self._file_lock = None if file is None else FileLock(file)
        self._sqlite_files = None if file is None else files_of(file)
        self._next_cleanup = 0.0
        self._lacks_rights = False
        self._jobs_run: list[Job[Any, Any]] = []  # of the transaction that is being written
        self._writer: Writer[tuple[Job[Any, Any], Any]] = Writer(
            self._database.writer,
            self._run_batch,
            maintenance=self.maintain,
            maintenance_seconds=BEAT_SECONDS,
            on_outage=self.heartbeat.break_off,
            capacity=queue_limit,
            rows_per_commit=rows_per_commit,
            on_batch_committed=self._batch_committed,
            confirm=self._confirm,
            meter=meter or Meter(),
        )

    async def start(self) -> None:
        """Prepares the database and starts the heartbeat.

        Raises DatabaseInUse, DatabaseBehind, StorageUnavailable.
        """
        await asyncio.to_thread(self._start)

    async def close(self) -> None:
        """Finishes queued writes, then closes the database."""
        await asyncio.to_thread(self._close)

    def submit(
        self, job: Job[Request, Result], request: Request, rows: int, *, drop_if_cancelled: bool = False
    ) -> asyncio.Future[Result]:
        """Returns a future of the job's result for this request; it is on disk when the future is done.

        The request shares its transaction with others, of this and other jobs. Raises StorageUnavailable, Overloaded.
        """
        return self._writer.submit((job, request), rows, drop_if_cancelled)

    async def write(
        self, work: Callable[Concatenate[Connection, P], Result], *args: P.args, **kwargs: P.kwargs
    ) -> Result:
        """Runs `work` in a separate transaction; returns its result once the transaction is on disk."""
        return await self._writer.run_exclusive(lambda connection: work(connection, *args, **kwargs))

    async def read(
        self, work: Callable[Concatenate[Connection, P], Result], *args: P.args, **kwargs: P.kwargs
    ) -> Result:
        """Runs `work` in a thread and returns its result; all its statements see the same state of the database."""
        try:
            return await asyncio.to_thread(self._database.read, lambda connection: work(connection, *args, **kwargs))
        except StorageUnavailable as error:
            if error.__cause__ is not None:
                _log.warning("database_unavailable", extra={"reason": reason(error.__cause__)})
            raise

    async def timeline(self) -> str:
        """Returns the current timeline of the database; a new one begins when a standby takes over."""
        return await self.read(lambda connection: connection.execute(select(Timeline())).scalar_one())

    async def ready(self) -> str | None:
        """Returns None if the database is at the right revision and takes writes, otherwise what is wrong."""
        try:
            revision = await self.read(migrations.revision_of)
        except StorageUnavailable as error:
            return cause(error.__cause__)
        if trouble := self._writer.trouble():
            return f"writes fail: {trouble}"
        if self._lacks_rights:
            return "the database user lacks a right; the server's log names it"
        # During an upgrade, servers of the previous version continue to run: the new tables must work for both.
        return None if migrations.is_newer(revision) else migrations.complaint(revision)

    def maintain(self, connection: Connection) -> None:
        """Checks the database, writes a heartbeat, and once a minute cleans up. Runs every second."""
        # First, because it locks sessions. Everything after it uses the time that was checked here.
        at, clock_was_set = self.watch.check(connection)
        self.heartbeat.beat(connection, at)
        if self._database.file is None:
            self._note_rights(missing_rights(connection))
        if clock_was_set or time.monotonic() >= self._next_cleanup:
            self._next_cleanup = time.monotonic() + _CLEANUP_SECONDS
            if not clock_was_set:  # while the clock is wrong, every row could look expired
                for clean in self.cleanup:
                    clean(connection, at)

    def _start(self) -> None:
        if self._file_lock is not None:
            self._file_lock.acquire()
        try:
            if self._database.file is not None:
                check_is_not_lost(self._database.file)
                migrations.migrate(self.url)
            if complaint := migrations.complaint(migrations.current(self.url)):
                raise DatabaseBehind(complaint)
            with as_storage_unavailable():
                self._check_writes_can_be_read()
        except BaseException:
            self._release()
            raise
        self._writer.start()

    def _close(self) -> None:
        self._writer.close()
        self._release()

    def _release(self) -> None:
        self._database.dispose()
        if self._file_lock is not None:
            self._file_lock.release()

    def _run_batch(self, connection: Connection, requests: Sequence[tuple[Job[Any, Any], Any]]) -> Sequence[object]:
        """Returns a result or an error for each request, in order."""
        if self.heartbeat.is_broken_off:  # before impressions are issued: their windows must be in a new period
            self.heartbeat.beat(connection, now(connection))
        places: dict[Job[Any, Any], list[int]] = {}
        for place, (job, _) in enumerate(requests):
            places.setdefault(job, []).append(place)
        self._jobs_run = sorted(places, key=lambda job: job.lock_order)
        results: list[Any] = [None] * len(requests)
        for job in self._jobs_run:
            for place, result in zip(
                places[job], job.run(connection, [requests[place][1] for place in places[job]]), strict=True
            ):
                results[place] = result
        self.watch.written(_last_receipt(requests, results))
        return results

    def _batch_committed(self) -> None:
        for job in self._jobs_run:
            job.committed()
        self.watch.acknowledged()

    def _check_writes_can_be_read(self) -> None:
        """Writes a row and reads it on another connection; raises UnsupportedDatabase if it is not there."""
        with self._database.writer.begin() as connection:
            self.heartbeat.beat(connection, self.watch.check(connection)[0])
        self._confirm(connection)
        self._database.log_weak_durability()
        if self._database.read(self.heartbeat.is_missing_from):
            raise UnsupportedDatabase(
                "rows that were written cannot be read: the connections for writes and reads lead to different tables; "
                "check the hosts and options of the database URL"
            )

    def _confirm(self, connection: Connection) -> None:
        """Records a commit; raises if it must not be acknowledged."""
        self.heartbeat.committed(connection)
        self.watch.committed(connection)
        if self._sqlite_files is not None:
            self._sqlite_files.confirm(connection)

    def _note_rights(self, missing: str | None) -> None:
        """Logs missing rights. The heartbeat continues: work that does not need these rights is still done."""
        if missing is not None and not self._lacks_rights:
            _log.warning("rights_missing", extra={"rights": missing, "advice": "grant them to the database user"})
        self._lacks_rights = missing is not None


def _last_receipt(requests: Sequence[tuple[Job[Any, Any], Any]], results: Sequence[Any]) -> Receipt | None:
    """Returns the receipt of the last request that stored something."""
    for (job, request), result in zip(reversed(requests), reversed(results), strict=True):
        if not isinstance(result, SessionError):
            receipt = job.receipt(request, result)
            if receipt is not None:
                return receipt
    return None
