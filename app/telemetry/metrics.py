"""The metrics that processes count themselves: their list, the memory that holds the counts, and `Meter` to count.

The list is closed: every label has a fixed set of values. So each metric has its cells in an array of numbers, counting
is one addition, and no caller can create new time series. What the database knows is not counted here but queried
(`web.routes.metrics`). To add a metric, add an entry to `METRICS` and call `Meter.count`, `observe` or `timed`.

With several server processes, their arrays are in one small file that all of them map. Adding to it is a plain store to
memory (0.5 us, compared with 3.3 us for the multiprocess mode of prometheus_client), nothing is lost when a process is
killed, and every process can read the counts of all. A process locks its array; the system releases the lock when the
process dies, and the process that replaces it continues from the same counts. So no count is lost or doubled.
"""

import fcntl
import mmap
import os
import tempfile
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from functools import cache
from itertools import product
from pathlib import Path
from time import perf_counter

STATUS_CLASSES = ("2xx", "3xx", "4xx", "5xx")
OTHER = "other"
ROUTES = (
    "next-pair", "next-pair/batch", "feedback", "feedback/batch", "best-pair", "session", "sessions", "events",
    "history", "estimates", "certificate", "export", "forecast", "access", "audit", "metrics", "livez", "readyz",
    "version", OTHER,
)  # fmt: skip
PURPOSES = ("explore", "exploit")
FEEDBACK = ("accepted", "duplicate", "late", "ignored", "conflict", "not_found", "invalid")
FAULT_PLACES = ("request", "planner", "streams", "writer")

_SHORT = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)
"""Seconds of a commit: half a millisecond on a good disk; at one second callers start to time out."""
_LONG = (0.001, 0.005, 0.02, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
"""Seconds of a fold or a plan: some ten seconds for 5,000 items are expected, a minute is not."""
_SIZES = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0)


class Kind(Enum):
    """How the cells of a metric become values."""

    COUNTER = 1  # a cell for each combination of labels
    HISTOGRAM = 2  # a cell for each bucket and one for the sum
    BACKLOG = 3  # two cells: added and removed; the value is the difference, and a new process starts at 0


@dataclass(frozen=True)
class Metric:
    """One metric family; `values` are the values of each label, `bounds` the upper bounds of a histogram's buckets."""

    name: str
    kind: Kind
    help: str
    labels: tuple[str, ...] = ()
    values: tuple[tuple[str, ...], ...] = ()
    bounds: tuple[float, ...] = ()

    @property
    def combinations(self) -> list[tuple[str, ...]]:
        """All combinations of label values, in the order of their cells."""
        return list(product(*self.values))

    @property
    def width(self) -> int:
        """Cells of one combination: a histogram has one for each bucket, one for larger values, one for the sum."""
        return {Kind.COUNTER: 1, Kind.HISTOGRAM: len(self.bounds) + 2, Kind.BACKLOG: 2}[self.kind]


METRICS = (
    Metric(
        "bestpair_requests_total", Kind.COUNTER,
        "Requests by route and class of status; any 5xx is for the operator, 4xx for the caller.",
        ("route", "status"), (ROUTES, STATUS_CLASSES),
    ),
    Metric(
        "bestpair_impressions_total", Kind.COUNTER,
        "Impressions handed out, retries with the same key counted once; none while callers call: look at 5xx.",
        ("purpose",), (PURPOSES,),
    ),
    Metric(
        "bestpair_feedback_total", Kind.COUNTER,
        "Feedback by its status; many late: the window or the ticket lifetime is too short; many not_found "
        "or conflict: the caller mixes up tickets.",
        ("status",), (FEEDBACK,),
    ),
    Metric(
        "bestpair_unexpected_errors_total", Kind.COUNTER,
        "Unexpected errors by place; each is a defect: look for unexpected_fault or failed in the log.",
        ("place",), (FAULT_PLACES,),
    ),
    Metric(
        "bestpair_commit_seconds", Kind.HISTOGRAM,
        "Seconds of a group commit, from begin to end; slow: look at the disk and the locks of the database.",
        bounds=_SHORT,
    ),
    Metric(
        "bestpair_commit_requests", Kind.HISTOGRAM,
        "Requests that shared a commit; it grows with the load, and near the largest the writer is the bottleneck.",
        bounds=_SIZES,
    ),
    Metric(
        "bestpair_commit_failures_total", Kind.COUNTER,
        "Transactions that failed because the database could not be used; their callers got 503.",
    ),
    Metric(
        "bestpair_writer_queue_requests", Kind.BACKLOG,
        "Requests that wait for the writer; near BESTPAIR_QUEUE_LIMIT more are refused: add processes.",
    ),
    Metric(
        "bestpair_writer_refused_total", Kind.COUNTER,
        "Requests refused with 503 because the writer's queue was full: add processes, or slow the callers down.",
    ),
    Metric(
        "bestpair_fold_seconds", Kind.HISTOGRAM,
        "Seconds to move what is final into the evidence of one session.", bounds=_LONG,
    ),
    Metric(
        "bestpair_planning_seconds", Kind.HISTOGRAM,
        "Seconds to compute one plan, including the wait for the previous plan; long: fewer items, or more processes.",
        bounds=_LONG,
    ),
    Metric(
        "bestpair_plans_total", Kind.COUNTER,
        "Plans by result: stored, or lost because another process was faster (harmless, but wasted work).",
        ("result",), (("stored", "lost"),),
    ),
    Metric(
        "bestpair_worker_starts_total", Kind.COUNTER,
        "Server processes started since the service started; more than BESTPAIR_WORKERS: some have died.",
    ),
)  # fmt: skip

