"""What counts, and when: the fold, as a pure function.

An impression is *final* when its outcome cannot change any more. The *watermark* of a session is the largest sequence
up to which every impression that counts is final. The evidence is everything up to the watermark that is not void, and
nothing else. If answers were counted as they arrive, quick clicks would be counted before slow non-clicks, which breaks
every bound. A prefix of each pair would be enough for bounds about one pair, but not for bounds that join several: the
prefixes of two pairs need not belong to the same moment. In session order, what is counted is the session as it was
at one moment, for all bounds at once (docs/mathematics.md, section 4).

Repeats (impressions of the deterministic model that do not count) never hold the watermark up.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Self

import numpy as np

from app.counting.chain import COUNTS, GIVEN_UP, HAS_CLICKED, HAS_OUTCOME, NOT_SHOWN, VOID, pack_row
from app.database.heartbeat import Uptime
from app.database.watch import ClockStep
from app.engine.evidence import Evidence
from app.impressions.feedback import StoredImpression
from app.sessions.model import Settings
from app.wire.vocabulary import MissingFeedback

NO_STEP = ClockStep()
Cell = tuple[int, int, int]  # pair and plan version
ANSWERS = ("i", "j", "version", "n", "s", "clicks_i", "clicks_j")
"""The columns of counts that contain answers."""


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

    def to_plain(self) -> dict[str, list[Any]]:
        """Returns the columns of answers, without rows that contain only unanswered impressions: they prove nothing."""
        columns = {name: getattr(self, name) for name in ANSWERS}
        if 0 not in self.n:
            return columns
        places = [place for place, n in enumerate(self.n) if n > 0]
        return {name: [column[place] for place in places] for name, column in columns.items()}

    @classmethod
    def from_plain(cls, plain: Mapping[str, list[Any]]) -> Self:
        """Returns the counts that `to_plain` wrote."""
        columns = {name: list(plain[name]) for name in ANSWERS}
        return cls(**columns, unanswered=[0] * len(columns["n"]))

    def to_evidence(self, n_items: int) -> Evidence:
        """Returns the counts as the engine's `Evidence`."""
        return self.added_to(Evidence.empty(n_items))

    def added_to(self, evidence: Evidence) -> Evidence:
        """Returns the evidence with these counts added."""
        i, j, version, n, on_i, on_j = (
            np.array(column, dtype=np.int64)
            for column in (self.i, self.j, self.version, self.n, self.clicks_i, self.clicks_j)
        )
        return evidence.add(i, j, version, n, np.array(self.s, dtype=np.float64), (on_i, on_j))


@dataclass
class Fold:
    """The result of one fold: how far the watermark moves, what to mark, and what to add to the evidence."""

    watermark: int
    digest: bytes  # of the chain, up to the watermark
    given_up: list[int] = field(default_factory=list)  # sequences without an answer, not marked yet
    void: list[int] = field(default_factory=list)  # sequences that are void, not marked yet
    n_void: int = 0
    n_counted: int = 0
    n_answered: int = 0  # with an outcome, void or not
    click_delays: list[float] = field(default_factory=list)  # seconds from issue to answer
    other_delays: list[float] = field(default_factory=list)  # the same for answers without a click
    evidence: EvidenceRows = field(default_factory=EvidenceRows)


def fold(
    impressions: Iterable[StoredImpression],
    settings: Settings,
    now: float,
    uptimes: Sequence[Uptime],
    start: tuple[int, bytes],
    step: ClockStep = NO_STEP,
) -> Fold:
    """Returns the fold of the impressions after the watermark, in issue order, at database time `now`.

    `start` is the watermark before, and its digest. The fold ends at the first impression that counts and is not final.
    If the clock was set while an impression was open, the length of its window is unknown: it is void. Without a
    window, its lifetime starts again when the clock is set, so that slow answers are not left out.
    """
    result = Fold(*start)
    sums: dict[Cell, list[float]] = {}
    digest, answers_are_final = result.digest, settings.attribution_window_seconds == 0
    for impression in impressions:
        if answers_are_final and impression.outcome is not None and impression.counts and not impression.void:
            row = _count_answered(result, sums, impression)  # nearly all, so this is fast
        elif not impression.counts:
            row = _blank_row(impression)
        elif _is_final(impression, settings, now, step):
            void = _is_void(impression, settings, () if step.covers(impression.sequence) else uptimes)
            _settle(result, sums, impression, void, settings)
            row = _row(impression, void)
        else:
            break
        digest = sha256(digest + row).digest()
        result.watermark = impression.sequence
    result.digest, result.evidence = digest, rows_of(sums)
    return result


