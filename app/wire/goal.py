"""The goal of a session: two settings, of which exactly one has a value, and the words for it."""

from typing import TypedDict

from app.engine.problem import Goal, InvalidProblem, Model

DEFAULT_GOAL = Goal(0.1, relative=True)
"""The goal of a session that states none. An absolute one would need to know the click rates, which nobody does before
the start."""


class GoalSettings(TypedDict):
    """The settings that state a goal; one of them is None."""

    epsilon: float | None
    relative_epsilon: float | None


def goal_of(epsilon: float | None, relative_epsilon: float | None) -> Goal:
    """Returns the goal that is stated; raises InvalidProblem unless exactly one of the two is."""
    if epsilon is not None and relative_epsilon is not None:
        raise InvalidProblem(
            "relative_epsilon",
            "cannot be combined with epsilon: leave one of them out (epsilon is a difference from the best pair, "
            "relative_epsilon a part of what it earns)",
        )
    if relative_epsilon is not None:
        return Goal(relative_epsilon, relative=True)
    if epsilon is not None:
        return Goal(epsilon)
    raise InvalidProblem("relative_epsilon", "must be given if epsilon is not")


def requested_goal(epsilon: float | None, relative_epsilon: float | None, default: Goal = DEFAULT_GOAL) -> Goal:
    """Returns the goal of a request, where both may be left out; raises InvalidProblem if both are given."""
    if epsilon is None and relative_epsilon is None:
        return default
    return goal_of(epsilon, relative_epsilon)


def settings_of(goal: Goal) -> GoalSettings:
    """Returns the settings that state this goal; the inverse of `goal_of`."""
    return {
        "epsilon": None if goal.relative else goal.epsilon,
        "relative_epsilon": goal.epsilon if goal.relative else None,
    }


def in_words(goal: Goal, model: Model = Model.STOCHASTIC) -> str:
    """Returns what a certified pair is: "within 5 points of the best", "at least 90 % of what the best pair earns".

    In the deterministic model it is the best pair, whatever the goal is.
    """
    if model is Model.DETERMINISTIC:
        return "the exact answer"
    if goal.relative:
        return f"at least {decimal(100 * (1 - goal.epsilon))} % of what the best pair earns"
    return f"within {points(goal.epsilon)} of the best"


def points(difference: float) -> str:
    """Returns a difference of rewards in points: hundredths of a click per impression."""
    number = decimal(100 * difference)
    return f"{number} {'point' if number == '1' else 'points'}"


def decimal(number: float) -> str:
    """Returns a number without an exponent (1e-05), trailing zeros and rounding errors."""
    return f"{number:.12f}".rstrip("0").rstrip(".")
