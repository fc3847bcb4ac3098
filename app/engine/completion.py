"""Low-rank completion of noisy entries by OptSpace (Keshavan, Montanari, Oh 2010): trim, spectral start, descent.

Minimises sum over shown entries of w (X S Y' - m)_e^2 over orthonormal X, Y (K, r) and S (r, r); w are the counts, so a
pair shown often weighs more. S is solved exactly. X and Y descend on the manifold of orthonormal matrices: a step along
the part of the gradient that is orthogonal to their span, then QR to make them orthonormal again. The regulariser of
the OptSpace paper, which keeps row norms bounded, is left out: entries are probabilities, and the trimming has the same
effect.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.linalg import eigsh

from app.engine.arrays import FloatArray, IntArray, Pair
from app.engine.evidence import PairCounts
from app.engine.nystrom import smallest_pair

MAX_STEPS = 200
MIN_PROGRESS = 1e-5
"""Descent ends when a step reduces the misfit by less than this fraction, which is far below the noise."""

CHUNK_ENTRIES = 2**20
"""Numbers in memory at a time while S is solved: 8 MB."""

DENSE_ITEMS = 200
"""Up to this size all eigenvectors take a few milliseconds; beyond it, only the leading ones are computed."""

OVERFULL = 2.0
"""Rows with more than this many times the average number of entries are set to zero for the spectral start."""


@dataclass(frozen=True, eq=False)
class Completion:
    """L_hat = (X S Y' + Y S' X') / 2, kept as factors."""

    X: FloatArray  # (K, r)
    S: FloatArray  # (r, r)
    Y: FloatArray  # (K, r)

    def entries(self, i: IntArray, j: IntArray) -> FloatArray:
        """Returns the completed L_ij."""
        left, right = self._factors()
        return np.sum(left[i] * right[j], axis=1)

    def smallest_pair(self) -> Pair:
        """Returns the pair of different items with the smallest completed value."""
        return smallest_pair(*self._factors())[0]

    def _factors(self) -> tuple[FloatArray, FloatArray]:
        return np.hstack([self.X @ self.S, self.Y @ self.S.T]) / 2, np.hstack([self.Y, self.X])


@dataclass(frozen=True, eq=False)
class _Entries:
    """The shown entries in row order; an entry off the diagonal is listed as (i, j) and as (j, i)."""

    n_items: int
    row: IntArray  # (m,)
    column: IntArray  # (m,)
    value: FloatArray  # (m,)
    weight: FloatArray  # (m,)
    row_start: IntArray  # (K + 1,)

    @classmethod
    def symmetric(cls, counts: PairCounts, n_items: int) -> "_Entries":
        off = counts.i != counts.j
        row = np.concatenate([counts.i, counts.j[off]])
        column = np.concatenate([counts.j, counts.i[off]])
        order = np.lexsort((column, row))
        mean = counts.s / counts.n
        value = np.concatenate([mean, mean[off]])[order]
        weight = np.concatenate([counts.n, counts.n[off]])[order].astype(np.float64)
        row_start = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=n_items))])
        return cls(n_items, row[order], column[order], value, weight / weight.mean(), row_start)

    def matrix(self, data: FloatArray) -> csr_array:
        """Returns a sparse K x K matrix with these values at the shown entries."""
        return csr_array((data, self.column, self.row_start), shape=(self.n_items, self.n_items))


