"""Regions below bound G: curvature over the whole range, sub-Gaussian coins, and what the border of a region allows."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.arrays import FloatArray, IntArray
from app.engine.bounds.gram_counts import Columns, Landmarks
from app.engine.bounds.gram_residual import CoreRegion, Known, Region, core_residual, most_even, proxy, reach


def kl(q: FloatArray, p: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        one = np.where(q > 0, q * np.log(q / p), 0.0)
        return np.asarray(one + np.where(q < 1, (1 - q) * np.log((1 - q) / (1 - p)), 0.0))


@given(n=st.integers(1, 5000), part=st.floats(0, 1), budget=st.floats(0.1, 60))
def test_curvature_holds_over_the_whole_range_of_an_entry(n: int, part: float, budget: float) -> None:
    # Kills kappa at a lower level: at p_hat = 0 it would be infinite.
    s = float(round(part * n))
    p = np.linspace(1e-6, 1 - 1e-6, 4001)
    spent = n * kl(np.full_like(p, s / n), p)
    inside = spent <= budget
    middle = float(most_even(np.array([n]), np.array([s]), np.array([budget]))[0])
    assert np.all(p[inside] * (1 - p[inside]) <= middle * (1 - middle) + 1e-9)
    assert np.all(spent[inside] >= n / (middle * (1 - middle)) * (p[inside] - s / n) ** 2 / 2 - 1e-9)


def test_the_range_is_nearly_the_smallest() -> None:
    n, s, b = np.array([1000]), np.array([100.0]), np.array([10.0])
    middle = most_even(n, s, b)
    # The exact end solves 1000 KL(.1, p) = 10: .1477; the closed form may be a little further.
    assert 1000 * kl(np.array([0.1]), np.array([0.1477]))[0] == pytest.approx(10.0, abs=0.1)
    assert 0.147 < middle[0] < 0.153
    np.testing.assert_allclose(most_even(n, 900.0 + 0 * s, b), 1 - middle)
    assert most_even(np.array([0]), np.array([0.0]), b)[0] == 0.5


def test_proxy_is_the_sub_gaussian_variance_of_a_coin() -> None:
    z = np.linspace(-30, 30, 6001)
    z = z[np.abs(z) > 1e-3]
    for p in (1e-6, 0.01, 0.2, 0.4999, 0.5, 0.7, 0.999):
        needed = 2 * (np.logaddexp(np.log1p(-p), math.log(p) + z) - z * p) / z**2
        s = float(proxy(np.array([p]))[0])
        assert needed.max() <= s + 1e-9
        assert needed.max() >= s - 1e-4  # and no larger than needed


def tight_region(n: IntArray, s: FloatArray, rng: np.random.Generator) -> tuple[Region, FloatArray]:
    """Returns a region at log(1/alpha) = 1 and points on its border."""
    region = Region.of(n, s, 0 * n, 0 * s, 1.0)
    direction = rng.standard_normal((400, len(n)))
    low, high = np.zeros(400), np.full(400, 2.0)
    for _ in range(60):  # how far to go for the budget to be spent
        middle = (low + high) / 2
        p = np.clip(s / n + middle[:, None] * direction, 1e-9, 1 - 1e-9)
        spent = np.sum(n * kl(np.broadcast_to(s / n, p.shape), p), axis=1)
        low, high = np.where(spent < region.budget, middle, low), np.where(spent < region.budget, high, middle)
    return region, np.clip(s / n + low[:, None] * direction, 1e-9, 1 - 1e-9)


def test_budget_by_hand() -> None:
    # n = 1, S = 1 after S_0 = 2 of n_0 = 3: M(1) = (2.5/4) / 1, so b = log(1/alpha) + log 1.6; the unseen adds nothing.
    region = Region.of(np.array([1, 0]), np.array([1.0, 0.0]), np.array([3, 9]), np.array([2.0, 9.0]), 2.0)
    assert region.budget == pytest.approx(2.0 + math.log(1.6), abs=1e-5)
    assert region.most_even.tolist() == pytest.approx([0.5, 0.5])
    assert region.blur[0] == pytest.approx(0.25)
    assert region.blur[1] > 1e5


def test_what_was_seen_before_lowers_the_budget() -> None:
    n, s = np.full(2, 4000), np.array([1600.0, 1200.0])
    fresh = Region.of(n, s, 0 * n, 0 * s, 5.0).budget
    led = Region.of(n, s, np.full(2, 1000), np.array([400.0, 300.0]), 5.0).budget
    misled = Region.of(n, s, np.full(2, 1000), np.array([500.0, 300.0]), 5.0).budget
    assert led == pytest.approx(5.0 + 2 * 0.5 * math.log(5), abs=0.01)  # log(1 + n/n_0)/2 an entry
    assert led < fresh - 5
    assert misled > fresh  # and misleads if it was wrong


def test_reach_holds_on_the_border_of_the_region() -> None:
    rng = np.random.default_rng(3)
    n, s = np.array([40, 300, 1000]), np.array([2.0, 120.0, 990.0])
    region, border = tight_region(n, s, rng)
    K = rng.standard_normal((3, 3))
    known = Known((s / n)[None], Region(*(part[None] for part in region)), None, None)  # type: ignore[arg-type]
    largest = reach(K, known)[0]
    values = np.abs(border @ K.T)
    assert np.all(values <= largest + 1e-9)
    assert np.all(values.max(axis=0) > 0.7 * largest)  # and not far beyond


@pytest.mark.parametrize("kind", ["by rank", "two sets"])
def test_core_residual_holds_on_the_border_of_the_region(kind: str) -> None:
    rng = np.random.default_rng(4)
    landmarks = Landmarks(1, (0, 1, 2, 3) if kind == "two sets" else (0, 1), two_sets=kind == "two sets")
    X = np.array([[0.68, 0.14], [0.17, 0.63], [0.6, 0.21], [0.14, 0.67]])
    q = len(landmarks.items)
    n = np.full((4, q), 20_000)
    core = Columns(n, np.rint(n * (X @ X.T)[:, :q]), n[:, 0], 0.0 * n[:, 0]).core(landmarks)
    region, border = tight_region(core.n, core.s, rng)
    about = CoreRegion.of(core, region)
    assert 0 < about.omega < 0.9
    K = np.linalg.inv(core.mean + 0.02 * landmarks.in_core)
    bound = float(core_residual(K, about))
    largest = 0.0
    for M in (core.matrix(values) for values in border):
        inner = np.linalg.inv(M) - 2 * K + K @ M @ K
        size = float(np.linalg.norm(about.root @ inner @ about.root, 2))
        largest = max(largest, size)
        assert np.linalg.norm(about.T @ (M - core.mean) @ about.T, 2) <= about.omega + 1e-9
    assert 0.2 * bound < largest <= bound
