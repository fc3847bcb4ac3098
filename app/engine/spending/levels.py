"""How far to measure each item for screening, so that this and what it leaves open cost least.

A screen (F or I) settles pair (i, j) about when e_i + e_j <= T_ij, with e = v/N the variance of an item's mean and
T_ij = slack_ij^2 / 2b, slack_ij = x_i + x_j - 1 - threshold: what the screen would say of the pair beyond the threshold
if nothing were noisy. A pair that is not settled costs its direct need. Coordinate descent: each item in turn sorts its
pairs by what they ask of it and takes the best prefix, first trusting its partners to do their part of each pair (T is
shared in proportion to sqrt(v), which is cheapest for one pair alone), then by what they really do. O(pairs log pairs)
a sweep.
"""

from typing import NamedTuple

import numpy as np

from app.engine.arrays import BoolArray, FloatArray, IntArray
from app.engine.spending.needs import STUBBORN
from app.engine.spending.screens import Screen

TRUSTING_SWEEPS, SOBER_SWEEPS = 2, 2
"""Levels change little after that."""

LEAST_VARIANCE = 2e-3
"""An entry that was never clicked so far may still be, one time in 500."""


class OpenPairs(NamedTuple):
    """Pairs whose lower bound does not reach the threshold, and what settling each by itself would take."""

    i: IntArray  # (m,)
    j: IntArray  # (m,)
    direct: FloatArray  # (m,) samples; times the pairs it stands for
    T: FloatArray  # (m,) e_i + e_j at which a screen settles it, 0 where none can


class Levels(NamedTuple):
    """How far to go with each item, what that should settle, and what all of it costs."""

    e: FloatArray  # (K,) variance of each item's mean
    extra: FloatArray  # (K,) samples of each item still to take
    settled: BoolArray  # (m,) open pairs that these levels should settle
    cost: float  # impressions for the levels and for the pairs left open


def best_levels(screen: Screen, pairs: OpenPairs) -> Levels:
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

    On the way down by slack/2 the variance of an entry near 1 grows: KL over a distance d is about d^2 / 2v a third of
    the way. And whatever the formula says, what is still open asks for more than there is.
    """
    x, v = screen.x, variance(screen.x)
    slack = np.maximum(x[i] + x[j] - 1 - threshold, 0.0)
    further = variance(x[i] - slack / 6) + variance(x[j] - slack / 6)
    T = slack**2 / (2 * (screen.half_level[i] + screen.half_level[j])) * (v[i] + v[j]) / further
    reached = v / np.maximum(screen.n, 1e-9)
    T = np.minimum(T, (reached[i] + reached[j]) / (1 + STUBBORN))
    return np.where((i == screen.blank) | (j == screen.blank), 0.0, T)


def variance_together(p: FloatArray, q: FloatArray, mean: FloatArray) -> FloatArray:
    """Returns the variance of (q_i - p_i)(q_j - p_j) of pairs whose items have these probabilities, and L = `mean`."""
    both = np.clip(mean - (p + q - 1), 0.0, np.minimum(1 - p, 1 - q))
    squares = mean * ((1 - p) * (1 - q)) ** 2 + (1 - p - both) * (p * (1 - q)) ** 2
    squares += (1 - q - both) * ((1 - p) * q) ** 2 + both * (p * q) ** 2
    return np.maximum(squares - (mean - p * q) ** 2, LEAST_VARIANCE / 10)


def variance(x: FloatArray) -> FloatArray:
    """Returns x(1-x), never quite 0."""
    return np.maximum(x * (1 - x), LEAST_VARIANCE)


def _descend(T: FloatArray, v: FloatArray, reached: FloatArray, screen: Screen, pairs: OpenPairs) -> FloatArray:
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
    for sweep in range(TRUSTING_SWEEPS + SOBER_SWEEPS):
        for k in np.flatnonzero(start[1:] > start[:-1]):
            part = slice(start[k], start[k + 1])
            theirs = e[other[part]]
            if sweep < TRUSTING_SWEEPS:
                theirs = np.minimum(theirs, partners_part[part])
            asked = wanted[part] - theirs
            down = np.argsort(-asked)[: np.count_nonzero(asked > 0)]
            e[k] = reached[k]
            if len(down):
                asked, saved = asked[down], np.cumsum(price[part][down])
                # Settling the first t pairs needs e <= asked[t-1]; the rest is paid for directly.
                gain = saved - screen.cost * np.maximum(v[k] / asked - screen.n[k], 0.0)
                best = int(np.argmax(gain))
                if gain[best] > 0:
                    e[k] = min(asked[best], reached[k])
    return e
