"""The cost of a request on the server, compared with the floor: `bestpair bench serving`.

Machines are shared and noisy: each server is measured in many short rounds, interleaved with the floor. The result is
the median ratio over the rounds, with its uncertainty. Processor time is that of the server process, including work
that requests cause later: rounds of feedback include folds and plans, until all feedback is counted.
"""

import math
import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from experiments.bench.bare_server import BATCH
from experiments.bench.driver import Driver, Measured, Sizes, measure_idle, run_round
from experiments.bench.servers import Server, database, floor, postgresql, service, with_key

BACKENDS = ("sqlite", "postgresql")
PATHS = ("next-pair", "feedback", "best-pair", "next-pair/batch", "feedback/batch")
STORED = 100_000
"""Impressions stored before anything is measured. A new session is planned every few thousand impressions, at the
same cost for single calls and batches, which would hide the cost of the calls. `bench growth` measures other sizes."""
HIGH_RATE = "999999999/second"
"""A rate limit that is checked but never reached."""

TARGETS = {
    ("next-pair", "sqlite"): 0.40,
    ("next-pair", "postgresql"): 0.60,
    ("feedback", "sqlite"): 0.25,
    ("feedback", "postgresql"): 0.35,
    ("best-pair", "sqlite"): 0.8,
    ("best-pair", "postgresql"): 0.8,
}
"""The smallest acceptable ratio of the floor's cost to ours, with the hot lane."""
ACCESS_TARGET = 1.15
"""The largest acceptable cost with keys and rate limits, as a multiple of the cost without."""
BATCH_TARGET = 8.0
"""The smallest acceptable gain of a batch of 100: impressions per processor second, as a multiple of single calls."""


@dataclass(frozen=True)
class Ratio:
    """The median ratio of two costs that were measured in the same rounds, and its uncertainty.

    The uncertainty is the notch of a box plot (McGill, Tukey and Larsen 1978), 1.57 interquartile ranges over the root
    of the number of rounds: two medians whose notches do not overlap differ.
    """

    median: float
    notch: float

    @classmethod
    def of(cls, upper: Sequence[float], lower: Sequence[float]) -> "Ratio":
        """Returns the ratio of costs that were measured in the same rounds."""
        ratios = [above / below for above, below in zip(upper, lower, strict=True)]
        spread = 0.0
        if len(ratios) > 1:
            first, _, third = statistics.quantiles(ratios, n=4, method="inclusive")
            spread = third - first
        return cls(statistics.median(ratios), 1.57 * spread / math.sqrt(len(ratios)))


@dataclass
class Row:
    """One path of one server over all rounds; medians."""

    path: str
    lane: str  # "floor", "hot", "plain", "keys" (hot, with a key and a rate limit) or "optuna"
    backend: str
    rounds: list[Measured] = field(default_factory=list)
    floor_us: list[float] = field(default_factory=list)
    single_us: list[float] = field(default_factory=list)
    without_keys_us: list[float] = field(default_factory=list)

    @property
    def cpu_us(self) -> list[float]:
        """The processor time of a request in each round, in microseconds."""
        return [measured.cpu_us for measured in self.rounds]

    def median(self, name: str) -> float:
        """Returns the median of a field of the measurements."""
        return statistics.median(getattr(measured, name) for measured in self.rounds)

    @property
    def ratio(self) -> Ratio:
        """The floor's cost divided by this cost."""
        return Ratio.of(self.floor_us, self.cpu_us)

    @property
    def access_cost(self) -> Ratio | None:
        """This cost as a multiple of the cost without keys and limits; None if there is none to compare with."""
        return Ratio.of(self.cpu_us, self.without_keys_us) if self.without_keys_us else None

    @property
    def batch_gain(self) -> Ratio | None:
        """Impressions per processor second as a multiple of single calls; None for single calls."""
        return Ratio.of([BATCH * single for single in self.single_us], self.cpu_us) if self.single_us else None

    @property
    def target(self) -> float | None:
        """The target of the ratio (for a batch: of the gain); None if there is no target."""
        if self.lane != "hot":
            return None
        return BATCH_TARGET if self.single_us else TARGETS.get((self.path, self.backend))

    def as_json(self) -> dict[str, Any]:
        """Returns the row for `--json`."""
        figures = {name: round(self.median(name), 3) for name in ("cpu_us", "rps", "p50_ms", "p99_ms")}
        gain, access = self.batch_gain, self.access_cost
        return {
            "path": self.path,
            "backend": self.backend,
            "lane": self.lane,
            **figures,
            "ratio": round(self.ratio.median, 4),
            "ratio_notch": round(self.ratio.notch, 4),
            "floor_us": round(statistics.median(self.floor_us), 3),
            "batch_gain": None if gain is None else round(gain.median, 2),
            "batch_gain_notch": None if gain is None else round(gain.notch, 2),
            "target": self.target,
            "access_cost": None if access is None else round(access.median, 4),
            "access_cost_notch": None if access is None else round(access.notch, 4),
            "cpu_us_by_round": [round(cost, 2) for cost in self.cpu_us],
        }


