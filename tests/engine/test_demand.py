"""Spreading a batch: by hand, against one-at-a-time filling, and as properties."""

import heapq

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.arrays import IntArray
from app.engine.demand import Demand, fill_lowest, lowest

counts = st.lists(st.integers(0, 60), min_size=1, max_size=30).map(lambda n: np.array(n, dtype=np.int64))
seeds = st.integers(0, 2**32)


def ints(*values: int) -> IntArray:
    return np.array(values, dtype=np.int64)


def one_at_a_time(n: IntArray, amount: int) -> list[int]:
    """Returns the sorted counts after each unit went to a lowest count."""
    heap = [int(value) for value in n]
    heapq.heapify(heap)
    for _ in range(amount):
        heapq.heappush(heap, heapq.heappop(heap) + 1)
    return sorted(heap)


def test_vessels_by_hand() -> None:
    rng = np.random.default_rng(0)
    assert fill_lowest(ints(5, 0, 2), 2, rng).tolist() == [0, 2, 0]
    assert fill_lowest(ints(5, 0, 2), 4, rng).tolist() == [0, 3, 1]
    assert fill_lowest(ints(5, 0, 2), 8, rng).tolist() == [0, 5, 3]
    assert fill_lowest(ints(5, 0, 2), 11, rng).tolist() == [1, 6, 4]
    assert sorted(fill_lowest(ints(5, 0, 2), 5, rng).tolist()) in ([0, 1, 4], [0, 2, 3])


def test_nothing_to_spread_or_nowhere_to_put_it() -> None:
    rng = np.random.default_rng(0)
    assert fill_lowest(ints(3, 1), 0, rng).tolist() == [0, 0]
    assert fill_lowest(ints(3, 1), -4, rng).tolist() == [0, 0]
    assert fill_lowest(ints(), 5, rng).tolist() == []


@given(counts, st.integers(0, 500), seeds)
def test_filling_equals_one_at_a_time(n: IntArray, amount: int, seed: int) -> None:
    before = n.tolist()
    extra = fill_lowest(n, amount, np.random.default_rng(seed))
    assert n.tolist() == before
    assert extra.min() >= 0
    assert int(extra.sum()) == amount
    assert sorted((n + extra).tolist()) == one_at_a_time(n, amount)


@given(counts, st.integers(1, 500), seeds)
def test_all_counts_that_were_raised_are_at_the_level(n: IntArray, amount: int, seed: int) -> None:
    extra = fill_lowest(n, amount, np.random.default_rng(seed))
    filled = n + extra
    level = filled[extra > 0].max()
    assert filled[extra > 0].min() >= level - 1
    assert filled[extra == 0].min(initial=level) >= level - 1


def test_what_does_not_divide_goes_to_everyone_equally_often() -> None:
    rng = np.random.default_rng(1)
    runs = 8000
    hits = np.sum([fill_lowest(ints(3, 3, 9, 3, 3), 1, rng) for _ in range(runs)], axis=0)
    spread = 5 * np.sqrt(runs * 0.25 * 0.75)
    assert hits[2] == 0
    assert np.all(np.abs(np.delete(hits, 2) - runs / 4) < spread)


def test_entries_in_either_order_keep_the_largest_count_and_no_zeros() -> None:
    demand = Demand.of_entries(ints(2, 0, 1, 1, 3), ints(0, 2, 1, 0, 1), ints(4, 7, 1, 0, 2))
    assert list(zip(demand.i.tolist(), demand.j.tolist(), demand.count.tolist(), strict=True)) == [
        (0, 2, 7),
        (1, 1, 1),
        (1, 3, 2),
    ]
    assert demand.total == 10


def test_pairs_by_number() -> None:
    demand = Demand.of_pairs(ints(5, 0, 3), ints(1, 2, 0), 4)
    assert (demand.i.tolist(), demand.j.tolist(), demand.count.tolist()) == ([0, 2], [1, 3], [2, 1])
    assert Demand.nothing().total == 0


def pairs_of(count: IntArray) -> Demand:
    return Demand(np.arange(len(count)), np.arange(len(count)) + 1, count)


def test_limited_by_hand() -> None:
    half = pairs_of(ints(10, 20, 30)).limited(30, np.random.default_rng(0))
    assert half.count.tolist() == [5, 10, 15]
    enough = pairs_of(ints(1, 2))
    assert enough.limited(3, np.random.default_rng(0)) is enough
    assert enough.limited(0, np.random.default_rng(0)).total == 0
    assert enough.limited(-5, np.random.default_rng(0)).total == 0


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=40), st.floats(0, 1), seeds)
def test_limited_is_exact_in_sum_and_proportional_to_one_unit(wanted: list[int], part: float, seed: int) -> None:
    demand = pairs_of(np.array(wanted, dtype=np.int64))
    room = int(part * demand.total)
    cut = demand.limited(room, np.random.default_rng(seed))
    assert cut.total == room
    assert np.all(cut.count > 0)
    got = np.zeros(len(wanted))
    got[cut.i] = cut.count
    assert np.all(np.abs(got - demand.count * (room / demand.total)) < 1 + 1e-9)
    np.testing.assert_array_equal(cut.j, cut.i + 1)


def test_limited_rounds_without_favour() -> None:
    rng = np.random.default_rng(2)
    runs, got = 6000, np.zeros(5)
    for _ in range(runs):
        cut = pairs_of(ints(1, 1, 1, 1, 4)).limited(3, rng)
        got[cut.i] += cut.count
    expected = runs * np.array([1, 1, 1, 1, 4]) * 3 / 8
    assert np.all(np.abs(got - expected) < 5 * np.sqrt(runs * 0.25))


@given(st.lists(st.integers(0, 4), min_size=1, max_size=20), st.data(), seeds)
def test_lowest_has_the_smallest_value_then_the_largest_count(
    values: list[int], data: st.DataObject, seed: int
) -> None:
    value = np.array(values, dtype=np.float64)
    n = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(values), max_size=len(values))), dtype=np.int64)
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(values), max_size=len(values))))
    among = mask if mask.any() else None
    chosen = lowest(value, n, among, np.random.default_rng(seed))
    allowed = np.flatnonzero(mask) if mask.any() else np.arange(len(values))
    assert chosen in allowed
    assert (value[chosen], -n[chosen]) == min((value[k], -n[k]) for k in allowed)


def test_full_ties_go_to_everyone_equally_often() -> None:
    rng = np.random.default_rng(3)
    value, n = np.array([0.5, 0.2, 0.2, 0.2, 0.2]), ints(9, 7, 7, 1, 7)
    hits = np.bincount([lowest(value, n, None, rng) for _ in range(6000)], minlength=5)
    assert hits[[0, 3]].tolist() == [0, 0]
    assert np.all(np.abs(hits[[1, 2, 4]] - 2000) < 5 * np.sqrt(6000 * 2 / 9))


@pytest.mark.parametrize("seed", [0, 1])
def test_chance_comes_from_the_given_source_only(seed: int) -> None:
    first, second = (fill_lowest(ints(*[0] * 50), 20, np.random.default_rng(seed)) for _ in range(2))
    np.testing.assert_array_equal(first, second)
