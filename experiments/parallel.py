"""Independent sessions in parallel, in several processes."""

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


def run_parallel(
    work: Callable[[Task], Result], tasks: Sequence[Task], workers: int | None = None
) -> Iterator[tuple[Task, Result]]:
    """Yields (task, result) as each task ends; runs in `workers` processes, by default one per core.

    Each process uses one numerical thread. With one worker the tasks run in this process, in their order.
    """
    if workers == 1 or not tasks:
        yield from ((task, work(task)) for task in tasks)
        return
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # read by the workers: more threads would compete for the same cores
    pool = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))
    try:
        running = {pool.submit(work, task): task for task in tasks}
        for done in as_completed(running):
            yield running[done], done.result()
    finally:
        pool.shutdown(cancel_futures=True)  # after an interrupt, do not wait for the tasks that have not started
