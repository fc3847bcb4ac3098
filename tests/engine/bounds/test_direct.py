"""Bound D: the levels by hand."""

import math

import numpy as np
import pytest

from app.engine.arrays import FloatArray, IntArray, pair_items
from app.engine.bounds.direct import direct_bounds
from app.engine.choices import Guess
from app.engine.confidence import lower_end, upper_end
from app.engine.evidence import Evidence
from tests.engine.driver import evidence_from_rows


def random_counts(version: int) -> tuple[IntArray, FloatArray, Evidence]:
    """Returns counts of all pairs of 50 items, also as evidence issued under this version."""
    rng = np.random.default_rng(0)
    n = rng.integers(0, 3000, size=1225)
    s = rng.binomial(n, rng.random(1225)).astype(np.float64)
    i, j = pair_items(np.arange(1225), 50)
    return n, s, Evidence.empty(50).add(i, j, version, n, s)


def test_upper_ends_pay_for_all_pairs_and_lower_ends_for_one() -> None:
    # n=1: S=0 has the upper end 1 - alpha/2, alpha = .06/3; S=1 the lower end alpha/2, alpha = .08
    bounds = direct_bounds(evidence_from_rows(3, [(0, 1, 1, 1, 0.0), (0, 2, 1, 1, 1.0)]), None, 0.06, 0.08)
    assert bounds.upper.tolist() == pytest.approx([0.99, 1.0, 1.0], abs=1e-12)
    assert bounds.lower.tolist() == pytest.approx([0.0, 0.04, 0.0], abs=1e-12)
    assert bounds.assumptions == ()


def test_every_pair_has_the_ends_of_its_own_counts() -> None:
    n, s, evidence = random_counts(1)
    bounds = direct_bounds(evidence, None, 0.01, 0.09)
    np.testing.assert_allclose(bounds.lower, lower_end(n, s, math.log(1 / 0.09)), atol=1e-14)
    np.testing.assert_allclose(bounds.upper, upper_end(n, s, math.log(1225 / 0.01)), atol=1e-14)


def test_samples_up_to_the_guess_have_served_it() -> None:
    # The guess of version 4 is tested by what was issued under version 5 and later, with the guess as prior.
    n, s, evidence = random_counts(5)
    X = np.random.default_rng(1).uniform(0.3, 1.0, size=(50, 2)) / np.sqrt(2)
    i, j = pair_items(np.arange(1225), 50)
    stale = evidence.add(i, j, 4, np.full(1225, 500), np.full(1225, 250.0))
    bounds = direct_bounds(stale, Guess.of(4, X), 0.01, 0.09)
    prior = np.clip(np.sum(np.round(X, 4)[i] * np.round(X, 4)[j], axis=1), 0.002, 0.998)
    np.testing.assert_allclose(bounds.lower, lower_end(n, s, math.log(1 / 0.09), prior), atol=1e-14)
    np.testing.assert_allclose(bounds.upper, upper_end(n, s, math.log(1225 / 0.01), prior), atol=1e-14)


def test_self_pairs_prove_nothing_directly() -> None:
    bounds = direct_bounds(evidence_from_rows(3, [(1, 1, 1, 900, 100.0)]), None, 0.05, 0.05)
    assert bounds.lower.tolist() == [0.0] * 3
    assert bounds.upper.tolist() == [1.0] * 3
