"""The store: sessions in a database, as the use cases ask for them."""

import asyncio
import logging
import random
import time
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection, select

from app.access.audit import OPEN_ACCESS
from app.counting.sql import fold_session, read_ripe
from app.database import migrations
from app.database.database import Database, Timeline, now
from app.database.errors import DatabaseBehind, UnsupportedDatabase
from app.database.faults import as_storage_unavailable, cause, reason
from app.database.file_lock import FileLock
from app.database.rights import missing_rights
from app.database.sqlite_files import check_is_not_lost, files_of
from app.database.uptimes import BEAT_SECONDS, Heartbeat
from app.database.watch import DatabaseWatch
from app.database.writer import Writer
from app.errors import SessionError, StorageUnavailable
from app.impressions.feedback import Answer, Answering
from app.impressions.issue import Issue, Issuing, sweep_keys
from app.impressions.tallying import Tally
from app.planning import sql as planning
from app.planning.source import SqlPlanningSource
from app.results import export_sql as exporting
from app.results import sql as reading
from app.results.census_sql import read_census
from app.sessions import sql as managing
from app.sessions.cache import Shelf
from app.sessions.locking import not_found
from app.sessions.model import (
    Answers,
    Counters,
    FeedbackStatus,
    HandedOut,
    HistoryPoint,
    Live,
    PlanRecord,
    SessionChange,
    SessionRecord,
    Snapshot,
    State,
)
from app.sessions.ports import Census, CertificateRecord, Measured, Order, PlanningInput, Said
from app.sessions.rows import is_storable
from app.telemetry.metrics import Meter

P = ParamSpec("P")
Result = TypeVar("Result")

_SWEEP_SECONDS = 60.0
_FOLD_TRIES = 3
_log = logging.getLogger(__name__)


