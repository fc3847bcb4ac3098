"""Bound F: the inequality, the joint region by brute force, and which samples count."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import rel_entr

from app.engine.arrays import pair_index, pair_items
from app.engine.bounds.screening import blank_bounds, screening_bounds
from app.engine.choices import Blank
from app.engine.confidence import log_price, lower_end
from app.engine.evidence import Evidence
from app.simulation.mixtures import mixture

unit = st.floats(0, 1)


@given(unit, unit, unit)
def test_the_inequality(a: float, b: float, c: float) -> None:
    assert a * b >= a * c + b * c - 1 - 1e-12


@pytest.mark.parametrize("family", ["ads6", "ads20", "pref", "clus"])
def test_exact_columns_bound_all_pairs_of_a_mixture(family: str) -> None:
    L = mixture(family, 12, 3, np.random.default_rng(3)).loss_matrix()
    for c in range(12):
        apart = np.flatnonzero(np.arange(12) != c)
        assert np.all(L[np.ix_(apart, apart)] >= L[apart, c][:, None] + L[apart, c][None, :] - 1)


def least_sum(n: tuple[int, int], s: tuple[float, float], log_level: float, guess: tuple[float, float]) -> float:
    """Returns the least p + q with log M(p) + log M(q) <= log_level: p on a search, q at the end left for it."""
    price = log_price(np.array(n), np.array(s), np.array(guess))
    budget = log_level - float(price.sum())  # for n KL(p_hat, p) + n KL(q_hat, q)

    def spent(p: float) -> float:
        p_hat = s[0] / n[0]
        return float(n[0] * (rel_entr(p_hat, p) + rel_entr(1 - p_hat, 1 - p)))

    def q_of(left: float) -> float:
        low, high = 0.0, s[1] / n[1]
        for _ in range(80):
            q, q_hat = (low + high) / 2, s[1] / n[1]
            cost = n[1] * (rel_entr(q_hat, q) + rel_entr(1 - q_hat, 1 - q))
            low, high = (q, high) if cost > left else (low, q)
        return high

    def total(p: float) -> float:
        return p + q_of(max(budget - spent(p), 0.0))

    low, high = 0.0, s[0] / n[0]
    for _ in range(80):  # the end of p when all of the budget is its own
        middle = (low + high) / 2
        low, high = (middle, high) if spent(middle) > budget else (low, middle)
    found = minimize_scalar(total, bounds=(high, s[0] / n[0]), method="bounded", options={"xatol": 1e-10})
    return min(float(found.fun), total(high), total(s[0] / n[0]))


@pytest.mark.parametrize("n", [(40, 40), (30, 3000), (400, 900), (5, 20000)])
@pytest.mark.parametrize("p", [(0.95, 0.9), (0.6, 0.97), (0.5, 0.5)])
@pytest.mark.parametrize("log_level", [1.0, 4.0, 9.0])
def test_the_grid_of_multipliers_is_sound_and_loses_little(
    n: tuple[int, int], p: tuple[float, float], log_level: float
) -> None:
    s = (float(round(n[0] * p[0])), float(round(n[1] * p[1])))
    guess = (0.9, 0.8)
    exact = least_sum(n, s, log_level, guess) - 1
    found = float(screening_bounds(np.array(n), np.array(s), log_level, np.array(guess))[0])
    assert found <= max(exact, 0.0) + 1e-7
    if exact > 0:
        width = s[0] / n[0] + s[1] / n[1] - 1 - exact
        assert found >= exact - 0.012 * width


def test_a_pair_with_an_entry_never_shown_is_not_bounded() -> None:
    lower = screening_bounds(np.array([0, 500, 800]), np.array([0.0, 480.0, 790.0]), 3.0, np.full(3, 0.9))
    assert lower[:2].tolist() == [0.0, 0.0]
    assert lower[2] > 0.8


def column(version: int, K: int = 6, c: int = 2, n: int = 300) -> Evidence:
    """Returns samples of the whole column of item c under one version, 95 % without a click."""
    others = np.array([i for i in range(K) if i != c])
    return Evidence.empty(K).add(others, np.full(K - 1, c), version, np.full(K - 1, n), np.full(K - 1, 0.95 * n))


def test_only_samples_issued_after_the_choice_count() -> None:
    blank = Blank(4, 2, (0.9,) * 6)
    assert np.all(blank_bounds(column(4), blank, 4.0) == 0.0)
    fresh, both = blank_bounds(column(5), blank, 4.0), column(5).add(*_rows(column(4)))
    assert fresh.max() > 0.7
    np.testing.assert_array_equal(blank_bounds(both, blank, 4.0), fresh)


def _rows(e: Evidence) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    return e.i, e.j, e.version, e.n, e.s


def test_pairs_with_the_blank_itself_get_nothing() -> None:
    lower = blank_bounds(column(5), Blank(4, 2, (0.9,) * 6), 4.0)
    i, j = pair_items(np.arange(15), 6)
    with_blank = (i == 2) | (j == 2)
    assert np.all(lower[with_blank] == 0.0)
    assert np.all(lower[~with_blank] > 0.7)


def test_a_joint_region_beats_two_intervals() -> None:
    # Two intervals at half the share each let both entries be at their ends at once; the region does not. It is wider
    # than one entry with twice the samples would be.
    n, s, log_level = np.array([200, 200]), np.array([190.0, 190.0]), math.log(1 / 0.05)
    joint = float(screening_bounds(n, s, log_level, None)[0])
    apart = 2 * float(lower_end(n, s, log_level + math.log(2))[0]) - 1
    assert apart < joint < 2 * float(lower_end(2 * n, 2 * s, log_level)[0]) - 1


def test_bounds_are_in_the_order_of_pairs() -> None:
    K = 5
    n, s = np.full(K, 1000), np.array([950.0, 900.0, 850.0, 800.0, 750.0])
    lower = screening_bounds(n, s, 3.0, None)
    for i in range(K):
        for j in range(i + 1, K):
            pair = screening_bounds(n[[i, j]], s[[i, j]], 3.0, None)[0]
            assert lower[pair_index(np.array(i), np.array(j), K)] == pytest.approx(pair, abs=0.003)
