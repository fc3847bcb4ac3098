"""The spectral noise of symmetric matrices of means stays below the sharper radius with the stated probability."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from app.engine.arrays import FloatArray, IntArray
from app.engine.nystrom import printed_radius, sharper_radius, smallest_singular_values

RUNS = 4000


def noise_and_counts(size: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray, IntArray]:
    """Returns true matrices, matrices of means and their counts, RUNS of each; (i, j) and (j, i) are one sample."""
    factor = rng.random((RUNS, size, 2)) / math.sqrt(2)
    L = factor @ factor.transpose(0, 2, 1)
    n = rng.integers(20, 400, size=(RUNS, size, size))
    upper = np.triu(np.ones((size, size), dtype=bool))
    n = np.where(upper, n, n.transpose(0, 2, 1))
    means = rng.binomial(n, L) / n
    return L, np.where(upper, means, means.transpose(0, 2, 1)), n


@pytest.mark.parametrize("size", [2, 3, 5])
@pytest.mark.parametrize("delta", [0.5, 0.05])
def test_noise_stays_below_the_sharper_radius(size: int, delta: float) -> None:
    L, means, n = noise_and_counts(size, np.random.default_rng([size, 1]))
    spectral = np.abs(np.linalg.eigvalsh(means - L)).max(axis=1)
    term = math.log(2 * size / delta)
    allowed = binom.ppf(0.99, RUNS, delta)
    assert np.sum(spectral > sharper_radius(n, term)) <= allowed
    assert np.sum(spectral > printed_radius(n, term)) <= allowed
    # Weyl: sigma_min moves by no more than the noise, which is what the radius is used for.
    moved = np.abs(smallest_singular_values(means) - smallest_singular_values(L))
    assert np.all(moved <= spectral + 1e-12)


@pytest.mark.parametrize("size", [2, 3, 5])
def test_a_third_of_the_radius_would_not_do(size: int) -> None:
    # Power: the same check, delta .05, fails for a radius that forgets a factor.
    L, means, n = noise_and_counts(size, np.random.default_rng([size, 1]))
    spectral = np.abs(np.linalg.eigvalsh(means - L)).max(axis=1)
    broken = sharper_radius(n, math.log(2 * size / 0.05)) / 3
    assert np.sum(spectral > broken) > binom.ppf(0.99, RUNS, 0.05)
