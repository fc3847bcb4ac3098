"""Every setting that cannot be used is refused by name, with what is allowed in the text."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.evidence import Evidence
from app.engine.memory import Memory
from app.engine.plan import plan
from app.engine.policies import POLICIES, policy_named
from app.engine.problem import Goal, InvalidProblem, Model, Problem, SelfPairs, relative_gap

NO_PARTS = (0.0, 1.0, 2.0, -0.1, math.nan, math.inf)
GOOD: dict[str, object] = {"n_items": 5, "goal": Goal(0.1), "delta": 0.1}


def problem(**settings: object) -> Problem:
    if isinstance(settings.get("goal"), tuple):
        settings["goal"] = Goal(*settings["goal"])  # type: ignore[misc]
    return Problem(**{**GOOD, **settings})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("settings", "field", "says"),
    [
        ({"n_items": 1}, "items", "at least 2 items, got 1"),
        ({"n_items": 0}, "items", "at least 2 items, got 0"),
        *(({"delta": value}, "delta", "strictly between 0 and 1") for value in NO_PARTS),
        *(
            ({"goal": (value, relative)}, field, "strictly between 0 and 1")
            for relative, field in ((False, "epsilon"), (True, "relative_epsilon"))
            for value in NO_PARTS
        ),
        ({"rank": 0}, "rank", 'must be "auto" or between 1 and 5'),
        ({"rank": 6}, "rank", 'must be "auto" or between 1 and 5'),
        ({"budget": 0}, "budget", "at least 1 or left out, got 0"),
        ({"budget": -3}, "budget", "at least 1 or left out, got -3"),
        ({"seed": -1}, "seed", "0 or more, got -1"),
    ],
)
def test_an_unusable_setting_is_named_with_what_is_allowed(settings: dict[str, object], field: str, says: str) -> None:
    with pytest.raises(InvalidProblem) as caught:
        problem(**settings)
    assert caught.value.field == field
    assert says in caught.value.advice
    assert str(caught.value) == f"{field}: {caught.value.advice}"


def test_the_ends_of_what_is_allowed_are_allowed() -> None:
    assert problem(n_items=2, rank=2, budget=1, seed=0).n_pairs == 1
    assert problem(rank=1).rank == 1
    assert problem(rank=5).n_pairs == 10
    assert problem(goal=Goal(1e-9), delta=1 - 1e-9).goal.epsilon == 1e-9


def test_an_unknown_policy_is_answered_with_the_names_there_are() -> None:
    with pytest.raises(InvalidProblem) as caught:
        policy_named("best")
    assert caught.value.field == "policy"
    assert '"best"' in caught.value.advice
    assert all(name in caught.value.advice for name in POLICIES)


def test_policies_go_by_their_own_names() -> None:
    assert all(policy_named(name).name == name for name in POLICIES)
    assert len(POLICIES) == 13


def refusal(name: str, question: Problem) -> InvalidProblem:
    with pytest.raises(InvalidProblem) as caught:
        plan(policy_named(name), question, Evidence.empty(question.n_items), Memory())
    return caught.value


@pytest.mark.parametrize("name", sorted(POLICIES))
def test_a_policy_refuses_the_other_model(name: str) -> None:
    model = Model.STOCHASTIC if policy_named(name).model is Model.DETERMINISTIC else Model.DETERMINISTIC
    error = refusal(name, problem(model=model, rank=2, self_pairs=SelfPairs.EXPLORE))
    assert error.field == "policy"
    assert name in error.advice
    assert str(policy_named(name).model) in error.advice


@pytest.mark.parametrize("name", ["plans", "rplans_literal"])
def test_a_policy_that_shows_items_twice_says_so(name: str) -> None:
    error = refusal(name, problem(model=policy_named(name).model, rank=2))
    assert error.field == "self_pairs"
    assert '"explore"' in error.advice


@pytest.mark.parametrize("name", ["rplans_literal", "lrmc"])
def test_a_policy_that_needs_the_rank_says_so(name: str) -> None:
    error = refusal(name, problem(self_pairs=SelfPairs.EXPLORE))
    assert error.field == "rank"
    assert "must be a number" in error.advice


@pytest.mark.parametrize("name", ["median_elimination", "rplans_literal", "rplans_literal_sharper"])
def test_a_policy_that_computes_sample_sizes_in_advance_needs_an_absolute_goal(name: str) -> None:
    policy = policy_named(name)
    usual = problem(rank=2, self_pairs=SelfPairs.EXPLORE)
    policy.check(usual)
    with pytest.raises(InvalidProblem) as caught:
        policy.check(replace(usual, goal=Goal(0.1, relative=True)))
    assert caught.value.field == "relative_epsilon"
    assert "give epsilon instead" in caught.value.advice


rewards = st.floats(1e-6, 1.0)


@given(epsilon=st.floats(0.001, 0.9), relative=st.booleans(), reward=rewards, best=rewards, slack=st.floats(0, 1))
def test_no_gap_that_is_allowed_misses_the_goal(
    epsilon: float, relative: bool, reward: float, best: float, slack: float
) -> None:
    """The largest allowed gap at any upper bound of L, which leaves at most `reward`, keeps the promise."""
    goal = Goal(epsilon, relative=relative)
    upper = 1 - reward * (1 - slack)
    if best - reward <= goal.allowed(upper) - 1e-12:
        assert not goal.missed_by(reward, best)


@given(epsilon=st.floats(0.001, 0.9), relative=st.booleans(), upper=st.floats(0.0, 0.999))
def test_the_goal_is_sharp(epsilon: float, relative: bool, upper: float) -> None:
    """If the bounds are exact, a slightly larger gap than the allowed one misses the goal."""
    goal = Goal(epsilon, relative=relative)
    allowed = goal.allowed(upper)
    assert goal.missed_by(1 - upper, 1 - upper + 1.001 * allowed)
    assert not goal.missed_by(1 - upper, 1 - upper + 0.999 * allowed)
    assert goal.distance(allowed, upper) == pytest.approx(epsilon)
    assert goal.threshold(upper) == upper - allowed


@given(epsilon=st.floats(0.001, 0.9), relative=st.booleans(), mean=st.floats(0.0, 0.99))
def test_at_the_full_width_other_pairs_must_reach_the_mean(epsilon: float, relative: bool, mean: float) -> None:
    goal = Goal(epsilon, relative=relative)
    assert goal.threshold(mean + goal.width(mean)) == pytest.approx(mean, abs=1e-12)


def test_a_relative_gap_by_hand() -> None:
    assert relative_gap(0.01, 0.97) == pytest.approx(0.25)  # earns at least .03, the best at most .04
    assert relative_gap(1.0, 1.0) == 1.0
    assert relative_gap(0.0, 1.0) == 0.0
