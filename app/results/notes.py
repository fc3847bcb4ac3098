"""Notes: health entries that contradict no assumption and never suspend a verdict.

A note is shown as long as it is true. It is derived whenever a snapshot is written, from the last plan's report and
from `Signals`, which are read with the session; notes are not stored. A new note from the service needs a field in
`Signals`, a `NoteKind` and a line in `notes_from_signals`. The planner then writes the snapshot again when the note
appears or disappears (`is_outdated`). The text of a note must not change while it is shown, for example with a count:
each change is a new response for every caller that polls.
"""

from collections.abc import Iterable
from enum import StrEnum

from app.counting.delays import ttl_advice
from app.counting.signals_sql import Signals
from app.engine.health import epsilon_is_too_large
from app.engine.policies import POLICIES
from app.engine.problem import Goal, Model
from app.health import Health
from app.results.findings import ONLY_CLICKS_CAUSE, REPORT_ALL
from app.results.report import PlanReport
from app.sessions.model import Settings
from app.wire.goal import DEFAULT_GOAL, decimal, in_words, points
from app.wire.vocabulary import FeedbackKind

ENOUGH_ANSWERS = 100
"""Number of answers, all of them clicks, after which a note asks whether only clicks are sent. A session that reports
all impressions practically never gets there: if its pairs are clicked nine times in ten, .9^100 = 3e-5."""

ENOUGH_ISSUED = 100
"""Number of impressions, none of them answered, after which there is a note, once the oldest has waited `LONG_WAIT`."""
LONG_WAIT = 0.5
"""Share of the ticket lifetime, which the caller chose so that nearly all answers arrive within it."""


class NoteKind(StrEnum):
    """The topic of a note; the dashboard and scripts use it to recognise notes."""

    EPSILON_TOO_LARGE = "epsilon_too_large"
    ONLY_CLICKS_SO_FAR = "only_clicks_so_far"
    NO_ANSWERS = "no_answers"
    UNUSED_RANK = "unused_rank"
    TICKET_TTL = "ticket_ttl"


def notes_of(settings: Settings, report: PlanReport, signals: Signals) -> tuple[Health, ...]:
    """Returns all notes for a snapshot of this report."""
    of_epsilon: tuple[Health, ...] = ()
    if settings.model is Model.STOCHASTIC:
        of_epsilon = epsilon_note(settings.goal, report.interval[1])
    return (*of_epsilon, *_unused_rank(settings), *notes_from_signals(settings, signals))


def notes_from_signals(settings: Settings, signals: Signals) -> tuple[Health, ...]:
    """Returns the notes that may appear and disappear without a new plan."""
    if not settings.reports_all_outcomes:
        return ()  # missing feedback means "no click", or answers are numbers
    if signals.answered >= ENOUGH_ANSWERS and signals.only_clicks:
        return (_only_clicks(settings.feedback), *_ticket_ttl(settings, signals))
    waited = signals.waited_seconds >= LONG_WAIT * settings.final_after_seconds
    if signals.answered == 0 and signals.issued >= ENOUGH_ISSUED and waited:
        return (_NO_ANSWERS,)
    return _ticket_ttl(settings, signals)


def is_outdated(shown: Iterable[Health], settings: Settings, signals: Signals, stored: Iterable[Health] = ()) -> bool:
    """Returns whether a snapshot with the entries `shown` lacks a stored entry or a note, or has an old note."""
    entries, wanted = list(shown), notes_from_signals(settings, signals)
    if not {entry.problem for entry in stored} <= {entry.problem for entry in entries}:
        return True
    kinds = {note.kind for note in wanted} | {None, NoteKind.EPSILON_TOO_LARGE, NoteKind.UNUSED_RANK}
    missing = {note.cause for note in wanted} - {entry.cause for entry in entries}
    reworded = any(entry.kind == note.kind and entry != note for entry in entries for note in wanted)
    return bool(missing) or reworded or any(entry.kind not in kinds for entry in entries)


