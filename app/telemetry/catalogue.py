"""The metrics that processes count themselves: names, meanings, and which cells of memory hold them.

The list is closed: every label has a fixed set of values. So each metric has its place in an array, counting is one
addition, and no caller can make new time series. What the database knows is not counted here but asked (`web.metrics`).
"""

from dataclasses import dataclass
from enum import Enum
from functools import cache
from itertools import product

STATUS_CLASSES = ("2xx", "3xx", "4xx", "5xx")
OTHER = "other"
ROUTES = (
    "next-pair", "next-pair/batch", "feedback", "feedback/batch", "best-pair", "session", "sessions", "events",
    "history", "estimates", "certificate", "export", "access", "audit", "metrics", "livez", "readyz", "version", OTHER,
)  # fmt: skip
PURPOSES = ("explore", "exploit")
FEEDBACK = ("accepted", "duplicate", "late", "ignored", "conflict", "not_found", "invalid")
PLACES_OF_FAULTS = ("request", "planner", "streams", "writer")

_SHORT = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)
"""Seconds of a commit: half a millisecond on a good disk; at a second callers begin to give up."""
_LONG = (0.001, 0.005, 0.02, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
"""Seconds of a fold or a plan: some ten seconds for 5,000 items are expected, a minute is not."""
_SIZES = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0)


class Kind(Enum):
    """How the cells of a metric become numbers."""

    COUNTER = 1  # a cell for each combination of labels
    HISTOGRAM = 2  # a cell for each bucket and one for the sum
    BACKLOG = 3  # two cells: what came in, what went out; the difference is told. A new process begins at nothing


@dataclass(frozen=True)
class Metric:
    """One family; `values` are the values of each label, `bounds` the upper ends of a histogram's buckets."""

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
        """Cells of one combination: a histogram has one for each bucket, one for what is beyond, one for the sum."""
        return {Kind.COUNTER: 1, Kind.HISTOGRAM: len(self.bounds) + 2, Kind.BACKLOG: 2}[self.kind]


METRICS = (
    Metric(
        "bestpair_requests_total", Kind.COUNTER,
        "Requests by route and class of status; 5xx above nothing is for you, 4xx for whoever calls.",
        ("route", "status"), (ROUTES, STATUS_CLASSES),
    ),
    Metric(
        "bestpair_impressions_total", Kind.COUNTER,
        "Impressions handed out, retries with the same key not counted again; none while callers call: look at 5xx.",
        ("purpose",), (PURPOSES,),
    ),
    Metric(
        "bestpair_feedback_total", Kind.COUNTER,
        "Outcomes by what became of them; many late: the window or the ticket's lifetime is too short; many not_found "
        "or conflict: the caller mixes up tickets.",
        ("status",), (FEEDBACK,),
    ),
    Metric(
        "bestpair_unexpected_errors_total", Kind.COUNTER,
        "Faults nobody expected, by place; each is a defect: look for unexpected_fault or failed in the log.",
        ("place",), (PLACES_OF_FAULTS,),
    ),
    Metric(
        "bestpair_commit_seconds", Kind.HISTOGRAM,
        "Seconds of a group commit, begin to end; slow: look at the database's disk and its locks.", bounds=_SHORT,
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
        "Requests waiting for the writer now; near BESTPAIR_QUEUE_LIMIT more are refused: add processes.",
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
        "Seconds to compute one plan, waiting for the plan before it included; long: fewer items, or more processes.",
        bounds=_LONG,
    ),
    Metric(
        "bestpair_plans_total", Kind.COUNTER,
        "Plans by result: stored, or lost to another process that was quicker (harmless, but work for nothing).",
        ("result",), (("stored", "lost"),),
    ),
    Metric(
        "bestpair_worker_starts_total", Kind.COUNTER,
        "Server processes started since the service was; more than BESTPAIR_WORKERS: some have died.",
    ),
)  # fmt: skip

_STARTS: dict[str, int] = {}
CELLS = 0
for _metric in METRICS:
    _STARTS[_metric.name] = CELLS
    CELLS += _metric.width * len(_metric.combinations)

BY_NAME = {metric.name: metric for metric in METRICS}


@cache
def place(name: str, *values: str) -> int:
    """Returns the first cell of a metric with these label values; a name or value that is not listed is an error."""
    metric = BY_NAME[name]
    return _STARTS[name] + metric.width * metric.combinations.index(values)
