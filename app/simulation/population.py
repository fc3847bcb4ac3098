"""A population of users: the no-click probability L of every pair, which is fully known only in a simulation.

L = X X^T with a factor X of shape (K, r). For a mixture of r groups, X[i, k] = sqrt(p_k) (1 - u_k(i)), with p_k the
share of group k and u_k(i) the probability that one of its users clicks item i.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from app.engine.arrays import FloatArray, IntArray

# Shares written with six digits are accepted and rescaled; a larger deviation is a mistake in the file.
SHARES_TOLERANCE = 1e-6
# Shares this close to 1 in sum are left as they are, so that saving and loading changes no bit.
ROUNDING = 1e-12
# A factor scaled to a largest entry of 1 may exceed it by a few rounding errors.
LOSS_TOLERANCE = 1e-9
# 8 MB per tile: a K x K matrix is never held in full.
TILE_ENTRIES = 2**20


class InvalidPopulation(ValueError):
    """A population that is invalid or cannot be read; `field` names the part, the message says what is allowed."""

    def __init__(self, field: str, advice: str) -> None:
        self.field = field
        self.advice = advice
        super().__init__(f"{field}: {advice}")


class BestPair(NamedTuple):
    """The pair with the lowest no-click probability, i <= j, and that probability."""

    i: int
    j: int
    value: float


@dataclass(frozen=True, eq=False)
class Population:
    """No-click probabilities, given by a factor, and the groups they come from where these are known.

    Made by `mixture` or `from_factor`, which check their arguments and keep read-only copies.
    """

    factor: FloatArray  # (K, r) X, with L = X X^T
    shares: FloatArray | None = None  # (r,) p
    click_probabilities: FloatArray | None = None  # (r, K) u

    @classmethod
    def mixture(cls, p: npt.ArrayLike, u: npt.ArrayLike) -> Self:
        """Returns the population of groups with shares p (r,) that click the items with probabilities u (r, K)."""
        shares, clicks = _numbers("p", p), _numbers("u", u)
        _check_shares(shares)
        if clicks.ndim != 2 or clicks.shape[0] != len(shares):
            raise InvalidPopulation(
                "u", f"must have one row per share ({len(shares)}, items), got shape {clicks.shape}"
            )
        if clicks.shape[1] < 2:
            raise InvalidPopulation("u", f"a pair needs at least 2 items (columns), got {clicks.shape[1]}")
        if clicks.min() < 0 or clicks.max() > 1:
            raise InvalidPopulation("u", f"must lie between 0 and 1, got {clicks.min():g} to {clicks.max():g}")
        total = shares.sum()
        if abs(total - 1) > ROUNDING:
            shares = shares / total
        factor = ((1 - clicks) * np.sqrt(shares)[:, None]).T.copy()  # (K, r)
        return cls(_read_only(factor), _read_only(shares), _read_only(clicks))

    @classmethod
    def from_factor(cls, x: npt.ArrayLike) -> Self:
        """Returns the population with L = x x^T; it has no groups, so it has no clicks by item."""
        factor = _numbers("x", x)
        if factor.ndim != 2 or factor.shape[0] < 2 or factor.shape[1] < 1:
            raise InvalidPopulation("x", f"must have shape (items, rank), items >= 2, rank >= 1, got {factor.shape}")
        # No entry of a Gram matrix exceeds its largest diagonal entry, so one pass over the rows finds the maximum.
        with np.errstate(over="ignore"):
            highest = np.sum(factor**2, axis=1).max()
        if highest > 1 + LOSS_TOLERANCE:
            raise InvalidPopulation("x", f"x x^T must lie between 0 and 1, its largest entry is {highest:g}")
        lowest = min(float(tile.min()) for _, tile in _upper_tiles(factor))
        if lowest < -LOSS_TOLERANCE:
            raise InvalidPopulation("x", f"x x^T must lie between 0 and 1, its smallest entry is {lowest:g}")
        return cls(_read_only(factor))

    @property
    def n_items(self) -> int:
        """K."""
        return int(self.factor.shape[0])

    @property
    def rank(self) -> int:
        """The number of columns of the factor, r: an upper bound of the rank of L."""
        return int(self.factor.shape[1])

    def loss(self, i: IntArray | int, j: IntArray | int) -> FloatArray:
        """Returns L_ij elementwise, the probability that a user shown items i and j clicks neither."""
        probabilities: FloatArray = np.clip(np.sum(self.factor[i] * self.factor[j], axis=-1), 0.0, 1.0)
        return probabilities

    def loss_matrix(self) -> FloatArray:
        """Returns the whole matrix L (K, K), 8 K^2 bytes: for small K."""
        return np.clip(self.factor @ self.factor.T, 0.0, 1.0)

    def best_pair(self, self_pairs: bool = False) -> BestPair:
        """Returns the pair i < j (or i <= j, with self pairs) with the lowest L_ij; the first one if several tie."""
        return self._best_of_all if self_pairs else self._best_distinct

    def error(self, i: IntArray | int, j: IntArray | int) -> FloatArray:
        """Returns L_ij - min of L over distinct pairs: the loss per impression of always showing (i, j)."""
        excess = self.loss(i, j) - self._best_distinct.value
        # Only a self pair can be better than the best distinct pair; other negative values are rounding errors.
        return np.where(np.asarray(i) == np.asarray(j), excess, np.maximum(excess, 0.0))

    def eigenvalues(self) -> FloatArray:
        """Returns the min(r, K) eigenvalues of L that may be nonzero, highest first, in O(K r^2)."""
        gram = self.factor.T @ self.factor  # (r, r), the same nonzero eigenvalues as L
        highest_first: FloatArray = np.clip(np.linalg.eigvalsh(gram)[::-1], 0.0, None)
        return highest_first[: self.n_items]

    @cached_property
    def _best_distinct(self) -> BestPair:
        return self._search(diagonal=1)

    @cached_property
    def _best_of_all(self) -> BestPair:
        return self._search(diagonal=0)

    def _search(self, diagonal: int) -> BestPair:
        """Returns the lowest entry on or above this diagonal."""
        lowest, i, j = np.inf, 0, 0
        for start, tile in _upper_tiles(self.factor):
            rows = len(tile)  # only the first square of the tile reaches below the diagonal
            tile[:, :rows][np.tri(rows, k=diagonal - 1, dtype=np.bool_)] = np.inf
            row, column = np.unravel_index(int(tile.argmin()), tile.shape)
            if tile[row, column] < lowest:
                lowest, i, j = float(tile[row, column]), start + int(row), start + int(column)
        # The value comes from `loss`, so that the error of the best pair is exactly 0.
        return BestPair(i, j, float(self.loss(i, j)))


def _upper_tiles(factor: FloatArray) -> Iterator[tuple[int, FloatArray]]:
    """Yields (start, rows start.. of X X^T from column start on): the upper triangle, some rows at a time."""
    n_items = len(factor)
    rows = max(1, TILE_ENTRIES // n_items)
    for start in range(0, n_items, rows):
        yield start, factor[start : start + rows] @ factor[start:].T


def _numbers(field: str, values: npt.ArrayLike) -> FloatArray:
    """Returns a copy as float64; raises InvalidPopulation unless all are finite real numbers."""
    try:
        array = np.asarray(values)
    except ValueError as ragged:
        raise InvalidPopulation(field, "must be an array, every row of the same length") from ragged
    if array.dtype.kind not in "iuf":
        raise InvalidPopulation(field, f"must hold real numbers, got dtype {array.dtype}")
    if not np.all(np.isfinite(array)):
        raise InvalidPopulation(field, "must be finite, got NaN or infinity")
    return array.astype(np.float64)


def _check_shares(shares: FloatArray) -> None:
    if shares.ndim != 1 or len(shares) < 1:
        raise InvalidPopulation("p", f"must be one share per group (at least one), got shape {shares.shape}")
    if shares.min() < 0:
        raise InvalidPopulation("p", f"shares must be 0 or more, got {shares.min():g}")
    if abs(shares.sum() - 1) > SHARES_TOLERANCE:
        raise InvalidPopulation("p", f"shares must sum to 1, got {shares.sum():g}")


def _read_only(array: FloatArray) -> FloatArray:
    array.flags.writeable = False
    return array
