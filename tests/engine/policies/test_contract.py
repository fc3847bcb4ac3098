"""What every policy owes: one suite, all policies."""

from functools import cache

import numpy as np
import pytest

from app.engine.certificate import Verdict, assess
from app.engine.choices import Choices
from app.engine.evidence import Evidence
from app.engine.memory import Memory
from app.engine.plan import Plan, plan
from app.engine.policies import POLICIES
from app.engine.problem import Goal, Problem, SelfPairs
from app.simulation.mixtures import mixture
from app.simulation.population import Population
from tests.engine.driver import Delivery, Run, all_of_it, answers, problem_for, run, with_extras, with_losses

NAMES = sorted(POLICIES)
FULL_BUDGET_UNUSED = {"sequential_halving": 40, "row_mean_halving": 40}
"""Halving divides its budget into whole rounds and leaves the remainders: at most rounds and arms, far below 40."""

SMALL_MEMORY = 20_000


@cache
def population(n_items: int) -> Population:
    return mixture("pref", n_items, 2, np.random.default_rng(n_items))


@cache
def session(
    name: str, deliver: Delivery = all_of_it, n_items: int = 7, budget: int | None = 3000, seed: int = 4
) -> Run:
    policy = POLICIES[name]
    problem = problem_for(policy, population(n_items), goal=Goal(0.01), budget=budget)
    return run(policy, problem, population(n_items), seed=seed, deliver=deliver)


def problem_of(name: str) -> Problem:
    return problem_for(POLICIES[name], population(7), goal=Goal(0.01), budget=3000)


DELIVERIES = pytest.mark.parametrize("deliver", [all_of_it, with_losses, with_extras])


@DELIVERIES
@pytest.mark.parametrize("name", NAMES)
def test_demands_name_allowed_pairs_once_and_positive_counts(name: str, deliver: Delivery) -> None:
    self_pairs = POLICIES[name].needs_self_pairs
    for step in session(name, deliver).plans:
        demand = step.demand
        assert demand.count.dtype == np.int64
        assert np.all(demand.count > 0)
        assert np.all((demand.i >= 0) & (demand.j < 7))
        assert np.all(demand.i <= demand.j if self_pairs else demand.i < demand.j)
        entries = list(zip(demand.i.tolist(), demand.j.tolist(), strict=True))
        assert len(set(entries)) == len(entries)
        assert 0 <= step.report.pair.i < step.report.pair.j < 7


def same(one: Plan, other: Plan) -> bool:
    arrays = zip(
        (one.demand.i, one.demand.j, one.demand.count),
        (other.demand.i, other.demand.j, other.demand.count),
        strict=True,
    )
    return one.report == other.report and one.memory == other.memory and all(np.array_equal(a, b) for a, b in arrays)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_situation_always_gives_the_same_plan(name: str) -> None:
    finished = session(name)
    for at in range(0, len(finished.plans), 3):
        memory = finished.plans[at - 1].memory if at else Memory()
        assert same(plan(POLICIES[name], problem_of(name), finished.evidence[at], memory), finished.plans[at])


@DELIVERIES
@pytest.mark.parametrize("name", NAMES)
def test_the_budget_is_kept_and_used(name: str, deliver: Delivery) -> None:
    finished = session(name, deliver)
    for step, evidence in zip(finished.plans, finished.evidence, strict=True):
        assert step.demand.total <= max(3000 - evidence.samples, 0)
        assert step.report.samples == evidence.samples
    if deliver is not with_extras:
        assert finished.last.samples <= 3000
    if finished.last.certified:  # `plans` needs far less
        return
    assert finished.last.verdict is Verdict.EXHAUSTED
    # Halving ends a round at nine tenths, so that lost answers do not hold it open.
    unused = FULL_BUDGET_UNUSED.get(name, 0) if deliver is all_of_it else (301 if name in FULL_BUDGET_UNUSED else 0)
    assert finished.last.samples >= 3000 - unused


@pytest.mark.parametrize("n_items", [3, 7, 40])
@pytest.mark.parametrize("budget", [1, 2, 3, 10])
@pytest.mark.parametrize("name", NAMES)
def test_a_tiny_budget_is_used_too(name: str, budget: int, n_items: int) -> None:
    last = session(name, n_items=n_items, budget=budget).last
    assert last.verdict is Verdict.EXHAUSTED or (name == "plans" and last.certified)
    # Rounds of two or three arms cannot share every number: halving may leave less than one impression a round.
    rounds = 4 if name in FULL_BUDGET_UNUSED else 1
    assert budget - rounds < last.samples <= budget or last.certified
    assert last.samples > 0


@DELIVERIES
@pytest.mark.parametrize("name", NAMES)
def test_only_the_certificate_certifies(name: str, deliver: Delivery) -> None:
    finished = session(name, deliver)
    shares = POLICIES[name].shares(problem_of(name))
    before = [Choices(), *(step.memory.choices for step in finished.plans)]
    for step, evidence, choices in zip(finished.plans, finished.evidence, before, strict=False):
        assert step.report.certified is assess(problem_of(name), evidence, choices, shares).certified
        assert (step.memory.certified is not None) is step.report.certified
        assert (step.demand.total == 0) is (step.report.verdict is not Verdict.NOT_YET)


