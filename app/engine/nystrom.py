"""The paper's method: independent columns of L, and the Nystrom extension L_hat = C W^-1 C'.

Exact Schur residuals and noisy smallest singular values with their radius decide which columns are independent. The
extension has its smallest entry, and the sample sizes that the paper prints for it.
"""

import math
from typing import NamedTuple

import numpy as np

from app.engine.arrays import FloatArray, IntArray, Pair

INDEPENDENT = 1e-6
"""A column counts as independent if its Schur residual exceeds this part of its diagonal entry.

The paper tests sigma_min > 0, which in floating point takes every column: residuals of dependent columns are rounding
noise near 1e-16, those of columns that matter are far above 1e-6.
"""

_TILE = 512
_SINGULAR = 1e-12
"""Relative size below which a singular value of W is rounding, not signal; inverting it would only return noise."""


def schur_residuals(W: FloatArray, X: FloatArray, diagonal: FloatArray) -> FloatArray:
    """Returns Z_ii = L_ii - x_i' W^-1 x_i for rows x_i = L[i, chosen]: what the chosen columns leave unexplained.

    Positive exactly when column i is independent of the chosen ones (Proposition 5.1 through the Schur complement).
    With nothing chosen it is the diagonal itself. Negative rounding is cut off at 0.
    """
    if W.shape[0] == 0:
        return diagonal.copy()
    factor = np.linalg.cholesky(W)  # (q, q), exists because chosen columns are independent
    whitened = np.linalg.solve(factor, X.T)  # (q, m)
    return np.maximum(diagonal - np.sum(whitened**2, axis=0), 0.0)


def smallest_singular_values(A: FloatArray) -> FloatArray:
    """Returns sigma_min of each matrix of a stack (m, p, p); the matrices are symmetric, so |eigenvalues| serve."""
    return np.min(np.abs(np.linalg.eigvalsh(A)), axis=-1)


def printed_radius(n: IntArray, log_term: float) -> FloatArray:
    """Returns alpha_{t,k} of Algorithm 3 as printed, for a stack of count matrices n (m, p, p).

        alpha = 2 log(2p/delta_t) / (3 min n) + sqrt( log(2p/delta_t)/2 * sum_ij 1/n_ij ),

    with log_term = log(2p/delta_t). Its variance term adds up 1/(4n) over *all* entries.
    """
    weight = 1.0 / n
    return 2 * log_term / (3 * n.min(axis=(1, 2))) + np.sqrt(log_term / 2 * weight.sum(axis=(1, 2)))


def sharper_radius(n: IntArray, log_term: float) -> FloatArray:
    """Returns the radius with matrix Bernstein's own variance, the largest row sum; never above the printed one.

    The noise is sum over entries i <= j of (mean of n_ij centred coins) (E_ij + E_ji): E ZZ' is diagonal with entries
    sum_j var_ij / n_ij <= sum_j 1/(4 n_ij), so its norm is the largest row sum, not the total. Up to p times fewer
    samples for the same radius.
    """
    weight = 1.0 / n
    return 2 * log_term / (3 * n.min(axis=(1, 2))) + np.sqrt(log_term / 2 * weight.sum(axis=2).max(axis=1))


def log_term(size: int, n_matrices: int, rounds: int, delta: float) -> float:
    """Returns log(2p/delta_t) with delta_t = 6 delta / (pi^2 m t^2), summable over m matrices and all rounds t."""
    delta_t = 6 * delta / (math.pi**2 * n_matrices * rounds**2)
    return math.log(2 * size / delta_t)


class Nystrom(NamedTuple):
    """L_hat = C W^-1 C', kept as its factors: 2 K r numbers, never K x K."""

    C: FloatArray  # (K, r)
    mixer: FloatArray  # (K, r), C W^-1


def extend(C: FloatArray, W: FloatArray) -> Nystrom:
    """Returns the Nystrom extension of the columns C with core W = L[chosen, chosen]."""
    return Nystrom(C, C @ np.linalg.pinv(W, rcond=_SINGULAR, hermitian=True))


def smallest_pair(left: FloatArray, right: FloatArray) -> tuple[Pair, float]:
    """Returns the pair i < j with the smallest (left right')_ij and that value, tile by tile: memory O(K)."""
    n_items = left.shape[0]
    best, best_pair = math.inf, Pair(0, 1)
    for start in range(0, n_items - 1, _TILE):
        stop = min(start + _TILE, n_items)
        tile = left[start:stop] @ right[start:].T  # (rows, K - start)
        tile[np.tri(*tile.shape, dtype=np.bool_)] = math.inf  # below or on the diagonal
        at = int(np.argmin(tile))
        row, column = divmod(at, tile.shape[1])
        if tile[row, column] < best:
            best, best_pair = float(tile[row, column]), Pair(start + row, start + column)
    return best_pair, best


class PrintedSampleSizes(NamedTuple):
    """m_1, m_2 and the constants C_1, C_2 exactly as the paper prints them (section 6), for the record."""

    m1: float
    m2: float
    c1: float
    c2: float


def printed_sample_sizes(C: FloatArray, W: FloatArray, epsilon: float, delta: float) -> PrintedSampleSizes:
    """Returns the paper's sample sizes; they are reported, and never used to certify.

    As printed they are both too large and not proven: C_1 holds the squared column-sum norm of C W^-1, which grows
    like K^2 where its own proof uses the max norm; the product inequality they use (max-norm of AB at most
    ||A||_2 times max-norm of B) is false by a factor sqrt(r); the union is over Kr entries where K^2 are meant.
    """
    n_items, rank = C.shape
    inverse = np.linalg.inv(W)
    spectral = float(np.linalg.norm(inverse, 2))
    inverse_max = float(np.abs(inverse).max())
    mixer = C @ inverse  # (K, r)
    mixer_max = float(np.abs(mixer).max())
    column_sum = float(np.abs(mixer).sum(axis=0).max())
    c1 = max(mixer_max, mixer_max**2, inverse_max, column_sum**2, spectral * inverse_max)
    c2 = max((spectral * inverse_max) ** 2, spectral * inverse_max, spectral, spectral**2)
    m1 = 100 * c1 * math.log(2 * n_items * rank / delta) * max(rank**2.5 / epsilon, rank**2 / epsilon**2)
    m2 = 200 * c2 * math.log(2 * rank / delta) * max(rank**3 / epsilon, rank**5 / epsilon**2)
    return PrintedSampleSizes(m1, m2, c1, c2)
