"""Every setting that cannot be used is refused by name, with what is allowed in the text."""

import math

import pytest

from app.engine.evidence import Evidence
from app.engine.memory import Memory
from app.engine.plan import plan
from app.engine.policies import POLICIES, policy_named
from app.engine.problem import InvalidProblem, Model, Problem, SelfPairs

GOOD: dict[str, object] = {"n_items": 5, "epsilon": 0.1, "delta": 0.1}


def problem(**settings: object) -> Problem:
    return Problem(**{**GOOD, **settings})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("settings", "field", "says"),
    [
        ({"n_items": 1}, "items", "at least 2 items, got 1"),
        ({"n_items": 0}, "items", "at least 2 items, got 0"),
        *(
            ({name: value}, name, "strictly between 0 and 1")
            for name in ("epsilon", "delta")
            for value in (0.0, 1.0, 2.0, -0.1, math.nan, math.inf)
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
    assert problem(epsilon=1e-9, delta=1 - 1e-9).epsilon == 1e-9


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
