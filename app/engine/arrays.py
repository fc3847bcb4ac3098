"""Array types of the engine, and the numbering of the K(K-1)/2 distinct pairs.

Pairs (i, j) with i < j are numbered row by row: (0,1), (0,2), ..., (0,K-1), (1,2), ... so that a vector over all
pairs takes K(K-1)/2 places and no K x K array is needed.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


class Pair(NamedTuple):
    """An unordered pair of item numbers, i <= j; i == j is a self pair."""

    i: int
    j: int


def n_pairs(n_items: int) -> int:
    """Returns the number of distinct pairs, K(K-1)/2."""
    return n_items * (n_items - 1) // 2


def pair_index(i: IntArray, j: IntArray, n_items: int) -> IntArray:
    """Returns the numbers of the pairs (i, j), i < j elementwise: i(2K-i-1)/2 + j-i-1."""
    return i * (2 * n_items - i - 1) // 2 + j - i - 1


def pair_items(index: IntArray, n_items: int) -> tuple[IntArray, IntArray]:
    """Returns the items (i, j) of the pairs with these numbers, the inverse of `pair_index`.

    Row i starts at i(2K-i-1)/2; a binary search in the K row starts is exact, whereas a square root would be rounded.
    """
    rows = np.arange(n_items, dtype=np.int64)
    starts = rows * (2 * n_items - rows - 1) // 2  # (K,)
    i = np.searchsorted(starts, index, side="right") - 1
    # The last row is empty and starts where the pairs end; side="right" never selects it for a valid number.
    return i, index - starts[i] + i + 1


def pair_number(pair: Pair, n_items: int) -> int:
    """Returns the number of one pair."""
    return pair.i * (2 * n_items - pair.i - 1) // 2 + pair.j - pair.i - 1


def pair_at(index: int, n_items: int) -> Pair:
    """Returns the pair with this number."""
    i, j = pair_items(np.array([index], dtype=np.int64), n_items)
    return Pair(int(i[0]), int(j[0]))
