"""The response of `GET /v1/forecast` and `bestpair forecast --json`: both kinds of feedback, rounded, with notes."""

from app.engine.health import epsilon_is_too_large
from app.engine.problem import Goal, Problem
from app.forecast.model import Forecast, Model
from app.wire import forecast as wire
from app.wire.goal import requested_goal, settings_of
from app.wire.session_settings import FEWEST_ITEMS
from app.wire.vocabulary import FeedbackKind


def answer(model: Model, query: wire.ForecastQuery) -> wire.Forecast:
    """Returns the forecast for the planned session; raises InvalidProblem if the query contradicts itself."""
    goal = requested_goal(query.epsilon, query.relative_epsilon)
    found = {
        kind: model.forecast(
            Problem(n_items=query.items, goal=goal, delta=query.delta, item_clicks=kind is FeedbackKind.ITEMS),
            query.click_rate,
            query.best_click_rate,
        )
        for kind in FeedbackKind
    }
    needed = {kind: _requirement(kind, one, query.traffic) for kind, one in found.items()}
    own, expected = needed.pop(query.feedback), found[query.feedback]
    (other,) = needed.values()
    return wire.Forecast(
        items=query.items,
        click_rate=query.click_rate,
        best_click_rate=query.best_click_rate,
        **settings_of(goal),
        delta=query.delta,
        traffic=query.traffic,
        best_reward=_round(expected.best_reward),
        feedback=query.feedback,
        impressions=own.impressions,
        days=own.days,
        other_feedback=other,
        extrapolated=expected.extrapolated,
        notes=_notes(model, query, goal, expected),
    )


def _requirement(kind: FeedbackKind, found: Forecast, traffic: float | None) -> wire.Requirement:
    impressions = wire.Estimated(median=_round(found.median), low=_round(found.low), high=_round(found.high))
    days = None
    if traffic is not None:
        median, low, high = (_round(count / traffic) for count in (found.median, found.low, found.high))
        days = wire.Estimated(median=median, low=low, high=high)
    return wire.Requirement(feedback=kind, impressions=impressions, days=days)


def _notes(model: Model, query: wire.ForecastQuery, goal: Goal, found: Forecast) -> list[str]:
    if query.items == FEWEST_ITEMS:
        return ["two items make one pair, which is certified at once"]
    notes = []
    if not goal.relative and epsilon_is_too_large(goal.epsilon, found.best_reward):  # as in the health note
        notes.append(
            f"epsilon is more than half of what the best pair is expected to earn ({found.best_reward:.2g}), so a "
            "certificate would promise little; use relative_epsilon"
        )
    if found.extrapolated:
        some = [model.simulated(name, query.items) for name in ("items", "click_rate", "accuracy", "delta")]
        items, rates, goals, deltas = (f"{low:.2g} to {high:g}" for low, high in some)
        notes.append(
            f"less certain, because it is outside of what was simulated: {items} items, and with this number of items "
            f"click rates {rates}, goals of {goals} of the best reward, delta {deltas}"
        )
    return notes


def _round(value: float) -> float:
    """Returns the value with two digits: the forecast is not more precise."""
    return float(f"{value:.2g}")
