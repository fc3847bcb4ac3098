"""rplans: what it chooses and when, that structure pays where it should, and that it always comes to an end."""

from dataclasses import asdict, replace

import numpy as np
import pytest

from app.engine.allocation.batch import NOMINEE_PART
from app.engine.bounds import Kind
from app.engine.certificate import assess
from app.engine.choices import Choices
from app.engine.policies import DEFAULT_POLICIES, policy_named
from app.engine.policies.rplans import Rplans
from app.engine.problem import Goal, Model, Problem, SelfPairs
from app.simulation.mixtures import FAMILIES, mixture
from app.simulation.population import Population
from app.simulation.run import run_session
from tests.engine.driver import Run, run, with_losses


def session(family: str, n_items: int, seed: int, **settings: object) -> tuple[Population, Problem, Run]:
    people = mixture(family, n_items, 2, np.random.default_rng(seed))
    defaults: dict[str, object] = {"n_items": n_items, "goal": Goal(0.1), "delta": 0.1, "seed": seed}
    problem = Problem(**{**defaults, **settings})  # type: ignore[arg-type]
    return people, problem, run(Rplans(), problem, people, seed=seed)


def test_it_is_the_default() -> None:
    assert DEFAULT_POLICIES[Model.STOCHASTIC] == "rplans"


def test_shares_leave_nothing_over_and_spend_nothing_twice() -> None:
    for item_clicks in (False, True):
        shares = asdict(Rplans().shares(Problem(n_items=5, goal=Goal(0.1), delta=0.1, item_clicks=item_clicks)))
        assert sum(shares.values()) == pytest.approx(1.0)
        used = {"upper", "nominees", "direct"} | ({"clicks", "contrasts"} if item_clicks else {"screening"})
        assert {name for name, share in shares.items() if share > 0} == used


def test_choices_are_only_added_and_come_before_the_samples_they_are_tested_by() -> None:
    _, _, finished = session("ads20", 60, 3)
    before = Choices()
    for step in finished.plans:
        now = step.memory.choices
        assert now.nominees[: len(before.nominees)] == before.nominees
        assert now.blanks[: len(before.blanks)] == before.blanks
        assert before.guess in (None, now.guess)
        fresh = [nominee.version for nominee in now.nominees[len(before.nominees) :]]
        fresh += [blank.version for blank in now.blanks[len(before.blanks) :]]
        assert set(fresh) <= {step.memory.version - 1}  # from this plan on, none of whose impressions is out yet
        before = now
    assert before.guess is not None
    assert len(before.blanks) == 1
    assert 1 <= len(before.nominees) <= 8


def test_a_blank_settles_most_pairs_of_weak_items() -> None:
    people, problem, finished = session("ads20", 60, 3)
    assert finished.last.certified
    assert finished.last.assumptions == ("mixture",)
    last = finished.plans[-2].memory.choices
    found = assess(problem, finished.evidence[-1], last, Rplans().shares(problem))
    assert found.bounds.binding is not None
    assert np.mean(found.bounds.binding == Kind.SCREENING) > 0.5
    blank = last.blanks[0].item
    shares, clicks = people.shares, people.click_probabilities
    assert shares is not None
    assert clicks is not None
    assert (shares @ clicks)[blank] < 0.03


def test_item_clicks_need_no_blank_and_name_their_assumptions() -> None:
    _, _, finished = session("ads6", 40, 1, item_clicks=True)
    assert finished.last.certified
    assert finished.last.assumptions == ("mixture", "slots-independent")
    assert finished.plans[-1].memory.choices.blanks == ()


def test_with_item_clicks_every_plan_after_the_first_nomination_says_what_it_will_show() -> None:
    _, problem, finished = session("clus", 40, 1, item_clicks=True, goal=Goal(0.05))
    choices = finished.plans[-1].memory.choices
    first = min(nominee.version for nominee in choices.nominees)
    versions = [outlook.version for outlook in choices.outlooks]
    assert versions == sorted(set(versions))
    assert versions[0] == first
    assert len(versions) >= finished.plans[-1].memory.version - first - 4  # but where no nominee led for a while
    for step in finished.plans[:-1]:
        demand = step.demand
        asked = {(i, j): n for i, j, n in zip(demand.i.tolist(), demand.j.tolist(), demand.count.tolist(), strict=True)}
        for found in (one for one in step.memory.choices.outlooks if one.version == step.memory.version - 1):
            assert dict(zip(found.pairs, found.planned, strict=True)).items() <= asked.items()
            assert demand.of_items(problem.n_items)[list(found.items)].tolist() == list(found.shown)


def test_with_item_clicks_every_plan_with_bets_shows_its_nominee_often_enough() -> None:
    """Without impressions of the nominee, no bet of the plan can win. The leader gets no more if it has enough."""
    _, _, finished = session("clus", 40, 1, item_clicks=True, goal=Goal(0.05))
    enough = 0
    for step in finished.plans[:-1]:
        if step.memory.choices.outlooks and step.memory.choices.outlooks[-1].version == step.memory.version - 1:
            demand, pair = step.demand, step.report.pair
            shown = int(demand.count[(demand.i == pair.i) & (demand.j == pair.j)].sum())
            assert shown >= 0.9 * NOMINEE_PART * (demand.total - 1)
            enough += step.report.diagnostics["for_nominee"] == 0
    assert enough > 0


