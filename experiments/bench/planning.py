"""The cost of one plan by the number of items: `bestpair bench planning`.

A session with simulated users runs plan by plan. Each size runs in a new process, so that its peak memory can be
measured. Seconds are processor time, because machines are shared.
"""

import multiprocessing
import resource
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.engine.evidence import Evidence
from app.engine.memory import Memory
from app.engine.plan import plan
from app.engine.policies import policy_named
from app.engine.problem import Goal, Problem
from app.simulation.mixtures import mixture
from app.simulation.run import show
from app.simulation.users import Users

SECONDS_ALLOWED = {200: 0.5, 800: 3.0, 5000: 60.0}
"""The largest acceptable processor time of one plan, by number of items."""
MEGABYTES_ALLOWED = {5000: 1500.0}
EARLY = 3
"""The number of early plans of a session; the same number at its end are the late ones."""


@dataclass(frozen=True)
class Planning:
    """The plans of one session."""

    n_items: int
    seconds: tuple[float, ...]  # of each plan
    samples: int
    certified: bool
    peak_mb: float
    memory_kb: float = 0.0  # size of the planner's memory that is stored with the last plan

    @property
    def early(self) -> float:
        """Median seconds of the first plans."""
        return statistics.median(self.seconds[:EARLY])

    @property
    def late(self) -> float:
        """Median seconds of the last plans."""
        return statistics.median(self.seconds[-EARLY:])

    @property
    def is_within_targets(self) -> bool | None:
        """Whether the slowest plan and the peak memory are acceptable; None if this size has no target."""
        if self.n_items not in SECONDS_ALLOWED:
            return None
        most = MEGABYTES_ALLOWED.get(self.n_items, float("inf"))
        return max(self.seconds) <= SECONDS_ALLOWED[self.n_items] and self.peak_mb <= most

    def as_json(self) -> dict[str, Any]:
        """Returns the row for `--json`."""
        return {
            "items": self.n_items,
            "plans": len(self.seconds),
            "samples": self.samples,
            "certified": self.certified,
            "early_s": round(self.early, 4),
            "late_s": round(self.late, 4),
            "slowest_s": round(max(self.seconds), 4),
            "peak_mb": round(self.peak_mb, 1),
            "memory_kb": round(self.memory_kb, 1),
            "target_s": SECONDS_ALLOWED.get(self.n_items),
            "within_targets": self.is_within_targets,
        }


def measure_planning(
    sizes: Sequence[int], *, family: str, policy: str, plans: int, item_clicks: bool, step: Callable[[str], None]
) -> list[Planning]:
    """Returns a row for each number of items."""
    found = []
    for n_items in sizes:
        step(f"{n_items} items, at most {plans} plans")
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
            found.append(process.submit(run_plans, n_items, family, policy, plans, item_clicks).result())
    return found


def run_plans(n_items: int, family: str, policy: str, plans: int, item_clicks: bool = False) -> Planning:
    """Returns the cost of the plans of a session, until the verdict or at most `plans` plans."""
    users = Users(mixture(family, n_items, 2, np.random.default_rng(1)))
    rng = np.random.default_rng(2)
    problem = Problem(n_items=n_items, goal=Goal(0.1), delta=0.1, seed=1, item_clicks=item_clicks)
    evidence, memory, seconds = Evidence.empty(n_items), Memory(), []
    while True:
        began = time.process_time()
        made = plan(policy_named(policy), problem, evidence, memory)
        seconds.append(time.process_time() - began)
        memory, demand = made.memory, made.demand
        if demand.total == 0 or len(seconds) == plans:
            break
        evidence = show(users, problem, demand, evidence, memory.version, rng)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    stored = len(memory.to_json()) / 1000
    return Planning(n_items, tuple(seconds), made.report.samples, made.report.certified, peak, stored)
