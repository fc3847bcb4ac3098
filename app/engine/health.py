"""Health checks: does the evidence contradict what the proof assumes?

Every check compares quantities that agree if the assumption holds, and reports a finding only if they differ by more
than chance. Of all sessions without a problem, at most the part `FALSE_ALARMS` ever gets a finding, even with a check
after every plan, and with any policy: `FALSE_ALARMS` is divided among the checks, and within a check among the pairs
(or items) and the versions compared. Sampling is adaptive, so a plain comparison of two means would be biased by
selection (the current leader probably had good luck earlier). Three methods are not affected:

**Two groups of one coin** (`agreement`): the impressions of a pair, or of an item, up to some plan and after it
(drift); the impressions of an item with one partner and with all others (partners).

**An upper and a lower bound.** Both hold for all pairs at all times with probability 1 - alpha/2 each; if they cross,
one of them failed. Used for direct bounds against structural ones. (The lower bounds of the certificate do not hold for
all pairs at once: here the level of each pair is divided by the number of pairs.)

**Missing feedback within a plan**, in `unanswered`; **late answers** to a pair within a plan, in `late`.

Cost O(rows of the evidence + P), no loop over pairs.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from scipy.special import rel_entr

from app.engine.agreement import Change, Coins, change, worst_disagreement
from app.engine.arrays import FloatArray, pair_index
from app.engine.bounds.item_clicks import item_click_bounds
from app.engine.bounds.screening import blank_bounds
from app.engine.choices import Blank, Choices
from app.engine.confidence import upper_end
from app.engine.delta_shares import Shares, portion
from app.engine.evidence import Evidence, PairClicks
from app.engine.late import LateAnswers, late_clicks_differ
from app.engine.problem import Model, Problem
from app.engine.unanswered import Unanswered, uneven_loss

FALSE_ALARMS = 0.001
"""Upper limit of the fraction of sessions without a problem that get a finding: far below any delta."""

ALARM_PER_CHECK = FALSE_ALARMS / 8
"""The part of `FALSE_ALARMS` for one check: structure, partners, never both, drift of pairs, drift of items, missing
feedback, only clicks, late answers."""

NEVER_BOTH = 100
"""It is a finding if no impression had two clicks although independent clicks would produce this many. Groups of users
who like different items reduce the number; if at least one in eleven remains (9.1), the probability of none is e^-9.1 =
1.1e-4 < `ALARM_PER_CHECK`."""

ONLY_CLICKS = 41
"""It is a finding if this many answers are all clicks: the probability is .8^41 = 1.1e-4 < `ALARM_PER_CHECK` if one
impression in five has no click."""

MISSING_IS_COMMON = 0.2
"""Fraction of all impressions; if fewer are unanswered, they cannot hide enough impressions without a click."""

LARGEST_EPSILON = 0.5
"""As a part of the highest possible reward of the leader. With a larger epsilon, a pair with less than half the reward
of the leader is within epsilon of it."""


class FindingKind(StrEnum):
    """Which quantities contradict each other."""

    STRUCTURE = "structure"  # a pair's own samples, and what the mixture implies for it
    PARTNERS = "partners"  # an item's clicks with one partner, and with the others
    NEVER_BOTH = "never_both"  # clicks on either item, never on both
    DRIFT = "drift"  # click rates up to some plan, and after it
    SILENCE = "silence"  # the unanswered part of some pairs, and of the rest of their plans
    ONLY_CLICKS = "only_clicks"  # all answers are clicks, and many impressions are unanswered
    LATE = "late"  # how often late answers are clicks, and how often timely ones are


@dataclass(frozen=True)
class Finding:
    """A contradiction: its kind, whether it invalidates the proof, the items where it is largest, and its numbers."""

    kind: FindingKind
    suspends: bool
    items: tuple[int, ...] = ()
    detail: Mapping[str, float] = field(default_factory=dict)


def findings(
    problem: Problem,
    evidence: Evidence,
    choices: Choices,
    shares: Shares,
    unanswered: Unanswered,
    late: LateAnswers | None = None,
) -> tuple[Finding, ...]:
    """Returns what contradicts the assumptions, at most one finding of a kind; nothing in the deterministic model.

    Only assumptions of bounds in use are checked; `choices` and `shares` say which these are.
    """
    if problem.model is Model.DETERMINISTIC:
        return ()
    pairs = evidence.pair_clicks
    uses_item_clicks = problem.item_clicks and shares.clicks > 0
    if uses_item_clicks:
        structure = [_implied_by_clicks(problem, evidence, pairs)]
    else:
        blanks = enumerate(choices.blanks, start=1)
        structure = [_implied_by_blank(problem, evidence, pairs, blank, ordinal) for ordinal, blank in blanks]
    checks = (
        _structure(problem, pairs, structure),
        _partners(problem, evidence, pairs) if uses_item_clicks else None,
        _never_both(evidence, pairs) if uses_item_clicks else None,
        _drift_of_pairs(evidence) or (_drift_of_items(evidence) if uses_item_clicks else None),
        _missing_feedback(problem.n_items, unanswered),
        _only_clicks(evidence, unanswered),
        _late_answers(late) if late is not None else None,
    )
    return tuple(found for found in checks if found is not None)


def epsilon_is_too_large(epsilon: float, most: float) -> bool:
    """Returns whether epsilon is too large to compare pairs, if the reward of the leader is at most `most`."""
    return epsilon > LARGEST_EPSILON * most


class _Implied(NamedTuple):
    """A structural bound of the shown pairs: a fast estimate, and the bound itself for pairs where they may cross."""

    estimate: FloatArray  # (m,) about the limit of the bound with many samples
    bounds: Callable[[], FloatArray]  # (P,) lower bounds


def _structure(problem: Problem, pairs: PairClicks, structure: Iterable[_Implied]) -> Finding | None:
    """Returns the pair whose direct upper end U is furthest below what the mixture implies for it (bounds F, I).

    U < bound < estimate needs n KL(p_hat, estimate) > n KL(p_hat, U) >= level. Bounds, which cost O(P), are computed
    only if this is true for some pair.
    """
    level = math.log(2 * problem.n_pairs / ALARM_PER_CHECK)
    p_hat = pairs.s / pairs.n
    found: list[tuple[float, Finding]] = []
    for one in structure:
        x = np.clip(one.estimate, 0.0, 1.0)
        far = pairs.n * (rel_entr(p_hat, x) + rel_entr(1 - p_hat, 1 - x)) > level
        suspect = np.flatnonzero((p_hat < x) & far)
        if len(suspect) == 0:
            continue
        i, j, n, s = pairs.i[suspect], pairs.j[suspect], pairs.n[suspect], pairs.s[suspect]
        lower, upper = one.bounds()[pair_index(i, j, problem.n_items)], upper_end(n, s, level)
        at = int(np.argmax(lower - upper))
        if lower[at] > upper[at]:
            detail = {"direct_at_most": upper[at], "implied_at_least": lower[at], "shown": n[at]}
            finding = Finding(FindingKind.STRUCTURE, True, (int(i[at]), int(j[at])), _plain(detail))
            found.append((float(lower[at] - upper[at]), finding))
    return max(found, key=itemgetter(0))[1] if found else None


def _implied_by_clicks(problem: Problem, evidence: Evidence, pairs: PairClicks) -> _Implied:
    """Returns bound I, about p_i + p_j - 1; the pair's own impressions count for one of its items."""
    items = evidence.item_clicks()
    whole, apart = np.zeros((2, 2, len(pairs.n)))
    for slot, (item, own) in enumerate(((pairs.i, pairs.clicks_i), (pairs.j, pairs.clicks_j))):
        with_others = items.n[item] - pairs.n
        whole[slot] = 1 - items.clicks[item] / items.n[item]
        apart[slot] = (with_others - (items.clicks[item] - own)) / np.maximum(with_others, 1)
    estimate = np.maximum(whole[0] + apart[1], apart[0] + whole[1]) - 1
    level = math.log(2 * problem.n_pairs / ALARM_PER_CHECK)
    return _Implied(estimate, lambda: item_click_bounds(evidence, None, level))


