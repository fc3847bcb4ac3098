"""Estimates of L for every pair: a rank-one fit as the prior, and the pair's own samples."""

import math

import numpy as np

from app.engine.allocation.costs import variance
from app.engine.allocation.screens import SHRINK, trust
from app.engine.arrays import FloatArray, IntArray, pair_index, pair_items
from app.engine.choices import Guess, clip_guess
from app.engine.evidence import Evidence, ItemClicks

CHUNK_PAIRS = 2**20
"""Number of pairs estimated at a time: their arrays take about 50 MB."""

MAX_WEIGHT = 50
"""More samples of a pair than have this many clicks do not improve the fit of its items: the remaining misfit is not
noise, but structure of a higher rank."""

ITERATIONS = 12
"""With steps damped by half, the fit is then within a few thousandths of its fixed point: far below its noise."""


class PairEstimates:
    """L_hat_ij = (S + m g) / (n + m), g = X_i . X_j with the weight of m = `trust` samples. No array has length P.

    Where feedback names the clicked items, S is replaced by the sum of (q_i - x_i)(q_j - x_j) + x_i x_j, where q is 1
    if the item is not clicked and 0 otherwise. This sum has the same mean if x is exact, and only a fraction of the
    variance (a control variate).
    """

    def __init__(self, evidence: Evidence, X: FloatArray, guess: Guess | None, items: ItemClicks | None) -> None:
        self.n_items = evidence.n_items
        self.X = X
        self.items = items  # where feedback names the clicked items; X is then P(item is not clicked)
        shown = evidence.pair_clicks
        self.shown = pair_index(shown.i, shown.j, self.n_items)  # (m,) sorted
        self.n = shown.n
        self.s = shown.s
        if items is not None:
            x_i, x_j = X[shown.i, 0], X[shown.j, 0]
            self.s = (
                shown.s - x_j * (shown.n - shown.clicks_i) - x_i * (shown.n - shown.clicks_j) + 2 * shown.n * x_i * x_j
            )
        counting = evidence if guess is None else evidence.issued(guess.version + 1)
        self.counted = counting.entries(shown.i, shown.j)[0]  # samples that bound D counts

    def samples(self, index: IntArray) -> tuple[IntArray, IntArray]:
        """Returns all samples of the pairs, and those that bound D counts."""
        at, found = self._find(index)
        return np.where(found, self.n[at], 0), np.where(found, self.counted[at], 0)

    def mean(self, index: IntArray) -> FloatArray:
        """Returns L_hat of the pairs."""
        mean = np.empty(len(index))
        for start in range(0, len(index), CHUNK_PAIRS):
            part = slice(start, start + CHUNK_PAIRS)
            i, j = pair_items(index[part], self.n_items)
            g = clip_guess(np.einsum("er,er->e", self.X[i], self.X[j]))
            at, found = self._find(index[part])
            m = trust(g)
            mean[part] = np.where(found, (self.s[at] + m * g) / (self.n[at] + m), g)
        return mean if self.items is None else clip_guess(mean)

    def spread(self, index: IntArray, mean: FloatArray) -> FloatArray:
        """Returns one standard deviation of L_hat."""
        n = self.samples(index)[0] + trust(clip_guess(mean))
        if self.items is None:
            return np.sqrt(mean * (1 - mean) / n)
        i, j = pair_items(index, self.n_items)
        p, q, e = self.X[i, 0], self.X[j, 0], variance(self.X[:, 0]) / np.maximum(self.items.n, 1)
        return np.sqrt(p * (1 - p) * q * (1 - q) / n + q**2 * e[i] + p**2 * e[j])

    def _find(self, index: IntArray) -> tuple[IntArray, np.ndarray]:
        if len(self.shown) == 0:  # only self pairs so far
            return np.zeros(len(index), dtype=np.int64), np.zeros(len(index), dtype=np.bool_)
        at = np.minimum(np.searchsorted(self.shown, index), len(self.shown) - 1)
        return at, self.shown[at] == index


def rank_one(evidence: Evidence) -> FloatArray:
    """Returns x (K,) with L_ij about x_i x_j: weighted least squares item by item, shrunk towards the overall mean."""
    totals, K = evidence.totals, evidence.n_items
    off = totals.i != totals.j
    i, j = totals.i[off], totals.j[off]
    n, s = totals.n[off].astype(np.float64), totals.s[off]
    overall = math.sqrt((s.sum() + 1) / (n.sum() + 2))
    weight = np.minimum(n, MAX_WEIGHT / (1 - overall**2))
    value = weight * s / n
    shrink = SHRINK / (1 - overall)
    x = np.full(K, overall)
    for _ in range(ITERATIONS):
        top = np.bincount(i, value * x[j], K) + np.bincount(j, value * x[i], K) + shrink * overall**3
        bottom = np.bincount(i, weight * x[j] ** 2, K) + np.bincount(j, weight * x[i] ** 2, K) + shrink * overall**2
        x = 0.5 * x + 0.5 * np.clip(top / bottom, 0.02, 1.0)
    return x
