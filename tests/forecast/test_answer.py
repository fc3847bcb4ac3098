"""The response: both kinds of feedback, rounded, with days and notes."""

import pytest

from app.engine.problem import InvalidProblem
from app.forecast.answer import answer
from app.wire.forecast import Forecast, ForecastQuery
from tests.forecast.test_model import SMALL


def asked(**given: object) -> Forecast:
    return answer(SMALL, ForecastQuery.model_validate({"items": 30, "click_rate": 0.01, **given}))


def test_impressions_and_days_have_two_digits() -> None:
    found = asked(traffic=70_000)
    assert (found.impressions.low, found.impressions.median, found.impressions.high) == (330_000, 900_000, 2_500_000)
    assert found.days is not None
    assert (found.days.low, found.days.median, found.days.high) == (4.7, 13, 35)
    assert asked().days is None
    assert asked().other_feedback.days is None


def test_the_other_kind_of_feedback_is_the_other_one() -> None:
    pair, items = asked(), asked(feedback="items")
    assert (pair.feedback, pair.other_feedback.feedback) == ("pair", "items")
    assert (items.feedback, items.other_feedback.feedback) == ("items", "pair")
    assert pair.other_feedback.impressions == items.impressions
    assert items.other_feedback.impressions == pair.impressions
    assert items.impressions.median == 100_000


def test_the_goal_is_repeated_and_has_a_default() -> None:
    assert (asked().relative_epsilon, asked().epsilon) == (0.1, None)
    absolute = asked(epsilon=0.01)
    assert (absolute.relative_epsilon, absolute.epsilon) == (None, 0.01)
    with pytest.raises(InvalidProblem, match="relative_epsilon: cannot be combined"):
        asked(epsilon=0.1, relative_epsilon=0.1)


def test_notes() -> None:
    assert asked().notes == []
    (wide, outside) = asked(epsilon=0.03).notes
    assert "epsilon is more than half of what the best pair is expected to earn (0.049)" in wide
    assert "5 to 300 items, and with this number of items click rates 0.001 to 0.1, goals of 0.05 to 0.5" in outside
    (rare,) = asked(items=200, click_rate=0.002).notes
    assert "click rates 0.0028 to 0.1, goals of 0.071 to 0.5" in rare
    far = asked(items=5000)
    assert far.extrapolated
    assert len(far.notes) == 1
    assert asked(items=2).notes == ["two items make one pair, which is certified at once"]