def _implied_by_blank(problem: Problem, evidence: Evidence, pairs: PairClicks, blank: Blank, ordinal: int) -> _Implied:
    """Returns bound F: L_ic + L_jc - 1, from samples issued after c was chosen."""
    all_items = np.arange(problem.n_items)
    n, s = evidence.issued(blank.version + 1).entries(all_items, np.full(problem.n_items, blank.item))
    p = np.where(all_items == blank.item, 0.0, s / np.maximum(n, 1))
    level = math.log(problem.n_pairs / portion(ALARM_PER_CHECK / 2, ordinal))
    return _Implied(p[pairs.i] + p[pairs.j] - 1.0, lambda: blank_bounds(evidence, blank, level))


def _partners(problem: Problem, evidence: Evidence, pairs: PairClicks) -> Finding | None:
    """Returns the item whose clicks depend most on its partner: bound I assumes no dependence."""
    item, partner = np.concatenate([pairs.i, pairs.j]), np.concatenate([pairs.j, pairs.i])
    with_one = Coins(
        np.concatenate([pairs.n, pairs.n]), np.concatenate([pairs.clicks_i, pairs.clicks_j]).astype(np.float64)
    )
    items = evidence.item_clicks()
    with_others = Coins(items.n[item] - with_one.n, items.clicks[item] - with_one.clicks)
    at = worst_disagreement(with_one, with_others, np.full(len(item), math.log(2 * problem.n_pairs / ALARM_PER_CHECK)))
    if at is None:
        return None
    detail = {
        "beside_it": with_one.clicks[at] / with_one.n[at],
        "beside_others": with_others.clicks[at] / with_others.n[at],
    }
    return Finding(FindingKind.PARTNERS, True, (int(item[at]), int(partner[at])), _plain(detail))


