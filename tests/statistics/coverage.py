"""How often certificates and bounds are wrong, session by session: `python -m tests.statistics.coverage --runs 400`.

Every session is watched at every plan: wrong certified pairs, upper bounds below the truth, the best pair's lower bound
above it (by kind), displayed intervals that miss. Each count is held against the 99 % binomial bound of its share.
`make coverage` runs all cells, `make test` a short version.
"""

import argparse
import itertools
import math
import multiprocessing
import os
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

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
from app.simulation.mixtures import mixture, mixture_of_rate
from app.simulation.population import Population
from experiments.delayed_session import remembered_bets
from tests.engine.driver import Run, run

DELTAS = (0.1, 0.5)
RANKS = (2, 3)
WAYS = ("pairs", "items")
"""Feedback on the pair (every second session opens a blank at any cost), or on the items."""

CERTAINTY = 0.99


def rare_clicks(n_items: int, rank: int, rng: np.random.Generator) -> Population:
    """Returns groups that click items with probabilities of .2 to 3 %."""
    return Population.mixture(np.full(rank, 1 / rank), 10 ** rng.uniform(-2.7, -1.5, (rank, n_items)))


def few_good_items(n_items: int, rank: int, rng: np.random.Generator) -> Population:
    """Returns groups that click most items hardly ever: 1 % in the mean, with a long tail."""
    return mixture_of_rate(0.01, n_items, rank, rng)


def hard(n_items: int, _rank: int, _rng: np.random.Generator, *, clicked: float = 0.2) -> Population:
    """Returns one best pair, and all others 1.02 times the relative goal away: each of them is a wrong answer.

    Each item is clicked by the same part of the users. Only items 0 and 1 have no users in common; any other two have
    `both`. One group of users clicks each pair, one each single item, and one nothing.
    """
    both = 1.02 * HARD_EPSILON * 2 * clicked
    groups = [(i, j) for i in range(n_items) for j in range(i + 1, n_items) if (i, j) != (0, 1)]
    alone = [clicked - both * sum(i in pair for pair in groups) for i in range(n_items)]
    shares = [both] * len(groups) + alone
    u = np.zeros((len(shares) + 1, n_items))
    for group, items in enumerate([*groups, *((i,) for i in range(n_items))]):
        u[group, list(items)] = 1.0
    return Population.mixture([*shares, 1 - sum(shares)], u)


class Regime(NamedTuple):
    """A kind of population, and the goals of its sessions."""

    n_items: int
    draw: Callable[[int, int, np.random.Generator], Population]
    relative: float
    absolute: float | None = None


HARD_EPSILON = 0.15

REGIMES = {
    "ads6": Regime(20, partial(mixture, "ads6"), 0.3, 0.1),
    "ads20": Regime(12, partial(mixture, "ads20"), 0.2, 0.1),
    "pref": Regime(10, partial(mixture, "pref"), 0.2, 0.2),
    "clus": Regime(20, partial(mixture, "clus"), 0.25, 0.2),  # five favourites a group: fewer items leave little else
    "rare": Regime(8, rare_clicks, 0.3),
    "tail": Regime(10, few_good_items, 0.3),
}
HARD = {
    "hard": Regime(4, hard, HARD_EPSILON),
    "hard and rare": Regime(4, partial(hard, clicked=0.01), HARD_EPSILON),
}
HARD_DELTA = 0.3


@dataclass(frozen=True)
class Cell:
    """One kind of session."""

    regime: str
    rank: int
    delta: float
    way: str
    relative: bool = False

    @property
    def sort(self) -> Regime:
        """The regime by its name."""
        return (REGIMES | HARD)[self.regime]

    def problem(self, seed: int) -> Problem:
        """Returns the question of the seed-th session."""
        return Problem(
            n_items=self.sort.n_items,
            goal=Goal(self.sort.relative, relative=True) if self.relative else Goal(self.sort.absolute or math.nan),
            delta=self.delta,
            seed=seed,
            item_clicks=self.way == "items",
        )


def watch(cell: Cell, seed: int) -> Counter[str]:
    """Returns what went wrong in one session, and which bounds were at work: 0 or 1 each."""
    people = cell.sort.draw(cell.sort.n_items, cell.rank, np.random.default_rng([seed, cell.rank]))
    policy, problem = rplans.Rplans(), cell.problem(seed)
    usual = rplans.WORTH_SCREENING
    rplans.WORTH_SCREENING = np.inf if seed % 2 else usual  # any price is low enough
    with remembered_bets():
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
    answer = 1 - float(people.loss(*last.pair))
    found["wrong"] = int(last.certified and problem.goal.missed_by(answer, 1 - float(truth[best])))
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
    """Returns all cells: those with an absolute goal, with a relative goal, and hard instances of it."""
    absolute = [name for name, regime in REGIMES.items() if regime.absolute]
    return [
        *(Cell(*one) for one in itertools.product(absolute, RANKS, DELTAS, WAYS)),
        *(Cell(*one) for one in itertools.product(REGIMES, RANKS[:1], DELTAS, WAYS, [True])),
        *(Cell(*one) for one in itertools.product(HARD, [1], [HARD_DELTA], WAYS, [True])),
    ]


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
    parser.add_argument("--goal", choices=("absolute", "relative"), help="only cells with this kind of goal (both)")
    arguments = parser.parse_args()
    runs, ways = arguments.runs, arguments.way or WAYS
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    bad = 0
    kinds = ("wrong", "upper", "direct", "structural", "contrast", "displayed")
    print(f"{'cell':38s} certified active compared decisive  " + "  ".join(f"{kind:>14s}" for kind in kinds))  # noqa: T201
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        chosen = [cell for cell in cells() if cell.way in ways]
        if arguments.goal:
            chosen = [cell for cell in chosen if cell.relative == (arguments.goal == "relative")]
        tasks = [(cell, runs) for cell in chosen]
        for (cell, _), found in track(zip(tasks, pool.map(_measure, tasks), strict=True), total=len(tasks)):
            limit = limits(cell, runs)
            over = [kind for kind in kinds if found[kind] > limit[kind]]
            bad += len(over)
            kind = "relative" if cell.relative else f"r={cell.rank}"
            name = f"{cell.regime} {kind} delta={cell.delta} {cell.way}"
            counts = "  ".join(f"{found[kind]:5d} of {limit[kind]:5d}" for kind in kinds)
            marks = f"  TOO MANY: {', '.join(over)}" if over else ""
            at_work = f"{found['active']:6d} {found['compared']:8d} {found['decisive']:8d}"
            print(f"{name:38s} {found['certified']:9d} {at_work}  {counts}{marks}")  # noqa: T201
    return int(bad > 0)


if __name__ == "__main__":
    raise SystemExit(main())