def epsilon_note(goal: Goal, most: float) -> tuple[Health, ...]:
    """Returns a note if an absolute goal is too wide for a best pair whose reward is at most `most`.

    A relative goal adapts to the rewards, so it never gets the note.
    """
    if goal.relative or not epsilon_is_too_large(goal.epsilon, most):
        return ()
    if goal.epsilon >= most:
        passes = f"so any pair is {in_words(goal)}: any pair would pass, even one that is never clicked"
    else:
        passes = "so almost any pair would pass, even one that is clicked less than half as often"
    note = Health(
        problem=(
            f"epsilon is {points(goal.epsilon)}, but the best pair so far earns at most {_digits(100 * most)} %, "
            f"{passes}"
        ),
        cause="epsilon is a difference in clicks per impression, and it is too large for click rates this low",
        advice=(
            f"create a session with {DEFAULT_GOAL.field} {decimal(DEFAULT_GOAL.epsilon)}: certified then means "
            f"{in_words(DEFAULT_GOAL)}, however low click rates are; this takes many more impressions"
        ),
        suspends=False,
        kind=NoteKind.EPSILON_TOO_LARGE,
    )
    return (note,)


def _unused_rank(settings: Settings) -> tuple[Health, ...]:
    """Returns a note if the settings state a rank that the policy ignores; only sessions of older versions can."""
    policy = POLICIES.get(settings.policy)
    if settings.rank == "auto" or policy is None or policy.uses_rank:
        return ()
    note = Health(
        problem=f'rank is {settings.rank}, but policy "{settings.policy}" does not use it',
        cause="the session was created by a version that accepted a rank for every policy",
        advice="nothing: no bound of this session relies on the rank, and what is certified holds for any number of "
        "groups of users; leave rank out of new sessions",
        suspends=False,
        kind=NoteKind.UNUSED_RANK,
    )
    return (note,)


def _only_clicks(feedback: FeedbackKind) -> Health:
    no_click = '"clicked": []' if feedback is FeedbackKind.ITEMS else '"reward": 0'
    return Health(
        problem=f"all answers so far are clicks; do you also send {no_click} for impressions without a click?",
        cause=ONLY_CLICKS_CAUSE,
        advice=REPORT_ALL,
        suspends=False,
        kind=NoteKind.ONLY_CLICKS_SO_FAR,
    )


def _ticket_ttl(settings: Settings, signals: Signals) -> tuple[Health, ...]:
    """Returns a note if another `ticket_ttl_seconds` would fit better; with a window, it has no effect."""
    ttl = settings.ticket_ttl_seconds
    advice = None if settings.attribution_window_seconds > 0 else ttl_advice(signals.delays, ttl)
    if advice is None:
        return ()
    if advice.longer:
        slow = "clicks" if advice.clicks_are_slower else "answers without a click"
        problem = f"more than 1 in 1,000 {slow} come in the last third of ticket_ttl_seconds ({decimal(ttl)}) or later"
        cause = "ticket_ttl_seconds is too short for slow answers, which are then late and not counted"
        effect = "if clicks are late more often than other answers, or less often, the verdict is suspended"
    else:
        problem = (
            f"ticket_ttl_seconds is {decimal(ttl)}, but 999 in 1,000 clicks, and as many of the other answers, come "
            f"within {_digits(advice.quantile)} seconds"
        )
        cause = "some answers get lost, and the proof waits for each of them until ticket_ttl_seconds are over"
        effect = "the verdict then comes sooner"
    change = f"{'longer' if advice.longer else 'shorter'} ticket_ttl_seconds, for example {advice.seconds}"
    note = Health(
        problem, cause, f"create the next session with a {change}; {effect}", suspends=False, kind=NoteKind.TICKET_TTL
    )
    return (note,)


_NO_ANSWERS = Health(
    problem="pairs are handed out, but no feedback has been received",
    cause=(
        "feedback is not sent, is refused (look at the answers of /feedback), or comes later than ticket_ttl_seconds"
    ),
    advice="send feedback for every impression, with the ticket that came with the pair, within ticket_ttl_seconds",
    suspends=False,
    kind=NoteKind.NO_ANSWERS,
)


def _digits(number: float) -> str:
    """Returns a number with two significant digits, never in the form 1e-05."""
    return decimal(float(f"{number:.2g}"))
