"""The anytime interval of one entry: by hand, against brentq on log M, and as properties."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import betaln, expit, log_expit, logsumexp

from app.engine.confidence import log_martingale_at_mean, lower_end, upper_end

LEVEL = math.log(10)  # alpha = .1


def ends(n: int, s: float, level: float = LEVEL, guess: float | None = None) -> tuple[float, float]:
    count, ones = np.array([n]), np.array([float(s)])
    thought = None if guess is None else np.array([guess])
    return float(lower_end(count, ones, level, thought)[0]), float(upper_end(count, ones, level, thought)[0])


def test_one_sample_by_hand() -> None:
    # M = B(.5, 1.5)/B(.5, .5)/(1-p) = 1/(2(1-p)) <= 10 where p <= .95
    assert ends(1, 0) == pytest.approx((0.0, 0.95), abs=1e-12)
    assert ends(1, 1) == pytest.approx((0.05, 1.0), abs=1e-12)


def test_two_samples_by_hand() -> None:
    # S=0: B(.5, 2.5)/pi = 3/8, so (1-p)^2 >= .0375
    assert ends(2, 0) == pytest.approx((0.0, 1 - math.sqrt(0.0375)), abs=1e-12)
    # S=1: B(1.5, 1.5)/pi = 1/8, so p(1-p) >= .0125
    root = math.sqrt(1 - 0.05)
    assert ends(2, 1) == pytest.approx(((1 - root) / 2, (1 + root) / 2), abs=1e-12)


def test_a_guess_by_hand() -> None:
    # One sample: Jeffreys expects no click with 1/2, the guided priors with g whatever their strength, half the weight
    # each: M p = 1/4 + g/2 after no click, M (1-p) = 1/4 + (1-g)/2 after a click.
    assert ends(1, 1, guess=0.8) == pytest.approx((0.065, 1.0), abs=1e-12)
    assert ends(1, 0, guess=0.8) == pytest.approx((0.0, 1 - 0.035), abs=1e-12)


def test_a_good_guess_narrows_and_a_bad_one_costs_log_2_at_most() -> None:
    n, s = 2000, 1400.0
    without, good, bad = ends(n, s), ends(n, s, guess=0.7), ends(n, s, guess=0.1)
    assert without[0] < good[0] < 0.7 < good[1] < without[1]
    assert bad == pytest.approx(ends(n, s, LEVEL + math.log(2)), abs=1e-6)


def test_nothing_seen_proves_nothing() -> None:
    assert ends(0, 0) == (0.0, 1.0)


def test_the_price_of_not_knowing_p_by_hand() -> None:
    # n=2, S=1: log (1/8) - 2 log (1/2) = -log 2; n=1, S=0: log (1/2) - 0; large n: -log(n pi/2)/2
    price = log_martingale_at_mean(np.array([2, 1, 0]), np.array([1.0, 0.0, 0.0]), 0.5, 0.5)
    assert price.tolist() == pytest.approx([-math.log(2), -math.log(2), 0.0], abs=1e-12)
    large = log_martingale_at_mean(np.array([10**8]), np.array([3e7]), 0.5, 0.5)
    assert float(large[0]) == pytest.approx(-0.5 * math.log(10**8 * math.pi / 2), abs=1e-5)


def log_m(theta: float, n: int, s: float, guess: float | None) -> float:
    """Returns log M at p = expit(theta), straight from its definition."""

    def under(a: float, b: float) -> float:
        return float(betaln(s + a, n - s + b) - betaln(a, b) - s * log_expit(theta) - (n - s) * log_expit(-theta))

    if guess is None:
        return under(0.5, 0.5)
    guided = [under(m * guess, m * (1 - guess)) + math.log(0.25) for m in (30.0, 300.0)]
    return float(logsumexp([under(0.5, 0.5) + math.log(0.5), *guided]))


def reference_lower(n: int, s: float, level: float, guess: float | None = None) -> float:
    """Returns the p below S/n with log M(p) = level, by brentq in logit p; 0 if there is none."""
    if s == 0:
        return 0.0
    top = math.log(s) - math.log(n - s) if s < n else 60.0
    low = top - 1.0
    while log_m(low, n, s, guess) < level:
        low = top - 2 * (top - low)
    if log_m(top, n, s, guess) >= level:
        return float(expit(top))
    return float(expit(brentq(lambda theta: log_m(theta, n, s, guess) - level, low, top, xtol=1e-14, rtol=1e-14)))


@st.composite
def counts(draw: st.DrawFn, largest: int = 10**6) -> tuple[int, float]:
    n = draw(st.integers(1, largest) | st.integers(1, 50))
    s = draw(st.integers(0, n) | st.sampled_from([0, n, min(1, n), n - 1]))
    return n, float(s)


levels = st.floats(0.05, 60)
guesses = st.sampled_from([None, 0.002, 0.1, 0.5, 0.9, 0.998])


@given(counts(), levels, guesses)
def test_ends_are_where_log_m_reaches_the_level(count: tuple[int, float], level: float, guess: float | None) -> None:
    n, s = count
    lower, upper = ends(n, s, level, guess)
    assert lower == pytest.approx(reference_lower(n, s, level, guess), rel=1e-6, abs=1e-9)
    mirrored = None if guess is None else 1 - guess
    assert 1 - upper == pytest.approx(reference_lower(n, n - s, level, mirrored), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("part", [0.5, 0.1, 0.001, 0.999])
@pytest.mark.parametrize("n", [10**9, 10**12])
def test_ends_of_huge_counts_are_normal_ones(n: int, part: float) -> None:
    # There KL is quadratic: half the width is sqrt(2 p(1-p) c / n), c = level + log(n pi/2)/2. betaln itself is only
    # good to some thousandths at 1e12, and the next term of KL to (1-2p)/(3p(1-p)) of the width.
    s = round(n * part)
    c = LEVEL + 0.5 * math.log(n * math.pi / 2)
    half = math.sqrt(2 * part * (1 - part) * c / n)
    lower, upper = ends(n, s)
    tolerance = 1e-3 + 2 * half / (part * (1 - part))
    assert (part - lower) / half == pytest.approx(1, abs=tolerance)
    assert (upper - part) / half == pytest.approx(1, abs=tolerance)


@pytest.mark.parametrize("n", [1, 10, 10**6, 10**9, 10**12])
def test_certain_outcomes_have_a_closed_form(n: int) -> None:
    # S = n: log M(p) = betaln(n+a, b) - betaln(a, b) - n log p, so lower = exp((betaln - betaln - level)/n)
    exact = math.exp(float(betaln(n + 0.5, 0.5) - betaln(0.5, 0.5) - LEVEL) / n)
    lower, upper = ends(n, n)
    assert upper == 1.0
    assert 1 - lower == pytest.approx(1 - exact, rel=1e-3, abs=1e-15)
    assert ends(n, 0) == pytest.approx((0.0, 1 - lower), abs=1e-15)


@given(counts(10**12), levels, levels)
def test_ends_move_outwards_with_the_level(count: tuple[int, float], one: float, other: float) -> None:
    n, s = count
    narrow, wide = ends(n, s, min(one, other)), ends(n, s, max(one, other))
    assert wide[0] <= narrow[0] + 1e-15
    assert wide[1] >= narrow[1] - 1e-15


@given(counts(10**12), levels)
def test_the_mean_is_inside(count: tuple[int, float], level: float) -> None:
    n, s = count
    lower, upper = ends(n, s, level)
    assert 0 <= lower <= s / n <= upper <= 1


@given(counts(10**12), levels)
def test_clicks_and_no_clicks_are_mirror_images(count: tuple[int, float], level: float) -> None:
    n, s = count
    lower, upper = ends(n, s, level)
    mirrored = ends(n, n - s, level)
    assert (1 - mirrored[1], 1 - mirrored[0]) == pytest.approx((lower, upper), abs=1e-12)


def test_solving_distinct_counts_once_changes_nothing() -> None:
    rng = np.random.default_rng(0)
    n = rng.integers(0, 40, size=5000)  # above the size from which equal counts are solved once
    s = rng.binomial(n, 0.4).astype(np.float64)
    one_by_one = np.array([ends(int(a), float(b)) for a, b in zip(n[:400], s[:400], strict=True)])
    np.testing.assert_allclose(lower_end(n, s, LEVEL)[:400], one_by_one[:, 0], atol=1e-14)
    np.testing.assert_allclose(upper_end(n, s, LEVEL)[:400], one_by_one[:, 1], atol=1e-14)


def test_exact_sums_that_are_no_whole_numbers_have_ends_too() -> None:
    lower, upper = ends(10, 2.5)
    assert lower == pytest.approx(reference_lower(10, 2.5, LEVEL), abs=1e-10)
    assert lower < 0.25 < upper