@pytest.mark.parametrize("name", NAMES)
def test_plans_are_few_and_versions_count_them(name: str) -> None:
    finished = session(name, budget=None)
    assert [step.memory.version for step in finished.plans] == list(range(1, len(finished.plans) + 1))
    assert [step.report.version for step in finished.plans] == list(range(1, len(finished.plans) + 1))
    assert len(finished.plans) <= 120
    # Batches grow by at least a tenth or so on average: plans are of the order of log(samples).
    assert len(finished.plans) <= 12 + 8 * np.log(1 + finished.last.samples)


@pytest.mark.parametrize("name", NAMES)
def test_memory_is_small_at_two_hundred_items(name: str) -> None:
    finished = session(name, n_items=200, budget=6000)
    assert max(len(step.memory.to_json()) for step in finished.plans) < SMALL_MEMORY


@pytest.mark.parametrize("name", sorted({*NAMES} - {"rplans_literal", "rplans_literal_sharper"}))
def test_losses_and_extras_still_lead_to_a_good_pair(name: str) -> None:
    # 4 of the 21 pairs are this good; a random one is .13 off. One session in ten of lrmc is not, hence the median of
    # five. rplans_literal is not distinguishable from chance at 3000 samples.
    for deliver in (with_losses, with_extras):
        pairs = [session(name, deliver, seed=seed).last.pair for seed in range(5)]
        assert np.median([population(7).error(*pair) for pair in pairs]) < 0.05


@pytest.mark.parametrize("name", NAMES)
def test_answers_to_pairs_outside_of_the_demand_are_used(name: str) -> None:
    policy, rng = POLICIES[name], np.random.default_rng(6)
    people = population(7)
    problem = problem_for(policy, people, goal=Goal(0.2), budget=4000)
    evidence, memory = Evidence.empty(7), Memory()
    i, j = np.triu_indices(7, 1)
    for _ in range(3):
        step = plan(policy, problem, evidence, memory)
        memory = step.memory
        evidence = answers(people, problem, step, evidence, step.demand.count, rng)
        s = people.loss(i, j) * 50 if name == "plans" else rng.binomial(50, people.loss(i, j)).astype(np.float64)
        evidence = evidence.add(i, j, memory.version, np.full(len(i), 50), s)
    step = plan(policy, problem, evidence, memory)
    assert step.report.samples == evidence.samples
    found = assess(problem, evidence, memory.choices, policy.shares(problem))
    assert step.report.certified is (found.certified or memory.certified is not None)


@pytest.mark.parametrize("name", NAMES)
def test_the_latch_holds_for_every_policy(name: str) -> None:
    policy = POLICIES[name]
    people = Population.mixture([0.5, 0.5], [[0.95, 0.9, 0.1, 0.1], [0.9, 0.95, 0.1, 0.1]])
    problem = problem_for(policy, people, goal=Goal(0.3), delta=0.3)
    i, j = np.triu_indices(4)  # self pairs too, which only some policies may ask for but all may be given
    s = people.loss(i, j) * 1000
    evidence = Evidence.empty(4).add(i, j, 1, np.full(len(i), 1000), s if name == "plans" else np.round(s))
    first = plan(policy, problem, evidence, Memory())
    assert first.report.certified
    turned = evidence.add(i, j, 2, np.full(len(i), 10**6), 1e6 * (1 - people.loss(i, j)))
    second = plan(policy, problem, turned, Memory.from_json(first.memory.to_json()))
    assert (second.report.pair, second.report.verdict) == (first.report.pair, Verdict.CERTIFIED)
    assert second.demand.total == 0


@pytest.mark.parametrize(
    "people",
    [
        Population.mixture([1.0], [[1.0] * 5]),
        Population.mixture([1.0], [[0.0] * 5]),
        Population.mixture([1.0], [[0.5] * 5]),
        Population.mixture([0.5, 0.5], [[1, 1, 0, 0, 0.5], [0, 1, 1, 0, 0.5]]),
    ],
    ids=["always clicked", "never clicked", "all the same", "zeros and ones"],
)
@pytest.mark.parametrize("name", NAMES)
def test_certain_outcomes_and_full_ties_do_no_harm(name: str, people: Population) -> None:
    policy = POLICIES[name]
    for budget in (1, 40, 2000):
        last = run(policy, problem_for(policy, people, budget=budget), people).last
        assert last.verdict is not Verdict.NOT_YET
        if last.certified:
            assert float(people.error(*last.pair)) <= 0.05


def test_no_policy_shows_self_pairs_where_it_does_not_say_so() -> None:
    assert {name for name in NAMES if POLICIES[name].needs_self_pairs} == {
        "plans",
        "rplans_literal",
        "rplans_literal_sharper",
    }
    for name in NAMES:
        expected = SelfPairs.EXPLORE if POLICIES[name].needs_self_pairs else SelfPairs.NEVER
        assert problem_of(name).self_pairs is expected
