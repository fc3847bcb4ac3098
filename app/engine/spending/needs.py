"""How many more samples a bound is expected to need."""

import numpy as np
from scipy.special import rel_entr

from app.engine.arrays import FloatArray, IntArray

STUBBORN = 0.2
"""What should be settled by now and is not gets this part of its samples again."""

ITERATIONS = 2
"""The price grows like log(n)/2: after two steps n is known to a few percent, better than the mean it rests on."""


def relative_entropy(p: FloatArray, q: FloatArray | float) -> FloatArray:
    """Returns KL(p, q) of two coins."""
    return np.asarray(rel_entr(p, q) + rel_entr(1 - p, 1 - np.asarray(q)), dtype=np.float64)


def expected_price(n: FloatArray | IntArray) -> FloatArray:
    """Returns about what a guided interval pays for not knowing p: log(1 + n/30)/2, and log 2 for the mixture."""
    return np.log(2.0) + 0.5 * np.log1p(np.asarray(n) / 30.0)


def samples_to_separate(
    mean: FloatArray, limit: FloatArray | float, log_level: float, have: FloatArray | IntArray
) -> FloatArray:
    """Returns how many more samples bring the end of an interval around `mean` to `limit`.

    n KL(mean, limit) = log_level + price(n), less what there is; at least 1, for whoever asks is not there yet.
    """
    distance = np.maximum(relative_entropy(mean, limit), 1e-9)
    n = log_level / distance
    for _ in range(ITERATIONS):
        n = (log_level + expected_price(n)) / distance
    return np.maximum(n - have, STUBBORN * have + 1.0)
