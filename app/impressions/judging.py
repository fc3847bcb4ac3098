"""What an answer is worth: a pure decision on one impression, taken inside the writer's transaction."""

from typing import NamedTuple

from app.sessions.model import Feedback, FeedbackStatus, Settings, StoredImpression


class Judgement(NamedTuple):
    """The status to answer with, and what to write, if anything."""

    status: FeedbackStatus
    outcome: float | None = None  # write as the outcome
    clicked: int | None = None
    not_shown: bool = False  # mark as not shown: void at the next fold
    late: bool = False  # write outcome and clicked into the late columns instead


def judge(impression: StoredImpression, feedback: Feedback, settings: Settings, now: float) -> Judgement:
    """Returns what to do with an answer that arrives at `now` (database time, read after the row was locked).

    Final decides: an answer counts if it arrives before the impression is final, and only the first one does. The
    fold that counts an impression stamps its epoch under the same row lock, so an answer can never slip in behind it.
    """
    if feedback.not_shown:
        return _judge_not_shown(impression, settings, now)
    if feedback.clicked is not None and not feedback.clicked <= {impression.i, impression.j}:
        # Taking it for "neither was clicked" would turn a click into a non-click.
        return Judgement(FeedbackStatus.INVALID)
    outcome, clicked = _value(impression, feedback)
    before = _answer_before(impression)
    if before is not None:
        same = before == (outcome, clicked)
        return Judgement(FeedbackStatus.DUPLICATE if same else FeedbackStatus.CONFLICT)
    if _is_over(impression, settings, now):
        return Judgement(FeedbackStatus.LATE, outcome, clicked, late=True)
    return Judgement(FeedbackStatus.ACCEPTED, outcome, clicked)


def _answer_before(impression: StoredImpression) -> tuple[float | None, int | None] | None:
    """Returns the first answer, in time or late; None if there was none. "Not shown" is an answer without a value."""
    if impression.not_shown:
        return None, None
    if impression.outcome is not None:
        return impression.outcome, impression.clicked
    return None if impression.late_outcome is None else (impression.late_outcome, impression.late_clicked)


def _judge_not_shown(impression: StoredImpression, settings: Settings, now: float) -> Judgement:
    if impression.not_shown:
        return Judgement(FeedbackStatus.DUPLICATE)
    if impression.outcome is not None or impression.late_outcome is not None:
        return Judgement(FeedbackStatus.CONFLICT)
    if _is_over(impression, settings, now):
        return Judgement(FeedbackStatus.LATE)
    return Judgement(FeedbackStatus.ACCEPTED, not_shown=True)


def _is_over(impression: StoredImpression, settings: Settings, now: float) -> bool:
    """Returns whether silence has been decided: folded already, or past the moment it is final at the latest."""
    return impression.epoch is not None or impression.void or now >= impression.issued_at + settings.final_after_seconds


def _value(impression: StoredImpression, feedback: Feedback) -> tuple[float, int | None]:
    """Returns the reward and, for item-level feedback, which slots were clicked as bits."""
    if feedback.clicked is None:
        return float(feedback.reward or 0.0), None
    bits = (1 if impression.i in feedback.clicked else 0) | (2 if impression.j in feedback.clicked else 0)
    return float(bits > 0), bits
