"""Where plans are computed: never on the event loop; large ones not even in this process.

Numerics in a thread still stop every other thread whenever they hold the interpreter's lock, and so does making values
of a hundred thousand rows. From some size on a plan is computed by a process of its own, which reads the evidence and
writes the texts to be stored itself, at a lower priority: callers come first.
"""

import asyncio
import multiprocessing
import os
import signal
import threading
import traceback
from datetime import datetime
from multiprocessing.connection import Connection

from app.errors import SessionError
from app.planning.make_plan import Planned, make_plan
from app.sessions.model import SessionRecord
from app.sessions.ports import PlanningInput, PlanningSource, Store
from app.telemetry import logs

OWN_PROCESS_ITEMS = 100
"""Plans for fewer items take a few milliseconds: less than handing them over."""
_NICENESS = 5
_Asked = PlanningInput | str
"""What to plan for: all of it, or the id of a session that is stored."""
_Answered = Planned | SessionError | str
"""A plan, what the caller should hear about, or what went wrong, as text."""


class ProcessDied(Exception):
    """The process that computed a plan is gone, killed for its memory perhaps; the next plan gets a new one."""


class PlanFailed(Exception):
    """What went wrong in that process, as text: not every error survives the way from one to another."""


class Computing:
    """Computes plans one at a time: large ones take a gigabyte."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._one_at_a_time = asyncio.Semaphore(1)
        self._worker: _Worker | None = None

    async def plan_stored(self, record: SessionRecord, now: datetime) -> Planned:
        """Returns the next plan of a session, from what is stored of it by now.

        Raises SessionNotFound, StorageUnavailable, ProcessDied, PlanFailed.
        """
        if len(record.items) < OWN_PROCESS_ITEMS:
            return await self.plan(await self._store.planning_input(record.id), now)
        async with self._one_at_a_time:
            return await self._ask(record.id, now)

    async def plan(self, given: PlanningInput, now: datetime) -> Planned:
        """Returns the plan for what is given; raises ProcessDied, PlanFailed."""
        async with self._one_at_a_time:
            if len(given.record.items) < OWN_PROCESS_ITEMS:
                return await asyncio.to_thread(make_plan, given, now)
            return await self._ask(given, now)

    async def _ask(self, about: _Asked, now: datetime) -> Planned:
        if self._worker is None:
            self._worker = _Worker(self._store.planning_source())
        try:
            answer = await asyncio.to_thread(self._worker.ask, about, now)
        except BaseException:  # it died, or nobody waits for its answer any more: the next one must not get it
            self.close()
            raise
        if isinstance(answer, SessionError):
            raise answer
        if isinstance(answer, str):
            raise PlanFailed(answer)
        return answer

    def close(self) -> None:
        """Ends the process, whatever it is at."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None


class _Worker:
    """A process that computes plans, and the line to it."""

    def __init__(self, source: PlanningSource) -> None:
        spawn = multiprocessing.get_context("spawn")
        self._line, theirs = spawn.Pipe()
        self.process = spawn.Process(
            target=_work, args=(theirs, source, logs.in_use()), name="bestpair-plans", daemon=True
        )
        self.process.start()
        theirs.close()  # so that reading ends when the process does

    def ask(self, about: _Asked, now: datetime) -> _Answered:
        """Returns the plan or what went wrong with it; raises ProcessDied."""
        try:
            self._line.send((about, now))
            answer: _Answered = self._line.recv()
        except (EOFError, OSError) as error:
            raise ProcessDied("the process that computes plans has ended") from error
        return answer

    def close(self) -> None:
        """Ends the process and waits for that."""
        self.process.terminate()
        self.process.join()
        self._line.close()


def _work(line: Connection, source: PlanningSource, log_settings: logs.LogSettings | None) -> None:
    """Computes plans as they are asked for, until nobody can ask any more."""
    if log_settings is not None:
        logs.configure(log_settings)
    _prepare()
    while True:
        try:
            about, now = line.recv()
        except (EOFError, OSError):
            return
        try:
            given = about if isinstance(about, PlanningInput) else source.read(about)
            answer: _Answered = make_plan(given, now)
        except SessionError as error:  # deleted meanwhile, or the database is away
            answer = error
        except Exception:  # told to whoever asked
            answer = traceback.format_exc()
        line.send(answer)


def _prepare() -> None:
    """Makes the process polite, deaf to the terminal, and sure to end with the one that started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(_NICENESS)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)  # killed: nobody will read what is being computed
