"""Forecasts near the end of sessions, where a few bets that lose decide how long it takes."""

import numpy as np

from tests.statistics.forecasts import EPSILON, TARGET, Cell, forecasts

NEAR_THE_END = 0.9


def test_with_item_clicks_forecasts_near_the_end_come_true() -> None:
    sessions = [Cell(family, 20, "items").session(seed) for family in EPSILON for seed in range(3)]
    late = [one.ratio for session in sessions for one in forecasts(session) if one.done >= NEAR_THE_END]
    assert len(late) > 50
    assert TARGET[0] < np.median(late) < TARGET[1]


def test_no_forecast_is_less_than_what_the_plan_asks_for() -> None:
    for way in ("pairs", "items"):
        session = Cell("ads20", 10, way).session(0)
        asked = [(step.report.forecast_samples, step.demand.total) for step in session.plans[1:-1]]
        assert all(forecast is not None and forecast >= total for forecast, total in asked)
