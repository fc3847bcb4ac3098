"""LUCB: first pulls for open pairs, then the leader and its nearest rivals."""

import math

import numpy as np

from app.engine.arrays import Pair
from app.engine.certificate import assess
from app.engine.evidence import Evidence
from app.engine.policies import policy_named
from app.engine.policies.lucb import FIRST_PULLS, _pulls_wanted
from app.engine.problem import Goal, Problem
from app.simulation.mixtures import mixture
from tests.engine.driver import asked, evidence_from_rows, problem_for, propose, run

LUCB = policy_named("lucb")


def test_every_open_pair_is_shown_first() -> None:
    problem = Problem(n_items=4, goal=Goal(0.1), delta=0.1)
    opening = propose(LUCB, problem, Evidence.empty(4), {}, 1)
    assert opening.phase == "explore"
    # Five contenders of the leader lack 4 each; the first batch is 4 an item.
    assert opening.demand.total == 16
    assert max(asked(opening.demand).values()) <= FIRST_PULLS
    i, j = np.triu_indices(4, 1)
    all_but_one = Evidence.empty(4).add(i[1:], j[1:], 1, np.full(5, FIRST_PULLS), np.full(5, 2.0))
    step = propose(LUCB, problem, all_but_one.add(i[:1], j[:1], 1, np.array([1]), np.array([1.0])), {}, 2)
    assert (step.phase, asked(step.demand)) == ("explore", {(0, 1): 3})


def test_leader_and_nearest_rival_by_hand() -> None:
    # (0, 2) is surely worse and gets nothing; the leader gets 15 % of the batch, rounded up, the rival the rest.
    problem = Problem(n_items=3, goal=Goal(0.01), delta=0.1)
    evidence = evidence_from_rows(3, [(0, 1, 1, 1000, 300.0), (0, 2, 1, 1000, 900.0), (1, 2, 1, 1000, 310.0)])
    step = propose(LUCB, problem, evidence, {}, 2)
    assert (step.phase, step.pair) == ("refine", Pair(0, 1))
    assert asked(step.demand) == {(0, 1): math.ceil(0.15 * 450), (1, 2): 450 - math.ceil(0.15 * 450)}


def test_pulls_wanted_by_hand() -> None:
    # KL(.5, .3) = .5 log(5/3) + .5 log(5/7) = .08718; (log 10 + log(20)/2)/.08718 = 43.6: 24 more than 20
    kl = 0.5 * math.log(5 / 3) + 0.5 * math.log(5 / 7)
    needed = math.ceil((math.log(10) + 0.5 * math.log(20)) / kl - 20)
    assert needed == 24
    n, mean = np.array([20, 100, 20, 1000]), np.array([0.5, 0.5, 0.2, 0.5])
    wanted = _pulls_wanted(n, mean, 0.3, 0.1)
    # At most as many as it had; a mean below the ceiling doubles; what should be settled gets one more.
    assert wanted.tolist() == [20, 1, 20, 1]


def test_only_contenders_and_the_leader_are_shown() -> None:
    people = mixture("pref", 8, 2, np.random.default_rng(4))
    problem = problem_for(LUCB, people)
    finished = run(LUCB, problem, people)
    for step, evidence in list(zip(finished.plans, finished.evidence, strict=True))[:-1]:
        found = assess(problem, evidence)
        i, j = np.triu_indices(8, 1)
        allowed = {(int(i[k]), int(j[k])) for k in [*found.contenders, found.leader_index]}
        assert set(asked(step.demand)) <= allowed
        assert step.report.pair == found.leader
    assert finished.last.certified


def test_it_needs_far_fewer_samples_than_naive() -> None:
    ratios = []
    for seed in range(8):
        people = mixture("pref", 12, 2, np.random.default_rng(seed))
        samples = {}
        for policy in (LUCB, policy_named("naive")):
            samples[policy.name] = run(policy, problem_for(policy, people), people, seed=seed).last.samples
        ratios.append(samples["naive"] / samples["lucb"])
    assert np.median(ratios) > 3


def test_plans_stay_few_on_hard_questions() -> None:
    # Among the longest of 300 small sessions (up to 68 plans): three items, pairs nearly tied, epsilon a hundredth.
    for seed in (21, 36, 45):
        people = mixture("pref", 3, 2, np.random.default_rng(seed))
        assert len(run(LUCB, problem_for(LUCB, people, goal=Goal(0.01), rank=None), people, seed=seed).plans) <= 100
