"""Bound I: exact counts, which impressions enter which factor, and pairs that were never shown."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar

from app.engine.arrays import pair_index, pair_items
from app.engine.bounds import item_clicks
from app.engine.bounds.item_clicks import UNGUESSED, item_click_bounds
from app.engine.bounds.screening import screening_bounds
from app.engine.choices import Guess
from app.engine.confidence import log_price
from app.engine.evidence import Evidence
from app.simulation.mixtures import mixture
from app.simulation.users import Users

LEVEL = 4.0


def everyone_meets(K: int, n: int, seed: int = 0, family: str = "ads6") -> tuple[Evidence, np.ndarray]:
    """Returns n impressions of every pair with item-level answers, and the true L of all pairs."""
    population = mixture(family, K, 2, np.random.default_rng(seed))
    i, j = pair_items(np.arange(K * (K - 1) // 2), K)
    seen = Users(population).item_outcomes(i, j, np.full(len(i), n), np.random.default_rng(seed + 1))
    clicks = (seen.only_i + seen.both, seen.only_j + seen.both)
    evidence = Evidence.empty(K).add(i, j, 1, np.full(len(i), n), seen.neither.astype(np.float64), clicks)
    return evidence, population.loss(i, j)


def test_many_samples_bring_the_bound_to_what_the_items_say() -> None:
    evidence, truth = everyone_meets(5, 2_000_000)
    items = evidence.item_clicks()
    p = 1 - items.clicks / items.n
    i, j = pair_items(np.arange(10), 5)
    lower = item_click_bounds(evidence, None, LEVEL)
    assert np.all(lower <= truth)
    np.testing.assert_allclose(lower, p[i] + p[j] - 1, atol=0.005)


def test_a_pair_never_shown_is_bounded_by_its_items_alone() -> None:
    i, j = np.array([0, 1]), np.array([2, 2])
    n, s = np.array([900, 800]), np.array([800.0, 700.0])
    evidence = Evidence.empty(3).add(i, j, 1, n, s, (np.array([60, 50]), np.array([50, 60])))
    lower = item_click_bounds(evidence, None, LEVEL)
    items_n, unclicked = np.array([900, 800, 1700]), np.array([840.0, 750.0, 1590.0])
    expected = screening_bounds(items_n, unclicked, LEVEL, np.full(3, UNGUESSED))[0]  # pair (0, 1)
    assert lower[0] == pytest.approx(expected, abs=1e-12)
    assert lower[0] > 0.75


def log_martingale(n: float, s: float, guess: float, p: float) -> float:
    """log M(p) of an item, written out."""
    price = float(log_price(np.array([n]), np.array([s]), np.array([guess]))[0])
    return price + s * math.log(s / n / p) + (n - s) * math.log((n - s) / n / (1 - p))


def least_of_sum(one: tuple[float, float, float], other: tuple[float, float, float], level: float) -> float:
    """The least p + q - 1 in the joint region of two items, each given as n, s and a guess: by search over p."""
    means = [s / n for n, s, _ in (one, other)]

    def least_q(p: float) -> float:
        left = level - log_martingale(*one, p)
        return float(brentq(lambda q: log_martingale(*other, q) - left, 1e-9, means[1]))

    outside = log_martingale(*other, means[1]) - level  # the least p has the other item at its mean
    least_p = float(brentq(lambda p: log_martingale(*one, p) + outside, 1e-9, means[0]))
    within = (least_p + 1e-9, means[0] - 1e-9)
    return float(minimize_scalar(lambda p: p + least_q(p), bounds=within, options={"xatol": 1e-9}).fun) - 1


def test_own_impressions_are_not_counted_for_both() -> None:
    # Hardly anything but impressions of the two together.
    rows = np.array([0, 0, 1]), np.array([1, 2, 2])
    n, s, clicks = np.array([4000, 50, 50]), np.array([2800.0, 30.0, 30.0]), np.array([600, 10, 10])
    evidence = Evidence.empty(3).add(*rows, 1, n, s, (clicks, clicks))
    whole, beside = (4050.0, 3440.0, UNGUESSED), (50.0, 40.0, UNGUESSED)
    expected = least_of_sum(whole, beside, LEVEL + math.log(2))
    assert item_click_bounds(evidence, None, LEVEL)[0] == pytest.approx(expected, abs=0.002)
    assert least_of_sum(whole, whole, LEVEL) > expected + 0.1


def test_a_few_pairs_at_a_time_are_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    evidence, _ = everyone_meets(9, 60)
    at_once = item_click_bounds(evidence, None, LEVEL)
    monkeypatch.setattr(item_clicks, "CHUNK_PAIRS", 7)
    np.testing.assert_array_equal(item_click_bounds(evidence, None, LEVEL), at_once)


@pytest.mark.parametrize("for_the_first", [True, False])
def test_own_impressions_count_for_one_item_whichever_is_better(for_the_first: bool) -> None:
    # Pair (0, 1): 500 together; items 0 and 1 meet item 2 besides. Item 0 or item 1 is the one hardly known otherwise.
    beside = np.array([300, 20_000]) if for_the_first else np.array([20_000, 300])
    unclicked = beside * np.array([0.7, 0.8])
    i, j = np.array([0, 0, 1]), np.array([1, 2, 2])
    n, s = np.array([500, *beside]), np.array([270.0, *(unclicked - 0.05 * beside)])
    clicks = np.array([150, *(beside - unclicked)]).astype(np.int64), np.array([100, *(0.05 * beside)]).astype(np.int64)
    evidence = Evidence.empty(3).add(i, j, 2, n, s, clicks).add(i, j, 1, n, s, clicks)
    guess = Guess.of(1, np.array([[0.7], [0.75], [0.9]]))  # made from version 1, which no longer counts
    own = (350.0, 400.0)  # of the 500, not clicked
    ways = []
    for first in (True, False):
        one = beside[0] + 500 * first, unclicked[0] + own[0] * first, 0.7
        other = beside[1] + 500 * (not first), unclicked[1] + own[1] * (not first), 0.75
        ways.append(least_of_sum(one, other, LEVEL + math.log(2)))
    better, worse = ways if for_the_first else ways[::-1]
    assert better > worse + 0.005
    found = float(item_click_bounds(evidence, guess, LEVEL)[0])
    assert better - 0.001 <= found <= better + 1e-9  # the grid of multipliers loses 1 % of a width of .1


def test_a_pair_shown_once_hardly_loses_what_its_items_say() -> None:
    evidence, _ = everyone_meets(4, 400)
    without = evidence.issued(1)
    keep = ~((without.i == 0) & (without.j == 1))
    columns = (getattr(without, name)[keep] for name in ("i", "j", "version", "n", "s", "clicks_i", "clicks_j"))
    never = Evidence(4, *columns)
    one = np.array([1])
    once = never.add(np.array([0]), np.array([1]), 1, one, np.array([1.0]), (np.array([0]), np.array([0])))
    before, after = (item_click_bounds(seen, None, LEVEL)[0] for seen in (never, once))
    assert before - 0.01 < after < before  # log 2 of a level of 4 and more, and never for nothing


def test_self_pairs_are_left_out() -> None:
    evidence, _ = everyone_meets(4, 500)
    twice = evidence.add(
        np.array([1]), np.array([1]), 1, np.array([900]), np.array([900.0]), (np.array([0]), np.array([0]))
    )
    np.testing.assert_array_equal(item_click_bounds(twice, None, LEVEL), item_click_bounds(evidence, None, LEVEL))


def test_plan_versions_are_counted_together() -> None:
    rows = (np.array([0, 0, 1]), np.array([1, 2, 2]))
    n, s, clicks = (
        np.array([300, 200, 100]),
        np.array([250.0, 150.0, 80.0]),
        (np.array([30, 40, 9]), np.array([25, 20, 15])),
    )
    once, twice = Evidence.empty(3), Evidence.empty(3).add(*rows, 4, 2 * n, 2 * s, (2 * clicks[0], 2 * clicks[1]))
    for version in (1, 2):
        once = once.add(*rows, version, n, s, clicks)
    np.testing.assert_allclose(item_click_bounds(once, None, LEVEL), item_click_bounds(twice, None, LEVEL), atol=1e-12)


def test_items_may_come_in_either_order() -> None:
    one = Evidence.empty(3).add(
        np.array([0]), np.array([1]), 1, np.array([100]), np.array([70.0]), (np.array([20]), np.array([15]))
    )
    other = Evidence.empty(3).add(
        np.array([1]), np.array([0]), 1, np.array([100]), np.array([70.0]), (np.array([15]), np.array([20]))
    )
    assert (
        (one.clicks_i.tolist(), one.clicks_j.tolist())
        == ([20], [15])
        == (
            other.clicks_i.tolist(),
            other.clicks_j.tolist(),
        )
    )
    assert pair_index(np.array([0]), np.array([1]), 3)[0] == 0
