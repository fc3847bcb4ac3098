"""Bound C, contrasts: L of a rival minus L of a nominee, bet on as one number.

A nominee k = (a, b) is certified if every rival r = (i, j) has L_r - L_k >= -`Goal.allowed`. Bounding the two
separately costs two intervals instead of one, and pays for every unknown p and for what the pairs have in common. Here
bets are placed on the difference itself ("testing by betting").

**Scores.** Feedback names the clicked items: q_x is 1 if item x is not clicked and 0 if it is, p_x is its mean with any
partner (assumption `slots-independent`), d_x is an estimate of p_x. With Z = (q_i - d_i)(q_j - d_j),

    L_r = E[Z] + d_j p_i + d_i p_j - d_i d_j     (an identity, for any d),

so L_r - L_k consists of E[Z_r], -E[Z_k] and multiples c_x of the four p, which nearly cancel for an item of both pairs.
A plan will show r, k and each of these items n_r, n_k, n_x times. An impression of r scores Z_r/n_r, one of k scores
-Z_k/n_k, each minus its estimated mean; and every impression of one of the items, with any partner, adds
c_x (q_x - d_x)/n_x. Over the plan the means of the scores add up to L_r - L_k minus its estimate. (Where feedback only
says whether the pair was clicked, d = 0: Z is the outcome, and items add no score.)

A rival that is hardly shown can be bet on *by its items alone*: L_r >= p_i + p_j - 1, with c_i = c_j = 1 and no Z_r.

**A bet.** y is lambda times the score; lambda is fixed by the plan, so that 1 + y > 0 (`contrast_bets`). Since
E[1 + y] = 1 + E[y] <= exp(E[y]), the product of (1 + y) exp(-E[y]) over impressions, in issue order, is a
supermartingale: bets are known before an impression is issued. Its logarithm is linear in the unknowns. If d or lambda
is inaccurate, it grows more slowly, and that is the only effect: unlike a mixture, a bet pays nothing for not knowing
p. By Ville's inequality, at all times, with probability 1 - alpha, and b = log 1/alpha,

    sum of log(1 + y) - b <= E,    E = sum of E[y] = gamma_r L_r - gamma_k L_k + sum of gamma_x p_x + gamma_0,

where the gamma follow from the bets and from how many impressions were counted. (By its items alone, gamma_r times
p_i + p_j - 1 takes the place of gamma_r L_r and is at most that.) If everything planned was counted, or all of it in
proportion, then gamma_r = gamma_k and gamma_x = 0. If not, the remainder is bounded by what else is known: p_x by
anytime intervals (`LEFTOVER_SHARE` of the share, in eight parts: two ends for each of four items; those of the nominee,
which data chose, from later samples only), L_k by its upper bound U and L_r by its lower bound B, which hold by their
own shares:

    gamma_r >= gamma_k:  L_r - L_k >= (known - (gamma_r - gamma_k) U) / gamma_r,
    gamma_r <  gamma_k:  L_r - L_k >= (known + (gamma_k - gamma_r) B) / gamma_k,

with known = sum of log(1 + y) - b - gamma_0 - the largest possible sum of gamma_x p_x.

A nominee is a choice (`choices`): the n-th spends share/(n(n+1)), with bets on impressions issued after it was named.
The rival that matters is the one true best pair, so there is no union over rivals (`certificate`).
"""

import math
from itertools import combinations
from typing import NamedTuple

import numpy as np

from app.engine.arrays import BoolArray, FloatArray, IntArray, pair_index, pair_number
from app.engine.bounds import Contrasts
from app.engine.bounds.contrast_bets import Bets
from app.engine.choices import Choices, Guess, Nominee
from app.engine.confidence import lower_end, upper_end
from app.engine.evidence import Evidence

LEFTOVER_SHARE = 0.05
"""Part of the share that the intervals of the items spend."""

INTERVAL_ENDS = 8
"""The ends of the intervals of four items; each spends an equal part."""

LEFT_U, LEFT_V = np.array([1.0, 0.0, 1.0, 0.0]), np.array([1.0, 1.0, 0.0, 0.0])
"""q of two items if neither, only the first, only the second, both were clicked."""

SLOT_PAIRS = tuple(combinations(range(4), 2))
"""Pairs of the slots i, j (items of the rival) and a, b (items of the nominee); the rival itself comes first."""


class MarginalBounds(NamedTuple):
    """Bounds of every L_ij by itself; they hold by their own shares of delta."""

    lower: FloatArray  # (P,)
    upper: FloatArray  # (P,)


class SlotCounts(NamedTuple):
    """Counts of one plan's impressions, for each rival."""

    n: FloatArray  # (4, R) impressions of the slots' items
    clicks: FloatArray  # (4, R) of them with a click on the item
    pairs: FloatArray  # (6, R, 4) impressions of `SLOT_PAIRS` with clicks on neither, the first, the second, both


