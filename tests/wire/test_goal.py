"""Goals as settings and in words."""

from collections.abc import Callable

import pytest

from app.engine.problem import Goal, InvalidProblem, Model
from app.wire.goal import DEFAULT_GOAL, goal_of, in_words, requested_goal, settings_of

GOALS = [Goal(0.05), Goal(0.1, relative=True)]


@pytest.mark.parametrize("goal", GOALS)
def test_settings_and_goals_are_converted_both_ways(goal: Goal) -> None:
    settings = settings_of(goal)
    assert [name for name, value in settings.items() if value is not None] == [goal.field]
    assert goal_of(**settings) == goal
    assert requested_goal(**settings) == goal


def test_only_a_request_may_leave_out_the_goal() -> None:
    assert requested_goal(None, None) == DEFAULT_GOAL == Goal(0.1, relative=True)
    assert requested_goal(None, None, Goal(0.3)) == Goal(0.3)
    with pytest.raises(InvalidProblem, match="relative_epsilon: must be given if epsilon is not"):
        goal_of(None, None)


@pytest.mark.parametrize("convert", [goal_of, requested_goal])
def test_two_goals_are_one_too_many(convert: Callable[[float, float], Goal]) -> None:
    with pytest.raises(InvalidProblem, match="leave one of them out"):
        convert(0.05, 0.1)


@pytest.mark.parametrize("number", [0.0, 1.0, -0.1, 7.0, float("nan"), float("inf")])
def test_a_number_that_is_no_goal_names_its_setting(number: float) -> None:
    with pytest.raises(InvalidProblem, match=r"^epsilon: must be strictly between 0 and 1"):
        goal_of(number, None)
    with pytest.raises(InvalidProblem, match=r"^relative_epsilon: must be strictly between 0 and 1"):
        goal_of(None, number)


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        (Goal(0.05), "within 5 points of the best"),
        (Goal(0.01), "within 1 point of the best"),
        (Goal(0.00001), "within 0.001 points of the best"),
        (Goal(0.07), "within 7 points of the best"),
        (Goal(0.1, relative=True), "at least 90 % of what the best pair earns"),
        (Goal(0.07, relative=True), "at least 93 % of what the best pair earns"),
        (Goal(0.001, relative=True), "at least 99.9 % of what the best pair earns"),
    ],
)
def test_goals_in_words(goal: Goal, words: str) -> None:
    assert in_words(goal) == words
    assert in_words(goal, Model.DETERMINISTIC) == "the exact answer"
