"""The polynomials by hand, on a small model; and that the shipped model is not garbage."""

import json
import math
from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.problem import Goal, InvalidProblem, Problem
from app.forecast.model import Forecast, Model, evaluate, shipped_model, slope
from experiments.forecast_model import Point, score
from tests.docs.blocks import ROOT

STORED: dict[str, Any] = {
    "format": 1,
    "ranges": {
        "items": [5, 300], "click_rate": [0.001, 0.1], "accuracy": [0.05, 0.5], "delta": [0.01, 0.2], "t": [-1, 1],
    },
    "easier_from": 100,
    "best_click_rate": {"1": math.log(0.03), "r": 1},
    "best_reward": {"1": math.log(0.05), "r": 1, "t": 1},
    "feedback": {
        "pair": {
            "impressions": {"1": math.log(1e6), "k": 1, "r": -1, "a": -2, "d": 0.5, "t": -1, "k*k": 0.1},
            "residuals": {"known": [-0.5, 0.4], "unknown_relative": [-1, 1], "unknown_absolute": [-0.7, 0.6]},
        },
        "items": {
            "impressions": {"1": math.log(1e5)},
            "residuals": {"known": [0, 0], "unknown_relative": [0, 0], "unknown_absolute": [0, 0]},
        },
    },
}  # fmt: skip
SMALL = Model.from_json(STORED)
ACCURACY_OF_A_TENTH = 0.1 / 0.95


def problem(
    n_items: int = 30, epsilon: float = 0.1, *, relative: bool = True, delta: float = 0.05, item_clicks: bool = False
) -> Problem:
    goal = Goal(epsilon, relative=relative)
    return Problem(n_items=n_items, goal=goal, delta=delta, item_clicks=item_clicks)


def hazard(probability: float) -> float:
    return -math.log1p(-probability)


def test_the_value_by_hand() -> None:
    found = SMALL.forecast(problem(), 0.01)
    expected = 1e6 * (ACCURACY_OF_A_TENTH / 0.1) ** -2
    assert found.median == pytest.approx(expected)
    assert found.low == pytest.approx(expected / math.e)
    assert found.high == pytest.approx(expected * math.e)
    assert hazard(found.best_reward) == pytest.approx(0.05)
    assert not found.extrapolated
    more = SMALL.forecast(problem(60, delta=0.01), 0.02)
    factor = 2 * math.exp(0.1 * math.log(2) ** 2) / 2 * (math.log(100) / math.log(20)) ** 0.5
    assert more.median == pytest.approx(expected * factor)
    assert SMALL.forecast(problem(item_clicks=True), 0.01).median == pytest.approx(1e5)


def test_a_known_best_item_moves_the_forecast_and_narrows_the_range() -> None:
    plain = SMALL.forecast(problem(), 0.01)
    best = -math.expm1(-0.06)  # twice as good as expected, on the scale of the model
    known = SMALL.forecast(problem(), 0.01, best)
    assert known.median == pytest.approx(plain.median / 2)
    assert known.low == pytest.approx(known.median * math.exp(-0.5))
    assert known.high == pytest.approx(known.median * math.exp(0.4))
    assert hazard(known.best_reward) == pytest.approx(0.1)
    as_expected = SMALL.forecast(problem(), 0.01, -math.expm1(-0.03))
    assert as_expected.median == pytest.approx(plain.median)


@pytest.mark.parametrize("best", [None, 0.05])
def test_an_absolute_goal_is_a_relative_goal_of_the_expected_reward(best: float | None) -> None:
    relative = SMALL.forecast(problem(), 0.01, best)
    epsilon = ACCURACY_OF_A_TENTH * relative.best_reward
    absolute = SMALL.forecast(problem(epsilon=epsilon, relative=False), 0.01, best)
    assert absolute.median == pytest.approx(relative.median)
    assert absolute.accuracy == pytest.approx(ACCURACY_OF_A_TENTH)
    assert absolute.high / absolute.median == pytest.approx(math.exp(0.6 if best is None else 0.4))


