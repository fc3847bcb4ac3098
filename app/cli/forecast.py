"""`bestpair forecast`: impressions and days until a session is certified, before it starts."""

from typing import Annotated

import typer

from app.cli.options import AsJson, Delta, Epsilon, RelativeEpsilon
from app.engine.problem import Goal, InvalidProblem, Problem
from app.forecast.answer import answer
from app.forecast.model import shipped_model
from app.wire.forecast import LEAST_TRAFFIC, MOST_TRAFFIC, Estimated, Forecast, ForecastQuery, Requirement
from app.wire.goal import decimal, in_words, requested_goal
from app.wire.session_settings import MOST_ITEMS
from app.wire.vocabulary import FeedbackKind

FEEDBACK_WORDS = {FeedbackKind.ITEMS: "which items were clicked", FeedbackKind.PAIR: "click or no click"}


def forecast(
    items: Annotated[int, typer.Option(min=2, max=MOST_ITEMS, help="Number of items.")],
    click_rate: Annotated[float, typer.Option(help="Mean click rate of a single item, such as 0.005.")],
    best_click_rate: Annotated[
        float | None, typer.Option(help="Click rate of the item that is clicked most, if known: a narrower range.")
    ] = None,
    items_clicked: Annotated[
        bool, typer.Option("--items-clicked", "--item-clicks", help="Feedback will name the clicked items.")
    ] = False,
    epsilon: Epsilon = None,
    relative_epsilon: RelativeEpsilon = None,
    delta: Delta = 0.05,
    traffic: Annotated[float | None, typer.Option(help="Impressions a day, for a forecast in days.")] = None,
    as_json: AsJson = False,
) -> None:
    """Estimate how long a session will take, from a model that was fitted to simulated sessions.

    It takes no time, and is within a factor of two in most cases: populations differ. `bestpair experiment planner`
    simulates whole sessions instead.
    """
    goal = requested_goal(epsilon, relative_epsilon)
    Problem(n_items=items, goal=goal, delta=delta)  # raises InvalidProblem that names the setting
    if traffic is not None and not LEAST_TRAFFIC <= traffic <= MOST_TRAFFIC:
        raise InvalidProblem("traffic", f"must be between {LEAST_TRAFFIC:g} and {MOST_TRAFFIC:g}, got {traffic:g}")
    query = ForecastQuery.model_construct(
        items=items,
        click_rate=click_rate,
        best_click_rate=best_click_rate,
        feedback=FeedbackKind.ITEMS if items_clicked else FeedbackKind.PAIR,
        epsilon=epsilon,
        relative_epsilon=relative_epsilon,
        delta=delta,
        traffic=traffic,
    )
    found = answer(shipped_model(), query)
    typer.echo(found.model_dump_json() if as_json else _text(found, goal))


def _text(found: Forecast, goal: Goal) -> str:
    """Returns the forecast for people: feedback by item first, since it needs far fewer impressions."""
    own = Requirement(feedback=found.feedback, impressions=found.impressions, days=found.days)
    both = sorted((own, found.other_feedback), key=lambda one: one.feedback is not FeedbackKind.ITEMS)
    lines = [
        f"{found.items:,} items, mean click rate {found.click_rate:.3%}; the best pair should earn about "
        f"{found.best_reward:.2%}.",
        f"Goal: {in_words(goal)}, {decimal(100 * (1 - found.delta))} % sure.",
        "",
        *(_line(one, own=one is own) for one in both),
        "",
        "The range holds in 80 % of cases; without waiting for late answers, and with all traffic exploring.",
    ]
    if found.feedback is FeedbackKind.PAIR:
        lines.append('If your server knows which item was clicked, create the session with "feedback": "items".')
    return "\n".join([*lines, *(f"note: {note}" for note in found.notes)])


def _line(one: Requirement, *, own: bool) -> str:
    days = "" if one.days is None else f", {_range(one.days)} days"
    name = FEEDBACK_WORDS[one.feedback]
    return f"{'*' if own else ' '} {name + ':':<26} {_range(one.impressions)} impressions{days}"


def _range(value: Estimated) -> str:
    return f"{_number(value.median)} ({_number(value.low)} to {_number(value.high)})"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 or value == 0 else f"{value:g}"
