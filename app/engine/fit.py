"""A low-rank guess of every L_ij from few counts: L_hat = X X' with the rank chosen by held-out likelihood.

Only for estimates, never for proofs. The model: L_ij = x_i.x_j, rows x_i (r numbers each) drawn from N(mu, Sigma), and
S_ij / n_ij has the mean L_ij and the variance L_ij (1 - L_ij) / n_ij. The rows' posterior is approximated by
independent normals N(x_i, V_i) (mean-field variational Bayes), each given the others:

    V_i = (Sigma^-1 + sum_j w_ij (x_j x_j' + V_j))^-1,    x_i = V_i (Sigma^-1 mu + sum_j w_ij (S_ij/n_ij) x_j),

w_ij = n_ij / (L_hat_ij (1 - L_hat_ij)), and mu, Sigma are the mean and the spread of the rows. Least squares leaves out
the uncertainty V_j of the partners. With V_j, a direction that the counts do not support shrinks to zero. Without it, a
least-squares fit of the same rank has twice the error of a rank-1 fit (200 items, 7,500 samples, true rank 4).
"""

import math
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from scipy.sparse import csr_array

from app.engine.arrays import FloatArray, IntArray, pair_index
from app.engine.evidence import PairCounts

MAX_RANK = 6
"""Higher ranks need more samples than a session has before they improve the held-out likelihood."""

HELD_OUT = 0.2
"""Fraction of the impressions that is held out to choose the rank."""

MAX_SPLIT = 10**8
"""At most this many impressions of one pair are split: numpy's hypergeometric generator takes no more than 10^9."""

WORTH_A_RANK = 1.0
"""A higher rank must raise the held-out log-likelihood by at least this (nats): a smaller gain may be chance."""

MAX_SWEEPS = 30
SETTLED = 0.1
"""Sweeps end when no coordinate moves by more than this part of a typical standard deviation: the rest is noise."""

STEP = 0.5
"""Fraction of the way from the old rows to the new ones that one sweep moves. All rows move at once: a full step would
turn a scale that is too large into one that is too small, and back (x -> c/x). Half a step is the average of the
two."""

SMALLEST_VARIANCE = 0.02 * 0.98
"""Floor of L(1-L) in the weights: a guess near 0 or 1 may be wrong, and must not outweigh the rest."""

DENSE_SHARE = 1 / 3
"""If more than this fraction of the matrix is shown, products of whole matrices are faster than those over a list of
entries."""

POWER_STEPS = 30
PRIOR_VIEWS = 10.0
"""A row starts from its own mean with this many impressions of the overall mean added."""

_TILE_ENTRIES = 2**20  # 8 MB a tile


