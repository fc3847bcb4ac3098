"""Bound C, contrasts: L of a rival less L of a nominee, bet on as one number.

A nominee k = (a, b) is certified if every rival r = (i, j) has L_r - L_k >= -epsilon. To bound the two apart is to pay
for two intervals instead of one, for every p on the way, and for what the pairs have in common. Here stakes are laid on
the difference itself.

**Scores.** Answers name the clicked items: q_x is 1 if item x is not clicked, p_x its mean, whatever its partner
(assumption `slots-independent`); d_x is what p_x is thought to be. With Z = (q_i - d_i)(q_j - d_j),

    L_r = E[Z] + d_j p_i + d_i p_j - d_i d_j     (an identity, for any d),

so L_r - L_k is made of E[Z_r], -E[Z_k] and multiples c_x of the four p, which nearly cancel for an item of both pairs.
A plan is going to show r, k and each of these items n_r, n_k, n_x times. An impression of r scores Z_r/n_r, one of k
scores -Z_k/n_k, each less what that is thought to be; and every impression of one of the items, with whatever partner,
scores c_x (q_x - d_x)/n_x on top. Over the plan the scores' means add up to L_r - L_k, less what it is thought to be.
(Where answers tell of the pair only, d = 0: Z is the answer, and nothing is scored for items.)

A rival that is hardly shown can be bet on *by its items alone*: L_r >= p_i + p_j - 1, with c_i = c_j = 1 and no Z_r.

**A bet.** y is lambda times the score; lambda is fixed by the plan, so that 1 + y > 0 (`contrast_stakes`). Since
E[1 + y] = 1 + E[y] <= exp(E[y]), the product of (1 + y) exp(-E[y]) over impressions, in issue order, is a
supermartingale: stakes are known before an impression goes out. Its logarithm is linear in what is unknown. If d or
lambda is off, it grows more slowly, and that is all: unlike a mixture, a bet pays nothing for not knowing p. By Ville's
inequality, at all times, with probability 1 - alpha, and b = log 1/alpha,

    sum of log(1 + y) - b <= E,    E = sum of E[y] = K_r L_r - K_k L_k + sum of K_x p_x + K_0,

where the K follow from stakes and from how many answers came in. (By its items alone, K_r times p_i + p_j - 1 stands
there, which is at most K_r L_r.) If all that was planned came in, or all of it in proportion, then K_r = K_k and
K_x = 0. If not, what is left over is bounded by what else is known: p_x by anytime intervals (`LEFTOVER` of the share,
in eight parts: two ends for each of four items; those of the nominee, which data chose, from later samples only), L_k
by its upper bound U and L_r by its lower bound B, which hold by shares of their own:

    K_r >= K_k:  L_r - L_k >= (sum of log(1 + y) - b - K_0 - most of K_x p_x - (K_r - K_k) U) / K_r,
    K_r <  K_k:  L_r - L_k >= (sum of log(1 + y) - b - K_0 - most of K_x p_x + (K_k - K_r) B) / K_k.

A nominee is a choice (`nominee`): the n-th spends share/(n(n+1)), with stakes on what is issued after it was named. The
rival that matters is the one true best pair, so there is no union over rivals (`certificate`).
"""

import math
from itertools import combinations
from typing import NamedTuple

import numpy as np

from app.engine.arrays import BoolArray, FloatArray, IntArray, pair_index, pair_number
from app.engine.bounds import Contrasts
from app.engine.bounds.contrast_stakes import Stakes
from app.engine.choices import Choices, Guess, Nominee
from app.engine.confidence import lower_end, upper_end
from app.engine.evidence import Evidence

LEFTOVER = 0.05
"""Part of the share for the items' intervals."""

LEFT_U, LEFT_V = np.array([1.0, 0.0, 1.0, 0.0]), np.array([1.0, 1.0, 0.0, 0.0])
"""q of two items after neither, only the first, only the second, both were clicked."""

