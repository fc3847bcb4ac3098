"""explore_fit_verify: how it divides the budget, that it beats halving, and when rplans turns to it."""

from dataclasses import replace

import numpy as np
import pytest

from app.engine.certificate import Verdict, assess
from app.engine.evidence import Evidence
from app.engine.memory import Memory
from app.engine.plan import plan
from app.engine.policies import policy_named
from app.engine.policies.explore_fit_verify import EXPLORE_PART, ROUNDS, ExploreFitVerify, _random_partners
from app.engine.policies.policy import Situation
from app.engine.policies.rplans import Rplans
from app.engine.problem import Goal, Problem
from app.engine.randomness import Purpose, source
from app.simulation.mixtures import mixture, synthetic
from app.simulation.run import run_session
from tests.engine.driver import Run, problem_for, propose, run

EFV = ExploreFitVerify()
PEOPLE = synthetic(60, 3, np.random.default_rng(1))
HOPELESS = 0.001  # no budget here certifies this


def session(budget: int, **settings: object) -> Run:
    return run(EFV, problem_for(EFV, PEOPLE, goal=Goal(HOPELESS), budget=budget, **settings), PEOPLE)


def test_every_impression_of_the_budget_is_used_in_one_plan_a_round() -> None:
    finished = session(4000)
    assert finished.evidence[-1].samples == 4000
    assert len(finished.plans) == 1 + ROUNDS + 1  # exploring, the rounds, the end
    assert finished.last.verdict is Verdict.EXHAUSTED
    assert finished.last.phase == "finished"


def test_rounds_narrow_to_the_last_two_pairs() -> None:
    widths = [len(step.demand.count) for step in session(20_000).plans[1:-1]]
    assert widths == sorted(widths, reverse=True)
    assert widths[0] == 250
    assert widths[-1] == 2


def test_exploring_shows_every_item_equally_often() -> None:
    demand = session(4000).plans[0].demand
    shown = np.bincount(demand.i, demand.count, 60) + np.bincount(demand.j, demand.count, 60)
    assert demand.total == EXPLORE_PART * 4000
    assert shown.max() - shown.min() <= 2


def test_a_run_that_begins_late_explores_only_what_is_missing() -> None:
    """Items 0 to 9 were shown often: the others meet each other, and no item more than its part."""
    known = np.arange(10)
    evidence = Evidence.empty(60).add(known[:-1], known[1:], 1, np.full(9, 200), np.full(9, 100.0))
    proposal = propose(EFV, problem_for(EFV, PEOPLE, goal=Goal(HOPELESS), budget=4000), evidence, {}, 2)
    assert proposal.phase == "explore"
    assert not np.isin(proposal.demand.i, known).any()
    assert not np.isin(proposal.demand.j, known).any()
    everyone = Evidence.empty(60).add(*np.triu_indices(60, 1), 1, np.full(1770, 10), np.full(1770, 5.0))
    assert (
        propose(EFV, problem_for(EFV, PEOPLE, goal=Goal(HOPELESS), budget=40_000), everyone, {}, 2).phase == "round 1"
    )


def test_the_pair_comes_back_that_a_fit_with_one_rank_cannot_see() -> None:
    """Two specialists, each mediocre on average: direct samples against the fit bring them to the end."""
    found = 0
    for seed in range(10):
        trap = mixture("trap", 40, 2, np.random.default_rng(seed))
        problem = problem_for(EFV, trap, goal=Goal(HOPELESS), budget=12_000, seed=seed)
        found += float(trap.error(*run(EFV, problem, trap, seed=seed).last.pair)) == 0
    assert found >= 7  # without the doubted pairs in its rounds it finds 4


@pytest.mark.parametrize("rival", ["sequential_halving", "row_mean_halving"])
def test_its_answers_are_better_than_halving(rival: str) -> None:
    """Same populations, same users, 3,000 samples on 1,770 pairs; on ads4 K=200 it has a third of halving's error."""
    errors: dict[str, list[float]] = {rival: [], EFV.name: []}
    for seed in range(20):
        people = mixture("ads6", 60, 4, np.random.default_rng(seed))
        for name, list_ in errors.items():
            problem = problem_for(EFV, people, goal=Goal(HOPELESS), budget=3000, seed=seed)
            list_.append(run_session(policy_named(name), problem, people, source(Purpose.USERS, seed)).error)
    assert np.mean(errors[EFV.name]) < np.mean(errors[rival])


def test_rplans_turns_to_it_when_the_budget_cannot_pay_for_a_proof() -> None:
    people = mixture("pref", 60, 2, np.random.default_rng(2))
    finished = run(Rplans(), Problem(n_items=60, goal=Goal(0.02), delta=0.1, budget=20_000, seed=2), people)
    phases = [step.report.phase for step in finished.plans]
    assert phases[0] == "explore"
    assert phases[-1] == "finished"
    assert finished.evidence[-1].samples == 20_000
    turned = phases.index("round 1")
    assert all(phase.startswith("round") for phase in phases[turned:-1])
    assert float(people.error(*finished.last.pair)) < 0.02


def test_rplans_keeps_to_the_proof_when_the_budget_can_pay_for_it() -> None:
    people = mixture("clus", 40, 2, np.random.default_rng(3))
    free = run(Rplans(), Problem(n_items=40, goal=Goal(0.1), delta=0.1, seed=3), people)
    needed = free.evidence[-1].samples
    bound = run(Rplans(), Problem(n_items=40, goal=Goal(0.1), delta=0.1, seed=3, budget=2 * needed), people)
    assert bound.last.certified
    assert bound.evidence[-1].samples == needed


