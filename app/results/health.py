"""What a health check found, in words for people, and kept: once a session is in doubt, it stays so.

A contradiction does not go away with more answers: those that caused it are in the evidence for good. So findings are
written into the report of the plan that found them and of every plan after it, one of each cause, as first found.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from app.engine.health import Finding, FindingKind
from app.sessions.model import Health, Item

REPORT_ALL = (
    "report every impression, also those without a click; or, if you learn of clicks only, create a session with "
    'attribution_window_seconds and "missing_feedback": "no_click"'
)
ONLY_CLICKS_CAUSE = "only clicks are reported, and silence is taken for a lost answer"
_PAIRS_ONLY = 'create a session with "feedback": "pair", which does not depend on it'

_CAUSES = {
    FindingKind.STRUCTURE: (
        "items are not judged apart from each other (a click hides the other slot, one item changes how the other is "
        "seen), or clicks changed between the two measurements"
    ),
    FindingKind.PARTNERS: "a click on one slot hides the other, or one item changes how the other is seen",
    FindingKind.NEVER_BOTH: (
        "a click leads away from the page, which hides the other slot; or clicks on the two items are sent one by one, "
        "where only the first answer of an impression counts"
    ),
    FindingKind.DRIFT: "users, items or the way they are shown changed while the session ran",
    FindingKind.SILENCE: (
        "whether an answer comes depends on what was shown or clicked: impressions without a click are not reported, "
        "or some answers come after ticket_ttl_seconds"
    ),
    FindingKind.ONLY_CLICKS: ONLY_CLICKS_CAUSE,
}
_ADVICE = {
    FindingKind.STRUCTURE: (
        "find out what changed and create a new session; if items do influence each other, with policy "
        '"lucb", which compares pairs by their own impressions only'
    ),
    FindingKind.PARTNERS: _PAIRS_ONLY,
    FindingKind.NEVER_BOTH: f"name all clicked items in one answer; if there can be only one, {_PAIRS_ONLY}",
    FindingKind.DRIFT: "find out what changed, then create a new session: this one mixes before and after",
    FindingKind.SILENCE: REPORT_ALL,
    FindingKind.ONLY_CLICKS: REPORT_ALL,
}

LOST_CHOICES = Health(
    problem="what earlier plans chose to rest the proof on cannot be read any more",
    cause="the stored memory of the last two plans is damaged, or was written by another version",
    advice="create a new session; this one goes on showing pairs, but what it has proven cannot be told",
)
"""Choices that were used and forgotten would be paid for twice: see `recalling`."""

CHANGED_SHARES = Health(
    problem="delta is divided among the bounds in another way than when the session began",
    cause="the program was replaced by a version whose policy divides it differently",
    advice="create a new session; this one goes on showing pairs, but both divisions together promise more than delta",
)

REMOVED_BOUND = Health(
    problem="the proof of this session uses bound G, which relies on a stated rank; this version does not have it",
    cause="the program was replaced by a version without bound G",
    advice="create a new session without a rank; this one continues to show pairs, but certifies nothing any more. "
    "Version 0.1.0 can verify what it certified before",
)


def clock_was_set(when: str, seconds: float) -> Health:
    """Returns the note that the database's clock was set forward by `seconds`, or back if they are negative."""
    direction = "forward" if seconds > 0 else "back"
    return Health(
        problem=f"the database's clock was set {direction} by {_duration(abs(seconds))} on {when}; impressions "
        "with a window that were open at that moment are void",
        cause="somebody or something set the clock of the database's machine, or the machine slept",
        advice="let the clock be kept by a time service that adjusts it gradually; nothing else is left to do here",
        suspends=False,
    )


def database_went_back(when: str) -> Health:
    """Returns the note that the database has lost what it had confirmed."""
    return Health(
        problem=f"on {when} the database was found in an earlier state than before; impressions and answers that were "
        "acknowledged shortly before are missing",
        cause="a standby took over that did not have everything, or a backup was put in place while servers ran",
        advice="what is stored is consistent and goes on counting; set synchronous_standby_names in PostgreSQL, so "
        "that an acknowledged answer is on a standby too",
        suspends=False,
    )


def in_words(finding: Finding, items: Sequence[Item]) -> Health:
    """Returns the finding for people, with the caller's own ids."""
    names = " and ".join(items[number].id for number in finding.items)
    problem = _problem(finding, names)
    return Health(problem, _CAUSES[finding.kind], _ADVICE[finding.kind], finding.suspends)


def kept(report: Mapping[str, Any]) -> tuple[Health, ...]:
    """Returns the findings in a plan's report; plans of older versions did not look for any."""
    return tuple(Health(**entry) for entry in report.get("health", ()))


def with_new(known: Iterable[Health], new: Iterable[Health]) -> tuple[Health, ...]:
    """Returns the known findings, followed by new ones of causes that are not known yet."""
    by_cause: dict[str, Health] = {}
    for entry in (*known, *new):
        by_cause.setdefault(entry.cause, entry)
    return tuple(by_cause.values())


def to_plain(health: Iterable[Health]) -> list[dict[str, Any]]:
    """Returns findings as they are stored in a report; servers of the version before know no `kind`."""
    return [{name: value for name, value in asdict(entry).items() if name != "kind"} for entry in health]


def suspended(health: Iterable[Health]) -> bool:
    """Returns whether one of the findings leaves nothing to be certified."""
    return any(entry.suspends for entry in health)


def _problem(finding: Finding, names: str) -> str:
    d = finding.detail
    match finding.kind:
        case FindingKind.STRUCTURE:
            return (
                f"{names} are left alone in at most {_percent(d['direct_at_most'])} of their impressions, but what was "
                f"seen of each beside others implies at least {_percent(d['implied_at_least'])}"
            )
        case FindingKind.PARTNERS:
            return (
                f"of {names}, the first is clicked in {_percent(d['beside_it'])} of impressions beside the second and "
                f"in {_percent(d['beside_others'])} beside others"
            )
        case FindingKind.NEVER_BOTH:
            return f"no impression had a click on both items; about {d['expected']:.0f} were to be expected"
        case FindingKind.DRIFT:
            return (
                f"{names}: clicks in {_percent(d['early'])} of {d['early_shown']:.0f} impressions up to plan "
                f"{d['until_version']:.0f}, and in {_percent(d['late'])} of {d['late_shown']:.0f} since"
            )
        case FindingKind.SILENCE:
            return (
                f"{names}: no answer to {_percent(d['unanswered'])} of {d['shown']:.0f} impressions; from all others "
                f"shown at the time, {_percent(d['expected'])} were to be expected"
            )
        case FindingKind.ONLY_CLICKS:
            return f"all {d['clicks']:.0f} answers were clicks, and {_percent(d['unanswered'])} of impressions got none"


def _duration(seconds: float) -> str:
    for size, unit in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} seconds"


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"