def _count_answered(result: Fold, sums: dict[Cell, list[float]], impression: StoredImpression) -> bytes:
    """Counts an answered impression of a session without a window, and returns its row in the chain.

    The same as `_settle` and `_row`, in half the time.
    """
    sequence, i, j, version, _, issued_at, outcome, clicked, answered_at = impression[:9]
    reward = outcome or 0.0
    if answered_at is not None:
        (result.click_delays if reward > 0 else result.other_delays).append(answered_at - issued_at)
    result.n_answered += 1
    result.n_counted += 1
    add_counts(sums, impression)
    flags = COUNTS | HAS_OUTCOME if clicked is None else COUNTS | HAS_OUTCOME | HAS_CLICKED
    return pack_row(sequence, i, j, version, flags, clicked or 0, reward, issued_at, answered_at or 0.0)


def _settle(
    result: Fold, sums: dict[Cell, list[float]], impression: StoredImpression, void: bool, settings: Settings
) -> None:
    """Adds one final impression to the result."""
    if impression.outcome is not None:
        result.n_answered += 1
        if impression.answered_at is not None:
            delays = result.click_delays if impression.outcome > 0 else result.other_delays
            delays.append(impression.answered_at - impression.issued_at)
    elif not (impression.not_shown or impression.given_up):
        result.given_up.append(impression.sequence)
    if not void:
        result.n_counted += 1
        add_counts(sums, impression)
        return
    result.n_void += 1
    if not impression.void:
        result.void.append(impression.sequence)
    if is_unanswered(impression, settings):
        sums.setdefault((*impression.pair, impression.plan_version), [0, 0.0, 0, 0, 0])[4] += 1


def _row(impression: StoredImpression, void: bool) -> bytes:
    """Returns the row of a final impression in the chain."""
    sequence, i, j, version, _, issued_at, outcome, clicked, answered_at, not_shown, *_ = impression
    flags = COUNTS | (NOT_SHOWN if not_shown else 0) | (VOID if void else 0)
    if outcome is not None:
        flags |= HAS_OUTCOME
    elif not not_shown:
        flags |= GIVEN_UP
    if clicked is not None:
        flags |= HAS_CLICKED
    return pack_row(sequence, i, j, version, flags, clicked or 0, outcome or 0.0, issued_at, answered_at or 0.0)


def _blank_row(impression: StoredImpression) -> bytes:
    """Returns the row of a repeat in the chain: without its answer, which may come after the watermark has passed."""
    sequence, i, j, version = impression[:4]
    return pack_row(sequence, i, j, version, 0, 0, 0.0, impression.issued_at, 0.0)


def count(impressions: Iterable[StoredImpression], settings: Settings) -> EvidenceRows:
    """Returns the counts of final impressions that count, by pair and plan version, from what is stored about them."""
    sums: dict[Cell, list[float]] = {}
    for impression in impressions:
        if not impression.void:
            add_counts(sums, impression)
        elif is_unanswered(impression, settings):
            sums.setdefault((*impression.pair, impression.plan_version), [0, 0.0, 0, 0, 0])[4] += 1
    return rows_of(sums)


def is_unanswered(impression: StoredImpression, settings: Settings) -> bool:
    """Returns whether a void impression was shown but got no feedback, in a session where each should get feedback.

    Where missing feedback means "no click", such an impression is void because of an outage, and this returns False.
    """
    shown = not impression.not_shown
    return shown and impression.outcome is None and settings.missing_feedback is MissingFeedback.VOID


def _is_final(impression: StoredImpression, settings: Settings, now: float, step: ClockStep) -> bool:
    """Returns whether the outcome cannot change any more.

    Without a window, an answered impression is final at once. With a window, it is final when the window closes:
    otherwise clicks, which are reported, would be final earlier than missing feedback.
    """
    if impression.not_shown or impression.void or impression.given_up:
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
    if impression.not_shown or impression.void:
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


def add_counts(sums: dict[Cell, list[float]], impression: StoredImpression) -> None:
    """Adds one impression to its cell: n, no-click sum, clicks on the lower item, on the higher item, unanswered."""
    _, i, j, version, _, _, outcome, clicked = impression[:8]
    key = (i, j, version) if i <= j else (j, i, version)
    cell = sums.get(key)
    if cell is None:
        cell = sums[key] = [0, 0.0, 0, 0, 0]
    cell[0] += 1
    cell[1] += 1.0 - (outcome or 0.0)
    if clicked:
        first, second = clicked & 1, clicked >> 1 & 1
        cell[2] += first if i <= j else second
        cell[3] += second if i <= j else first


def rows_of(sums: dict[Cell, list[float]]) -> EvidenceRows:
    """Returns the sums of cells as columns, sorted by pair and version."""
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
