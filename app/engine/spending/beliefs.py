"""What every pair is thought to be: the low-rank fit as a prior, its own samples on top."""

import numpy as np

from app.engine.arrays import FloatArray, IntArray, pair_index, pair_items
from app.engine.choices import Guess, clear_of_the_ends
from app.engine.evidence import Evidence
from app.engine.spending.screens import TRUST

CHUNK_PAIRS = 2**20
"""Pairs guessed at a time: some 50 MB."""


class Beliefs:
    """L_hat_ij = (S + m g) / (n + m) with g = X_i . X_j worth m samples. Nothing here has a place for every pair."""

    def __init__(self, evidence: Evidence, X: FloatArray, guess: Guess | None) -> None:
        self.n_items = evidence.n_items
        self.X = X
        totals = evidence.totals
        off = totals.i != totals.j
        i, j = totals.i[off], totals.j[off]
        self.shown = pair_index(i, j, self.n_items)  # (m,) sorted
        self.n = totals.n[off]
        self.s = totals.s[off]
        counting = evidence if guess is None else evidence.issued(guess.version + 1)
        self.counted = counting.entries(i, j)[0]  # those that bound D counts

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
        return mean

    def spread(self, index: IntArray, mean: FloatArray) -> FloatArray:
        """Returns how far L may be from L_hat: one standard deviation."""
        return np.sqrt(mean * (1 - mean) / (self.samples(index)[0] + TRUST))

    def _find(self, index: IntArray) -> tuple[IntArray, np.ndarray]:
        if len(self.shown) == 0:  # nothing but self pairs so far
            return np.zeros(len(index), dtype=np.int64), np.zeros(len(index), dtype=np.bool_)
        at = np.minimum(np.searchsorted(self.shown, index), len(self.shown) - 1)
        return at, self.shown[at] == index
