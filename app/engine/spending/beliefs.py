"""What every pair is thought to be: the low-rank fit as a prior, its own samples on top."""

import numpy as np

from app.engine.arrays import FloatArray, IntArray, pair_index, pair_items
from app.engine.choices import Guess, clear_of_the_ends
from app.engine.evidence import Evidence, ItemClicks
from app.engine.spending.levels import variance
from app.engine.spending.screens import TRUST

CHUNK_PAIRS = 2**20
"""Pairs guessed at a time: some 50 MB."""


class Beliefs:
    """L_hat_ij = (S + m g) / (n + m) with g = X_i . X_j worth m samples. Nothing here has a place for every pair.

    Where answers tell the clicked items, S is replaced by the sum of (q_i - x_i)(q_j - x_j) + x_i x_j, q = 1 if an item
    is not clicked: the same mean, if x is right, and a fraction of the variance (a control variate).
    """

    def __init__(self, evidence: Evidence, X: FloatArray, guess: Guess | None, items: ItemClicks | None) -> None:
        self.n_items = evidence.n_items
        self.X = X
        self.items = items  # where answers tell the clicked items; X is then what each is left alone with
        shown = evidence.together
        self.shown = pair_index(shown.i, shown.j, self.n_items)  # (m,) sorted
        self.n = shown.n
        self.s = shown.s
        if items is not None:
            x_i, x_j = X[shown.i, 0], X[shown.j, 0]
            self.s = (
                shown.s - x_j * (shown.n - shown.clicks_i) - x_i * (shown.n - shown.clicks_j) + 2 * shown.n * x_i * x_j
            )
        counting = evidence if guess is None else evidence.issued(guess.version + 1)
        self.counted = counting.entries(shown.i, shown.j)[0]  # those that bound D counts

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
            g = clear_of_the_ends(np.einsum("er,er->e", self.X[i], self.X[j]))
            at, found = self._find(index[part])
            mean[part] = np.where(found, (self.s[at] + TRUST * g) / (self.n[at] + TRUST), g)
        return mean if self.items is None else clear_of_the_ends(mean)

    def spread(self, index: IntArray, mean: FloatArray) -> FloatArray:
        """Returns how far L may be from L_hat: one standard deviation."""
        n = self.samples(index)[0] + TRUST
        if self.items is None:
            return np.sqrt(mean * (1 - mean) / n)
        i, j = pair_items(index, self.n_items)
        p, q, e = self.X[i, 0], self.X[j, 0], variance(self.X[:, 0]) / np.maximum(self.items.n, 1)
        return np.sqrt(p * (1 - p) * q * (1 - q) / n + q**2 * e[i] + p**2 * e[j])

    def _find(self, index: IntArray) -> tuple[IntArray, np.ndarray]:
        if len(self.shown) == 0:  # nothing but self pairs so far
            return np.zeros(len(index), dtype=np.int64), np.zeros(len(index), dtype=np.bool_)
        at = np.minimum(np.searchsorted(self.shown, index), len(self.shown) - 1)
        return at, self.shown[at] == index