def measure(
    sizes: Sizes,
    *,
    postgresql_url: str | None,
    lanes: Sequence[str],
    step: Callable[[str], None],
    backends: Sequence[str] = BACKENDS,
    only: Sequence[str] = PATHS,
) -> list[Row]:
    """Returns all rows of these lanes, databases and paths; calls `step` with a description of each step."""
    paths = _with_dependencies(only)
    with _running(postgresql_url, lanes, backends) as servers:
        rows = {(path, server.kind, server.backend): Row(path, server.kind, server.backend)
                for path in paths for server in servers}  # fmt: skip
        drivers = [Driver(server, sizes) for server in servers]
        for driver in drivers:
            step(f"storing {STORED} impressions: {driver.server.kind} {driver.server.backend}")
            driver.fill(STORED)
        for number in range(sizes.rounds + 1):  # the first one is a warm-up
            if number == 1:
                measure_idle(drivers)
            for path in paths:
                step(f"round {number} of {sizes.rounds}: {path}")
                for driver, measured in zip(drivers, run_round(drivers, path), strict=True):
                    if number:
                        rows[path, driver.server.kind, driver.server.backend].rounds.append(measured)
    _compare(rows)
    return list(rows.values())


def _with_dependencies(only: Sequence[str]) -> list[str]:
    """Returns the paths in order, with next-pair for each feedback, and single calls for each batch."""
    needed = {*only, *(path.removesuffix("/batch") for path in only)}
    needed |= {path.replace("feedback", "next-pair") for path in needed}
    return [path for path in PATHS if path in needed]


def _compare(rows: dict[tuple[str, str, str], Row]) -> None:
    for (path, name, backend), row in rows.items():
        row.floor_us = rows[path, "floor", "-"].cpu_us
        single = path.removesuffix("/batch")
        if name == "keys" and (path, "hot", backend) in rows:
            row.without_keys_us = rows[path, "hot", backend].cpu_us
        if single != path and name != "floor":
            row.single_us = rows[single, name, backend].cpu_us


@contextmanager
def _running(postgresql_url: str | None, lanes: Sequence[str], backends: Sequence[str]) -> Iterator[list[Server]]:
    """Yields the floor and the service on each database and in each lane, started; stops them at the end."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bestpair-bench-")))
        shared = stack.enter_context(postgresql(postgresql_url)) if "postgresql" in backends else None
        servers = [floor()]
        for lane in lanes:
            databases = [("sqlite", f"sqlite:///{folder / f'{lane}.db'}")] if "sqlite" in backends else []
            if shared is not None:
                databases.append(("postgresql", stack.enter_context(database(shared))))
            for backend, url in databases:
                if lane == "keys":
                    servers.append(with_key(service(lane, backend, url, hot_lane="1", rate_limit=HIGH_RATE), url))
                else:
                    servers.append(service(lane, backend, url, hot_lane=str(int(lane == "hot"))))
        for server in servers:
            stack.callback(server.stop)  # also if it does not get ready
            server.start(folder)
        yield servers
