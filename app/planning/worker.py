"""Where plans are computed: never on the event loop, and large plans in a separate process.

Numerics in a thread still stop every other thread whenever they hold the interpreter lock, and so does parsing a
hundred thousand rows. From `OWN_PROCESS_ITEMS` items on, a separate process with lower priority computes the plan: it
reads the evidence and writes the texts to be stored itself, so that requests are not delayed.
"""

import asyncio
import multiprocessing
import os
import signal
import threading
import traceback
from datetime import datetime
from multiprocessing.connection import Connection

from app.database.database import Database
from app.database.store import Store
from app.errors import SessionError
from app.planning.make_plan import make_plan
from app.planning.plan import Planned, PlanningInput
from app.planning.sql import read_planning_input
from app.sessions.model import Session
from app.sessions.sql import SessionCache
from app.telemetry import logs

OWN_PROCESS_ITEMS = 100
"""Plans for fewer items take a few milliseconds: less than passing them to another process."""
_NICENESS = 5
_Request = PlanningInput | str
"""What to plan: the whole input, or the id of a stored session."""
_Response = Planned | None | SessionError | str
"""A plan, None if no plan is needed, an error for the caller, or the traceback of an unexpected error."""


class ProcessDied(Exception):
    """The process that computed a plan has ended, perhaps because it used too much memory; the next plan starts one."""


class PlanFailed(Exception):
    """An unexpected error in that process, as text: not every exception can be sent between processes."""


class PlanWorker:
    """Computes plans one at a time, because large ones take a gigabyte."""

    def __init__(self, store: Store, cache: SessionCache) -> None:
        self._store = store
        self._cache = cache
        self._one_at_a_time = asyncio.Semaphore(1)
        self._process: _Process | None = None

    async def plan_stored(self, session: Session, now: datetime) -> Planned | None:
        """Returns the next plan of a stored session, None if its verdict only waits for the watermark.

        Raises SessionNotFound, StorageUnavailable, ProcessDied, PlanFailed.
        """
        if len(session.items) < OWN_PROCESS_ITEMS:
            return await self._plan(await self._store.read(read_planning_input, session.id, self._cache), now)
        async with self._one_at_a_time:
            return await self._request(session.id, now)

    async def first_plan(self, planning_input: PlanningInput, now: datetime) -> Planned:
        """Returns the first plan of a session; raises ProcessDied, PlanFailed."""
        planned = await self._plan(planning_input, now)
        assert planned is not None  # noqa: S101 - for the type checker: without answers, nothing awaits a proof
        return planned

    async def _plan(self, planning_input: PlanningInput, now: datetime) -> Planned | None:
        async with self._one_at_a_time:
            if len(planning_input.session.items) < OWN_PROCESS_ITEMS:
                return await asyncio.to_thread(make_plan, planning_input, now)
            return await self._request(planning_input, now)

    async def _request(self, request: _Request, now: datetime) -> Planned | None:
        if self._process is None:
            self._process = _Process(self._store.url)
        try:
            response = await asyncio.to_thread(self._process.request, request, now)
        except BaseException:  # it died, or the caller left: the next caller must not get this response
            self.close()
            raise
        if isinstance(response, SessionError):
            raise response
        if isinstance(response, str):
            raise PlanFailed(response)
        return response

    def close(self) -> None:
        """Ends the process, even while it computes."""
        if self._process is not None:
            self._process.close()
            self._process = None


class _Process:
    """A process that computes plans, and the pipe to it."""

    def __init__(self, url: str) -> None:
        spawn = multiprocessing.get_context("spawn")
        self._pipe, theirs = spawn.Pipe()
        self.process = spawn.Process(
            target=_serve, args=(theirs, url, logs.in_use()), name="bestpair-plans", daemon=True
        )
        self.process.start()
        theirs.close()  # so that reading ends when the process does

    def request(self, request: _Request, now: datetime) -> _Response:
        """Returns the plan or an error; raises ProcessDied."""
        try:
            self._pipe.send((request, now))
            response: _Response = self._pipe.recv()
        except (EOFError, OSError) as error:
            raise ProcessDied("the process that computes plans has ended") from error
        return response

    def close(self) -> None:
        """Ends the process and waits for its end."""
        self.process.terminate()
        self.process.join()
        self._pipe.close()


def _serve(pipe: Connection, url: str, log_settings: logs.LogSettings | None) -> None:
    """Computes plans on request, until the pipe is closed."""
    if log_settings is not None:
        logs.configure(log_settings)
    _prepare_process()
    while True:
        try:
            request, now = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            planning_input = request if isinstance(request, PlanningInput) else _read_input(url, request)
            response: _Response = make_plan(planning_input, now)
        except SessionError as error:  # the session was deleted, or the database is down
            response = error
        except Exception:
            response = traceback.format_exc()
        pipe.send(response)


def _read_input(url: str, session_id: str) -> PlanningInput:
    """Reads the input of a stored session on a connection that is closed afterwards: plans may be hours apart."""
    database = Database(url)
    try:
        return database.read(lambda connection: read_planning_input(connection, session_id, SessionCache()))
    finally:
        database.dispose()


def _prepare_process() -> None:
    """Lowers priority, ignores SIGINT, exits with the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(_NICENESS)
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)  # the parent was killed: no process will read the plan
