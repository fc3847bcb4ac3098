"""Settings as they are stored."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from app.engine.problem import Goal, InvalidProblem, Model, SelfPairs
from app.sessions.model import Settings
from app.wire.vocabulary import FeedbackKind, MissingFeedback, WhileWaiting
from tests.session_fixtures import MakeSettings

STORED: dict[str, Any] = {
    "model": "stochastic",
    "feedback": "items",
    "policy": "lrmc",
    "rank": None,
    "epsilon": 0.1,
    "relative_epsilon": None,
    "delta": 0.05,
    "self_pairs": "explore",
    "explore_share": 0.5,
    "while_waiting": "exploit",
    "attribution_window_seconds": 60.0,
    "ticket_ttl_seconds": 300.0,
    "missing_feedback": "no_click",
    "seed": 7,
}


@pytest.mark.parametrize("rank", [None, 3])
def test_stored_settings_are_read_and_written_as_before(rank: int | None) -> None:
    text = json.dumps({**STORED, "rank": rank}, separators=(",", ":"))
    settings = Settings.from_text(text)
    assert (settings.model, settings.feedback) == (Model.STOCHASTIC, FeedbackKind.ITEMS)
    assert (settings.self_pairs, settings.missing_feedback) == (SelfPairs.EXPLORE, MissingFeedback.NO_CLICK)
    assert settings.rank == ("auto" if rank is None else rank)
    assert settings.problem(5, 100).rank == rank
    assert settings.to_text() == text


def test_a_setting_that_is_not_stored_has_its_default() -> None:
    older = {name: value for name, value in STORED.items() if name not in {"explore_share", "while_waiting", "rank"}}
    settings = Settings.from_plain(older)
    assert (settings.explore_share, settings.while_waiting, settings.rank) == (1.0, WhileWaiting.EXPLORE, "auto")
    assert settings.epsilon == 0.1


def test_sessions_from_before_relative_goals_keep_their_epsilon() -> None:
    older = {name: value for name, value in STORED.items() if name != "relative_epsilon"}
    settings = Settings.from_plain(older)
    assert (settings.goal, settings.problem(5, None).goal) == (Goal(0.1), Goal(0.1))
    assert settings.to_plain() == STORED


def test_a_relative_goal_is_stored_with_a_null_epsilon(make_settings: MakeSettings) -> None:
    """A server of an older version cannot read it, and does not certify the session by another goal."""
    stored = make_settings(relative_epsilon=0.2).to_plain()
    assert (stored["epsilon"], stored["relative_epsilon"]) == (None, 0.2)
    assert Settings.from_plain(stored).goal == Goal(0.2, relative=True)


@pytest.mark.parametrize("goal", [{"epsilon": None}, {"relative_epsilon": 0.1}])
def test_stored_settings_have_exactly_one_goal(goal: dict[str, float | None]) -> None:
    with pytest.raises(InvalidProblem, match="relative_epsilon"):
        _ = Settings.from_plain({**STORED, **goal}).goal


def test_a_setting_of_a_newer_version_is_ignored(make_settings: MakeSettings) -> None:
    settings = make_settings()
    assert Settings.from_plain({**settings.to_plain(), "new_setting": 1}) == settings


def test_a_value_of_a_newer_version_is_refused() -> None:
    with pytest.raises(ValidationError, match="feedback"):
        Settings.from_plain({**STORED, "feedback": "words"})


def test_settings_cannot_be_changed(make_settings: MakeSettings) -> None:
    with pytest.raises(ValidationError, match="frozen"):
        make_settings().epsilon = 0.5
