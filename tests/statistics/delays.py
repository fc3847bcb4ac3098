"""How often bounds are wrong if clicks and silence are delayed differently: `python -m tests.statistics.delays`.

Whole sessions in simulated time with much traffic in flight, watched at every plan and every few seconds in between.
Each count is held against the 99 % binomial bound of its share of delta, as in `coverage`. Bounds F and I are held
against what they are about (L_ic + L_jc - 1 and p_i + p_j - 1), which is at most L: for the best pair, and for
the nine pairs after it.
"""

import argparse
import itertools
import math
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rich.progress import track
from scipy.stats import binom

from app.engine.arrays import BoolArray, FloatArray, IntArray, pair_items
from app.engine.bounds import Contrasts
from app.engine.bounds.combined import combined_bounds
from app.engine.bounds.direct import direct_bounds, lower_with_nominees
from app.engine.bounds.item_clicks import item_click_bounds
from app.engine.bounds.screening import blank_bounds
from app.engine.choices import Choices
from app.engine.delta_shares import Shares, portion
from app.engine.evidence import Evidence
from app.engine.policies.rplans import Rplans
from app.engine.problem import Goal, Problem
from app.engine.randomness import Purpose, source
from app.simulation.mixtures import mixture
from app.simulation.population import Population
from experiments.delayed_session import Delay, DelayedSession, Finished, Rule, Traffic, remembered_bets
from experiments.parallel import run_parallel
from tests.statistics.coverage import CERTAINTY, allowed

WAYS = ("pairs", "items")
PATTERNS = ("slow clicks", "slow silence", "slow best")
KINDS = ("wrong", "upper", "direct", "structural", "elsewhere", "contrast")
N_ITEMS, RANK, EPSILON = 20, 2, 0.1
PER_SECOND, TTL_SECONDS = 50.0, 120.0
CHECK_SECONDS = 3.0
SLOW_ITEMS = 4
"""How many of the most clicked items get slow clicks in the pattern "slow best"."""
ELSEWHERE = 9
"""Bounds F and I are watched at this many pairs in addition to the best one."""


@dataclass(frozen=True)
class Cell:
    """One kind of session."""

    pattern: str
    way: str
    delta: float = 0.5
    rule: Rule = Rule.WATERMARK
    seconds: float = 150.0  # sessions without a verdict end after this time

    @property
    def name(self) -> str:
        """The name in the table."""
        return f"{self.pattern}, {self.way}, delta={self.delta:g}, {self.rule}"

    def problem(self, seed: int) -> Problem:
        """Returns the question of the seed-th session."""
        return Problem(
            n_items=N_ITEMS, goal=Goal(EPSILON), delta=self.delta, seed=seed, item_clicks=self.way == "items"
        )

    def run(self, people: Population, seed: int) -> Finished:
        """Returns the seed-th session."""
        return DelayedSession(
            Rplans(),
            self.problem(seed),
            people,
            Traffic(PER_SECOND, TTL_SECONDS, delay_of(self.pattern, people)),
            source(Purpose.USERS, seed),
            self.rule,
            check_seconds=5 * CHECK_SECONDS,
            max_seconds=self.seconds,
        ).run()


def delay_of(pattern: str, people: Population) -> Delay:
    """Returns the delays of a pattern.

    "slow clicks": silence after 3 to 5 s, clicks after 15 to 60 s. "slow silence": clicks at once, silence after 30 s.
    "slow best": all answers after 3 to 5 s, but clicks on the most clicked items after 15 to 60 s.
    """
    assert people.shares is not None
    assert people.click_probabilities is not None
    is_slow = np.zeros(people.n_items, dtype=np.bool_)
    is_slow[np.argsort(people.shares @ people.click_probabilities)[-SLOW_ITEMS:]] = True
    if pattern == "slow clicks":
        is_slow[:] = True

    def delay(
        i: IntArray, j: IntArray, clicks_i: BoolArray, clicks_j: BoolArray, rng: np.random.Generator
    ) -> FloatArray:
        if pattern == "slow silence":
            return np.where(clicks_i | clicks_j, 0.0, 30.0)
        slow = (clicks_i & is_slow[i]) | (clicks_j & is_slow[j])
        return np.where(slow, rng.uniform(15, 60, len(i)), rng.uniform(3, 5, len(i)))

    return delay