def test_with_item_clicks_the_nearest_rivals_are_settled_by_contrasts() -> None:
    _, problem, finished = session("clus", 40, 1, item_clicks=True, goal=Goal(0.05))
    choices, shares = finished.plans[-2].memory.choices, Rplans().shares(problem)
    found = assess(problem, finished.evidence[-1], choices, shares)
    without = assess(problem, finished.evidence[-1], choices, replace(shares, contrasts=0.0))
    assert found.certified
    assert not without.certified
    assert without.gap > 1.3 * found.gap


def test_outlooks_have_the_gap_that_the_goal_allows() -> None:
    """An absolute goal always allows the same gap; what a relative one allows depends on the leader."""
    _, _, finished = session("clus", 40, 1, item_clicks=True, goal=Goal(0.05))
    assert {outlook.epsilon for outlook in finished.plans[-1].memory.choices.outlooks} == {0.05}
    people, _, finished = session("clus", 40, 1, item_clicks=True, goal=Goal(0.1, relative=True))
    outlooks = finished.plans[-1].memory.choices.outlooks
    reward = 1 - float(people.loss(*finished.last.pair))
    assert len({outlook.epsilon for outlook in outlooks}) > 3
    assert all(0.5 * 0.1 * reward < (outlook.epsilon or 0) < 1.3 * 0.1 / 0.9 * reward for outlook in outlooks)
    assert finished.last.certified
    assert (finished.last.relative_gap or 1) <= 0.1


@pytest.mark.parametrize(("family", "n_items", "epsilon", "seed"), [("pref", 8, 0.8, 1), ("ads6", 6, 0.9, 0)])
def test_a_relative_goal_that_allows_a_gap_of_more_than_1_is_planned(
    family: str, n_items: int, epsilon: float, seed: int
) -> None:
    _, _, finished = session(family, n_items, seed, item_clicks=True, goal=Goal(epsilon, relative=True))
    assert finished.last.certified


@pytest.mark.parametrize("goal", [Goal(0.1, relative=True), Goal(1e-6, relative=True), Goal(1e-170)])
def test_without_a_click_plans_grow_step_by_step(goal: Goal) -> None:
    """The computed cost is enormous then, and means nothing: the page may not report clicks yet."""
    nobody = Population.mixture([1.0], np.zeros((1, 40)))
    problem = Problem(n_items=40, goal=goal, delta=0.1)
    finished = run(Rplans(), problem, nobody, until=lambda report: report.version == 8)
    for step in finished.plans[1:]:
        assert step.demand.total <= 6 * step.report.samples


def test_where_nothing_is_weak_it_assumes_nothing() -> None:
    _, _, finished = session("pref", 20, 2, goal=Goal(0.15))
    assert finished.last.certified
    assert finished.last.assumptions == ()
    assert finished.plans[-1].memory.choices.blanks == ()


@pytest.mark.parametrize("family", ["ads20", "clus"])
def test_fewer_impressions_than_lucb(family: str) -> None:
    ratios = []
    for seed in range(3):
        people = mixture(family, 60, 2, np.random.default_rng(40 + seed))
        problem = Problem(n_items=60, goal=Goal(0.1), delta=0.1, seed=seed)
        samples = {
            name: run_session(policy_named(name), problem, people, np.random.default_rng(seed)).samples
            for name in ("rplans", "lucb")
        }
        ratios.append(samples["lucb"] / samples["rplans"])
    assert np.median(ratios) > 2


def test_lost_answers_cost_time_but_not_the_verdict() -> None:
    people = mixture("ads6", 30, 2, np.random.default_rng(8))
    problem = Problem(n_items=30, goal=Goal(0.15), delta=0.1, seed=8)
    finished = run(Rplans(), problem, people, seed=8, deliver=with_losses)
    assert finished.last.certified
    assert people.error(*finished.last.pair) <= 0.15


def test_the_forecast_comes_true() -> None:
    _, _, finished = session("ads6", 60, 5)
    used = finished.last.samples
    late = [step.report for step in finished.plans if step.report.samples > 0.4 * used and step.demand.total]
    still = [report.forecast_samples or 0 for report in late]
    assert min(still) > 0
    ends = [report.samples + more for report, more in zip(late, still, strict=True)]
    assert 0.6 * used < np.median(ends) < 1.7 * used


@pytest.mark.parametrize("seed", range(30))
def test_every_session_ends_within_80_plans(seed: int) -> None:
    rng = np.random.default_rng([seed, 99])
    family = str(rng.choice(list(FAMILIES)))
    n_items = int(rng.integers(4 if family == "trap" else 2, 61))
    rank = 2 if family == "trap" else int(rng.integers(1, 5))
    people = mixture(family, n_items, rank, rng)
    problem = Problem(
        n_items=n_items,
        goal=Goal(float(rng.choice([0.05, 0.1, 0.3]))),
        delta=float(rng.choice([0.01, 0.1, 0.5])),
        budget=int(rng.choice([50, 5000])) if rng.random() < 0.3 else None,
        item_clicks=bool(rng.random() < 0.3),
        rank=min(rank, n_items) if rng.random() < 0.5 else None,
        self_pairs=SelfPairs.EXPLORE if rng.random() < 0.3 else SelfPairs.NEVER,
        seed=seed,
    )
    finished = run(Rplans(), problem, people, seed=seed)
    assert finished.last.verdict in ("certified", "exhausted")
    assert finished.last.certified or problem.budget is not None
    assert len(finished.plans) <= 80