def test_outside_of_the_range_the_tangent_continues_upwards_only() -> None:
    edge, outside = (SMALL.forecast(problem(n), 0.01) for n in (300, 5000))
    power = 1 + 2 * 0.1 * math.log(300 / 30)
    assert outside.median == pytest.approx(edge.median * (5000 / 300) ** power)
    assert (edge.extrapolated, outside.extrapolated) == (False, True)
    assert SMALL.forecast(problem(), 2e-4).median == pytest.approx(5 * SMALL.forecast(problem(), 0.001).median)
    assert SMALL.forecast(problem(epsilon=0.01), 0.01).extrapolated
    for edge, outside in (
        (SMALL.forecast(problem(5), 0.01), SMALL.forecast(problem(3), 0.01)),
        (SMALL.forecast(problem(), 0.1), SMALL.forecast(problem(), 0.5)),
        (SMALL.forecast(problem(delta=0.2), 0.01), SMALL.forecast(problem(delta=0.9), 0.01)),
    ):
        assert outside.median == pytest.approx(edge.median)
        assert outside.extrapolated


def test_with_many_items_only_higher_click_rates_and_coarser_goals_were_simulated() -> None:
    many = problem(225)  # 2.25 times as many as the sessions with all click rates: 1.5^3 = 3.375, and 1.5
    assert SMALL.simulated("click_rate", 225).low == pytest.approx(0.003375)
    assert SMALL.simulated("accuracy", 225).low == pytest.approx(0.075)
    assert SMALL.simulated("delta", 225) == SMALL.simulated("delta", 20) == (0.01, 0.2)
    assert [SMALL.forecast(many, rate).extrapolated for rate in (0.003, 0.004)] == [True, False]
    assert [SMALL.forecast(problem(100), rate).extrapolated for rate in (0.0009, 0.0011)] == [True, False]
    rare, edge = (SMALL.forecast(many, rate).median for rate in (0.0010125, 0.003375))
    assert rare == pytest.approx(edge / 0.3), "along the tangent"


def test_below_the_simulated_click_rates_a_session_needs_the_same_number_of_clicks() -> None:
    flat = {**STORED["feedback"]["pair"], "impressions": {"1": 10.0, "r": -0.5}}
    model = Model.from_json({**STORED, "feedback": {**STORED["feedback"], "pair": flat}})
    edge, outside = (model.forecast(problem(), rate).median for rate in (0.001, 0.0001))
    assert outside == pytest.approx(10 * edge), "not the 3.2 times of the tangent"
    steep = {**flat, "impressions": {"1": 10.0, "r": -1.5}}
    model = Model.from_json({**STORED, "feedback": {**STORED["feedback"], "pair": steep}})
    edge, outside = (model.forecast(problem(), rate).median for rate in (0.001, 0.0001))
    assert outside == pytest.approx(10**1.5 * edge)


def test_two_items_need_nothing() -> None:
    found = SMALL.forecast(problem(2), 0.01)
    assert (found.low, found.median, found.high, found.extrapolated) == (0, 0, 0, False)


@pytest.mark.parametrize("rate", [0.0, 1.0, -0.1, math.nan, math.inf])
def test_click_rates_that_cannot_be(rate: float) -> None:
    with pytest.raises(InvalidProblem, match="click_rate: must be strictly between 0 and 1"):
        SMALL.forecast(problem(), rate)


@pytest.mark.parametrize(("rate", "best"), [(0.01, 0.009), (0.01, 1.0), (0.01, 0.31), (0.01, math.nan)])
def test_best_click_rates_that_cannot_be(rate: float, best: float) -> None:
    with pytest.raises(InvalidProblem, match="best_click_rate: must be at least the mean"):
        SMALL.forecast(problem(), rate, best)


def test_another_layout_is_refused() -> None:
    with pytest.raises(ValueError, match="must have the format 1, got 2"):
        Model.from_json({**STORED, "format": 2})


def test_slopes_are_derivatives() -> None:
    polynomial, x = {"1": 3.0, "k": 2.0, "k*k": 5.0, "k*r": 7.0}, {"k": 0.3, "r": -0.2}
    step = 1e-6
    for name, value in x.items():
        moved = {**x, name: value + step}
        assert slope(polynomial, name, x) == pytest.approx(
            (evaluate(polynomial, moved) - evaluate(polynomial, x)) / step, abs=1e-4
        )


inside = st.floats(0, 1, exclude_min=True, exclude_max=True)