_STARTS: dict[str, int] = {}
CELLS = 0
for _metric in METRICS:
    _STARTS[_metric.name] = CELLS
    CELLS += _metric.width * len(_metric.combinations)

BY_NAME = {metric.name: metric for metric in METRICS}


@cache
def cell_index(name: str, *values: str) -> int:
    """Returns the index of the first cell of a metric with these label values.

    Raises:
        KeyError: the name is not in `METRICS`.
        ValueError: a label value is not listed.
    """
    metric = BY_NAME[name]
    return _STARTS[name] + metric.width * metric.combinations.index(values)


_BYTES = 8 * CELLS
_SPARE = 2
"""Arrays in addition to one for each process: a process that ends may overlap with its replacement."""


class NoArrayFree(Exception):
    """Each array of the file is locked by a process."""


class Cells:
    """The arrays of all processes of a server, and `own`, the array of this process."""

    def __init__(self, memory: mmap.mmap, own: int, keep_open: int | None = None) -> None:
        every = memoryview(memory).cast("d")
        self._arrays = [every[start : start + CELLS] for start in range(0, len(every), CELLS)]
        self._keep_open = keep_open  # closing it would release the lock
        self.own = self._arrays[own]
        self._clear_backlogs()
        self.own[cell_index("bestpair_worker_starts_total")] += 1

    @classmethod
    def alone(cls) -> "Cells":
        """Returns the array of a server with one process."""
        return cls(mmap.mmap(-1, _BYTES), 0)

    @classmethod
    def shared(cls, path: Path) -> "Cells":
        """Returns the arrays in this file and locks one for this process; raises NoArrayFree if all are locked."""
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        size = os.fstat(file).st_size
        for number in range(size // _BYTES):
            try:
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, number)
            except OSError:
                continue
            return cls(mmap.mmap(file, size), number, file)
        os.close(file)
        raise NoArrayFree(f"{size // _BYTES} processes count already")

    def totals(self) -> Sequence[float]:
        """Returns the sums over all processes, including those that have ended."""
        return [sum(column) for column in zip(*self._arrays, strict=True)]

    def _clear_backlogs(self) -> None:
        """Sets backlogs to 0: callers that waited for a process that died have lost their connections."""
        for metric in METRICS:
            if metric.kind is Kind.BACKLOG:
                start = cell_index(metric.name)
                for cell in range(start, start + metric.width):
                    self.own[cell] = 0.0


@contextmanager
def shared_file(processes: int) -> Iterator[Path]:
    """Yields a new file with arrays for this many processes; deletes it at the end."""
    number, name = tempfile.mkstemp(prefix="bestpair-", suffix=".counts")
    try:
        os.truncate(number, _BYTES * (processes + _SPARE))
        os.close(number)
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


class Meter:
    """Adds to the cells of this process; cheap: one addition, or two for a histogram.

    Only one thread may add to a cell, because an addition is a read and a write: the metrics of commits (and of what is
    committed) belong to the thread of the writer, all others to the thread of the event loop.
    """

    def __init__(self, cells: Cells | None = None) -> None:
        self.all = cells or Cells.alone()
        self.cells = self.all.own  # hot paths add to it directly, with a `cell_index` that they looked up once

    def count(self, name: str, *values: str, by: float = 1) -> None:
        """Adds to a counter."""
        self.cells[cell_index(name, *values)] += by

    def observe(self, name: str, value: float) -> None:
        """Adds one value to a histogram."""
        bounds, start = BY_NAME[name].bounds, cell_index(name)
        self.cells[start + bisect_left(bounds, value)] += 1
        self.cells[start + len(bounds) + 1] += value

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Adds the seconds that the block takes to a histogram, also if the block raises."""
        began = perf_counter()
        try:
            yield
        finally:
            self.observe(name, perf_counter() - began)