BESIDE = tuple(combinations(range(4), 2))
"""Pairs of the slots i, j, a, b, the rival's own first."""


class Elsewhere(NamedTuple):
    """What other bounds say, by shares of their own."""

    lower: FloatArray  # (P,)
    upper: FloatArray  # (P,)


class Seen(NamedTuple):
    """What one plan's impressions were, for each rival."""

    n: FloatArray  # (4, R) of the slots' items
    clicks: FloatArray  # (4, R)
    beside: FloatArray  # (6, R, 4) of the slots' pairs, by what was clicked: neither, the first, the second, both


class Sums(NamedTuple):
    """The bets on rivals: what was won, and E as a linear function of what is unknown."""

    won: FloatArray  # (R,) sum log(1 + y)
    constant: FloatArray  # (R,) K_0
    of_rival: FloatArray  # (R,) K_r
    of_nominee: FloatArray  # (R,) K_k
    of_items: FloatArray  # (4, R) K_x of i, j, a, b


def contrasts(
    evidence: Evidence, choices: Choices, nominee: Nominee, share: float, epsilon: float, elsewhere: Elsewhere
) -> Contrasts | None:
    """Returns what was won on the rivals of a nominee, each at 1 - share; None if nothing was staked.

    Cost O(rivals) for each plan since the nomination.
    """
    since = [one for one in choices.outlooks if one.version >= nominee.version and tuple(nominee.pair) in one.pairs]
    placed = [Stakes(outlook, nominee.pair, epsilon) for outlook in since]
    if not placed:
        return None
    K = evidence.n_items
    pairs = np.concatenate([stakes.rivals for stakes in placed])
    rivals, first, place = np.unique(pair_index(pairs[:, 0], pairs[:, 1], K), return_index=True, return_inverse=True)
    none = np.zeros(len(rivals))
    total = Sums(none, none.copy(), none.copy(), none.copy(), np.zeros((4, len(rivals))))
    start = 0
    for stakes in placed:
        rows = place[start : start + len(stakes.rivals)]
        version = stakes.outlook.version + 1
        for column, more in zip(total, play(stakes, seen(stakes, evidence.issued(version, version))), strict=True):
            column[..., rows] += more
        start += len(stakes.rivals)
    items = np.stack([*pairs[first].T, *np.repeat(np.array([nominee.pair]).T, len(rivals), axis=1)])  # (4, R)
    ends = _ends(evidence, choices.guess, nominee, items, math.log(8 / (LEFTOVER * share)))
    k = pair_number(nominee.pair, K)
    left_over = most_of_items(items, total.of_items, ends)
    difference = proven(total, left_over, elsewhere.lower[rivals], float(elsewhere.upper[k]), share)
    return Contrasts(k, rivals, difference, np.maximum(total.of_rival, total.of_nominee))


def proven(sums: Sums, left_over: FloatArray, lower: FloatArray, upper: float, share: float) -> FloatArray:
    """Returns the least L_r - L_k, (R,), where K_x p_x add up to `left_over` at most, L_r >= lower, L_k <= upper."""
    known = sums.won - math.log(1 / (share * (1 - LEFTOVER))) - sums.constant - left_over
    spare = sums.of_rival - sums.of_nominee
    known = known - np.where(spare > 0, spare * upper, spare * lower)
    weight = np.maximum(sums.of_rival, sums.of_nominee)
    return np.clip(np.divide(known, weight, out=np.full(known.shape, -1.0), where=weight > 0), -1.0, 1.0)


