"""Section 6 of docs/mathematics.md: bounds in the deterministic model."""

import numpy as np
from numpy.typing import NDArray

from tests.independent.bounds import Bounds
from tests.independent.counts import Evidence, Floats

INDEPENDENT = 1e-6
AGREEMENT = 1e-6
EXACT = 4e-6

Limits = tuple[Floats, Floats]


def explained(L: Floats, columns: list[int]) -> Floats:
    """Return C W^-1 C' as a K x K matrix; zeros without columns."""
    if not columns:
        return np.zeros_like(L)
    C = L[:, columns]
    return C @ np.linalg.solve(C[columns], C.T)


def independent_columns(L: Floats) -> list[int]:
    """Step 1: choose complete columns, each time the one with the largest ratio."""
    candidates = [item for item in range(len(L)) if not np.isnan(L[item]).any()]
    chosen: list[int] = []
    while left := [item for item in candidates if item not in chosen]:
        residuals = np.maximum(np.diag(L) - np.diag(explained(L, chosen)), 0)
        ratios = [residuals[item] / L[item, item] if L[item, item] > 0 else 0.0 for item in left]
        if max(ratios) <= INDEPENDENT:
            break
        chosen.append(left[int(np.argmax(ratios))])
    return chosen


def limits(middle: Floats, residuals: Floats) -> Limits:
    """Return B and U as matrices."""
    width = np.outer(np.sqrt(residuals), np.sqrt(residuals))
    return np.maximum(middle - width, 0), np.minimum(middle + width, 1)


def agree(found: Limits, L: Floats, shown: NDArray[np.bool_]) -> bool:
    """Say whether every shown pair of two different items is within the limits."""
    lower, upper = found
    return bool(np.all((lower - AGREEMENT <= L)[shown] & (upper + AGREEMENT >= L)[shown]))


def pair_limits(L: Floats, rank: int | None) -> tuple[Limits, set[str]]:
    """Steps 1 to 5: B and U of all entries, and the assumptions they need."""
    columns = independent_columns(L)
    self_shown = ~np.isnan(np.diag(L))
    shown = ~np.isnan(L) & ~np.eye(len(L), dtype=bool)
    middle = explained(L, columns)
    residuals = np.maximum(np.where(self_shown, np.diag(L), 1.0) - np.diag(middle), 0)
    fits = bool(np.all((residuals <= INDEPENDENT * np.diag(L))[self_shown]))
    if columns and len(columns) == rank and fits:
        found = limits(middle, np.where(self_shown, residuals, 0.0))
        if agree(found, L, shown):
            return found, {"mixture"} if self_shown.all() else {"mixture", f"rank<={rank}"}
    if columns or self_shown.any():
        found = limits(middle, residuals)
        if agree(found, L, shown):
            return found, {"mixture"}
    return (np.zeros_like(L), np.ones_like(L)), set()


def exact_bounds(evidence: Evidence, rank: int | None) -> tuple[Bounds, int, set[str]]:
    """Return the bounds of all pairs, the leader, and the assumptions beyond the first two."""
    L = evidence.values()
    (lower, upper), assumptions = pair_limits(L, rank)
    shown = ~np.isnan(L)
    pairs = np.triu_indices(evidence.K, 1)
    B, U = np.where(shown, L, lower)[pairs], np.where(shown, L, upper)[pairs]
    none = np.zeros_like(B)
    return Bounds(U, B, B, none, []), int(np.argmin(B + U)), assumptions
