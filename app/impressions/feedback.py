"""What feedback does to an impression: accepted, a duplicate, late, in conflict, or invalid. Pure decisions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from app.engine.problem import Model
from app.errors import InvalidFeedback
from app.sessions.model import FixedParts, Session, Settings
from app.wire.serving import Feedback
from app.wire.vocabulary import FeedbackKind

_CLICK_OR_NOT = (0.0, 1.0)


class FeedbackStatus(StrEnum):
    """What was done with feedback."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    LATE = "late"
    IGNORED = "ignored"
    CONFLICT = "conflict"  # a 409 for a single call, a row's status in a batch
    NOT_FOUND = "not_found"  # a 404 for a single call, a row's status in a batch
    INVALID = "invalid"  # a 422 for a single call, a row's status in a batch: a click on an item that was not shown


@dataclass(frozen=True, slots=True)
class Rewards:
    """A batch in which every row is a reward of 0 or 1, as columns: rows cost no object each unless one is needed.

    Nearly every batch is of this kind. As objects, 100 rows would take twice as long to read and check.
    """

    tickets: list[str]  # of printable ASCII
    clicks: list[float]  # 0 or 1 for each ticket

    def __len__(self) -> int:
        return len(self.tickets)

    def __iter__(self) -> Iterator[Feedback]:
        return map(self.__getitem__, range(len(self.tickets)))

    def __getitem__(self, place: int) -> Feedback:
        return Feedback.model_construct(ticket=self.tickets[place], reward=float(self.clicks[place]))


FeedbackRows = Sequence[Feedback] | Rewards


class StoredImpression(NamedTuple):
    """A stored impression, as far as feedback and folds need it. The columns of its row have the same names.

    A tuple, because folds and feedback make one for every row.
    """

    sequence: int
    i: int  # in the order shown
    j: int
    plan_version: int
    counts: bool  # False: a repeat in the deterministic model
    issued_at: float
    outcome: float | None  # the reward, once answered in time
    clicked: int | None  # bit 1: first slot, bit 2: second slot (item-level feedback)
    answered_at: float | None
    not_shown: bool
    given_up: bool = False  # final without an answer
    void: bool = False  # not shown, lost, or no process could take its feedback: it is not evidence
    late_outcome: float | None = None
    late_clicked: int | None = None

    @property
    def pair(self) -> tuple[int, int]:
        """The two items, the lower number first."""
        return (self.i, self.j) if self.i <= self.j else (self.j, self.i)


class Decision(NamedTuple):
    """The status to answer with, and what to write, if anything."""

    status: FeedbackStatus
    outcome: float | None = None  # write as the outcome
    clicked: int | None = None
    not_shown: bool = False  # mark as not shown, and so as void
    late: bool = False  # write outcome and clicked into the late columns instead


def check_feedback(feedback: Feedback, session: Session) -> None:
    """Raises InvalidFeedback if the feedback is of another kind than the session asks for."""
    if feedback.reward in _CLICK_OR_NOT and session.settings.feedback is FeedbackKind.PAIR:  # nearly all feedback
        return
    if feedback.not_shown:
        return
    if session.settings.feedback is FeedbackKind.ITEMS:
        if feedback.clicked is None:
            raise InvalidFeedback("clicked", "this session asks which items were clicked: send a list of ids, or []")
        unknown = [item for item in feedback.clicked if item not in session.item_ids]
        if unknown:
            raise InvalidFeedback("clicked", f'no item of this session is called "{unknown[0]}"')
        return
    if feedback.reward is None:
        raise InvalidFeedback("reward", "this session asks for a reward: 1 for a click on the pair, 0 for none")
    if session.settings.model is Model.STOCHASTIC:
        raise InvalidFeedback("reward", f"must be 0 or 1, got {feedback.reward}")


def decide(impression: StoredImpression, feedback: Feedback, session: FixedParts, now: float) -> Decision:
    """Returns what to do with feedback that arrives at `now` (database time, read after the row was locked).

    Feedback counts if it arrives before the impression is final, and only the first one does. A fold marks unanswered
    impressions as given up before it passes them, so feedback cannot be accepted after that.
    """
    if feedback.not_shown:
        return _decide_not_shown(impression, session.settings, now)
    shown = session.items[impression.i].id, session.items[impression.j].id
    if feedback.clicked is not None and not set(feedback.clicked) <= set(shown):
        # To ignore the id would turn a click into a non-click.
        return Decision(FeedbackStatus.INVALID)
    outcome, clicked = _value(feedback, shown)
    earlier = _earlier_answer(impression)
    if earlier is not None:
        same = earlier == (outcome, clicked)
        return Decision(FeedbackStatus.DUPLICATE if same else FeedbackStatus.CONFLICT)
    if _is_final(impression, session.settings, now):
        return Decision(FeedbackStatus.LATE, outcome, clicked, late=True)
    return Decision(FeedbackStatus.ACCEPTED, outcome, clicked)


def _decide_not_shown(impression: StoredImpression, settings: Settings, now: float) -> Decision:
    if impression.not_shown:
        return Decision(FeedbackStatus.DUPLICATE)
    if impression.outcome is not None or impression.late_outcome is not None:
        return Decision(FeedbackStatus.CONFLICT)
    if _is_final(impression, settings, now):
        return Decision(FeedbackStatus.LATE)
    return Decision(FeedbackStatus.ACCEPTED, not_shown=True)


def _earlier_answer(impression: StoredImpression) -> tuple[float | None, int | None] | None:
    """Returns the first answer, in time or late; None if there was none. "Not shown" is an answer without a value."""
    if impression.not_shown:
        return None, None
    if impression.outcome is not None:
        return impression.outcome, impression.clicked
    return None if impression.late_outcome is None else (impression.late_outcome, impression.late_clicked)


def _is_final(impression: StoredImpression, settings: Settings, now: float) -> bool:
    """Returns whether it is too late: a fold gave the impression up, or its window or time to live is over."""
    return impression.given_up or impression.void or now >= impression.issued_at + settings.final_after_seconds


def _value(feedback: Feedback, shown: tuple[str, str]) -> tuple[float, int | None]:
    """Returns the reward and, for item-level feedback, the clicked slots as bits."""
    if feedback.clicked is None:
        return float(feedback.reward or 0.0), None
    bits = (1 if shown[0] in feedback.clicked else 0) | (2 if shown[1] in feedback.clicked else 0)
    return float(bits > 0), bits