def _never_both(evidence: Evidence, pairs: PairClicks) -> Finding | None:
    """Returns a finding if no impression had two clicks although `NEVER_BOTH` were expected.

    A page that users leave with the first click produces this. The check assumes something about the population: there
    may be no user who likes both items of the best pair, but this is rarely true of all pairs that are shown.
    """
    both = pairs.both
    items = evidence.item_clicks()
    rate = items.clicks / np.maximum(items.n, 1)
    expected = float(pairs.n @ (rate[pairs.i] * rate[pairs.j]))
    if both.sum() > 0 or expected < NEVER_BOTH:
        return None
    return Finding(FindingKind.NEVER_BOTH, True, (), {"expected": expected, "shown": float(pairs.n.sum())})


def _drift_of_pairs(evidence: Evidence) -> Finding | None:
    """Returns the pair whose early impressions contradict its late ones most; self pairs count as pairs here."""
    entries = evidence.n_items * (evidence.n_items + 1) // 2
    key = evidence.i * evidence.n_items + evidence.j
    found = change(
        key, evidence.version, Coins(evidence.n, evidence.n - evidence.s), math.log(entries / ALARM_PER_CHECK)
    )
    if found is None:
        return None
    row = found.row
    return Finding(FindingKind.DRIFT, True, (int(evidence.i[row]), int(evidence.j[row])), _numbers_of(found))


def _drift_of_items(evidence: Evidence) -> Finding | None:
    """Returns the item whose clicks changed most, with all partners together."""
    K, off = evidence.n_items, evidence.i != evidence.j
    i, j, n, version = evidence.i[off], evidence.j[off], evidence.n[off], evidence.version[off]
    width = int(version.max(initial=0)) + 1
    cells = np.concatenate([i * width + version, j * width + version])
    shown = np.bincount(cells, np.concatenate([n, n]), K * width)
    clicks = np.bincount(cells, np.concatenate([evidence.clicks_i[off], evidence.clicks_j[off]]), K * width)
    seen = np.flatnonzero(shown)  # sorted by item, then version
    coins = Coins(shown[seen].astype(np.int64), clicks[seen].astype(np.float64))
    found = change(seen // width, seen % width, coins, math.log(K / ALARM_PER_CHECK))
    if found is None:
        return None
    return Finding(FindingKind.DRIFT, True, (int(seen[found.row] // width),), _numbers_of(found))


def _numbers_of(found: Change) -> dict[str, float]:
    early, late = found.early, found.late
    return {
        "until_version": float(found.until_version),
        "early": early.clicked / early.shown,
        "late": late.clicked / late.shown,
        "early_shown": float(early.shown),
        "late_shown": float(late.shown),
    }


def _missing_feedback(n_items: int, unanswered: Unanswered) -> Finding | None:
    """Returns the pair or item whose unanswered part differs most from that of its plans."""
    found = uneven_loss(unanswered, n_items, ALARM_PER_CHECK)
    if found is None:
        return None
    detail = {"unanswered": found.share, "expected": found.expected, "shown": float(found.shown)}
    return Finding(FindingKind.SILENCE, True, found.items, detail)


def _only_clicks(evidence: Evidence, unanswered: Unanswered) -> Finding | None:
    """Returns a finding if at least `ONLY_CLICKS` answers came, all of them clicks, and many impressions got none.

    This check assumes something about the population, too: on average over the first pairs shown, at least one
    impression in five has no click. In a population without this property, it may be true that all were clicked.
    """
    if evidence.s.sum() > 0:
        return None
    # Plan by plan: later plans show better pairs, of which fewer impressions have no click. The evidence may contain
    # many plans the first time it is not empty.
    width = int(unanswered.version.max(initial=0)) + 1
    answered, missing = (
        np.cumsum(np.bincount(unanswered.version, column, width))
        for column in (unanswered.answered, unanswered.missing)
    )
    share = missing / np.maximum(missing + answered, 1)
    found = np.flatnonzero((answered >= ONLY_CLICKS) & (share >= MISSING_IS_COMMON))
    if len(found) == 0:
        return None
    detail = {"clicks": answered[found[-1]], "unanswered": share[found[-1]]}
    return Finding(FindingKind.ONLY_CLICKS, True, (), _plain(detail))


def _late_answers(late: LateAnswers) -> Finding | None:
    """Returns a finding if late answers are clicks more often, or less often, than timely ones."""
    found = late_clicks_differ(late, ALARM_PER_CHECK)
    if found is None:
        return None
    detail = {"clicked": found.share, "expected": found.expected, "late": float(found.late)}
    return Finding(FindingKind.LATE, True, (), detail)


def _plain(detail: Mapping[str, float]) -> dict[str, float]:
    return {name: float(value) for name, value in detail.items()}