def complete(counts: PairCounts, n_items: int, rank: int) -> Completion:
    """Returns the rank-r completion of the counts. Cost O(m r^4) a step for m shown entries: meant for small r."""
    entries = _Entries.symmetric(counts, n_items)
    X = _spectral_start(entries, rank)
    Y = X.copy()
    S, misfit = _solve_core(entries, X, Y)
    step = 1.0
    for _ in range(MAX_STEPS):
        residual = entries.matrix(entries.weight * (_values(entries, X, S, Y) - entries.value))
        gradient_X, gradient_Y = _orthogonal_part(X, residual @ (Y @ S.T)), _orthogonal_part(Y, residual.T @ (X @ S))
        direction_X, direction_Y = -_scaled(gradient_X, S @ S.T), -_scaled(gradient_Y, S.T @ S)
        slope = -float(np.sum(gradient_X * direction_X) + np.sum(gradient_Y * direction_Y))
        before = misfit
        while True:
            X_next, Y_next = _orthonormal(X + step * direction_X), _orthonormal(Y + step * direction_Y)
            S_next, misfit = _solve_core(entries, X_next, Y_next)
            if misfit <= before - 0.25 * step * slope or step < 1e-12:  # Armijo's condition
                break
            step /= 3
        if misfit >= before * (1 - MIN_PROGRESS):
            break
        X, Y, S, step = X_next, Y_next, S_next, step * 4
    return Completion(X, S, Y)


def _spectral_start(entries: _Entries, rank: int) -> FloatArray:
    """Returns the r leading eigenvectors of the trimmed, zero-filled matrix."""
    filled = np.diff(entries.row_start)
    overfull = filled > OVERFULL * filled.mean()
    kept = ~(overfull[entries.row] | overfull[entries.column])
    trimmed = entries.matrix(np.where(kept, entries.value, 0.0))
    if trimmed.max() == 0:  # only clicks: any basis fits, and the iteration below would fail
        return np.eye(entries.n_items, rank)
    if rank >= entries.n_items - 1 or entries.n_items <= DENSE_ITEMS:
        vectors = np.linalg.eigh(trimmed.toarray())[1]
        return np.asarray(vectors[:, ::-1][:, :rank])
    start = np.ones(entries.n_items) / np.sqrt(entries.n_items)  # fixed, so that the result is deterministic
    return np.asarray(eigsh(trimmed, k=rank, which="LA", v0=start)[1])


def _values(entries: _Entries, X: FloatArray, S: FloatArray, Y: FloatArray) -> FloatArray:
    """Returns (X S Y')_e at the shown entries."""
    return np.einsum("er,er->e", (X @ S)[entries.row], Y[entries.column])


def _solve_core(entries: _Entries, X: FloatArray, Y: FloatArray) -> tuple[FloatArray, float]:
    """Returns the S that fits best for these X and Y, and half the weighted squared misfit."""
    rank = X.shape[1]
    normal, right = np.zeros((rank**2, rank**2)), np.zeros(rank**2)
    step = max(1, CHUNK_ENTRIES // rank**2)
    for start in range(0, len(entries.row), step):  # in chunks: (m, r^2) at once would be gigabytes at a high rank
        part = slice(start, start + step)
        left, top = X[entries.row[part]], Y[entries.column[part]]
        features = (left[:, :, None] * top[:, None, :]).reshape(len(left), -1)  # (chunk, r^2)
        weighted = features * entries.weight[part, None]
        normal += features.T @ weighted
        right += weighted.T @ entries.value[part]
    core, *_ = np.linalg.lstsq(normal, right, rcond=1e-12)
    S = np.asarray(core, dtype=np.float64).reshape(rank, rank)
    return S, 0.5 * float(np.sum(entries.weight * (_values(entries, X, S, Y) - entries.value) ** 2))


def _orthogonal_part(basis: FloatArray, gradient: FloatArray) -> FloatArray:
    """Returns the gradient's part orthogonal to the span: the rest only rotates the basis, which S absorbs."""
    return gradient - basis @ (basis.T @ gradient)


def _scaled(gradient: FloatArray, curvature: FloatArray) -> FloatArray:
    """Returns gradient curvature^-1: unscaled, directions in which S is small would take thousands of steps."""
    return gradient @ np.linalg.pinv(curvature, rcond=1e-10, hermitian=True)


def _orthonormal(matrix: FloatArray) -> FloatArray:
    """Returns an orthonormal basis of the columns."""
    return np.linalg.qr(matrix)[0]