def play(stakes: Stakes, seen: Seen) -> Sums:
    """Returns what one plan's impressions made of its stakes."""
    d, purse = stakes.d, stakes.purse
    per_item = purse * stakes.merged / stakes.planned_of_items  # (4, R) of each impression
    on_rival = np.where(stakes.listed, purse / stakes.planned, 0.0)
    on_nominee = -purse / stakes.planned_own
    alone, clicked_alone = seen.n.copy(), seen.clicks.copy()  # beside other items than these
    won, of_rival, of_nominee = (np.zeros(seen.n.shape[1]) for _ in range(3))
    for (u, v), cells in zip(BESIDE, seen.beside, strict=True):
        n = cells.sum(axis=1)
        alone[u], alone[v] = alone[u] - n, alone[v] - n
        clicked_alone[u] -= cells[:, 1] + cells[:, 3]
        clicked_alone[v] -= cells[:, 2] + cells[:, 3]
        y = per_item[u][:, None] * (LEFT_U - d[u][:, None]) + per_item[v][:, None] * (LEFT_V - d[v][:, None])
        if (u, v) == BESIDE[0]:
            y = y + on_rival[:, None] * stakes.scores(stakes.value, u, v)
            of_rival = on_rival * n
        nominated = on_nominee * _same_pair(stakes.slots[[u, v]], stakes.slots[2:])
        y = y + nominated[:, None] * stakes.scores(np.full(len(purse), stakes.value_own), u, v)
        of_nominee = of_nominee - nominated * n
        won = won + (np.log1p(y) * cells).sum(axis=1)
    of_left, of_clicked = np.log1p(per_item * (1 - d)), np.log1p(-per_item * d)
    won = won + ((of_left * (alone - clicked_alone) + of_clicked * clicked_alone) * stakes.live).sum(axis=0)
    came = seen.n / stakes.planned_of_items  # (4, R) part of what was planned
    of_rival = np.where(stakes.listed, of_rival, purse * came[:2].mean(axis=0))
    # An item's own score, less what is in its pair's: Z contains the item's p times its partner's d.
    own = np.stack([of_rival, of_rival, of_nominee, of_nominee])
    of_items = (purse * came - own) * stakes.coefficient
    constant = of_nominee * stakes.value_own - of_rival * stakes.value - (of_items * d).sum(axis=0)
    return Sums(won, constant, of_rival, of_nominee, of_items)


def seen(stakes: Stakes, shown: Evidence) -> Seen:
    """Returns the impressions that stakes are about, from those of their plan."""
    slots, live, by_item = stakes.slots, stakes.live, shown.item_clicks()
    beside = [_cells(shown, slots[u], slots[v]) * (live[u] & live[v])[:, None] for u, v in BESIDE]
    return Seen(by_item.n[slots].astype(np.float64), by_item.clicks[slots], np.stack(beside))


def _cells(shown: Evidence, u: IntArray, v: IntArray) -> FloatArray:
    """Returns impressions of pairs after which neither, only u, only v, both were clicked, (R, 4)."""
    pairs = shown.together
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
    """Returns where two pairs of items, (2, R) each, are the same."""
    return np.asarray((one.min(axis=0) == other.min(axis=0)) & (one.max(axis=0) == other.max(axis=0)))


def _ends(
    evidence: Evidence, guess: Guess | None, nominee: Nominee, items: IntArray, log_level: float
) -> tuple[FloatArray, FloatArray]:
    """Returns intervals of p of the slots' items, lower and upper ends, (4, R) each.

    The rival that matters is fixed, and so are its items: all samples count that may count with the guess. The
    nominee's items were chosen with it: theirs must be issued after that.
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
    thought = None if guess is None or guess.unclicked is None else guess.unclicked[some]
    ends = lower_end(n, s, log_level, thought), upper_end(n, s, log_level, thought)
    return ends[0][place].reshape(items.shape), ends[1][place].reshape(items.shape)


def most_of_items(items: IntArray, K: FloatArray, ends: tuple[FloatArray, FloatArray]) -> FloatArray:
    """Returns the largest sum of K_x p_x, (R,): an item of both pairs has one p."""
    K, low, high = K.copy(), *ends
    for of_rival in (0, 1):
        for of_nominee in (2, 3):
            same = items[of_rival] == items[of_nominee]
            K[of_rival, same] += K[of_nominee, same]
            K[of_nominee, same] = 0.0
    return np.asarray(np.where(K > 0, K * high, K * low).sum(axis=0))
