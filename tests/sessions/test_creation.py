"""Settings that fit together, and errors that name the field to change."""

from typing import Any

import pytest
from pydantic import ValidationError

from app.engine.problem import Goal, Model, SelfPairs
from app.errors import InvalidSession
from app.sessions.creation import settle
from app.sessions.model import Item
from app.wire.goal import DEFAULT_GOAL
from app.wire.problem import field_errors
from app.wire.vocabulary import FeedbackKind, MissingFeedback
from tests.session_fixtures import items, new_session


def test_defaults() -> None:
    settings = settle(new_session(items=items(3)))
    assert (settings.epsilon, settings.relative_epsilon, settings.delta) == (None, 0.1, 0.05)
    assert settings.rank == "auto"
    assert (settings.self_pairs, settings.missing_feedback) == (SelfPairs.NEVER, MissingFeedback.VOID)
    assert settings.final_after_seconds == 120


def test_defaults_follow_the_model_and_the_window() -> None:
    exact = settle(new_session(items=items(3), model=Model.DETERMINISTIC))
    assert (exact.policy, exact.self_pairs) == ("plans", SelfPairs.EXPLORE)
    windowed = settle(new_session(items=items(3), attribution_window_seconds=60))
    assert (windowed.missing_feedback, windowed.final_after_seconds) == (MissingFeedback.NO_CLICK, 60)


def test_a_goal_is_absolute_or_relative() -> None:
    absolute, relative = (
        settle(new_session(items=items(3), **{name: 0.2})) for name in ("epsilon", "relative_epsilon")
    )
    assert (absolute.epsilon, absolute.relative_epsilon, absolute.goal) == (0.2, None, Goal(0.2))
    assert (relative.epsilon, relative.relative_epsilon, relative.goal) == (None, 0.2, Goal(0.2, relative=True))
    for settings in (absolute, relative):
        assert settings.problem(3, None).goal == settings.goal


def test_null_means_left_out() -> None:
    assert settle(new_session(items=items(3), epsilon=0.2, relative_epsilon=None)).goal == Goal(0.2)
    assert settle(new_session(items=items(3), epsilon=None, relative_epsilon=None)).goal == DEFAULT_GOAL


def test_two_goals_are_refused_with_the_advice_to_leave_one_out() -> None:
    with pytest.raises(InvalidSession, match="cannot be combined with epsilon: leave one of them out"):
        settle(new_session(items=items(3), epsilon=0.05, relative_epsilon=0.1))


@pytest.mark.parametrize("stated", [{}, {"relative_epsilon": 0.1}])
@pytest.mark.parametrize("policy", ["median_elimination", "rplans_literal"])
def test_policies_that_compute_sample_sizes_from_epsilon_ask_for_it(policy: str, stated: dict[str, Any]) -> None:
    exploring = {"self_pairs": SelfPairs.EXPLORE, **({"rank": 2} if policy == "rplans_literal" else {})}
    with pytest.raises(InvalidSession, match=f'policy "{policy}" cannot .*relative goal: give epsilon') as refused:
        settle(new_session(items=items(3), policy=policy, **exploring, **stated))
    assert refused.value.field == "relative_epsilon"
    assert settle(new_session(items=items(3), policy=policy, epsilon=0.1, **exploring)).goal == Goal(0.1)


def test_the_deterministic_model_has_the_same_default_goal() -> None:
    """It asks for the exact answer in any case."""
    assert settle(new_session(items=items(3), model=Model.DETERMINISTIC)).goal == DEFAULT_GOAL
    assert settle(new_session(items=items(3), model=Model.DETERMINISTIC, epsilon=0.3)).goal == Goal(0.3)


def test_seeds_differ_unless_given() -> None:
    assert settle(new_session(items=items(2))).seed != settle(new_session(items=items(2))).seed
    assert settle(new_session(items=items(2), seed=5)).seed == 5


def test_a_rank_is_taken_by_the_policies_that_use_it() -> None:
    taking = {"lrmc": Model.STOCHASTIC, "rplans_literal": Model.STOCHASTIC, "plans": Model.DETERMINISTIC}
    for policy, model in taking.items():
        new = new_session(items=items(3), policy=policy, model=model, rank=2, epsilon=0.1, self_pairs=SelfPairs.EXPLORE)
        assert settle(new).rank == 2
    with pytest.raises(InvalidSession, match=r'"rplans" does not use a rank: leave it out \("auto"\); lrmc, plans, '):
        settle(new_session(items=items(3), rank=2))


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"items": items(1)}, "items"),
        ({"items": (Item("a", ""), Item("a", ""))}, "items"),
        ({"items": items(5001)}, "items"),
        ({"epsilon": 0.0}, "epsilon"),
        ({"epsilon": 2.0}, "epsilon"),
        ({"relative_epsilon": 0.0}, "relative_epsilon"),
        ({"relative_epsilon": 1.0}, "relative_epsilon"),
        ({"relative_epsilon": float("nan")}, "relative_epsilon"),
        ({"epsilon": 0.1, "relative_epsilon": 0.1}, "relative_epsilon"),
        ({"policy": "median_elimination", "relative_epsilon": 0.1}, "relative_epsilon"),
        ({"policy": "median_elimination"}, "relative_epsilon"),
        ({"delta": float("nan")}, "delta"),
        ({"rank": 4}, "rank"),
        ({"rank": 2}, "rank"),
        ({"rank": 2, "policy": "lucb"}, "rank"),
        ({"budget": 0}, "budget"),
        ({"policy": "magic"}, "policy"),
        ({"policy": "plans"}, "policy"),
        ({"policy": "rplans_literal", "self_pairs": SelfPairs.EXPLORE, "epsilon": 0.1}, "rank"),
        ({"policy": "rplans_literal", "rank": 2}, "self_pairs"),
        ({"explore_share": 0.0}, "explore_share"),
        ({"explore_share": 1.5}, "explore_share"),
        ({"attribution_window_seconds": -1.0}, "attribution_window_seconds"),
        ({"attribution_window_seconds": float("inf")}, "attribution_window_seconds"),
        ({"ticket_ttl_seconds": 0.0}, "ticket_ttl_seconds"),
        ({"missing_feedback": MissingFeedback.NO_CLICK}, "missing_feedback"),
        ({"model": Model.DETERMINISTIC, "attribution_window_seconds": 5.0}, "attribution_window_seconds"),
        ({"model": Model.DETERMINISTIC, "feedback": FeedbackKind.ITEMS}, "feedback"),
        ({"model": Model.DETERMINISTIC, "policy": "lucb"}, "policy"),
        ({"seed": -1}, "seed"),
    ],
)
def test_what_does_not_fit_names_its_field(changes: dict[str, Any], field: str) -> None:
    try:
        settle(new_session(**{"items": items(3), **changes}))
    except InvalidSession as error:  # a rule for several settings
        refused = [(error.field, error.detail)]
    except ValidationError as error:  # the limits of one
        refused = [(each.field, each.message) for each in field_errors(error)]
    assert [(name, bool(advice)) for name, advice in refused] == [(field, True)]
