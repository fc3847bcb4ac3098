"""Successive elimination: survivors equally often, the others not at all."""

import math
from itertools import combinations

import numpy as np

from app.engine.arrays import Pair
from app.engine.confidence import lower_end, upper_end
from app.engine.memory import Memory
from app.engine.plan import plan
from app.engine.policies import policy_named
from app.engine.problem import Goal
from app.simulation.mixtures import mixture
from tests.engine.driver import asked, evidence_from_rows, problem_for, run

SE = policy_named("successive_elimination")


def test_a_pair_that_is_surely_worse_is_out() -> None:
    people = mixture("pref", 3, 1, np.random.default_rng(0))
    rows = [(0, 1, 1, 400, 120.0), (0, 2, 1, 400, 380.0), (1, 2, 1, 400, 125.0)]
    step = plan(SE, problem_for(SE, people, goal=Goal(0.01)), evidence_from_rows(3, rows), Memory(1))
    assert asked(step.demand) == {(0, 1): 180, (1, 2): 180}  # three tenths of 1200
    assert step.report.pair == Pair(0, 1)


def test_elimination_is_by_simultaneous_intervals() -> None:
    people = mixture("pref", 8, 2, np.random.default_rng(2))
    problem = problem_for(SE, people, goal=Goal(0.02))
    finished = run(SE, problem, people)
    level = math.log(problem.n_pairs / problem.delta)
    fewest = problem.n_pairs
    for step, evidence in list(zip(finished.plans, finished.evidence, strict=True))[:-1]:
        counts = evidence.distinct
        alive = lower_end(counts.n, counts.s, level) <= upper_end(counts.n, counts.s, level).min()
        shown = asked(step.demand)
        extra = np.array([shown.get((i, j), 0) for i, j in combinations(range(8), 2)])
        assert np.all(extra[~alive] == 0)
        # All pairs that got impressions end at one level, and no survivor ends below it.
        reached = (counts.n + extra)[alive]
        assert np.ptp((counts.n + extra)[extra > 0]) <= 1
        assert reached.min() >= (counts.n + extra)[extra > 0].min()
        fewest = min(fewest, int(alive.sum()))
    assert fewest < problem.n_pairs / 2
    assert finished.last.certified


def test_it_needs_no_memory() -> None:
    people = mixture("pref", 6, 2, np.random.default_rng(3))
    finished = run(SE, problem_for(SE, people), people)
    assert all(step.memory.notes == {} for step in finished.plans)
