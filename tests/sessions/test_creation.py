"""Settings that fit together, and errors that name the field to change."""

from typing import Any

import pytest
from pydantic import ValidationError

from app.engine.problem import Model, SelfPairs
from app.errors import InvalidSession
from app.sessions.creation import settle
from app.sessions.model import Item
from app.wire.problem import field_errors
from app.wire.vocabulary import FeedbackKind, MissingFeedback
from tests.session_fixtures import items, new_session


def test_defaults() -> None:
    settings = settle(new_session(items=items(3)))
    assert (settings.epsilon, settings.delta, settings.rank) == (0.05, 0.05, "auto")
    assert (settings.self_pairs, settings.missing_feedback) == (SelfPairs.NEVER, MissingFeedback.VOID)
    assert settings.final_after_seconds == 120


def test_defaults_follow_the_model_and_the_window() -> None:
    exact = settle(new_session(items=items(3), model=Model.DETERMINISTIC))
    assert (exact.policy, exact.self_pairs) == ("plans", SelfPairs.EXPLORE)
    windowed = settle(new_session(items=items(3), attribution_window_seconds=60))
    assert (windowed.missing_feedback, windowed.final_after_seconds) == (MissingFeedback.NO_CLICK, 60)


def test_seeds_differ_unless_given() -> None:
    assert settle(new_session(items=items(2))).seed != settle(new_session(items=items(2))).seed
    assert settle(new_session(items=items(2), seed=5)).seed == 5


def test_a_rank_is_taken_by_the_policies_that_use_it() -> None:
    taking = {"lrmc": Model.STOCHASTIC, "rplans_literal": Model.STOCHASTIC, "plans": Model.DETERMINISTIC}
    for policy, model in taking.items():
        new = new_session(items=items(3), policy=policy, model=model, rank=2, self_pairs=SelfPairs.EXPLORE)
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
        ({"delta": float("nan")}, "delta"),
        ({"rank": 4}, "rank"),
        ({"rank": 2}, "rank"),
        ({"rank": 2, "policy": "lucb"}, "rank"),
        ({"budget": 0}, "budget"),
        ({"policy": "magic"}, "policy"),
        ({"policy": "plans"}, "policy"),
        ({"policy": "rplans_literal", "self_pairs": SelfPairs.EXPLORE}, "rank"),
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
