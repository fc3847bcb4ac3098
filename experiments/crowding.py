"""Callers beside a plan, and servers beside each other: `bestpair bench latency` and `bestpair bench processes`."""

import statistics
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.serving_driver import Driver, Sizes, new_session, run_together
from experiments.serving_rows import Measured
from experiments.serving_servers import Server, database, postgresql, service

LATENCY_TARGET = 2.0
"""The most that a plan may multiply the p99 of callers by."""
FIRST_BUDGET = 10**9
"""Of the large session: it is raised for each plan."""
EVIDENCE = 100_000
"""Impressions of the large session: plans without any would be too easy."""
PATHS = ("next-pair", "feedback")


@dataclass(frozen=True)
class Latency:
    """One path, without and with plans being computed; medians over rounds."""

    path: str
    quiet_p50_ms: float
    quiet_p99_ms: float
    planning_p50_ms: float
    planning_p99_ms: float
    times: float  # the median of each round's ratio
    plans: int

    def as_json(self) -> dict[str, Any]:
        """Returns the row for `--json`."""
        return {
            "path": self.path,
            **{name: round(getattr(self, name), 2) for name in _FIGURES},
            "times": round(self.times, 3),
            "target": LATENCY_TARGET,
            "plans": self.plans,
        }


_FIGURES = ("quiet_p50_ms", "quiet_p99_ms", "planning_p50_ms", "planning_p99_ms")


def measure_latency(n_items: int, sizes: Sizes, step: Callable[[str], None]) -> list[Latency]:
    """Returns what callers of one session feel of the plans of another with so many items, on one SQLite server."""
    with tempfile.TemporaryDirectory(prefix="bestpair-bench-") as folder:
        server = service("hot", "sqlite", f"sqlite:///{Path(folder) / 'latency.db'}")
        try:
            server.start(Path(folder))
            driver = Driver(server, sizes)
            large = new_session(server, n_items, FIRST_BUDGET)
            step(f"storing {EVIDENCE} impressions of {n_items} items")
            Driver(server, sizes, large).fill(EVIDENCE)
            rounds: dict[str, list[tuple[Measured, Measured]]] = {path: [] for path in PATHS}
            plans = 0
            for number in range(sizes.rounds + 1):  # the first one only warms up
                step(f"round {number} of {sizes.rounds}")
                quiet = [run_together([driver], path)[0] for path in PATHS]
                with _planning(server, large) as made:
                    beside = [run_together([driver], path)[0] for path in PATHS]
                plans += len(made)
                if number:
                    for path, *pair in zip(PATHS, quiet, beside, strict=True):
                        rounds[path].append((pair[0], pair[1]))
        finally:
            server.stop()
    return [_latency(path, pairs, plans) for path, pairs in rounds.items()]


def _latency(path: str, pairs: Sequence[tuple[Measured, Measured]], plans: int) -> Latency:
    quiet, beside = zip(*pairs, strict=True)
    times = statistics.median(after.p99_ms / before.p99_ms for before, after in pairs)
    median = statistics.median
    return Latency(
        path,
        median(one.p50_ms for one in quiet),
        median(one.p99_ms for one in quiet),
        median(one.p50_ms for one in beside),
        median(one.p99_ms for one in beside),
        times,
        plans,
    )


@contextmanager
def _planning(server: Server, session: str) -> Iterator[list[int]]:
    """Has the server make one plan after the other for a session; yields a list that grows with each."""
    made: list[int] = []
    over = threading.Event()
    budget = int(server.call("GET", f"/v1/sessions/{session}")["budget"])

    def plan_on() -> None:
        while not over.is_set():
            # A larger budget is planned for at once, and answered when that is done.
            server.call("PATCH", f"/v1/sessions/{session}", {"budget": budget + len(made) + 1})
            made.append(len(made))

    thread = threading.Thread(target=plan_on)
    thread.start()
    try:
        yield made
    finally:
        over.set()
        thread.join()
    if not made:
        raise RuntimeError("no plan was computed beside the callers")


def measure_processes(
    counts: Sequence[int], sizes: Sizes, *, postgresql_url: str | None, step: Callable[[str], None]
) -> list[dict[str, Any]]:
    """Returns impressions per second (next-pair, then feedback) by number of server processes on one PostgreSQL."""
    rps: dict[int, list[float]] = {count: [] for count in counts}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bestpair-bench-")))
        shared = stack.enter_context(postgresql(postgresql_url))
        if shared is None:
            return []
        drivers = {}
        for count in counts:
            server = service(
                f"{count}-workers", "postgresql", stack.enter_context(database(shared)), workers=str(count)
            )
            stack.callback(server.stop)
            server.start(folder)
            drivers[count] = Driver(server, sizes)
        for number in range(sizes.rounds + 1):
            for count, driver in drivers.items():
                step(f"round {number} of {sizes.rounds}: {count} processes")
                asked, told = (run_together([driver], path)[0] for path in PATHS)
                if number:
                    rps[count].append(1 / (1 / asked.rps + 1 / told.rps))
    return [{"processes": count, "rps": round(statistics.median(found), 1)} for count, found in rps.items()]