def test_rplans_starts_with_it_when_a_first_look_would_eat_the_budget() -> None:
    first = plan(Rplans(), Problem(n_items=100, goal=Goal(0.02), delta=0.1, budget=3000), Evidence.empty(100), Memory())
    assert first.demand.total == EXPLORE_PART * 3000


def test_a_raised_budget_is_divided_again() -> None:
    people = mixture("pref", 60, 2, np.random.default_rng(2))
    problem = Problem(n_items=60, goal=Goal(0.02), delta=0.1, budget=10_000, seed=2)
    finished = run(Rplans(), problem, people)
    more = plan(Rplans(), replace(problem, budget=30_000), finished.evidence[-1], finished.plans[-1].memory)
    assert more.demand.total > 0
    assert more.report.verdict is Verdict.NOT_YET
    enough = plan(Rplans(), replace(problem, budget=10**7), finished.evidence[-1], finished.plans[-1].memory)
    assert enough.report.phase in ("refine", "play-off")  # the proof is in reach again


def test_no_guess_is_made_once_bounds_have_been_looked_at() -> None:
    """A guess restarts the intervals: after looks without one, that would spend their share of delta twice."""
    people = mixture("pref", 20, 2, np.random.default_rng(2))
    problem = Problem(n_items=20, goal=Goal(0.02), delta=0.1, budget=400, seed=2)  # below four first looks
    finished = run(Rplans(), problem, people)
    assert finished.plans[-1].memory.choices.guess is None
    raised = replace(problem, budget=10**6)
    more = plan(Rplans(), raised, finished.evidence[-1], finished.plans[-1].memory)
    assert more.report.phase in ("refine", "play-off")
    assert more.memory.choices.guess is None
    assert more.report.gap <= finished.last.gap  # nothing that was known is given up


def test_outcomes_do_not_decide_whether_there_is_a_guess() -> None:
    """If they did, intervals with and without a guess would both have to hold, at the price of one."""
    problem = Problem(n_items=60, goal=Goal(0.02), delta=0.1, budget=20_000, seed=2)
    given_up = run(Rplans(), problem, mixture("pref", 60, 2, np.random.default_rng(2)))
    before, after = (step.memory for step in given_up.plans[:2])
    assert "explore_fit_verify" in after.notes.keys() - before.notes.keys()  # outcomes made it give up the proof
    assert after.choices.guess is not None
    first = plan(Rplans(), problem, Evidence.empty(60), Memory())
    unanswered = plan(Rplans(), problem, Evidence.empty(60), first.memory)
    assert unanswered.memory.choices.guess is not None
    # With a budget too small for a proof, plan 1 decides that there is none, and a raised budget does not change it.
    first = plan(Rplans(), replace(problem, budget=2_000), Evidence.empty(60), Memory())
    asked = first.demand
    seen = Evidence.empty(60).add(asked.i, asked.j, 1, asked.count, np.zeros(len(asked.count)))
    raised = plan(Rplans(), replace(problem, budget=None), seen, first.memory)
    assert raised.report.phase in ("refine", "play-off")
    assert raised.memory.choices.guess is None


def test_what_served_the_guess_proves_nothing() -> None:
    people = mixture("pref", 10, 2, np.random.default_rng(2))
    finished = run(Rplans(), Problem(n_items=10, goal=Goal(0.9), delta=0.5, seed=2), people)
    assert finished.plans[1].report.gap == 1.0
    assert finished.plans[1].memory.choices.guess is not None


def test_a_pair_far_from_the_fit_breaks_nothing() -> None:
    """Twenty disjoint pairs at .95 among pairs at .25, 20,000 samples each: the odds of a deviation overflow."""
    i, j = np.triu_indices(40, 1)
    odd = (i % 2 == 0) & (j == i + 1)
    s = np.where(odd, 19_000.0, 5_000.0)
    evidence = Evidence.empty(40).add(i, j, 1, np.full(len(i), 20_000), s)
    problem = problem_for(EFV, mixture("pref", 40, 2, np.random.default_rng(0)), goal=Goal(HOPELESS), budget=20_000_000)
    pair = propose(EFV, problem, evidence, {}, 2).pair
    assert not (pair.i % 2 == 0 and pair.j == pair.i + 1)


def test_views_go_to_the_items_that_miss_them() -> None:
    missing = np.array([40, 36, 31, 27, 22, 15, 9, 5, 1] + [0] * 51)
    problem = problem_for(EFV, PEOPLE)
    nothing = assess(problem, Evidence.empty(60))
    now = Situation(problem, Evidence.empty(60), nothing, {}, 2, 1000, np.random.default_rng(0))
    demand = _random_partners(missing, 93, now)
    shown = np.bincount(demand.i, demand.count, 60) + np.bincount(demand.j, demand.count, 60)
    assert shown[9:].sum() == 0
    assert np.all(shown[:9] <= missing[:9])
    assert shown.sum() >= 180


def test_exploring_a_large_budget_among_few_items_is_quick() -> None:
    """A version that built it ring by ring took six minutes here; the count shows that it is one step."""
    demand = session(10**6).plans[0].demand
    assert demand.total == EXPLORE_PART * 10**6


def test_a_small_budget_has_few_rounds() -> None:
    assert len(session(300).plans) == 1 + 3 + 1
