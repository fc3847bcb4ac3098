"""Low-rank completion as a policy: random pairs, and the smallest completed entry."""

import numpy as np

from app.engine.evidence import Evidence
from app.engine.policies import policy_named
from app.engine.problem import Goal, Problem
from app.simulation.mixtures import mixture
from tests.engine.driver import asked, evidence_from_rows, problem_for, propose, run

LRMC = policy_named("lrmc")


def test_pairs_are_drawn_uniformly() -> None:
    problem = Problem(n_items=5, goal=Goal(0.1), delta=0.1, rank=2, budget=10**7)
    drawn = np.zeros(10)
    for version in range(1, 400):
        demand = propose(LRMC, problem, Evidence.empty(5), {}, version).demand
        assert demand.total == 20
        index = demand.i * (9 - demand.i) // 2 + demand.j - demand.i - 1
        drawn[index] += demand.count
    total = drawn.sum()
    assert np.all(np.abs(drawn - total / 10) < 5 * np.sqrt(total * 0.09))


def test_until_there_is_enough_to_complete_the_lowest_mean_is_the_answer() -> None:
    problem = Problem(n_items=20, goal=Goal(0.1), delta=0.1, rank=2)
    evidence = evidence_from_rows(20, [(0, k, 1, 10, 8.0) for k in range(1, 20)] + [(5, 7, 1, 10, 2.0)])
    assert tuple(propose(LRMC, problem, evidence, {}, 2).pair) == (5, 7)


def test_it_beats_the_lowest_mean_at_the_same_samples() -> None:
    errors: dict[str, float] = {}
    for seed in range(4):
        people = mixture("pref", 40, 2, np.random.default_rng(seed))
        for policy in (LRMC, policy_named("naive")):
            last = run(policy, problem_for(policy, people, goal=Goal(0.001), budget=8000), people, seed=seed).last
            errors[policy.name] = errors.get(policy.name, 0.0) + float(people.error(*last.pair))
    assert errors["lrmc"] < errors["naive"]


def test_a_pair_never_shown_can_be_the_answer() -> None:
    people = mixture("pref", 12, 1, np.random.default_rng(3))
    best = people.best_pair()
    i, j = np.triu_indices(12, 1)
    others = (i != best.i) | (j != best.j)
    n = np.full(int(others.sum()), 10**7)
    evidence = Evidence.empty(12).add(i[others], j[others], 1, n, n * people.loss(i[others], j[others]))
    step = propose(LRMC, problem_for(LRMC, people, goal=Goal(0.001)), evidence, {}, 2)
    assert tuple(step.pair) == (best.i, best.j)
    assert asked(step.demand)
