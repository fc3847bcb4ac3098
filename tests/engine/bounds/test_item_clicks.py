"""Bound I: exact counts, which impressions enter which factor, and pairs that were never shown."""

import numpy as np
import pytest

from app.engine.arrays import pair_index, pair_items
from app.engine.bounds.item_clicks import UNGUESSED, item_click_bounds
from app.engine.bounds.screening import screening_bounds
from app.engine.bounds.shown_together import Apart, Together, lower_together
from app.engine.choices import Guess
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


def test_many_samples_bring_the_bound_to_the_truth() -> None:
    evidence, truth = everyone_meets(5, 2_000_000)
    lower = item_click_bounds(evidence, None, LEVEL)
    assert np.all(lower <= truth)
    assert np.all(lower >= truth - 0.01)


def test_a_pair_never_shown_is_bounded_by_its_items_alone() -> None:
    i, j = np.array([0, 1]), np.array([2, 2])
    n, s = np.array([900, 800]), np.array([800.0, 700.0])
    evidence = Evidence.empty(3).add(i, j, 1, n, s, (np.array([60, 50]), np.array([50, 60])))
    lower = item_click_bounds(evidence, None, LEVEL)
    items_n, unclicked = np.array([900, 800, 1700]), np.array([840.0, 750.0, 1590.0])
    expected = screening_bounds(items_n, unclicked, LEVEL, np.full(3, UNGUESSED))[0]  # pair (0, 1)
    assert lower[0] == pytest.approx(expected, abs=1e-12)
    assert lower[0] > 0.75


def test_impressions_of_the_two_together_and_of_each_beside_others_are_kept_apart() -> None:
    # Pair (0, 1): 500 together, 120 with a click on both; items 0 and 1 are known from meeting item 2.
    i, j = np.array([0, 0, 1]), np.array([1, 2, 2])
    n, s = np.array([500, 3000, 2000]), np.array([250.0, 2000.0, 1500.0])
    on_i, on_j = np.array([200, 900, 400]), np.array([170, 200, 150])
    evidence = Evidence.empty(3).add(i, j, 2, n, s, (on_i, on_j)).add(i, j, 1, n, s, (on_i, on_j))
    guess = Guess.of(1, np.array([[0.7], [0.75], [0.9]]))  # made from version 1, which no longer counts
    together = Together(*(np.array([count]) for count in (500, 250.0, 80.0, 50.0)))
    apart_i = Apart(np.array([3000]), np.array([2100.0]), np.array([0.7]))
    apart_j = Apart(np.array([2000]), np.array([1600.0]), np.array([0.75]))
    expected = float(lower_together(together, apart_i, apart_j, LEVEL)[0])
    assert item_click_bounds(evidence, guess, LEVEL)[0] == pytest.approx(expected, abs=1e-12)
    assert expected > 0.5


def test_a_pair_shown_once_hardly_loses_what_its_items_say() -> None:
    evidence, _ = everyone_meets(4, 400)
    without = evidence.issued(1)
    keep = ~((without.i == 0) & (without.j == 1))
    columns = (getattr(without, name)[keep] for name in ("i", "j", "version", "n", "s", "clicks_i", "clicks_j"))
    never = Evidence(4, *columns)
    one = np.array([1])
    once = never.add(np.array([0]), np.array([1]), 1, one, np.array([1.0]), (np.array([0]), np.array([0])))
    before, after = (item_click_bounds(seen, None, LEVEL)[0] for seen in (never, once))
    assert before - 0.02 < after < before  # log(2/NO_BET) = 1.4 of a level of 4 and more, and never for nothing


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
