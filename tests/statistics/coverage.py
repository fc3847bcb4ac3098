"""How often certificates and bounds are wrong, session by session: `python -m tests.statistics.coverage --runs 400`.

Every session is watched at every plan: wrong certified pairs, upper bounds below the truth, the best pair's lower bound
above it (by kind), displayed intervals that miss. Each count is held against the 99 % binomial bound of its share.
`make coverage` runs all cells, `make test` a short version.
"""

import argparse
import itertools
import multiprocessing
import os
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np
from rich.progress import track
from scipy.stats import binom

from app.engine.arrays import pair_items
from app.engine.bounds import Kind
from app.engine.bounds.combined import combined_bounds
from app.engine.bounds.direct import direct_bounds
from app.engine.certificate import displayed
from app.engine.choices import Choices
from app.engine.policies import rplans
from app.engine.policies.policy import Policy
from app.engine.problem import Goal, Problem
from app.simulation.mixtures import mixture
from app.simulation.population import Population
from tests.engine.driver import Run, run

REGIMES = ("ads6", "ads20", "pref", "clus")
RANKS = (2, 3)
DELTAS = (0.1, 0.5)
WAYS = ("pairs", "items")
"""Feedback on the pair (every second session opens a blank at any cost), or on the items."""

N_ITEMS = {"ads6": 20, "ads20": 12, "pref": 10, "clus": 20}
"""`clus` has five favourites a group; with fewer items there would be hardly anything else."""

EPSILON = {"ads6": 0.1, "ads20": 0.1, "pref": 0.2, "clus": 0.2}
CERTAINTY = 0.99


@dataclass(frozen=True)
class Cell:
    """One kind of session."""

    regime: str
    rank: int
    delta: float
    way: str

    def problem(self, seed: int) -> Problem:
        """Returns the question of the seed-th session."""
        return Problem(
            n_items=N_ITEMS[self.regime],
            goal=Goal(EPSILON[self.regime]),
            delta=self.delta,
            seed=seed,
            item_clicks=self.way == "items",
        )


def watch(cell: Cell, seed: int) -> Counter[str]:
    """Returns what went wrong in one session, and which bounds were at work: 0 or 1 each."""
    people = mixture(cell.regime, N_ITEMS[cell.regime], cell.rank, np.random.default_rng([seed, cell.rank]))
    policy, problem = rplans.Rplans(), cell.problem(seed)
    usual = rplans.WORTH_SCREENING
    rplans.WORTH_SCREENING = np.inf if seed % 2 else usual  # any price is low enough
    try:
        finished = run(policy, problem, people, seed=seed)
    finally:
        rplans.WORTH_SCREENING = usual
    return failures(policy, problem, people, finished)


def failures(policy: Policy, problem: Problem, people: Population, finished: Run) -> Counter[str]:
    """Returns what was wrong at any plan of a finished session."""
    i, j = pair_items(np.arange(problem.n_pairs), problem.n_items)
    truth = people.loss(i, j)
    best = int(np.argmin(truth))
    found: Counter[str] = Counter(sessions=1)
    last = finished.last
    found["certified"] = int(last.certified)
    found["wrong"] = int(
        last.certified and problem.goal.missed_by(1 - float(people.loss(*last.pair)), 1 - float(truth[best]))
    )
    shares = policy.shares(problem)
    memories = [Choices(), *(step.memory.choices for step in finished.plans[:-1])]
    for evidence, choices in zip(finished.evidence, memories, strict=True):
        bounds = combined_bounds(problem, evidence, choices, shares)
        direct = direct_bounds(evidence, choices.guess, 1.0, shares.direct * problem.delta)
        shown = displayed(problem, evidence, bounds, i, j)
        assert bounds.binding is not None
        structural = bounds.binding != Kind.DIRECT
        now = {
            "upper": np.any(bounds.upper < truth),
            "direct": direct.lower[best] > truth[best],
            "structural": structural[best] and bounds.lower[best] > truth[best],
            "contrast": any(
                np.any(one.difference[one.rivals == best] > truth[best] - truth[one.nominee])
                for one in bounds.contrasts
            ),
            "compared": any(len(one.rivals) for one in bounds.contrasts),
            "displayed": np.any((shown.low > truth) | (shown.high < truth)),
            "active": np.any(structural),
            "decisive": bool(bounds.assumptions),
        }
        for name, seen in now.items():
            found[name] |= int(seen)
    return found


def allowed(share: float, runs: int) -> int:
    """Returns the failures that a probability of `share` exceeds in one case of a hundred only."""
    return int(binom.ppf(CERTAINTY, runs, share))


def limits(cell: Cell, runs: int) -> dict[str, int]:
    """Returns how often each thing may go wrong."""
    shares, delta = rplans.Rplans().shares(cell.problem(0)), cell.delta
    return {
        "wrong": allowed(delta, runs),
        "upper": allowed((shares.upper + shares.nominees) * delta, runs),
        "direct": allowed(shares.direct * delta, runs),
        "structural": allowed((shares.screening + shares.clicks) * delta, runs),
        "contrast": allowed(shares.contrasts * delta, runs),
        "displayed": allowed(delta, runs),
    }


def cells() -> list[Cell]:
    """Returns all cells."""
    return [Cell(*combination) for combination in itertools.product(REGIMES, RANKS, DELTAS, WAYS)]


def measure(cell: Cell, seeds: Sequence[int]) -> Counter[str]:
    """Returns the sums over sessions."""
    found: Counter[str] = Counter()
    for seed in seeds:
        found.update(watch(cell, seed))
    return found


def _measure(task: tuple[Cell, int]) -> Counter[str]:
    cell, runs = task
    return measure(cell, range(runs))


def main() -> int:
    """Prints the table; returns 1 if a count exceeds its limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--way", choices=WAYS, action="append", help="only these ways (all)")
    arguments = parser.parse_args()
    runs, ways = arguments.runs, arguments.way or WAYS
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    bad = 0
    kinds = ("wrong", "upper", "direct", "structural", "contrast", "displayed")
    print(f"{'cell':28s} certified active compared decisive  " + "  ".join(f"{kind:>14s}" for kind in kinds))  # noqa: T201
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        tasks = [(cell, runs) for cell in cells() if cell.way in ways]
        for (cell, _), found in track(zip(tasks, pool.map(_measure, tasks), strict=True), total=len(tasks)):
            limit = limits(cell, runs)
            over = [kind for kind in kinds if found[kind] > limit[kind]]
            bad += len(over)
            name = f"{cell.regime} r={cell.rank} delta={cell.delta} {cell.way}"
            counts = "  ".join(f"{found[kind]:5d} of {limit[kind]:5d}" for kind in kinds)
            marks = f"  TOO MANY: {', '.join(over)}" if over else ""
            at_work = f"{found['active']:6d} {found['compared']:8d} {found['decisive']:8d}"
            print(f"{name:28s} {found['certified']:9d} {at_work}  {counts}{marks}")  # noqa: T201
    return int(bad > 0)


if __name__ == "__main__":
    raise SystemExit(main())
