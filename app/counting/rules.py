"""What counts, and when: the fold, as a pure function.

An impression is *final* when its outcome cannot change any more. It is *counted* once it and all earlier impressions of
its pair are final. Repeats, which do not count, and void impressions are ignored here. So the counted impressions of a
pair are always its first ones, in issue order. If answers were counted as they arrive, quick clicks would be counted
before slow non-clicks, which breaks every bound. In issue order, the choice of the counted impressions does not depend
on their outcomes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from app.database.heartbeat import Uptime
from app.database.watch import ClockStep
from app.engine.evidence import Evidence
from app.impressions.feedback import StoredImpression
from app.sessions.model import Settings
from app.wire.vocabulary import MissingFeedback

NO_STEP = ClockStep()


@dataclass(frozen=True)
class EvidenceRows:
    """Counts by pair (i <= j) and plan version, as columns of equal length, which numpy and JSON can use directly.

    `clicks_i` and `clicks_j` are item-level clicks. `unanswered` are impressions that got no feedback in time; n does
    not contain them, and may be 0.
    """

    i: list[int] = field(default_factory=list)
    j: list[int] = field(default_factory=list)
    version: list[int] = field(default_factory=list)
    n: list[int] = field(default_factory=list)
    s: list[float] = field(default_factory=list)
    clicks_i: list[int] = field(default_factory=list)
    clicks_j: list[int] = field(default_factory=list)
    unanswered: list[int] = field(default_factory=list)

    def to_evidence(self, n_items: int) -> Evidence:
        """Returns the counts as the engine's `Evidence`."""
        i, j, version, n, on_i, on_j = (
            np.array(column, dtype=np.int64)
            for column in (self.i, self.j, self.version, self.n, self.clicks_i, self.clicks_j)
        )
        return Evidence.empty(n_items).add(i, j, version, n, np.array(self.s, dtype=np.float64), (on_i, on_j))


@dataclass(frozen=True)
class Fold:
    """The result of one fold: which impressions are counted or void, and what to add to the evidence."""

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
    """Returns the fold of the open impressions, which are passed in issue order, at database time `now`.

    If the clock was set while an impression was open, the length of its window is unknown: it is void. Without a
    window, its lifetime starts again when the clock is set, so that slow answers are not left out.
    """
    counted: list[StoredImpression] = []
    void: list[StoredImpression] = []
    blocked: set[tuple[int, int]] = set()
    for impression in impressions:
        pair = (min(impression.i, impression.j), max(impression.i, impression.j))
        if not _is_final(impression, settings, now, step):
            blocked.add(pair)
        elif _is_void(impression, settings, () if step.covers(impression.sequence) else uptimes):
            void.append(impression)  # even after an open one of its pair: it will never count
        elif pair not in blocked:
            counted.append(impression)
    unanswered = [impression for impression in void if is_unanswered(impression, settings)]
    return Fold(_sequences(counted), _sequences(void), count(counted, unanswered))


def count(counted: Iterable[StoredImpression], unanswered: Iterable[StoredImpression]) -> EvidenceRows:
    """Returns the counts of impressions that are known to count or to stay unanswered, by pair and plan version."""
    sums: dict[tuple[int, int, int], list[float]] = {}
    for impression in counted:
        _add(sums.setdefault(_cell(impression), [0, 0.0, 0, 0, 0]), impression)
    for impression in unanswered:
        sums.setdefault(_cell(impression), [0, 0.0, 0, 0, 0])[4] += 1
    return _rows(sums)


def is_unanswered(impression: StoredImpression, settings: Settings) -> bool:
    """Returns whether a void impression was shown but got no feedback, in a session where each should get feedback.

    Where missing feedback means "no click", such an impression is void because of an outage, and this returns False.
    """
    shown = not impression.not_shown
    return shown and impression.outcome is None and settings.missing_feedback is MissingFeedback.VOID


def _sequences(impressions: Iterable[StoredImpression]) -> list[int]:
    return [impression.sequence for impression in impressions]


def _cell(impression: StoredImpression) -> tuple[int, int, int]:
    """Returns pair and plan version."""
    return min(impression.i, impression.j), max(impression.i, impression.j), impression.plan_version


def _is_final(impression: StoredImpression, settings: Settings, now: float, step: ClockStep) -> bool:
    """Returns whether the outcome cannot change any more.

    Without a window, an answered impression is final at once. With a window, it is final when the window closes:
    otherwise clicks, which are reported, would be final earlier than missing feedback.
    """
    if impression.not_shown:
        return True
    if settings.attribution_window_seconds == 0 and impression.outcome is not None:
        return True
    if not step.covers(impression.sequence):
        return now >= impression.issued_at + settings.final_after_seconds
    return settings.attribution_window_seconds > 0 or now >= step.at + settings.final_after_seconds


def _is_void(impression: StoredImpression, settings: Settings, uptimes: Sequence[Uptime]) -> bool:
    """Returns whether a final impression must not be counted.

    There are three reasons: it was not shown; it has no feedback, and the session treats missing feedback as lost; or
    no process could take feedback during a part of its window. The third reason applies to answered impressions too: if
    only those without feedback were void, clicks would be counted more often than non-clicks.
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
            return False  # all later periods begin after this gap too
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