class Truth:
    """What bounds are held against."""

    def __init__(self, people: Population) -> None:
        self.i, self.j = pair_items(np.arange(people.n_items * (people.n_items - 1) // 2), people.n_items)
        self.loss = people.loss(self.i, self.j)  # (P,)
        self.matrix = people.loss_matrix()  # (K, K)
        self.ranked = np.argsort(self.loss)
        self.watched = self.ranked[: 1 + ELSEWHERE]
        assert people.shares is not None
        assert people.click_probabilities is not None
        self.unclicked = 1 - people.shares @ people.click_probabilities  # (K,)

    @property
    def best(self) -> int:
        """The number of the best pair."""
        return int(self.ranked[0])

    def structural(self, problem: Problem, evidence: Evidence, choices: Choices, shares: Shares) -> BoolArray:
        """Returns whether bound I, or bound F of any blank, is wrong at each watched pair."""
        i, j = self.i[self.watched], self.j[self.watched]
        wrong = np.zeros(len(self.watched), dtype=np.bool_)
        if problem.item_clicks:
            lower = item_click_bounds(evidence, choices.guess, math.log(1 / (shares.clicks * problem.delta)))
            return lower[self.watched] > np.maximum(self.unclicked[i] + self.unclicked[j] - 1, 0)
        for ordinal, blank in enumerate(choices.blanks, start=1):
            lower = blank_bounds(evidence, blank, math.log(1 / portion(shares.screening * problem.delta, ordinal)))
            about = np.maximum(self.matrix[i, blank.item] + self.matrix[j, blank.item] - 1, 0)
            wrong |= (i != blank.item) & (j != blank.item) & (lower[self.watched] > about)
        return wrong

    def contrast(self, contrasts: Sequence[Contrasts]) -> bool:
        """Returns whether a contrast of the best pair is wrong."""
        differences = ((one.difference[one.rivals == self.best], one.nominee) for one in contrasts)
        return any(bool(np.any(proven > self.loss[self.best] - self.loss[nominee])) for proven, nominee in differences)


def checks(finished: Finished) -> Iterator[tuple[float, Choices, bool]]:
    """Yields time, choices, and whether it is a plan, for each check. Before the second plan nothing is proven."""
    for number, last in enumerate(finished.plans[1:], start=2):
        is_last = number == len(finished.plans)
        until = finished.seconds if is_last else finished.plans[number].at
        for at in np.arange(last.at + CHECK_SECONDS, until, CHECK_SECONDS):
            yield float(at), last.plan.memory.choices, False
        if not is_last:
            yield until, last.plan.memory.choices, True


def watch(cell: Cell, seed: int) -> Counter[str]:
    """Returns what was wrong at any check of one session: 0 or 1 each."""
    people = mixture("ads6", N_ITEMS, RANK, np.random.default_rng([seed, RANK]))
    finished, problem, truth = cell.run(people, seed), cell.problem(seed), Truth(people)
    shares, report = Rplans().shares(problem), finished.plans[-1].plan.report
    found: Counter[str] = Counter(sessions=1, certified=int(report.certified))
    found["wrong"] = int(report.certified and float(people.error(*report.pair)) > EPSILON)
    counted = -1
    for at, choices, is_plan in checks(finished):
        evidence = finished.log.counted(at)
        if evidence.samples == counted and not is_plan:
            continue
        counted = evidence.samples
        found["checks"] += 1
        direct = direct_bounds(evidence, choices.guess, shares.upper * problem.delta, shares.direct * problem.delta)
        upper = lower_with_nominees(direct.upper, evidence, choices, shares.nominees * problem.delta)
        structural = truth.structural(problem, evidence, choices, shares)
        found["upper"] |= int(np.any(upper < truth.loss))
        found["direct"] |= int(direct.lower[truth.best] > truth.loss[truth.best])
        found["structural"] |= int(structural[0])
        for rank in range(1, 1 + ELSEWHERE):
            found[f"structural {rank}"] |= int(structural[rank])
        if problem.item_clicks:
            contrasts = combined_bounds(problem, evidence, choices, shares).contrasts
            found["compared"] |= int(any(truth.best in one.rivals for one in contrasts))
            found["contrast"] |= int(truth.contrast(contrasts))
    return found


def limits(cell: Cell, runs: int) -> dict[str, int]:
    """Returns how often each thing may be wrong."""
    shares, delta = Rplans().shares(cell.problem(0)), cell.delta
    structural = (shares.screening + shares.clicks) * delta
    return {
        "wrong": allowed(delta, runs),
        "upper": allowed((shares.upper + shares.nominees) * delta, runs),
        "direct": allowed(shares.direct * delta, runs),
        "structural": allowed(structural, runs),
        "elsewhere": int(binom.ppf(1 - (1 - CERTAINTY) / ELSEWHERE, runs, structural)),
        "contrast": allowed(shares.contrasts * delta, runs),
    }


def add(found: Sequence[Counter[str]]) -> Counter[str]:
    """Returns the sums over sessions; "elsewhere" is the pair at which F and I were wrong most often."""
    total: Counter[str] = Counter()
    for one in found:
        total.update(one)
    total["elsewhere"] = max(total[f"structural {rank}"] for rank in range(1, 1 + ELSEWHERE))
    return total


def measure(cell: Cell, seeds: Sequence[int]) -> Counter[str]:
    """Returns the sums over sessions."""
    return add([_watch((cell, seed)) for seed in seeds])


def _watch(task: tuple[Cell, int]) -> Counter[str]:
    with remembered_bets():
        return watch(*task)


def main() -> int:
    """Prints the table; returns 1 if a count of the watermark exceeds its limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--delta", type=float, default=0.5)
    parser.add_argument(
        "--seconds", type=float, default=150.0, help="of simulated time (150); few are certified before"
    )
    parser.add_argument("--pattern", choices=PATTERNS, action="append", help="only these patterns (all)")
    parser.add_argument("--way", choices=WAYS, action="append", help="only these ways (all)")
    parser.add_argument("--rule", choices=list(Rule), action="append", help="only these rules (all)")
    parser.add_argument("--workers", type=int)
    arguments = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    bad, runs = 0, arguments.runs
    print(f"{'cell':54s} certified compared  checks  " + "  ".join(f"{kind:>12s}" for kind in KINDS))  # noqa: T201
    for pattern, way, rule in itertools.product(
        arguments.pattern or PATTERNS, arguments.way or WAYS, arguments.rule or list(Rule)
    ):
        cell = Cell(pattern, way, arguments.delta, Rule(rule), arguments.seconds)
        tasks = [(cell, seed) for seed in range(runs)]
        results = track(run_parallel(_watch, tasks, arguments.workers), cell.name, runs, transient=True)
        found = add([one for _, one in results])
        limit = limits(cell, runs)
        over = [kind for kind in KINDS if found[kind] > limit[kind]]
        bad += len(over) if cell.rule is Rule.WATERMARK else 0
        counts = "  ".join(f"{found[kind]:5d} of {limit[kind]:3d}" for kind in KINDS)
        marks = f"  TOO MANY: {', '.join(over)}" if over else ""
        at_work = f"{found['certified']:9d} {found['compared']:8d} {found['checks']:7d}"
        print(f"{cell.name:54s} {at_work}  {counts}{marks}", flush=True)  # noqa: T201
    return int(bad > 0)


if __name__ == "__main__":
    raise SystemExit(main())
