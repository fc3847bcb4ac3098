"""Exact bounds of the deterministic model: a few whole columns determine the rest.

One showing gives L_ij itself. Let `chosen` be items whose whole columns were shown, independent; C their columns, W
their core. Then Z = L - C W^-1 C' is positive semidefinite (Schur complement; assumption `mixture`), hence

    |L_ij - (C W^-1 C')_ij| <= sqrt(Z_ii Z_jj).

Z_ii = L_ii - x_i' W^-1 x_i is known where the self pair was shown. Where it was not: Z_ii = 0 if as many columns were
chosen as the stated rank (assumption `rank<=r`, Z has rank r - r = 0), otherwise at most 1 - x_i' W^-1 x_i, because
L_ii <= 1. Rounding leaves Z_ii at 1e-16 of L_ii instead of 0, so bounds end about 1e-8 apart, never exactly equal.
"""

import numpy as np

from app.engine.arrays import FloatArray, IntArray, pair_index
from app.engine.bounds import Bounds
from app.engine.columns import INDEPENDENT, schur_residuals
from app.engine.evidence import Evidence
from app.engine.problem import Problem


def exact_bounds(problem: Problem, evidence: Evidence) -> Bounds:
    """Returns bounds of all pairs from exact entries. Cost O(K^2 r)."""
    K = evidence.n_items
    everyone = np.arange(K)
    chosen = independent_columns(evidence)
    C = np.stack([values(evidence, everyone, np.full(K, c)) for c in chosen], axis=1) if chosen else np.zeros((K, 0))
    W = C[chosen]
    n_self, s_self = evidence.entries(everyone, everyone)
    diagonal = np.where(n_self > 0, s_self / np.maximum(n_self, 1), 1.0)
    residual = schur_residuals(W, C, diagonal)  # (K,)
    assumptions = ["mixture"] if chosen else []
    if problem.rank is not None and len(chosen) == problem.rank:
        unshown = n_self == 0
        residual = np.where(unshown, 0.0, residual)
        assumptions += [f"rank<={problem.rank}"] if unshown.any() else []
    spread = np.sqrt(residual)
    mixer = np.linalg.solve(W, C.T).T if chosen else C  # (K, q)
    lower, upper = np.empty(problem.n_pairs), np.empty(problem.n_pairs)
    for i in range(K - 1):  # row by row: O(K) memory beside the answer
        row = slice(i * (2 * K - i - 1) // 2, (i + 1) * (2 * K - i - 2) // 2)
        imputed, slack = C[i + 1 :] @ mixer[i], spread[i] * spread[i + 1 :]
        lower[row], upper[row] = np.maximum(imputed - slack, 0.0), np.minimum(imputed + slack, 1.0)
    measured = evidence.totals
    off = measured.i != measured.j
    index = pair_index(measured.i[off], measured.j[off], K)
    lower[index] = upper[index] = measured.s[off] / measured.n[off]
    return Bounds(lower, upper, tuple(assumptions))


def values(evidence: Evidence, i: IntArray, j: IntArray) -> FloatArray:
    """Returns exact entries L_ij that have been shown (NaN where not)."""
    n, s = evidence.entries(i, j)
    return np.divide(s, n, out=np.full(s.shape, np.nan), where=n > 0)


def independent_columns(evidence: Evidence) -> list[int]:
    """Returns items with wholly known columns that are independent, the largest relative residual first."""
    K = evidence.n_items
    totals = evidence.totals
    shown = np.bincount(totals.i, minlength=K) + np.bincount(totals.j[totals.i != totals.j], minlength=K)
    candidates = np.flatnonzero(shown == K)
    diagonal = values(evidence, candidates, candidates)
    chosen: list[int] = []
    while len(chosen) < len(candidates):
        picked = np.array(chosen, dtype=np.int64)
        X = values(evidence, candidates[:, None], picked[None, :])
        W = values(evidence, picked[:, None], picked[None, :])
        residual = schur_residuals(W, X, diagonal)
        relative = np.divide(residual, diagonal, out=np.zeros_like(residual), where=diagonal > 0)
        relative[np.isin(candidates, picked)] = 0.0
        best = int(np.argmax(relative))
        if relative[best] <= INDEPENDENT:
            break
        chosen.append(int(candidates[best]))
    return chosen