class Sums(NamedTuple):
    """The bets on rivals: their log wealth, and E as a linear function of the unknowns."""

    log_wealth: FloatArray  # (R,) sum log(1 + y)
    constant: FloatArray  # (R,) gamma_0
    of_rival: FloatArray  # (R,) gamma_r
    of_nominee: FloatArray  # (R,) gamma_k
    of_items: FloatArray  # (4, R) gamma_x of i, j, a, b


def contrasts(
    evidence: Evidence, choices: Choices, nominee: Nominee, share: float, epsilon: float, marginal: MarginalBounds
) -> Contrasts | None:
    """Returns what bets prove about the rivals of a nominee, each at 1 - share; None if there were no bets.

    `epsilon` is for the bets of outlooks of older versions, which have none of their own.
    Cost O(rivals) for each plan since the nomination.
    """
    since = [one for one in choices.outlooks if one.version >= nominee.version and tuple(nominee.pair) in one.pairs]
    placed = [Bets(outlook, nominee.pair, outlook.epsilon or epsilon) for outlook in since]
    if not placed:
        return None
    K = evidence.n_items
    pairs = np.concatenate([bets.rivals for bets in placed])
    rivals, first, place = np.unique(pair_index(pairs[:, 0], pairs[:, 1], K), return_index=True, return_inverse=True)
    none = np.zeros(len(rivals))
    total = Sums(none, none.copy(), none.copy(), none.copy(), np.zeros((4, len(rivals))))
    start = 0
    for bets in placed:
        rows = place[start : start + len(bets.rivals)]
        version = bets.outlook.version + 1
        sums = sums_of(bets, evidence.issued(version, version))
        for column, more in zip(total, sums, strict=True):
            column[..., rows] += more
        start += len(bets.rivals)
    items = np.stack([*pairs[first].T, *np.repeat(np.array([nominee.pair]).T, len(rivals), axis=1)])  # (4, R)
    ends = _ends(evidence, choices.guess, nominee, items, math.log(INTERVAL_ENDS / (LEFTOVER_SHARE * share)))
    k = pair_number(nominee.pair, K)
    left_over = largest_item_sum(items, total.of_items, ends)
    difference = proven(total, left_over, marginal.lower[rivals], float(marginal.upper[k]), share)
    return Contrasts(k, rivals, difference, np.maximum(total.of_rival, total.of_nominee))


def proven(sums: Sums, left_over: FloatArray, lower: FloatArray, upper: float, share: float) -> FloatArray:
    """Returns the least L_r - L_k, (R,), if the sum of gamma_x p_x <= `left_over`, L_r >= lower and L_k <= upper."""
    known = sums.log_wealth - math.log(1 / (share * (1 - LEFTOVER_SHARE))) - sums.constant - left_over
    spare = sums.of_rival - sums.of_nominee
    known = known - np.where(spare > 0, spare * upper, spare * lower)
    weight = np.maximum(sums.of_rival, sums.of_nominee)
    return np.clip(np.divide(known, weight, out=np.full(known.shape, -1.0), where=weight > 0), -1.0, 1.0)


def sums_of(bets: Bets, shown: Evidence) -> Sums:
    """Returns the result of a plan's bets, from the impressions of the plan."""
    return settle_bets(bets, slot_counts(bets, shown))


def settle_bets(bets: Bets, counts: SlotCounts) -> Sums:
    """Returns the result of a plan's bets after its impressions."""
    d, bet_size = bets.d, bets.bet_size
    per_item = bet_size * bets.merged / bets.planned_of_items  # (4, R) of each impression
    on_rival = np.where(bets.listed, bet_size / bets.planned, 0.0)
    on_nominee = -bet_size / bets.planned_own
    alone, clicked_alone = counts.n.copy(), counts.clicks.copy()  # impressions with other partners than these items
    log_wealth, of_rival, of_nominee = (np.zeros(counts.n.shape[1]) for _ in range(3))
    for (u, v), cells in zip(SLOT_PAIRS, counts.pairs, strict=True):
        n = cells.sum(axis=1)
        alone[u], alone[v] = alone[u] - n, alone[v] - n
        clicked_alone[u] -= cells[:, 1] + cells[:, 3]
        clicked_alone[v] -= cells[:, 2] + cells[:, 3]
        y = per_item[u][:, None] * (LEFT_U - d[u][:, None]) + per_item[v][:, None] * (LEFT_V - d[v][:, None])
        if (u, v) == SLOT_PAIRS[0]:
            y = y + on_rival[:, None] * bets.scores(bets.value, u, v)
            of_rival = on_rival * n
        nominated = on_nominee * _same_pair(bets.slots[[u, v]], bets.slots[2:])
        y = y + nominated[:, None] * bets.scores(np.full(len(bet_size), bets.value_own), u, v)
        of_nominee = of_nominee - nominated * n
        log_wealth = log_wealth + (np.log1p(y) * cells).sum(axis=1)
    of_left, of_clicked = np.log1p(per_item * (1 - d)), np.log1p(-per_item * d)
    log_wealth = log_wealth + ((of_left * (alone - clicked_alone) + of_clicked * clicked_alone) * bets.live).sum(axis=0)
    counted = counts.n / bets.planned_of_items  # (4, R) as a part of the planned impressions
    of_rival = np.where(bets.listed, of_rival, bet_size * counted[:2].mean(axis=0))
    # The score of an item minus its part in the score of its pair: Z contains p of the item times d of its partner.
    own = np.stack([of_rival, of_rival, of_nominee, of_nominee])
    of_items = (bet_size * counted - own) * bets.coefficient
    constant = of_nominee * bets.value_own - of_rival * bets.value - (of_items * d).sum(axis=0)
    return Sums(log_wealth, constant, of_rival, of_nominee, of_items)


