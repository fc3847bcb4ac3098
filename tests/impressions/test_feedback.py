"""What feedback does to an impression, case by case."""

import pytest

from app.impressions.feedback import Decision, FeedbackStatus, StoredImpression, decide
from app.sessions.model import FixedParts, Settings
from app.wire.serving import Feedback
from tests.examples import feedback
from tests.session_fixtures import MakeSettings, items

OPEN = StoredImpression(
    sequence=1,
    i=2,
    j=0,
    plan_version=1,
    counts=True,
    issued_at=100.0,
    outcome=None,
    clicked=None,
    answered_at=None,
    not_shown=False,
)
CLICK, SILENT = feedback("t", reward=1.0), feedback("t", reward=0.0)
NOT_SHOWN = feedback("t", not_shown=True)


def decided(impression: StoredImpression, given: Feedback, settings: Settings, now: float) -> Decision:
    return decide(impression, given, FixedParts(items(4), settings, b""), now)


def test_first_answer_in_time_is_accepted(make_settings: MakeSettings) -> None:
    decision = decided(OPEN, CLICK, make_settings(), now=219.9)
    assert (decision.status, decision.outcome, decision.late) == (FeedbackStatus.ACCEPTED, 1.0, False)


def test_answer_at_the_moment_of_expiry_is_late(make_settings: MakeSettings) -> None:
    decision = decided(OPEN, CLICK, make_settings(), now=220.0)
    assert (decision.status, decision.outcome, decision.late) == (FeedbackStatus.LATE, 1.0, True)


def test_window_decides_where_there_is_one(make_settings: MakeSettings) -> None:
    settings = make_settings(attribution_window_seconds=2)
    assert decided(OPEN, CLICK, settings, now=101.9).status is FeedbackStatus.ACCEPTED
    assert decided(OPEN, CLICK, settings, now=102.0).status is FeedbackStatus.LATE


@pytest.mark.parametrize("marked", [OPEN._replace(given_up=True), OPEN._replace(void=True)])
def test_feedback_for_an_impression_that_a_fold_gave_up_is_late(
    marked: StoredImpression, make_settings: MakeSettings
) -> None:
    assert decided(marked, CLICK, make_settings(), now=100.1) == Decision(FeedbackStatus.LATE, 1.0, late=True)
    assert decided(marked, NOT_SHOWN, make_settings(), now=100.1) == Decision(FeedbackStatus.LATE)


@pytest.mark.parametrize(
    ("answered", "again", "status"),
    [
        (OPEN._replace(outcome=1.0), CLICK, FeedbackStatus.DUPLICATE),
        (OPEN._replace(outcome=1.0), SILENT, FeedbackStatus.CONFLICT),
        (OPEN._replace(outcome=0.0, answered_at=100.0), SILENT, FeedbackStatus.DUPLICATE),
        (OPEN._replace(outcome=0.0, answered_at=100.0), CLICK, FeedbackStatus.CONFLICT),
        (OPEN._replace(late_outcome=1.0, given_up=True), CLICK, FeedbackStatus.DUPLICATE),
        (OPEN._replace(late_outcome=1.0, given_up=True), SILENT, FeedbackStatus.CONFLICT),
        (OPEN._replace(not_shown=True), CLICK, FeedbackStatus.CONFLICT),
        (OPEN._replace(not_shown=True), NOT_SHOWN, FeedbackStatus.DUPLICATE),
        (OPEN._replace(outcome=1.0), NOT_SHOWN, FeedbackStatus.CONFLICT),
    ],
)
def test_second_answers(
    answered: StoredImpression, again: Feedback, status: FeedbackStatus, make_settings: MakeSettings
) -> None:
    decision = decided(answered, again, make_settings(), now=100.1)
    assert decision.status is status
    assert decision.outcome is None, "nothing is written"
    assert not decision.not_shown


def test_not_shown_in_time_and_too_late(make_settings: MakeSettings) -> None:
    assert decided(OPEN, NOT_SHOWN, make_settings(), now=100.1).not_shown
    late = decided(OPEN, NOT_SHOWN, make_settings(), now=500.0)
    assert (late.status, late.not_shown) == (FeedbackStatus.LATE, False)


@pytest.mark.parametrize(
    ("clicked", "reward", "bits"),
    [(frozenset[int](), 0.0, 0), ({2}, 1.0, 1), ({0}, 1.0, 2), ({0, 2}, 1.0, 3)],
)
def test_item_clicks_become_bits_of_the_slots_shown(
    clicked: frozenset[int], reward: float, bits: int, make_settings: MakeSettings
) -> None:
    decision = decided(OPEN, feedback("t", clicked=frozenset(clicked)), make_settings(feedback="items"), now=100.1)
    assert (decision.outcome, decision.clicked) == (reward, bits)


def test_same_click_on_another_slot_is_a_conflict(make_settings: MakeSettings) -> None:
    answered = OPEN._replace(outcome=1.0, clicked=1)
    again = feedback("t", clicked=frozenset({0}))
    assert decided(answered, again, make_settings(feedback="items"), now=100.1).status is FeedbackStatus.CONFLICT


def test_click_on_an_item_that_was_not_shown_is_refused(make_settings: MakeSettings) -> None:
    decision = decided(OPEN, feedback("t", clicked=frozenset({0, 1})), make_settings(feedback="items"), now=100.1)
    assert (decision.status, decision.outcome) == (FeedbackStatus.INVALID, None)
