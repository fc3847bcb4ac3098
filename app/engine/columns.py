"""Independent columns of L: exact Schur residuals, and noisy smallest singular values with their radius."""

import math

import numpy as np

from app.engine.arrays import FloatArray, IntArray

INDEPENDENT = 1e-6
"""A column counts as independent if its Schur residual exceeds this part of its diagonal entry.

The paper tests sigma_min > 0, which in floating point takes every column: residuals of dependent columns are rounding
noise near 1e-16, those of columns that matter are far above 1e-6.
"""


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
