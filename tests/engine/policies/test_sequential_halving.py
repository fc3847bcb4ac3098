"""Sequential halving: equal rounds, equal shares, and runs that double."""

import numpy as np

from app.engine.evidence import Evidence
from app.engine.memory import Notes
from app.engine.policies import policy_named
from app.engine.problem import Goal, Problem
from app.simulation.mixtures import mixture
from tests.engine.driver import asked, problem_for, propose, run

SH = policy_named("sequential_halving")
LEFT, RIGHT = np.triu_indices(4, 1)
LOSS = np.array([0.9, 0.5, 0.7, 0.2, 0.8, 0.6])
PROBLEM = Problem(n_items=4, goal=Goal(0.001), delta=0.1, budget=180)


def test_rounds_by_hand() -> None:
    # 6 pairs: 3 rounds of 60: 10 each, then 20 each of 3, then 30 each of 2.
    evidence = Evidence.empty(4)
    notes: Notes = {}
    expected = [
        (1, "round 1", {(int(i), int(j)): 10 for i, j in zip(LEFT, RIGHT, strict=True)}),
        (2, "round 2", {(0, 2): 20, (1, 2): 20, (2, 3): 20}),
        (3, "round 3", {(0, 2): 30, (1, 2): 30}),
    ]
    for version, phase, demand in expected:
        step = propose(SH, PROBLEM, evidence, notes, version)
        assert (step.phase, asked(step.demand)) == (phase, demand)
        index = [list(zip(LEFT.tolist(), RIGHT.tolist(), strict=True)).index(pair) for pair in asked(step.demand)]
        count = step.demand.count
        evidence = evidence.add(step.demand.i, step.demand.j, version, count, np.round(count * LOSS[index]))
        notes = dict(step.notes)
    last = propose(SH, PROBLEM, evidence, notes, 4)
    assert (last.phase, last.demand.total, tuple(last.pair)) == ("finished", 0, (1, 2))
    assert evidence.samples == 180


def test_a_round_goes_on_while_much_of_it_is_missing() -> None:
    n = np.full(6, 8)  # 48 of 60, below nine tenths
    evidence = Evidence.empty(4).add(LEFT, RIGHT, 1, n, n * 0.5)
    step = propose(SH, PROBLEM, evidence, {"round_starts": [1], "runs": [1]}, 2)
    assert step.phase == "round 1"
    assert step.demand.total == 12
    evidence = evidence.add(LEFT, RIGHT, 2, np.full(6, 1), np.zeros(6))  # 54 of 60
    step = propose(SH, PROBLEM, evidence, {"round_starts": [1], "runs": [1]}, 3)
    assert step.phase == "round 2"


def test_a_budget_too_small_for_all_pairs_takes_the_same_random_part_all_along() -> None:
    people = mixture("pref", 40, 2, np.random.default_rng(0))
    finished = run(SH, problem_for(SH, people, goal=Goal(0.001), budget=1000), people)
    first = set(asked(finished.plans[0].demand))
    assert 90 <= len(first) <= 200  # of 780
    for step in finished.plans[1:]:
        assert set(asked(step.demand)) <= first
    other = run(SH, problem_for(SH, people, goal=Goal(0.001), budget=1000, seed=1), people)
    assert set(asked(other.plans[0].demand)) != first


def test_without_a_budget_runs_double_until_certified() -> None:
    people = mixture("pref", 6, 2, np.random.default_rng(1))
    finished = run(SH, problem_for(SH, people, goal=Goal(0.03)), people)
    assert finished.last.certified
    starts = [int(version) for version in finished.plans[-2].memory.notes["runs"]]  # type: ignore[union-attr, arg-type]
    assert len(starts) >= 3
    first_rounds = [finished.plans[version - 1].demand.total for version in starts]
    # 15 pairs, 20 impressions a pair, 4 rounds
    assert first_rounds == [75 * 2**run_number for run_number in range(len(starts))]


def test_the_best_pair_is_found_more_often_than_by_equal_shares() -> None:
    naive = policy_named("naive")
    found = {"naive": 0, "sequential_halving": 0}
    for seed in range(40):
        people = mixture("pref", 12, 2, np.random.default_rng(seed))
        for policy in (naive, SH):
            last = run(policy, problem_for(policy, people, goal=Goal(0.001), budget=4000), people, seed=seed).last
            found[policy.name] += int(float(people.error(*last.pair)) == 0)
    assert found["sequential_halving"] > found["naive"] + 3
