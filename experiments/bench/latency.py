"""The latency of requests while plans are computed, compared with the latency without: `bestpair bench latency`."""

import statistics
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.bench.driver import Driver, Measured, Sizes, new_session, run_round
from experiments.bench.servers import Server, service

LATENCY_TARGET = 2.0
"""The largest acceptable p99 while plans are computed, as a multiple of the p99 without."""
FIRST_BUDGET = 10**9
"""Budget of the large session; it is raised to cause each plan."""
EVIDENCE = 100_000
"""Impressions of the large session: plans without evidence would be too fast."""
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
    """Returns the latencies of one session while plans of another one with `n_items` are computed, on SQLite."""
    with tempfile.TemporaryDirectory(prefix="bestpair-bench-") as folder:
        server = service("hot", "sqlite", f"sqlite:///{Path(folder) / 'latency.db'}")
        try:
            server.start(Path(folder))
            driver = Driver(server, sizes)
            driver.fill(sizes.stored_before)
            large = new_session(server, n_items, FIRST_BUDGET)
            step(f"storing {EVIDENCE} impressions of {n_items} items")
            Driver(server, sizes, large).fill(EVIDENCE)
            rounds: dict[str, list[tuple[Measured, Measured]]] = {path: [] for path in PATHS}
            plans = 0
            for number in range(sizes.rounds + 1):  # the first one is a warm-up
                step(f"round {number} of {sizes.rounds}")
                quiet = [run_round([driver], path)[0] for path in PATHS]
                with _plans(server, large) as made:
                    planning = [run_round([driver], path)[0] for path in PATHS]
                plans += len(made)
                if number:
                    for path, *pair in zip(PATHS, quiet, planning, strict=True):
                        rounds[path].append((pair[0], pair[1]))
        finally:
            server.stop()
    return [_latency(path, pairs, plans) for path, pairs in rounds.items()]


def _latency(path: str, pairs: Sequence[tuple[Measured, Measured]], plans: int) -> Latency:
    quiet, planning = zip(*pairs, strict=True)
    times = statistics.median(after.p99_ms / before.p99_ms for before, after in pairs)
    median = statistics.median
    return Latency(
        path,
        median(one.p50_ms for one in quiet),
        median(one.p99_ms for one in quiet),
        median(one.p50_ms for one in planning),
        median(one.p99_ms for one in planning),
        times,
        plans,
    )


@contextmanager
def _plans(server: Server, session: str) -> Iterator[list[int]]:
    """Makes the server compute plans for a session during the block; yields a list that grows with each plan."""
    made: list[int] = []
    stop = threading.Event()
    budget = int(server.call("GET", f"/v1/sessions/{session}")["budget"])

    def cause_plans() -> None:
        while not stop.is_set():
            # A larger budget causes a plan at once; the response is sent when the plan is done.
            server.call("PATCH", f"/v1/sessions/{session}", {"budget": budget + len(made) + 1})
            made.append(len(made))

    thread = threading.Thread(target=cause_plans)
    thread.start()
    try:
        yield made
    finally:
        stop.set()
        thread.join()
    if not made:
        raise RuntimeError("no plan was computed during the requests")
