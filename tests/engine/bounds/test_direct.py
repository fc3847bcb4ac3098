"""Bound D: the levels by hand."""

import math

import numpy as np
import pytest

from app.engine.bounds.direct import direct_bounds
from app.engine.confidence import lower_end, upper_end
from app.engine.evidence import DenseCounts


def test_upper_ends_pay_for_all_pairs_and_lower_ends_for_one() -> None:
    # n=1: S=0 has the upper end 1 - alpha/2, alpha = .06/3; S=1 the lower end alpha/2, alpha = .08
    bounds = direct_bounds(DenseCounts(np.array([1, 1, 0]), np.array([0.0, 1.0, 0.0])), 0.06, 0.08)
    assert bounds.upper.tolist() == pytest.approx([0.99, 1.0, 1.0], abs=1e-12)
    assert bounds.lower.tolist() == pytest.approx([0.0, 0.04, 0.0], abs=1e-12)
    assert bounds.assumptions == ()


def test_every_pair_has_the_ends_of_its_own_counts() -> None:
    rng = np.random.default_rng(0)
    n = rng.integers(0, 3000, size=1225)
    s = rng.binomial(n, rng.random(1225)).astype(np.float64)
    bounds = direct_bounds(DenseCounts(n, s), 0.01, 0.09)
    np.testing.assert_allclose(bounds.lower, lower_end(n, s, math.log(1 / 0.09)), atol=1e-14)
    np.testing.assert_allclose(bounds.upper, upper_end(n, s, math.log(1225 / 0.01)), atol=1e-14)