class SqlStore:
    """Sessions in the SQLite file or PostgreSQL database at `url`; `start` it before use and `close` it after.

    All writes go through one thread of the process (`Writer`); reads run in threads on connections of their own.
    """

    def __init__(
        self,
        url: str,
        *,
        queue_limit: int = 10_000,
        rows_per_commit: int = 2_000,
        busy_seconds: float = 5.0,
        rng: random.Random | None = None,
        meter: Meter | None = None,
    ) -> None:
        self._url = url
        self._database = Database(url, busy_seconds=busy_seconds)
        self._file_lock = None if self._database.file is None else FileLock(self._database.file)
        self._shelf = Shelf()
        self._heartbeat = Heartbeat()
        self._watch = DatabaseWatch(self._heartbeat, self._shelf)
        self._rng = rng or random.Random()  # noqa: S311 - seeded by the system; decides slots, no secrets
        self._next_sweep = 0.0
        self._lacks_rights = False
        meter = meter or Meter()
        self._tally = Tally(meter)
        self._writer: Writer[Issue | Answer] = Writer(
            self._database.writer,
            self._serve,
            idle_task=self._keep_house,
            idle_seconds=BEAT_SECONDS,
            on_outage=self._heartbeat.break_off,
            capacity=queue_limit,
            rows_per_commit=rows_per_commit,
            on_commit=self._committed,
            confirm=self._confirm,
            meter=meter,
        )

    async def start(self) -> None:
        """Makes the database ready and starts to beat.

        Raises DatabaseInUse, DatabaseBehind, StorageUnavailable.
        """
        await asyncio.to_thread(self._start)

    async def close(self) -> None:
        """Finishes what waits, then stops and lets go of the database."""
        await asyncio.to_thread(self._close)

    async def create_session(
        self,
        record: SessionRecord,
        plan: PlanRecord,
        snapshot: Snapshot,
        certificate: CertificateRecord | None,
        by: str = OPEN_ACCESS,
    ) -> SessionRecord:
        """Stores a new session with its first plan; returns it with the database's times."""
        return await self._writer.alone(
            lambda connection: managing.create_session(connection, record, plan, snapshot, certificate, by)
        )

    async def session(self, session_id: str) -> SessionRecord:
        """Returns one session."""
        return await self._about(reading.read_session, session_id, self._shelf)

    async def sessions(self, limit: int, before: str | None) -> list[tuple[SessionRecord, Counters, Snapshot]]:
        """Returns sessions, newest first; raises SessionNotFound if `before` has been deleted meanwhile."""
        return await self._read(
            before or "", lambda connection: reading.read_sessions(connection, limit, before, self._shelf)
        )

    async def change_session(self, session_id: str, change: SessionChange, by: str = OPEN_ACCESS) -> SessionRecord:
        """Applies a change under the row's lock; returns the session after it."""
        _check(session_id)
        return await self._writer.alone(partial(managing.change_session, session_id=session_id, change=change, by=by))

    async def delete_session(self, session_id: str, by: str = OPEN_ACCESS) -> None:
        """Deletes a session with all its data; a large one in several transactions, stopped from the first on."""
        _check(session_id)
        written_down_for: str | None = by  # with the first of them: it cannot be undone
        while not await self._writer.alone(partial(managing.delete_some, session_id=session_id, by=written_down_for)):
            written_down_for = None

    async def counters(self, session_id: str) -> Counters:
        """Returns the counters."""
        return await self._about(reading.read_counters, session_id)

    async def issue(self, session_id: str, order: Order) -> list[HandedOut]:
        """Hands out impressions, on disk before it returns."""
        _check(session_id)
        given: list[HandedOut] = await self._writer.enqueue(Issue(session_id, order), None, order.count, True)
        return given

    async def answer(self, session_id: str, answers: Answers) -> list[FeedbackStatus]:
        """Stores answers, on disk before it returns; one status for each."""
        _check(session_id)
        try:
            waiting = self._writer.enqueue(Answer(session_id, answers), None, len(answers), False)
        except SessionError:
            self._heartbeat.note_refusal()
            raise
        statuses: list[FeedbackStatus] = await waiting
        return statuses

    async def fold(self, session_id: str) -> Counters:
        """Moves what is countable into the evidence, in short transactions; returns the counters after."""
        for _ in range(_FOLD_TRIES):
            ripe = await self._about(read_ripe, session_id)
            counters: Counters | None = ripe.counters
            for part in ripe.parts():
                work = partial(fold_session, session_id=session_id, ripe=part, heartbeat=self._heartbeat)
                if (counters := await self._writer.alone(work)) is None:
                    await self._writer.alone(self._keep_house)  # finds out what has happened
                    break
            if counters is not None:
                return counters
        return ripe.counters  # the next fold may have more luck

    async def timeline(self) -> str:
        """Returns which history of the database this is; another one begins when a standby takes over."""
        return await self._read("", lambda connection: connection.execute(select(Timeline())).scalar_one())

    async def planning_input(self, session_id: str) -> PlanningInput:
        """Returns a consistent view for planning."""
        return await self._about(reading.read_planning_input, session_id, self._shelf)

    def planning_source(self) -> SqlPlanningSource:
        """Returns a reader of the same for another process."""
        return SqlPlanningSource(self._url)

    async def last_plan(self, session_id: str) -> PlanRecord | None:
        """Returns the plan in force."""
        return await self._about(reading.read_last_plan, session_id)

    async def add_plan(
        self,
        session_id: str,
        plan: PlanRecord,
        snapshot: Snapshot,
        certificate: CertificateRecord | None,
        *,
        timeline: str,
    ) -> bool:
        """Appends the plan if it is the next one and its evidence is that of this timeline; returns whether it was."""
        _check(session_id)
        return await self._writer.alone(
            lambda connection: planning.add_plan(connection, session_id, plan, snapshot, certificate, timeline)
        )

    async def set_snapshot(self, session_id: str, plan_version: int, state: State, snapshot: Snapshot) -> bool:
        """Replaces the snapshot if plan and state are still those it tells of; returns whether they were."""
        _check(session_id)
        return await self._writer.alone(
            lambda connection: planning.set_snapshot(connection, session_id, plan_version, state, snapshot)
        )

    async def snapshot(self, session_id: str) -> Snapshot:
        """Returns the prepared answer of best-pair."""
        return await self._about(reading.read_snapshot, session_id)

    async def said(self, session_id: str) -> Said:
        """Returns what the last plan and the folds said."""
        return await self._about(reading.read_said, session_id, self._shelf)

    async def measured(self, session_id: str) -> Measured:
        """Returns the counts by pair, of all plans together."""
        return await self._about(reading.read_measured, session_id, self._shelf)

    async def live(self, session_ids: Sequence[str]) -> dict[str, Live]:
        """Returns snapshots and counters by session; those that do not exist are left out."""
        return await self._read("", lambda connection: reading.read_live(connection, session_ids))

    async def history(self, session_id: str, after: int, limit: int) -> list[HistoryPoint]:
        """Returns what plans after a version said, in order, at most so many."""
        return await self._about(reading.read_history, session_id, after, limit)

    async def certificate(self, session_id: str) -> CertificateRecord | None:
        """Returns the certificate, None before there is one."""
        return await self._about(reading.read_certificate, session_id)

    async def export(self, session_id: str) -> AsyncIterator[dict[str, Any]]:
        """Yields the session, its plans and its impressions as plain rows, read a piece at a time."""
        session, end = await self._about(exporting.exported_session, session_id, self._shelf)
        yield session
        version = 0
        while rows := await self._read(session_id, exporting.plans_after(session_id, version)):
            for row in rows:
                yield row
            version = rows[-1]["version"]
        sequence = 0
        while rows := await self._read(session_id, exporting.impressions_between(session_id, sequence, end)):
            for row in rows:
                yield row
            sequence = rows[-1]["sequence"]

    async def sessions_to_advance(self) -> list[str]:
        """Returns running or paused sessions with impressions out, and those that have got a note."""
        found = await self._read("", reading.read_sessions_to_advance)
        changed = self._watch.changed_sessions
        while not changed.empty():
            found.append(changed.get())
        return list(dict.fromkeys(found))

    async def census(self, most_named: int) -> Census:
        """Returns how many sessions there are by state and verdict; of so many, how far they are."""
        return await self._read("", lambda connection: read_census(connection, most_named))

    async def ready(self) -> str | None:
        """Returns None if the database is at the right revision and takes writes, otherwise what is wrong."""
        try:
            revision = await self._read("", migrations.revision_of)
        except StorageUnavailable as error:
            return cause(error.__cause__)
        if trouble := self._writer.trouble():
            return f"writes fail: {trouble}"
        if self._lacks_rights:
            return "the database user lacks a right; the server's log names it"
        # Servers of the version before go on while a newer one takes over: its tables must do for both.
        return None if migrations.is_newer(revision) else migrations.complaint(revision)

    def _start(self) -> None:
        if self._file_lock is not None:
            self._file_lock.acquire()
        try:
            if self._database.file is not None:
                check_is_not_lost(self._database.file)
                migrations.migrate(self._url)
            if complaint := migrations.complaint(migrations.current(self._url)):
                raise DatabaseBehind(complaint)
            with as_storage_unavailable():
                self._check_paths()
        except BaseException:
            self._let_go()
            raise
        self._writer.start()

    def _close(self) -> None:
        self._writer.close()
        self._let_go()

    def _let_go(self) -> None:
        self._database.dispose()
        if self._file_lock is not None:
            self._file_lock.release()

    def _serve(self, connection: Connection, wishes: Sequence[Issue | Answer]) -> Sequence[object]:
        """Returns a result or an error for each wish; orders first, because they lock session rows."""
        if self._heartbeat.is_broken_off:  # before anything is issued: its window must lie in the new period
            self._heartbeat.beat(connection, now(connection))
        orders = [wish for wish in wishes if isinstance(wish, Issue)]
        answers = [wish for wish in wishes if isinstance(wish, Answer)]
        tally = self._tally.begin()
        issued = iter(Issuing(connection, orders, self._shelf, self._rng, tally).results() if orders else [])
        answered = iter(Answering(connection, answers, self._shelf).results() if answers else [])
        results = [next(issued) if isinstance(wish, Issue) else next(answered) for wish in wishes]
        self._watch.written(wishes, results)
        return results

    def _check_paths(self) -> None:
        """Writes a row and reads it on another connection; raises UnsupportedDatabase if it is not there."""
        with self._database.writer.begin() as connection:
            self._heartbeat.beat(connection, self._watch.look(connection)[0])
        self._confirm(connection)
        self._database.log_weak_durability()
        if self._database.read(self._heartbeat.is_missing_from):
            raise UnsupportedDatabase(
                "what is written cannot be read: the writer's connection and the readers' lead to different tables; "
                "check the hosts and options of the database URL"
            )

    def _confirm(self, connection: Connection) -> None:
        """Takes note of a commit; raises if it must not be acknowledged."""
        self._heartbeat.committed(connection)
        self._watch.committed(connection)
        if self._database.file is not None:
            files_of(self._database.file).confirm(connection)

    def _note_rights(self, missing: str | None) -> None:
        """Takes note of rights that are missing. The heartbeat goes on: what they do not concern is still done."""
        if missing is not None and not self._lacks_rights:
            _log.warning("rights_missing", extra={"rights": missing, "advice": "grant them to the database user"})
        self._lacks_rights = missing is not None

    def _keep_house(self, connection: Connection) -> None:
        # First, because it locks sessions. The time that was checked is used for all that follows.
        at, clock_was_set = self._watch.look(connection)
        self._heartbeat.beat(connection, at)
        if self._database.file is None:
            self._note_rights(missing_rights(connection))
        if clock_was_set or time.monotonic() >= self._next_sweep:
            self._next_sweep = time.monotonic() + _SWEEP_SECONDS
            if not clock_was_set:  # by a clock that is wrong for a moment, every key would be too old
                sweep_keys(connection, at)

    def _committed(self, results: Sequence[object]) -> None:
        self._tally.committed(results)
        self._watch.answered()

    async def _about(
        self, read: Callable[Concatenate[Connection, str, P], Result], session_id: str, *more: P.args, **named: P.kwargs
    ) -> Result:
        """Returns what is read of one session."""
        return await self._read(session_id, lambda connection: read(connection, session_id, *more, **named))

    async def _read(self, session_id: str, read: Callable[[Connection], Result]) -> Result:
        _check(session_id)
        try:
            return await asyncio.to_thread(self._database.read, read)
        except StorageUnavailable as error:
            if error.__cause__ is not None:
                _log.warning("database_unavailable", extra={"reason": reason(error.__cause__)})
            raise


def _check(session_id: str) -> None:
    """Raises SessionNotFound for an id that no database could hold, before one is asked."""
    if not is_storable(session_id):
        raise not_found(ascii(session_id))