def slot_counts(bets: Bets, shown: Evidence) -> SlotCounts:
    """Returns the counts that bets depend on, from the impressions of their plan."""
    slots, live, by_item = bets.slots, bets.live, shown.item_clicks()
    pairs = [_cells(shown, slots[u], slots[v]) * (live[u] & live[v])[:, None] for u, v in SLOT_PAIRS]
    return SlotCounts(by_item.n[slots].astype(np.float64), by_item.clicks[slots], np.stack(pairs))


def _cells(shown: Evidence, u: IntArray, v: IntArray) -> FloatArray:
    """Returns the impressions of pairs with clicks on neither, only u, only v, both, (R, 4)."""
    pairs = shown.pair_clicks
    index = pair_index(pairs.i, pairs.j, shown.n_items)
    if len(index) == 0:
        return np.zeros((len(u), 4))
    wanted = pair_index(np.minimum(u, v), np.maximum(u, v), shown.n_items)
    at = np.minimum(np.searchsorted(index, wanted), len(index) - 1)
    on_i, on_j, both = (column[at].astype(np.float64) for column in (pairs.clicks_i, pairs.clicks_j, pairs.both))
    on_u, on_v = np.where(u < v, on_i, on_j), np.where(u < v, on_j, on_i)
    cells = np.stack([pairs.s[at], on_u - both, on_v - both, both], axis=1)
    return np.asarray(cells * ((index[at] == wanted) & (u != v))[:, None])


def _same_pair(one: IntArray, other: IntArray) -> BoolArray:
    """Returns which columns of two arrays of pairs, (2, R) each, are the same pair."""
    return np.asarray((one.min(axis=0) == other.min(axis=0)) & (one.max(axis=0) == other.max(axis=0)))


def _ends(
    evidence: Evidence, guess: Guess | None, nominee: Nominee, items: IntArray, log_level: float
) -> tuple[FloatArray, FloatArray]:
    """Returns intervals of p of the slots' items, lower and upper ends, (4, R) each.

    The rival that matters is fixed, and so are its items: all samples that were issued after the guess count. The items
    of the nominee were chosen with it: only samples issued after the nomination count.
    """
    since = 0 if guess is None else guess.version
    ends = [
        _ends_of(evidence.issued(version + 1), guess, items[part], log_level)
        for part, version in ((slice(0, 2), since), (slice(2, 4), max(since, nominee.version)))
    ]
    return np.concatenate([low for low, _ in ends]), np.concatenate([high for _, high in ends])


def _ends_of(
    counted: Evidence, guess: Guess | None, items: IntArray, log_level: float
) -> tuple[FloatArray, FloatArray]:
    seen = counted.item_clicks()
    some, place = np.unique(items, return_inverse=True)
    n, s = seen.n[some], (seen.n - seen.clicks)[some]
    prior = None if guess is None or guess.unclicked is None else guess.unclicked[some]
    ends = lower_end(n, s, log_level, prior), upper_end(n, s, log_level, prior)
    return ends[0][place].reshape(items.shape), ends[1][place].reshape(items.shape)


def largest_item_sum(items: IntArray, gamma: FloatArray, ends: tuple[FloatArray, FloatArray]) -> FloatArray:
    """Returns the largest sum of gamma_x p_x, (R,): an item of both pairs has one p."""
    gamma, low, high = gamma.copy(), *ends
    for of_rival in (0, 1):
        for of_nominee in (2, 3):
            same = items[of_rival] == items[of_nominee]
            gamma[of_rival, same] += gamma[of_nominee, same]
            gamma[of_nominee, same] = 0.0
    return np.asarray(np.where(gamma > 0, gamma * high, gamma * low).sum(axis=0))
