"""Expected costs: the variance of scores, and how many more samples a bound needs."""

import numpy as np
from scipy.special import rel_entr

from app.engine.arrays import FloatArray, IntArray

RETRY_PART = 0.2
"""A pair that is still open although it has as many samples as expected gets this part of them in addition."""

ITERATIONS = 2
"""The price grows like log(n)/2: after two iterations n is accurate to a few percent, which is more accurate than the
mean it is computed from."""

MIN_VARIANCE = 1e-5
"""The least variance: an entry that was never clicked so far may still be clicked."""


def relative_entropy(p: FloatArray, q: FloatArray | float) -> FloatArray:
    """Returns KL(p, q) of two coins."""
    return np.asarray(rel_entr(p, q) + rel_entr(1 - p, 1 - np.asarray(q)), dtype=np.float64)


def expected_price(n: FloatArray | IntArray) -> FloatArray:
    """Returns the approximate price of not knowing p with a guess (`confidence`): log 2 + log(1 + n/30)/2."""
    return np.log(2.0) + 0.5 * np.log1p(np.asarray(n) / 30.0)


def samples_to_separate(
    mean: FloatArray, limit: FloatArray | float, log_level: float, have: FloatArray | IntArray
) -> FloatArray:
    """Returns how many more samples bring the end of an interval around `mean` to `limit`.

    Solves n KL(mean, limit) = log_level + price(n) for n and subtracts `have`, the existing samples. The result is at
    least 1, because the limit is not reached yet.
    """
    distance = np.maximum(relative_entropy(mean, limit), 1e-9)
    n = log_level / distance
    for _ in range(ITERATIONS):
        n = (log_level + expected_price(n)) / distance
    return np.maximum(n - have, RETRY_PART * have + 1.0)


def score_variance(p: FloatArray, q: FloatArray, mean: FloatArray) -> FloatArray:
    """Returns the variance of Z = (q_i - p)(q_j - q), q_i = 1 if i is not clicked, p = E q_i, q = E q_j, L = `mean`."""
    both = np.clip(mean - (p + q - 1), 0.0, np.minimum(1 - p, 1 - q))
    squares = mean * ((1 - p) * (1 - q)) ** 2 + (1 - p - both) * (p * (1 - q)) ** 2
    squares += (1 - q - both) * ((1 - p) * q) ** 2 + both * (p * q) ** 2
    return np.maximum(squares - (mean - p * q) ** 2, MIN_VARIANCE / 10)


def variance(x: FloatArray) -> FloatArray:
    """Returns x(1-x), at least `MIN_VARIANCE`."""
    return np.maximum(x * (1 - x), MIN_VARIANCE)
