"""The planner runs whole sessions; certify compares feedback with and without clicked items."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.engine.problem import Goal
from app.simulation.mixtures import mixture_of_rate
from app.simulation.population import InvalidPopulation
from app.simulation.run import Outcome
from experiments.certify import Instance, Line, Session, growth_of, run_one
from experiments.compare import Row
from experiments.planner import Expected, Needed, Trial, estimates_of, goals_around, run_trial, trials_for

EXPECTED = Expected(n_items=6, groups=2, click_rate=0.2, family="ads6")


def outcome(**changes: Any) -> Outcome:
    usual = Outcome(
        policy="lucb", certified=True, verdict="certified", samples=100, pair=(0, 1), error=0.0, best_reward=0.02,
        gap=0.0, relative_gap=0.0, goal=Goal(0.05), plans=1, seconds=0.0, phase="done", assumptions=(),
        diagnostics={}, bounds={"direct": 1.0},
    )  # fmt: skip
    return replace(usual, **changes)


@pytest.mark.parametrize(
    ("goal", "error", "wrong"),
    [
        (Goal(0.05), 0.02, False),
        (Goal(0.01), 0.011, True),
        (Goal(0.1, relative=True), 0.001, False),
        (Goal(0.1, relative=True), 0.0021, True),
    ],
)
def test_a_certified_pair_that_misses_the_goal_is_wrong(goal: Goal, error: float, *, wrong: bool) -> None:
    ended = outcome(goal=goal, error=error)
    assert ended.wrong is wrong
    assert Line(Instance("ads6", 10, 2, goal), "lucb", (ended, outcome(goal=goal))).wrong == wrong
    assert Row("ads", "lucb", (ended, outcome(goal=goal))).failures == wrong
    assert not replace(ended, certified=False).wrong, "nothing was promised"
    assert ended.as_json()["relative_error"] == pytest.approx(error / 0.02)


def test_a_line_states_its_goal() -> None:
    for goal, stated in ((Goal(0.05), (0.05, None)), (Goal(0.1, relative=True), (None, 0.1))):
        row = Line(Instance("ads6", 10, 2, goal), "lucb", (outcome(goal=goal),)).as_json()
        assert (row["epsilon"], row["relative_epsilon"]) == stated


def test_populations_have_the_click_rate() -> None:
    clicks = mixture_of_rate(0.02, 2000, 3, np.random.default_rng(1)).click_probabilities
    assert clicks is not None
    assert clicks.shape == (3, 2000)
    assert clicks.mean() == pytest.approx(0.02, abs=0.001)
    assert clicks.std() == pytest.approx(0.02, abs=0.002), "Beta(1, 49): items differ as much as they are clicked"
    for rate in (0.0, 1.0, -0.1):
        with pytest.raises(InvalidPopulation, match="click_rate"):
            mixture_of_rate(rate, 5, 2, np.random.default_rng(1))


def test_a_family_is_used_without_a_click_rate() -> None:
    drawn = Expected(n_items=6, groups=2, click_rate=None, family="pref").draw(1).click_probabilities
    assert drawn is not None
    assert drawn.min() >= 0.05
    low = EXPECTED.draw(1).click_probabilities
    assert low is not None
    assert low.mean() < drawn.mean()


@pytest.mark.parametrize("goal", [Goal(0.2), Goal(0.3, relative=True)])
def test_a_trial_is_a_whole_session(goal: Goal) -> None:
    plain, items = (run_trial(Trial(EXPECTED, goal, 0.1, 3, item_clicks)) for item_clicks in (False, True))
    assert plain.certified
    assert items.certified
    assert plain.samples != items.samples
    assert plain.best_reward == items.best_reward == pytest.approx(1 - EXPECTED.draw(3).best_pair().value)


def test_every_line_has_the_same_populations() -> None:
    goals = [Goal(0.2), Goal(0.1)]
    trials = trials_for(EXPECTED, goals, 0.1, [4, 5])
    assert len(trials) == 2 * 2 * 2
    assert {(trial.goal, trial.item_clicks) for trial in trials if trial.seed == 4} == {
        (goal, item_clicks) for goal in goals for item_clicks in (False, True)
    }


@pytest.mark.parametrize("relative", [False, True])
def test_goals_around_a_goal_are_of_its_kind(*, relative: bool) -> None:
    assert goals_around(Goal(0.1, relative)) == [Goal(epsilon, relative) for epsilon in (0.2, 0.1, 0.05)]
    assert goals_around(Goal(0.6, relative)) == [Goal(0.6, relative), Goal(0.3, relative)], "below 1"


def test_lines_by_hand() -> None:
    def trial(epsilon: float, seed: int) -> Trial:
        return Trial(EXPECTED, Goal(epsilon, relative=True), 0.1, seed, item_clicks=False)

    needed = [(0.1, 900, True), (0.2, 100, True), (0.2, 500, True), (0.2, 200, False)]
    results = [
        (trial(epsilon, k), Needed(samples, certified, 0.3 + k))
        for k, (epsilon, samples, certified) in enumerate(needed)
    ]
    coarse, fine = estimates_of(results)
    assert (coarse.goal, coarse.runs, coarse.certified) == (Goal(0.2, relative=True), 3, 2)
    assert (coarse.least, coarse.median, coarse.most, coarse.best_reward) == (100, 200, 500, 2.3)
    assert (fine.goal.epsilon, fine.median) == (0.1, 900)
    row = coarse.as_json(per_day=100)
    assert (row["epsilon"], row["relative_epsilon"]) == (None, 0.2)
    assert "goal" not in row
    assert (row["days_least"], row["days_median"], row["days_most"]) == (1, 2, 5)


def test_growth_is_the_slope_of_the_logarithms() -> None:
    def line(n_items: int, samples: int, policy: str = "lucb") -> Line:
        return Line(Instance("ads6", n_items, 2, Goal(0.05)), policy, (outcome(policy=policy, samples=samples),))

    (growth,) = growth_of([line(40, 1600), line(10, 100), line(20, 400), line(20, 5, "naive")])
    assert (growth.policy, growth.sizes) == ("lucb", (10, 20, 40))
    assert growth.exponent == pytest.approx(2)


def test_feedback_with_items_is_compared_with_feedback_without() -> None:
    instance = Instance("ads6", 8, 2, Goal(0.2))
    plain, items = (run_one(Session(instance, name, 3, 0.1, item_clicks=False)) for name in ("rplans", "rplans+items"))
    assert plain.bounds["item_clicks"] == 0
    assert items.bounds["item_clicks"] > 0
    for outcome in (plain, items):
        assert sum(outcome.bounds.values()) == pytest.approx(1)
