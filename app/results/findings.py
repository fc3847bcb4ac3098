"""The engine's findings as health entries: texts for people.

A contradiction does not disappear with more feedback, because the answers that caused it stay in the evidence. So a
finding is in the report of the plan that found it and of every later plan: one for each cause, with its first text.
"""

from collections.abc import Sequence

from app.engine.health import Finding, FindingKind
from app.health import Health
from app.sessions.model import Item

REPORT_ALL = (
    "report every impression, also those without a click; or, if you learn of clicks only, create a session with "
    'attribution_window_seconds and "missing_feedback": "no_click"'
)
ONLY_CLICKS_CAUSE = "only clicks are reported, and silence is taken for a lost answer"
LATE_CAUSE = (
    "clicks take longer to arrive than answers without a click, or the reverse, and the slower ones come after "
    "ticket_ttl_seconds (with a window: after it), too late to be counted"
)
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
    FindingKind.LATE: LATE_CAUSE,
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
    FindingKind.LATE: (
        "create a new session with a longer ticket_ttl_seconds (or window), within which nearly all clicks and nearly "
        "all other answers arrive"
    ),
}

LOST_CHOICES = Health(
    problem="the choices of earlier plans, which the proof depends on, cannot be read any more",
    cause="the stored memory of the last two plans is damaged, or was written by another version",
    advice="create a new session; this one continues to show pairs, but cannot be certified any more",
)
"""If choices are forgotten, parts of delta are spent twice: see `planning.memory`."""

CHANGED_SHARES = Health(
    problem="delta is divided among the bounds in another way than at the start of the session",
    cause="the program was replaced by a version whose policy divides it differently",
    advice="create a new session; this one continues to show pairs, but cannot be certified any more, because the two "
    "divisions together spend more than delta",
)

REMOVED_BOUND = Health(
    problem="the proof of this session uses bound G, which relies on a stated rank; this version does not have it",
    cause="the program was replaced by a version without bound G",
    advice="create a new session without a rank; this one continues to show pairs, but certifies nothing any more. "
    "Version 0.1.0 can verify what it certified before",
)


def describe(finding: Finding, items: Sequence[Item]) -> Health:
    """Returns the finding as a health entry, with the ids of the items."""
    names = " and ".join(items[number].id for number in finding.items)
    problem = _problem(finding, names)
    return Health(problem, _CAUSES[finding.kind], _ADVICE[finding.kind], finding.suspends)


def _problem(finding: Finding, names: str) -> str:
    d = finding.detail
    match finding.kind:
        case FindingKind.STRUCTURE:
            text = (
                f"at most {_percent(d['direct_at_most'])} of the impressions of {names} have no click, but their "
                f"impressions with other items imply at least {_percent(d['implied_at_least'])}"
            )
        case FindingKind.PARTNERS:
            text = (
                f"of {names}, the first is clicked in {_percent(d['beside_it'])} of impressions with the second and "
                f"in {_percent(d['beside_others'])} of impressions with other items"
            )
        case FindingKind.NEVER_BOTH:
            text = f"no impression had a click on both items; about {d['expected']:.0f} were expected"
        case FindingKind.DRIFT:
            text = (
                f"{names}: clicks in {_percent(d['early'])} of {d['early_shown']:.0f} impressions up to plan "
                f"{d['until_version']:.0f}, and in {_percent(d['late'])} of {d['late_shown']:.0f} since"
            )
        case FindingKind.SILENCE:
            text = (
                f"{names}: no answer to {_percent(d['unanswered'])} of {d['shown']:.0f} impressions; "
                f"{_percent(d['expected'])} were expected from all others shown at the same time"
            )
        case FindingKind.ONLY_CLICKS:
            text = f"all {d['clicks']:.0f} answers were clicks, and {_percent(d['unanswered'])} of impressions got none"
        case FindingKind.LATE:
            text = (
                f"{_percent(d['clicked'])} of {d['late']:.0f} late answers are clicks; {_percent(d['expected'])} were "
                f"expected from the timely answers of the same pairs"
            )
    return text


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"
