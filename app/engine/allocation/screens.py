"""Screens settle many pairs at once: by a blank (bound F) or by clicks on items (bound I). How far to measure items.

A screen settles pair (i, j) about when e_i + e_j <= T_ij, where e = v/N is the variance of an item's mean (its *level*)
and T_ij = slack_ij^2 / 2b, slack_ij = x_i + x_j - 1 - threshold: the distance of the screen's bound from the threshold
without noise. A pair that is not settled costs its own samples. `best_levels` finds the levels with the lowest total
cost by coordinate descent: each item in turn sorts its pairs by the level they need and takes the best prefix, first
with the assumption that partners will do their part of each pair (T is divided in proportion to sqrt(v), which is
cheapest for one pair alone), then with the levels that partners have. O(pairs log pairs) a sweep.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from app.engine.allocation.costs import RETRY_PART, variance
from app.engine.arrays import BoolArray, FloatArray, IntArray
from app.engine.bounds.item_clicks import TWO_WAYS
from app.engine.choices import Blank, Guess, clip_guess
from app.engine.confidence import log_price
from app.engine.evidence import Evidence

TRUST = 10.0
"""A guess from the fit has the weight of the samples in which it expects this many clicks: it is wrong by a part of the
click rate, about a third, however low the rate is."""

SHRINK = 1.0
"""The overall mean has the weight of the samples with this many clicks in an item's click rate: unseen items are like
the others."""

MIN_PRICE = 1.0
MARGIN = 0.3
"""The price of not knowing an entry is at least about 1 when it is needed, and still grows a little by then."""

OPTIMISTIC_SWEEPS, EXACT_SWEEPS = 2, 2
"""Levels change little after these."""

NO_BLANK = -1


@dataclass(frozen=True, eq=False)
class Screen:
    """p_i of each item: estimates, samples, and half the level that a joint region of two items costs."""

    x: FloatArray  # (K,) estimates of L_ic (c the blank), or of the probability that i is not clicked
    n: IntArray | FloatArray  # (K,) samples that count for the bound
    half_level: FloatArray  # (K,) log(1/alpha)/2 + price of this entry
    cost: float  # impressions per sample: 0.5 where one impression counts for both its items
    blank: int = NO_BLANK


def trust(guess: FloatArray) -> FloatArray:
    """Returns the weight of guesses, which are below 1, in samples."""
    return TRUST / (1 - guess)


def planned_blank(x: FloatArray, item: int, log_level: float) -> Screen:
    """Returns the screen that this item would give as a blank, by a rank-one fit x; it has no samples yet."""
    K = len(x)
    half = np.full(K, log_level / 2 + MIN_PRICE + MARGIN)
    return Screen(x * x[item], np.zeros(K), half, 1.0, item)


def through_blank(evidence: Evidence, blank: Blank, x: FloatArray, log_level: float) -> Screen:
    """Returns the screen through a chosen blank, with estimates from a rank-one fit x and the blank's own samples."""
    K = evidence.n_items
    n, s = evidence.issued(blank.version + 1).entries(np.arange(K), np.full(K, blank.item))
    fitted = clip_guess(x * x[blank.item])
    estimate = (s + trust(fitted) * fitted) / (n + trust(fitted))
    return Screen(estimate, n, _half_level(n, s, np.array(blank.guess), log_level), 1.0, blank.item)


def by_item_clicks(evidence: Evidence, guess: Guess | None, log_level: float) -> Screen:
    """Returns the screen from clicks on single items: every impression counts for both its items."""
    items = evidence.item_clicks()
    s = items.n - items.clicks
    overall = (s.sum() + 1) / (items.n.sum() + 2)
    shrink = SHRINK / (1 - overall)
    x = (s + shrink * overall) / (items.n + shrink)
    log_level += TWO_WAYS  # near the end, most pairs that matter were shown
    if guess is None:
        return Screen(x, items.n, _half_level(items.n, s, None, log_level), 0.5)
    fresh = evidence.issued(guess.version + 1).item_clicks()
    return Screen(x, fresh.n, _half_level(fresh.n, fresh.n - fresh.clicks, guess.unclicked, log_level), 0.5)


def _half_level(n: IntArray, s: FloatArray, guess: FloatArray | None, log_level: float) -> FloatArray:
    return log_level / 2 + np.maximum(-log_price(n, s, guess), MIN_PRICE) + MARGIN


