"""What an answer is worth, case by case."""

from dataclasses import replace

import pytest

from app.impressions.judging import judge
from app.sessions.model import Feedback, FeedbackStatus, StoredImpression
from tests.session_fixtures import MakeSettings

OPEN = StoredImpression(
    sequence=1,
    i=2,
    j=0,
    issued_at=100.0,
    outcome=None,
    clicked=None,
    not_shown=False,
    late_outcome=None,
    late_clicked=None,
    epoch=None,
    void=False,
)
CLICK, SILENT = Feedback("t", reward=1.0), Feedback("t", reward=0.0)
NOT_SHOWN = Feedback("t", not_shown=True)


def test_first_answer_in_time_is_accepted(make_settings: MakeSettings) -> None:
    judged = judge(OPEN, CLICK, make_settings(), now=399.9)
    assert (judged.status, judged.outcome, judged.late) == (FeedbackStatus.ACCEPTED, 1.0, False)


def test_answer_at_the_moment_of_expiry_is_late(make_settings: MakeSettings) -> None:
    judged = judge(OPEN, CLICK, make_settings(), now=400.0)
    assert (judged.status, judged.outcome, judged.late) == (FeedbackStatus.LATE, 1.0, True)


def test_window_decides_where_there_is_one(make_settings: MakeSettings) -> None:
    settings = make_settings(attribution_window_seconds=2)
    assert judge(OPEN, CLICK, settings, now=101.9).status is FeedbackStatus.ACCEPTED
    assert judge(OPEN, CLICK, settings, now=102.0).status is FeedbackStatus.LATE


@pytest.mark.parametrize("stamped", [replace(OPEN, epoch=3), replace(OPEN, void=True)])
def test_what_a_fold_has_dealt_with_is_late(stamped: StoredImpression, make_settings: MakeSettings) -> None:
    assert judge(stamped, CLICK, make_settings(), now=100.1).status is FeedbackStatus.LATE


@pytest.mark.parametrize(
    ("answered", "again", "status"),
    [
        (replace(OPEN, outcome=1.0), CLICK, FeedbackStatus.DUPLICATE),
        (replace(OPEN, outcome=1.0), SILENT, FeedbackStatus.CONFLICT),
        (replace(OPEN, outcome=0.0, epoch=4), SILENT, FeedbackStatus.DUPLICATE),
        (replace(OPEN, outcome=0.0, epoch=4), CLICK, FeedbackStatus.CONFLICT),
        (replace(OPEN, late_outcome=1.0, void=True), CLICK, FeedbackStatus.DUPLICATE),
        (replace(OPEN, late_outcome=1.0, void=True), SILENT, FeedbackStatus.CONFLICT),
        (replace(OPEN, not_shown=True), CLICK, FeedbackStatus.CONFLICT),
        (replace(OPEN, not_shown=True), NOT_SHOWN, FeedbackStatus.DUPLICATE),
        (replace(OPEN, outcome=1.0), NOT_SHOWN, FeedbackStatus.CONFLICT),
    ],
)
def test_second_answers(
    answered: StoredImpression, again: Feedback, status: FeedbackStatus, make_settings: MakeSettings
) -> None:
    judged = judge(answered, again, make_settings(), now=100.1)
    assert judged.status is status
    assert judged.outcome is None, "nothing is written"
    assert not judged.not_shown


def test_not_shown_in_time_and_too_late(make_settings: MakeSettings) -> None:
    assert judge(OPEN, NOT_SHOWN, make_settings(), now=100.1).not_shown
    late = judge(OPEN, NOT_SHOWN, make_settings(), now=500.0)
    assert (late.status, late.not_shown) == (FeedbackStatus.LATE, False)


@pytest.mark.parametrize(
    ("clicked", "reward", "bits"),
    [(frozenset[int](), 0.0, 0), ({2}, 1.0, 1), ({0}, 1.0, 2), ({0, 2}, 1.0, 3)],
)
def test_item_clicks_become_bits_of_the_slots_shown(
    clicked: frozenset[int], reward: float, bits: int, make_settings: MakeSettings
) -> None:
    judged = judge(OPEN, Feedback("t", clicked=frozenset(clicked)), make_settings(feedback="items"), now=100.1)
    assert (judged.outcome, judged.clicked) == (reward, bits)


def test_same_click_on_another_slot_is_a_conflict(make_settings: MakeSettings) -> None:
    answered = replace(OPEN, outcome=1.0, clicked=1)
    again = Feedback("t", clicked=frozenset({0}))
    assert judge(answered, again, make_settings(feedback="items"), now=100.1).status is FeedbackStatus.CONFLICT


def test_click_on_an_item_that_was_not_shown_is_refused(make_settings: MakeSettings) -> None:
    judged = judge(OPEN, Feedback("t", clicked=frozenset({0, 1})), make_settings(feedback="items"), now=100.1)
    assert (judged.status, judged.outcome) == (FeedbackStatus.INVALID, None)
