"""Naive: every pair equally often."""

import numpy as np

from app.engine.arrays import Pair
from app.engine.memory import Memory
from app.engine.plan import plan
from app.engine.policies import policy_named
from app.engine.problem import Goal
from app.simulation.mixtures import mixture
from tests.engine.driver import evidence_from_rows, problem_for, run

NAIVE = policy_named("naive")


def test_counts_never_differ_by_more_than_one() -> None:
    people = mixture("pref", 9, 2, np.random.default_rng(0))
    finished = run(NAIVE, problem_for(NAIVE, people, goal=Goal(0.02), budget=5000), people)
    for evidence in finished.evidence:
        assert np.ptp(evidence.distinct.n) <= 1


def test_batches_grow_by_three_tenths() -> None:
    people = mixture("pref", 9, 2, np.random.default_rng(0))
    finished = run(NAIVE, problem_for(NAIVE, people, goal=Goal(0.01), budget=10**6), people)
    for step, evidence in list(zip(finished.plans, finished.evidence, strict=True))[:-2]:
        assert step.demand.total == max(36, int(np.ceil(0.3 * evidence.samples)))


def test_the_lowest_mean_is_the_answer() -> None:
    rows = [(0, 1, 1, 20, 11.0), (0, 2, 1, 20, 10.0), (1, 2, 1, 20, 12.0)]
    people = mixture("pref", 3, 1, np.random.default_rng(0))
    step = plan(NAIVE, problem_for(NAIVE, people), evidence_from_rows(3, rows), Memory(1))
    assert (step.report.pair, step.report.phase) == (Pair(0, 2), "uniform")


def test_what_was_missed_is_made_up_for_first() -> None:
    people = mixture("pref", 3, 1, np.random.default_rng(0))
    evidence = evidence_from_rows(3, [(0, 1, 1, 10, 5.0), (0, 2, 1, 1, 1.0)])
    step = plan(NAIVE, problem_for(NAIVE, people), evidence, Memory(1))  # a batch of 12
    assert step.demand.total == 12
    after = evidence.add(step.demand.i, step.demand.j, 2, step.demand.count, np.zeros(len(step.demand.count)))
    # 11 + 12 = 23 over three pairs, the first already at 10: the other two reach 6 and 7.
    assert sorted(after.distinct.n.tolist()) == [6, 7, 10]
