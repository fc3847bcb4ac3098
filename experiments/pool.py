"""Independent sessions on all cores."""

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TypeVar

Task = TypeVar("Task")
Found = TypeVar("Found")


def on_all_cores(
    work: Callable[[Task], Found], tasks: Sequence[Task], workers: int | None = None
) -> Iterator[tuple[Task, Found]]:
    """Yields each task with what came of it as it ends, in processes of their own, one numerical thread each.

    One worker is this process itself.
    """
    if workers == 1 or not tasks:
        yield from ((task, work(task)) for task in tasks)
        return
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # read by the workers: threads inside processes only fight
    pool = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))
    try:
        running = {pool.submit(work, task): task for task in tasks}
        for done in as_completed(running):
            yield running[done], done.result()
    finally:
        pool.shutdown(cancel_futures=True)  # an interruption must not wait for all that was planned
