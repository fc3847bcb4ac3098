"""What counts, and when: the fold, as a pure function.

An impression is *final* when its outcome cannot change any more; it is *counted* once it and every earlier counting
impression of its pair is final, void ones left out: a contiguous prefix per pair, in issue order. Counting answers as
they arrive would let quick clicks in before slow silences and break every bound; counting in issue order cannot,
because which impressions are counted then never depends on their outcomes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from app.database.heartbeat import Uptime
from app.database.watch import ClockStep
from app.impressions.feedback import StoredImpression
from app.sessions.model import Settings
from app.wire.vocabulary import MissingFeedback

NO_STEP = ClockStep()


@dataclass(frozen=True)
class EvidenceRows:
    """Counts by pair (i <= j) and plan version, as columns of equal length: numpy takes columns, and so does JSON.

    `clicks_i` and `clicks_j` are item-level clicks. `unanswered` are impressions given up because no feedback came; n
    does not contain them, and may be 0.
    """

    i: list[int] = field(default_factory=list)
    j: list[int] = field(default_factory=list)
    version: list[int] = field(default_factory=list)
    n: list[int] = field(default_factory=list)
    s: list[float] = field(default_factory=list)
    clicks_i: list[int] = field(default_factory=list)
    clicks_j: list[int] = field(default_factory=list)
    unanswered: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Fold:
    """What one fold decides: which impressions are counted or void, and what to add to the evidence."""

    counted: list[int]  # sequences
    void: list[int]  # sequences
    evidence: EvidenceRows


def fold(
    impressions: Iterable[StoredImpression],
    settings: Settings,
    now: float,
    uptimes: Sequence[Uptime],
    step: ClockStep = NO_STEP,
) -> Fold:
    """Returns the fold of the open impressions, given in issue order, at database time `now`.

    If the clock was set while an impression was open, nobody knows how long its window was: it is void. Without a
    window its lifetime begins again at the step, so that slow answers are not left out.
    """
    counted: list[StoredImpression] = []
    void: list[StoredImpression] = []
    blocked: set[tuple[int, int]] = set()
    for impression in impressions:
        pair = (min(impression.i, impression.j), max(impression.i, impression.j))
        if not _is_final(impression, settings, now, step):
            blocked.add(pair)
        elif _is_void(impression, settings, () if step.covers(impression.sequence) else uptimes):
            void.append(impression)  # even behind an open one: it will never count, whatever comes before it
        elif pair not in blocked:
            counted.append(impression)
    unanswered = [one for one in void if is_unanswered(one, settings)]
    return Fold([one.sequence for one in counted], [one.sequence for one in void], count(counted, unanswered))


def count(counted: Iterable[StoredImpression], unanswered: Iterable[StoredImpression]) -> EvidenceRows:
    """Returns the counts of impressions that are known to count or to stay unanswered, by pair and plan version."""
    sums: dict[tuple[int, int, int], list[float]] = {}
    for impression in counted:
        _add(sums.setdefault(_cell(impression), [0, 0.0, 0, 0, 0]), impression)
    for impression in unanswered:
        sums.setdefault(_cell(impression), [0, 0.0, 0, 0, 0])[4] += 1
    return _rows(sums)


def is_unanswered(impression: StoredImpression, settings: Settings) -> bool:
    """Returns whether a void impression was shown and nobody answered, where everybody should.

    Not those of a session where silence is an answer, which are void because of an outage.
    """
    shown = not impression.not_shown
    return shown and impression.outcome is None and settings.missing_feedback is MissingFeedback.VOID


def _cell(impression: StoredImpression) -> tuple[int, int, int]:
    """Returns pair and plan version."""
    return min(impression.i, impression.j), max(impression.i, impression.j), impression.plan_version


def _is_final(impression: StoredImpression, settings: Settings, now: float, step: ClockStep) -> bool:
    """Returns whether the outcome cannot change any more.

    Without a window an answer is final at once. With one, even an answered impression waits for its window to close:
    otherwise clicks, which are reported, would be final earlier than silence.
    """
    if impression.not_shown:
        return True
    if settings.attribution_window_seconds == 0 and impression.outcome is not None:
        return True
    if not step.covers(impression.sequence):
        return now >= impression.issued_at + settings.final_after_seconds
    return settings.attribution_window_seconds > 0 or now >= step.at + settings.final_after_seconds


def _is_void(impression: StoredImpression, settings: Settings, uptimes: Sequence[Uptime]) -> bool:
    """Returns whether a final impression proves nothing.

    Not shown; silent where silence means a lost answer; or, with a window, when no process was up to take an answer
    during some of it. The last holds for answered ones too: voiding only the silent would favour clicks.
    """
    if impression.not_shown:
        return True
    if impression.outcome is None and settings.missing_feedback is MissingFeedback.VOID:
        return True
    window = settings.attribution_window_seconds
    return window > 0 and not covered(impression.issued_at, impression.issued_at + window, uptimes)


def covered(began: float, ended: float, uptimes: Sequence[Uptime]) -> bool:
    """Returns whether the periods together cover all of [began, ended]."""
    reached = began
    for up in sorted(uptimes, key=lambda up: up.began):
        if up.began > reached:
            return False  # later ones begin later still
        reached = max(reached, up.ended)
        if reached >= ended:
            return True
    return reached >= ended


def _add(sums: list[float], impression: StoredImpression) -> None:
    """Adds one counted impression to (n, no-click sum, clicks on the lower item, on the higher item, unanswered)."""
    reward = impression.outcome or 0.0
    first, second = (impression.clicked or 0) & 1, (impression.clicked or 0) >> 1 & 1
    if impression.i > impression.j:
        first, second = second, first
    sums[0] += 1
    sums[1] += 1.0 - reward
    sums[2] += first
    sums[3] += second


def _rows(sums: dict[tuple[int, int, int], list[float]]) -> EvidenceRows:
    rows = EvidenceRows()
    for (i, j, version), (n, s, clicks_i, clicks_j, unanswered) in sorted(sums.items()):
        rows.i.append(i)
        rows.j.append(j)
        rows.version.append(version)
        rows.n.append(int(n))
        rows.s.append(s)
        rows.clicks_i.append(int(clicks_i))
        rows.clicks_j.append(int(clicks_j))
        rows.unanswered.append(int(unanswered))
    return rows
