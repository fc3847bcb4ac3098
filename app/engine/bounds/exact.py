"""Exact bounds of the deterministic model: a few complete columns determine the rest.

One impression gives L_ij itself. Let `chosen` be items whose whole columns were shown, independent; C their columns, W
their core. Then Z = L - C W^-1 C' is positive semidefinite (Schur complement; assumption `mixture`), hence

    |L_ij - (C W^-1 C')_ij| <= sqrt(Z_ii Z_jj).

Z_ii = L_ii - x_i' W^-1 x_i is known where the self pair was shown. Where it was not: Z_ii = 0 if as many columns are
chosen as the stated rank (assumption `rank<=r`, Z has rank r - r = 0), otherwise at most 1 - x_i' W^-1 x_i, because
L_ii <= 1. Rounding leaves Z_ii at 1e-16 of L_ii (times the amplification of W^-1, at most about 1e6) instead of 0, so
bounds end about 1e-8 apart, never exactly equal, and where it is cut off at 0 they may be off by about 1e-10.
"""

import numpy as np

from app.engine.arrays import FloatArray, IntArray, n_pairs, pair_index
from app.engine.bounds import Bounds
from app.engine.evidence import Evidence
from app.engine.nystrom import INDEPENDENT, schur_residuals
from app.engine.problem import Problem

AGREEMENT = 1e-6
"""A shown pair that is further than this outside of its imputed bounds contradicts them; far above rounding."""


def exact_bounds(problem: Problem, evidence: Evidence) -> Bounds:
    """Returns bounds of all pairs from exact entries. Cost O(K^2 r).

    Assumptions that the entries themselves contradict are dropped: first the rank, then `mixture` (no imputing at all).
    """
    K = evidence.n_items
    everyone = np.arange(K)
    chosen = independent_columns(evidence)
    C = np.stack([values(evidence, everyone, np.full(K, c)) for c in chosen], axis=1) if chosen else np.zeros((K, 0))
    W = C[chosen]
    n_self, s_self = evidence.entries(everyone, everyone)
    shown = n_self > 0
    diagonal = np.where(shown, s_self / np.maximum(n_self, 1), 1.0)
    residual = schur_residuals(W, C, diagonal)  # (K,)
    mixer = np.asarray(np.linalg.solve(W, C.T).T if chosen else C, dtype=np.float64)  # (K, q)
    explained = not np.any(residual[shown] > INDEPENDENT * diagonal[shown])
    if chosen and len(chosen) == problem.rank and explained:
        assumptions = ("mixture",) if shown.all() else ("mixture", f"rank<={problem.rank}")
        bounds = _imputed(C, mixer, np.where(shown, residual, 0.0), assumptions)
        if _agrees(bounds, evidence):
            return _with_measured(bounds, evidence)
    if chosen or shown.any():  # self pairs alone bound the rest too: |L_ij| <= sqrt(L_ii L_jj)
        bounds = _imputed(C, mixer, residual, ("mixture",))
        if _agrees(bounds, evidence):
            return _with_measured(bounds, evidence)
    return _with_measured(Bounds(np.zeros(problem.n_pairs), np.ones(problem.n_pairs), ()), evidence)


def _imputed(C: FloatArray, mixer: FloatArray, residual: FloatArray, assumptions: tuple[str, ...]) -> Bounds:
    """Returns (C W^-1 C')_ij -+ sqrt(Z_ii Z_jj), row by row: O(K) memory besides the result."""
    K = len(C)
    spread = np.sqrt(residual)
    lower, upper = np.empty(n_pairs(K)), np.empty(n_pairs(K))
    for i in range(K - 1):
        row = slice(i * (2 * K - i - 1) // 2, (i + 1) * (2 * K - i - 2) // 2)
        imputed, slack = C[i + 1 :] @ mixer[i], spread[i] * spread[i + 1 :]
        lower[row], upper[row] = np.maximum(imputed - slack, 0.0), np.minimum(imputed + slack, 1.0)
    return Bounds(lower, upper, assumptions)


def _measured(evidence: Evidence) -> tuple[IntArray, FloatArray]:
    """Returns the distinct pairs that were shown, by number, and their values."""
    totals = evidence.totals
    off = totals.i != totals.j
    return pair_index(totals.i[off], totals.j[off], evidence.n_items), totals.s[off] / totals.n[off]


def _agrees(bounds: Bounds, evidence: Evidence) -> bool:
    """Returns whether every shown pair is within its imputed bounds, up to rounding."""
    index, value = _measured(evidence)
    return bool(np.all((bounds.lower[index] <= value + AGREEMENT) & (value <= bounds.upper[index] + AGREEMENT)))


def _with_measured(bounds: Bounds, evidence: Evidence) -> Bounds:
    """Returns the bounds with shown pairs at their exact values."""
    index, value = _measured(evidence)
    lower, upper = bounds.lower.copy(), bounds.upper.copy()
    lower[index] = upper[index] = value
    return Bounds(lower, upper, bounds.assumptions)


def values(evidence: Evidence, i: IntArray, j: IntArray) -> FloatArray:
    """Returns exact entries L_ij that have been shown (NaN where not)."""
    n, s = evidence.entries(i, j)
    return np.divide(s, n, out=np.full(s.shape, np.nan), where=n > 0)


def independent_columns(evidence: Evidence) -> list[int]:
    """Returns items with completely known, independent columns, the largest relative residual first."""
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