class PairsToScreen(NamedTuple):
    """Pairs whose lower bound does not reach the threshold, and the cost of settling each by itself."""

    i: IntArray  # (m,)
    j: IntArray  # (m,)
    direct: FloatArray  # (m,) samples, times the number of pairs it represents
    T: FloatArray  # (m,) e_i + e_j at which a screen settles the pair, 0 where it cannot


class Levels(NamedTuple):
    """How precisely to measure each item, which pairs that should settle, and the total cost."""

    e: FloatArray  # (K,) variance of each item's mean
    extra: FloatArray  # (K,) samples of each item still to take
    settled: BoolArray  # (m,) open pairs that these levels should settle
    cost: float  # impressions for the levels and for the pairs left open


def best_levels(screen: Screen, pairs: PairsToScreen) -> Levels:
    """Returns the levels that cost least."""
    T = pairs.T
    v = variance(screen.x)
    reached = v / np.maximum(screen.n, 1e-9)
    e = _descend(T, v, reached, screen, pairs)
    settled = settles(e, T, pairs.i, pairs.j)
    extra = np.where(e < reached, v / np.maximum(e, 1e-12) - screen.n, 0.0)
    return Levels(e, extra, settled, float(screen.cost * extra.sum() + pairs.direct[~settled].sum()))


def settles(e: FloatArray, T: FloatArray, i: IntArray, j: IntArray) -> BoolArray:
    """Returns which pairs levels e should settle."""
    return (T > 0) & (e[i] + e[j] <= T * (1 + 1e-9))


def tolerated(screen: Screen, threshold: float, i: IntArray, j: IntArray) -> FloatArray:
    """Returns T_ij of open pairs, 0 where screening cannot help.

    The variance of an entry near 1 grows over the distance slack/2: KL over a distance d is about d^2 / 2v with the v
    a third of the way. And a pair that is still open needs more samples than there are, also if the formula gives less.
    """
    x, v = screen.x, variance(screen.x)
    slack = np.maximum(x[i] + x[j] - 1 - threshold, 0.0)
    further = variance(x[i] - slack / 6) + variance(x[j] - slack / 6)
    T = slack**2 / (2 * (screen.half_level[i] + screen.half_level[j])) * (v[i] + v[j]) / further
    reached = v / np.maximum(screen.n, 1e-9)
    T = np.minimum(T, (reached[i] + reached[j]) / (1 + RETRY_PART))
    return np.where((i == screen.blank) | (j == screen.blank), 0.0, T)


def _descend(T: FloatArray, v: FloatArray, reached: FloatArray, screen: Screen, pairs: PairsToScreen) -> FloatArray:
    """Returns e after some sweeps over the items."""
    useful = np.flatnonzero(T > 0)
    item = np.concatenate([pairs.i[useful], pairs.j[useful]])
    order = np.argsort(item, kind="stable")  # each pair twice, once with each of its items
    item, other = item[order], np.concatenate([pairs.j[useful], pairs.i[useful]])[order]
    wanted = np.concatenate([T[useful], T[useful]])[order]
    price = np.concatenate([pairs.direct[useful], pairs.direct[useful]])[order]
    partners_part = wanted * np.sqrt(v[other]) / (np.sqrt(v[item]) + np.sqrt(v[other]))
    start = np.searchsorted(item, np.arange(len(v) + 1))
    e = reached.copy()
    for sweep in range(OPTIMISTIC_SWEEPS + EXACT_SWEEPS):
        for k in np.flatnonzero(start[1:] > start[:-1]):
            part = slice(start[k], start[k + 1])
            theirs = e[other[part]]
            if sweep < OPTIMISTIC_SWEEPS:
                theirs = np.minimum(theirs, partners_part[part])
            asked = wanted[part] - theirs
            down = np.argsort(-asked)[: np.count_nonzero(asked > 0)]
            e[k] = reached[k]
            if len(down):
                asked, saved = asked[down], np.cumsum(price[part][down])
                # Settling the first t pairs needs e <= asked[t-1]; the other pairs cost their direct samples.
                gain = saved - screen.cost * np.maximum(v[k] / asked - screen.n[k], 0.0)
                best = int(np.argmax(gain))
                if gain[best] > 0:
                    e[k] = min(asked[best], reached[k])
    return e