@dataclass(frozen=True, eq=False)
class Fit:
    """L_hat = X X' within [0, 1], and how uncertain each row of X is."""

    X: FloatArray  # (K, r)
    V: FloatArray  # (K, r, r) covariance of each row

    @property
    def n_items(self) -> int:
        """K."""
        return int(self.X.shape[0])

    @property
    def rank(self) -> int:
        """The rank that the held-out impressions chose."""
        return int(self.X.shape[1])

    def entries(self, i: IntArray, j: IntArray) -> FloatArray:
        """Returns the guess of L_ij, elementwise."""
        return np.clip(np.einsum("er,er->e", self.X[i], self.X[j]), 0.0, 1.0)

    def spread(self, i: IntArray, j: IntArray) -> FloatArray:
        """Returns the standard deviation of the guess, elementwise, i != j: rows independent and normal.

        Var(x_i.x_j) = x_i'V_j x_i + x_j'V_i x_j + trace(V_i V_j). It includes noise, not a wrong rank.
        """
        left, right = self._variance_factors()
        return np.sqrt(np.einsum("ef,ef->e", left[i], right[j]))

    def smallest_pairs(self, count: int, caution: float = 0.0) -> IntArray:
        """Returns the numbers of the pairs with the lowest guess - caution * spread, lowest first.

        Row tile by row tile, keeping the best so far: time O(K^2 r^2), memory O(K + count).
        """
        K = self.n_items
        left, right = self._variance_factors() if caution else (self.X[:, :0], self.X[:, :0])
        value, number = np.zeros(0), np.zeros(0, dtype=np.int64)
        height = max(1, _TILE_ENTRIES // K)
        for start in range(0, K - 1, height):
            rows = np.arange(start, min(start + height, K - 1))
            tile = self.X[rows] @ self.X[start:].T  # (rows, K - start)
            if caution:
                tile -= caution * np.sqrt(left[rows] @ right[start:].T)
            worst = value[-1] if len(value) == count else math.inf
            at_row, at_column = np.nonzero(np.triu(tile <= worst, 1))
            value = np.concatenate([value, tile[at_row, at_column]])
            number = np.concatenate([number, pair_index(start + at_row, start + at_column, K)])
            kept = np.lexsort((number, value))[:count]
            value, number = value[kept], number[kept]
        return number

    def _variance_factors(self) -> tuple[FloatArray, FloatArray]:
        """Returns (K, 2 r^2) factors whose row products are the variances of `spread`."""
        K = self.n_items
        squares, V = _outer(self.X).reshape(K, -1), self.V.reshape(K, -1)
        return np.hstack([squares + V, V]), np.hstack([V, squares])


def fit(counts: PairCounts, n_items: int, rng: np.random.Generator, max_rank: int = MAX_RANK) -> Fit:
    """Returns the low-rank guess from the counts; self pairs count as entries of the diagonal.

    Ranks 1, 2, ... are fitted to four fifths of the impressions until a higher rank no longer predicts the other fifth
    better; then the best rank is fitted to all impressions. Cost O(sweeps * shown entries * r^2), memory O(shown
    entries + K r^2).
    """
    train, test = _split(counts, rng)
    seen, unseen = _shown(train, n_items), _shown(test, n_items)
    best = _settle(seen, _start(seen, n_items))
    score = _log_likelihood(unseen, best.X)
    while best.X.shape[1] < min(max_rank, n_items):
        wider = _settle(seen, _widen(seen, best, rng))
        wider_score = _log_likelihood(unseen, wider.X)
        if wider_score < score + WORTH_A_RANK:
            break
        best, score = wider, wider_score
    rows = _settle(_shown(counts, n_items), best)
    return Fit(rows.X, rows.V)


class _Rows(NamedTuple):
    """The rows' posterior and the distribution they come from."""

    X: FloatArray  # (K, r)
    V: FloatArray  # (K, r, r)
    mean: FloatArray  # (r,) mu
    covariance: FloatArray  # (r, r) Sigma


class _Shown(Protocol):
    """The counts as a symmetric matrix, whole or as a list; n and S have the shape that `products` returns."""

    n: FloatArray
    s: FloatArray

    def products(self, X: FloatArray) -> FloatArray:
        """Returns x_i.x_j at the entries."""

    def times(self, values: FloatArray, right: FloatArray) -> FloatArray:
        """Returns the matrix with these values at the entries, times `right` (K, f)."""


class _Whole:
    """The counts as K x K arrays."""

    def __init__(self, counts: PairCounts, n_items: int) -> None:
        self.n, self.s = np.zeros((n_items, n_items)), np.zeros((n_items, n_items))
        for i, j in ((counts.i, counts.j), (counts.j, counts.i)):  # self pairs are added twice, like their gradient
            self.n[i, j] += counts.n
            self.s[i, j] += counts.s

    def products(self, X: FloatArray) -> FloatArray:
        return X @ X.T

    def times(self, values: FloatArray, right: FloatArray) -> FloatArray:
        return values @ right


class _Listed:
    """The counts as a list of entries in row order, each in both places."""

    def __init__(self, counts: PairCounts, n_items: int) -> None:
        row, column = np.concatenate([counts.i, counts.j]), np.concatenate([counts.j, counts.i])
        order = np.argsort(row * n_items + column, kind="stable")
        self.row, self.column = row[order], column[order]
        self.row_start = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=n_items))])
        self.n = np.concatenate([counts.n, counts.n])[order].astype(np.float64)
        self.s = np.concatenate([counts.s, counts.s])[order]

    def products(self, X: FloatArray) -> FloatArray:
        return np.einsum("er,er->e", X[self.row], X[self.column])

    def times(self, values: FloatArray, right: FloatArray) -> FloatArray:
        K = len(self.row_start) - 1
        return np.asarray(csr_array((values, self.column, self.row_start), shape=(K, K)) @ right)


def _shown(counts: PairCounts, n_items: int) -> _Shown:
    whole = 2 * len(counts.n) > DENSE_SHARE * n_items**2
    return _Whole(counts, n_items) if whole else _Listed(counts, n_items)


def _split(counts: PairCounts, rng: np.random.Generator) -> tuple[PairCounts, PairCounts]:
    """Returns the impressions in two parts; each impression is in the second one with probability `HELD_OUT`.

    Given the number of held-out impressions of a pair, the number of them without a click has a hypergeometric
    distribution.
    """
    known = np.minimum(counts.n, MAX_SPLIT)
    unclicked = np.rint(counts.s * (known / np.maximum(counts.n, 1))).astype(np.int64)
    n = rng.binomial(known, HELD_OUT)
    s = rng.hypergeometric(unclicked, known - unclicked, n)
    left = counts.n - n
    train = PairCounts(counts.i, counts.j, left, np.clip(counts.s - s, 0.0, left))
    return _nonempty(train), _nonempty(PairCounts(counts.i, counts.j, n, s.astype(np.float64)))


