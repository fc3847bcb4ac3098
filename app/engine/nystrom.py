"""The Nystrom extension: L_hat = C W^-1 C', its smallest entry, and the sample sizes the paper prints for it."""

import math
from typing import NamedTuple

import numpy as np

from app.engine.arrays import FloatArray, Pair

_TILE = 512
_SINGULAR = 1e-12
"""Relative size below which a singular value of W is rounding, not signal; inverting it would only return noise."""


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
    like K^2 where its own proof uses the max norm; the product inequality they rest on (max-norm of AB at most
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
