"""Independent columns: Schur residuals, smallest singular values and their radii."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.nystrom import log_term, printed_radius, schur_residuals, sharper_radius, smallest_singular_values

seeds = st.integers(0, 2**32)


def test_residual_by_hand() -> None:
    # .5 - .25^2/.5 = .375; a clone of the chosen item leaves 0
    residual = schur_residuals(np.array([[0.5]]), np.array([[0.25], [0.5]]), np.array([0.5, 0.5]))
    assert residual.tolist() == pytest.approx([0.375, 0.0], abs=1e-15)


def test_with_nothing_chosen_the_residual_is_the_diagonal() -> None:
    diagonal = np.array([0.2, 0.9])
    residual = schur_residuals(np.zeros((0, 0)), np.zeros((2, 0)), diagonal)
    assert residual.tolist() == [0.2, 0.9]
    assert residual is not diagonal


@given(seeds, st.integers(1, 4), st.integers(0, 4))
def test_residuals_equal_the_schur_complement(seed: int, n_chosen: int, more: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.random((12, n_chosen + more))
    L = X @ X.T + 0.01 * np.eye(12)
    W, C = L[:n_chosen, :n_chosen], L[:, :n_chosen]
    expected = np.diag(L - C @ np.linalg.inv(W) @ C.T)
    got = schur_residuals(W, C, np.diag(L))
    np.testing.assert_allclose(got, expected, atol=1e-9)
    assert got.min() >= 0


@given(seeds, st.integers(1, 5))
def test_smallest_singular_values_equal_the_svd(seed: int, size: int) -> None:
    A = np.random.default_rng(seed).normal(size=(7, size, size))
    A = A + A.transpose(0, 2, 1)
    expected = np.linalg.svd(A, compute_uv=False)[:, -1]
    np.testing.assert_allclose(smallest_singular_values(A), expected, atol=1e-12)


def test_radii_by_hand() -> None:
    # p=2, n=100 everywhere, log term 3: 2*3/300 = .02; printed sqrt(1.5 * 4/100), sharper sqrt(1.5 * 2/100)
    n = np.full((1, 2, 2), 100)
    assert printed_radius(n, 3.0)[0] == pytest.approx(0.02 + math.sqrt(0.06), abs=1e-12)
    assert sharper_radius(n, 3.0)[0] == pytest.approx(0.02 + math.sqrt(0.03), abs=1e-12)


def test_radii_of_unequal_counts_by_hand() -> None:
    # 1/n = (.1, .02; .02, .01): total .15, largest row .12, smallest n 10: 2*3/30 = .2
    n = np.array([[[10, 50], [50, 100]]])
    assert printed_radius(n, 3.0)[0] == pytest.approx(0.2 + math.sqrt(1.5 * 0.15), abs=1e-12)
    assert sharper_radius(n, 3.0)[0] == pytest.approx(0.2 + math.sqrt(1.5 * 0.12), abs=1e-12)


def test_log_term_by_hand() -> None:
    # delta_t = 6 * .1 / (pi^2 * 50 * 9), log(2*3/delta_t)
    assert log_term(3, 50, 3, 0.1) == pytest.approx(math.log(6 * math.pi**2 * 450 / 0.6), abs=1e-12)


def test_failures_of_all_matrices_and_rounds_add_up_to_delta() -> None:
    # 2p exp(-log_term) is one matrix's share in one round; over m matrices and rounds to infinity that is delta
    share = sum(50 * 6 * math.exp(-log_term(3, 50, t, 0.1)) for t in range(1, 20_000))
    assert share == pytest.approx(0.1, rel=1e-4)


@given(seeds, st.integers(1, 6), st.floats(0.1, 40))
def test_the_sharper_radius_is_never_above_the_printed_one(seed: int, size: int, term: float) -> None:
    n = np.random.default_rng(seed).integers(1, 1000, size=(9, size, size))
    n = np.minimum(n, n.transpose(0, 2, 1))
    sharper, printed = sharper_radius(n, term), printed_radius(n, term)
    assert np.all(sharper <= printed * (1 + 1e-12))
    if size > 1:
        assert np.all(sharper < printed)