def _nonempty(counts: PairCounts) -> PairCounts:
    keep = counts.n > 0
    return PairCounts(counts.i[keep], counts.j[keep], counts.n[keep], counts.s[keep])


def _start(shown: _Shown, n_items: int) -> _Rows:
    """Returns rank-1 rows from the items' own means: the mean of row i is x_i times the mean of x, which is sqrt(g)."""
    ones = np.ones((n_items, 1))
    n, s = shown.times(shown.n, ones), shown.times(shown.s, ones)  # (K, 1)
    g = (s.sum() + 1) / (n.sum() + 2)
    X = (s + PRIOR_VIEWS * g) / (n + PRIOR_VIEWS) / math.sqrt(g)
    return _Rows(X, np.full((n_items, 1, 1), 0.01), X.mean(axis=0), np.array([[max(float(X.var()), 1e-3)]]))


def _settle(shown: _Shown, rows: _Rows) -> _Rows:
    """Returns the rows after sweeps until they hardly change (`SETTLED`), `MAX_SWEEPS` at most."""
    for _ in range(MAX_SWEEPS):
        before, rows = rows, _sweep(shown, rows)
        if np.abs(rows.X - before.X).max() < SETTLED * math.sqrt(np.einsum("kaa->", rows.V) / rows.X.size):
            break
    return rows


def _sweep(shown: _Shown, rows: _Rows) -> _Rows:
    """Returns every row moved towards its optimum given the other rows, and the new distribution of the rows."""
    K, r = rows.X.shape
    inverse_variance = _inverse_variance(shown.products(rows.X))
    second_moments = (_outer(rows.X) + rows.V).reshape(K, r * r)
    prior = np.linalg.inv(rows.covariance + 1e-8 * np.eye(r))
    precision = shown.times(shown.n * inverse_variance, second_moments).reshape(K, r, r) + prior
    pull = shown.times(shown.s * inverse_variance, rows.X) + prior @ rows.mean  # (K, r)
    V = np.linalg.inv(precision)
    X = rows.X + STEP * (np.einsum("kab,kb->ka", V, pull) - rows.X)
    mean = X.mean(axis=0)
    return _Rows(X, V, mean, _outer(X - mean).mean(axis=0) + V.mean(axis=0))


def _widen(shown: _Shown, rows: _Rows, rng: np.random.Generator) -> _Rows:
    """Returns rows with one more column: the leading eigenvector of the weighted residual, scaled to fit best.

    It is found by power iteration. The matrix is shifted so that the iteration finds the highest eigenvalue, not the
    one with the largest absolute value.
    """
    K, r = rows.X.shape
    L_hat = shown.products(rows.X)
    inverse_variance = _inverse_variance(L_hat)
    residual = (shown.s - shown.n * L_hat) * inverse_variance
    v, shift = rng.standard_normal((K, 1)), 0.0
    for _ in range(POWER_STEPS):
        v /= np.linalg.norm(v)
        image = shown.times(residual, v)
        shift = max(shift, float(np.linalg.norm(image)))
        v = image + shift * v
        if shift == 0:  # the residual is zero
            break
    v /= max(float(np.linalg.norm(v)), 1e-12)
    curvature = float(np.sum(v**2 * shown.times(shown.n * inverse_variance, v**2)))
    size = max(float(np.sum(v * shown.times(residual, v))) / max(curvature, 1e-12), 1e-6)
    column = math.sqrt(size) * v
    X = np.hstack([rows.X, column])
    V, covariance = np.zeros((K, r + 1, r + 1)), np.zeros((r + 1, r + 1))
    V[:, :r, :r], covariance[:r, :r] = rows.V, rows.covariance
    V[:, r, r] = np.einsum("kaa->k", rows.V) / r
    covariance[r, r] = max(float(column.var()), 1e-4) + V[:, r, r].mean()
    return _Rows(X, V, X.mean(axis=0), covariance)


def _log_likelihood(shown: _Shown, X: FloatArray) -> float:
    """Returns the log-likelihood of the impressions; halved, because every entry is in the matrix twice."""
    p = np.clip(shown.products(X), 0.005, 0.995)
    return 0.5 * float(np.sum(shown.s * np.log(p) + (shown.n - shown.s) * np.log1p(-p)))


def _inverse_variance(L_hat: FloatArray) -> FloatArray:
    """Returns 1 / (L(1-L)), L kept within [0, 1] and the variance above its floor."""
    L_hat = np.clip(L_hat, 0.0, 1.0)
    return 1.0 / np.maximum(L_hat * (1.0 - L_hat), SMALLEST_VARIANCE)


def _outer(X: FloatArray) -> FloatArray:
    """Returns x_i x_i' for every row (K, r, r)."""
    return X[:, :, None] * X[:, None, :]