@given(
    st.integers(2, 5000), inside, inside, inside, st.booleans(), st.booleans(), st.one_of(st.none(), st.floats(0, 1))
)
def test_every_valid_question_has_a_finite_forecast(
    n_items: int, rate: float, epsilon: float, delta: float, relative: bool, item_clicks: bool, part: float | None
) -> None:
    asked = problem(n_items, epsilon, relative=relative, delta=delta, item_clicks=item_clicks)
    best = None if part is None else rate + part * (min(n_items * rate, 0.999_999) - rate)
    if best is not None and not rate <= best < 1:
        best = None
    for model in (SMALL, shipped_model()):
        found = model.forecast(asked, rate, best)
        assert 0 <= found.low <= found.median <= found.high < math.inf
        assert 0 < found.best_reward <= 1


# The shipped model.

ITEMS = (5, 10, 30, 100, 300, 1000, 2000)
RATES = (0.001, 0.005, 0.02, 0.1, 0.3)
EPSILONS = (0.05, 0.1, 0.2, 0.3)


def shipped(n_items: int, rate: float, epsilon: float, **options: Any) -> Forecast:
    return shipped_model().forecast(problem(n_items, epsilon, **options), rate)


def every() -> Iterator[tuple[int, float, float, bool]]:
    return product(ITEMS, RATES, EPSILONS, (False, True))


def test_more_items_need_more() -> None:
    for rate, epsilon, item_clicks in product(RATES, EPSILONS, (False, True)):
        counts = [shipped(n, rate, epsilon, item_clicks=item_clicks).median for n in ITEMS]
        assert all(more > less for less, more in pairwise(counts)), (rate, epsilon, item_clicks, counts)


def test_lower_click_rates_need_more() -> None:
    for n, epsilon, item_clicks in product(ITEMS, EPSILONS, (False, True)):
        counts = [shipped(n, rate, epsilon, item_clicks=item_clicks).median for rate in RATES]
        assert all(less < more for more, less in pairwise(counts)), (n, epsilon, item_clicks, counts)


def test_a_finer_goal_and_a_higher_confidence_need_more() -> None:
    for n, rate, item_clicks in product(ITEMS, RATES, (False, True)):
        counts = [shipped(n, rate, epsilon, item_clicks=item_clicks).median for epsilon in EPSILONS]
        assert all(less < more for more, less in pairwise(counts)), (n, rate, item_clicks, counts)
        sure, unsure = (shipped(n, rate, 0.1, delta=delta, item_clicks=item_clicks).median for delta in (0.01, 0.2))
        assert 1 < sure / unsure < 4, (n, rate, item_clicks)


def test_feedback_by_item_needs_fewer() -> None:
    """Where three users in ten click an item, nearly any pair will do, and both need about as many."""
    for n, rate, epsilon in product(ITEMS, [rate for rate in RATES if rate < 0.3], EPSILONS):
        pair, items = (shipped(n, rate, epsilon, item_clicks=item_clicks).median for item_clicks in (False, True))
        assert items < pair, (n, rate, epsilon)


def test_both_goals_agree_where_the_reward_is_as_expected() -> None:
    for n, rate, epsilon, item_clicks in every():
        relative = shipped(n, rate, epsilon, item_clicks=item_clicks)
        absolute = epsilon / (1 - epsilon / 2) * relative.best_reward
        if absolute < 1:
            found = shipped(n, rate, absolute, relative=False, item_clicks=item_clicks)
            assert found.median == pytest.approx(relative.median)


def test_the_shipped_model_is_in_line_with_whole_simulations() -> None:
    """From the design document: 30 items, Beta(1, 199), so click rate .005, one group."""
    for epsilon, item_clicks, needed in (
        (0.2, False, 940_000), (0.1, False, 2_100_000), (0.2, True, 93_000), (0.1, True, 134_000),
    ):  # fmt: skip
        found = shipped(30, 0.005, epsilon, item_clicks=item_clicks)
        assert found.low / 2 < needed < found.high * 2


@pytest.mark.parametrize("feedback", ["pair", "items"])
def test_the_shipped_model_fits_the_sessions_it_was_made_from(feedback: str) -> None:
    rows = json.loads((ROOT / "docs/results/forecast.json").read_text())
    points = [point for point in map(Point.from_json, rows) if point.feedback == feedback]
    assert len(points) >= 100
    plain, known = (score(points, shipped_model(), best_known=known) for known in (False, True))
    assert plain.within[1] > 0.7
    assert known.within[0] > 0.75
    assert known.within[1] > 0.92
    for one in (plain, known):
        assert one.in_range == pytest.approx(0.8, abs=0.03), "by construction, unless points and model differ"
        assert 0.85 < one.bias < 1.18
