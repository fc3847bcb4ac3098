"""Where plans are computed: never on the event loop; large ones not even in this process.

Numerics in a thread still stop every other thread whenever they hold the interpreter's lock. From some size on a plan
is computed by a process of its own, at a lower priority: callers come first.
"""

import asyncio
import multiprocessing
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from datetime import datetime

from app.sessions.planning import Planned, make_plan
from app.sessions.ports import PlanningInput

OWN_PROCESS_ITEMS = 100
"""Plans for fewer items take a few milliseconds: less than handing them over."""
_NICENESS = 5


class Computing:
    """Computes plans one at a time: large ones take a gigabyte."""

    def __init__(self) -> None:
        self._one_at_a_time = asyncio.Semaphore(1)
        self._pool: ProcessPoolExecutor | None = None

    async def plan(self, given: PlanningInput, now: datetime) -> Planned:
        """Returns the plan."""
        async with self._one_at_a_time:
            if len(given.record.items) < OWN_PROCESS_ITEMS:
                return await asyncio.to_thread(make_plan, given, now)
            if self._pool is None:
                self._pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _prepare)
            try:
                return await asyncio.get_running_loop().run_in_executor(self._pool, make_plan, given, now)
            except BrokenProcessPool:  # it was killed, for its memory perhaps; the next plan gets a new one
                self.close()
                raise

    def close(self) -> None:
        """Ends the process, whatever it is at."""
        if self._pool is not None:
            workers = list((self._pool._processes or {}).values())
            self._pool.shutdown(wait=False, cancel_futures=True)
            for worker in workers:
                worker.terminate()
            for worker in workers:
                worker.join()
            self._pool = None


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
