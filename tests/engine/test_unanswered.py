"""Feedback lost unevenly: false alarms where it is not, and detection where it is."""

import math

import numpy as np
import pytest

from app.engine.arrays import IntArray
from app.engine.unanswered import Unanswered, uneven_loss

K = 6
LOW, HIGH = np.triu_indices(K, 1)


def table(answered: IntArray, silent: IntArray, closed_before: int | None = None) -> Unanswered:
    """Counts of all pairs, one row of the arrays a plan."""
    plans = len(answered)
    version = np.repeat(np.arange(1, plans + 1), len(LOW))
    i, j = np.tile(LOW, plans), np.tile(HIGH, plans)
    return Unanswered(
        i, j, version, answered.ravel(), silent.ravel(), plans + 1 if closed_before is None else closed_before
    )


def shuffled_plan(rng: np.random.Generator, shown: IntArray) -> IntArray:
    """Returns the silent ones by pair: an outage of some length strikes a plan handed out in random order."""
    order = rng.permutation(np.repeat(np.arange(len(shown)), shown))
    rate = np.full(len(order), rng.uniform(0, 0.3))
    began = rng.integers(len(order))
    rate[began : began + rng.integers(len(order))] = rng.uniform(0, 1)
    return np.bincount(order[rng.random(len(order)) < rate], minlength=len(shown))


def test_false_alarms_of_all_plans_together() -> None:
    """Level .2; loss differs from hour to hour and from plan to plan, and plans show different pairs."""
    rng = np.random.default_rng(1)
    runs, ever = 250, 0
    for _ in range(runs):
        shown = np.stack([rng.multinomial(40 * plan, rng.dirichlet(np.full(len(LOW), 0.5))) for plan in range(1, 9)])
        silent = np.stack([shuffled_plan(rng, of_plan) for of_plan in shown])
        found = (uneven_loss(table(shown - silent, silent, k), K, 0.2) for k in range(2, 10))
        ever += any(one is not None for one in found)
    assert ever <= 0.2 * runs + 2.33 * math.sqrt(0.16 * runs)
    assert ever > 0, "it can happen at this level"


def test_loss_that_follows_the_plan_and_not_the_pair_is_even() -> None:
    """Over all plans together the first pairs look much better answered than the last."""
    shown = np.zeros((2, len(LOW)), dtype=np.int64)
    shown[0, :8], shown[1, 7:] = 100, 100
    silent = np.stack([shown[0] // 50, shown[1] // 2])
    assert uneven_loss(table(shown - silent, silent), K, 0.001) is None


def test_one_pair_is_found_and_named_with_its_shares() -> None:
    shown = np.full((4, len(LOW)), 50)
    silent = np.full((4, len(LOW)), 5)
    silent[:, 7] = 25
    found = uneven_loss(table(shown - silent, silent), K, 0.001)
    assert found is not None
    assert found.items == (LOW[7], HIGH[7])
    assert (found.share, found.shown) == (0.5, 200)
    assert found.expected == pytest.approx((14 * 5 + 25) / (15 * 50))


def test_one_item_is_found_and_named() -> None:
    shown = np.full((4, len(LOW)), 20)
    silent = np.where((LOW == 2) | (HIGH == 2), 10, 2) * np.ones((4, 1), dtype=np.int64)
    found = uneven_loss(table(shown - silent, silent), K, 0.001)
    assert found is not None
    assert (found.items, found.share, found.shown) == ((2,), 0.5, 400)


def test_many_small_differences_add_up() -> None:
    """The unanswered part grows from item to item, no pair or item differs much; flipped, answers are the rare ones."""
    rng = np.random.default_rng(2)
    shown = np.full((30, len(LOW)), 40)
    for base in (0.2, 0.7):
        silent = rng.binomial(shown, base + 0.015 * (LOW + HIGH - 5))
        few = uneven_loss(table(shown - silent, silent), K, 0.001)
        assert few is not None, base
        none = rng.binomial(shown, np.full(len(LOW), base))
        assert uneven_loss(table(shown - none, none), K, 0.001) is None


def test_plans_with_something_out_are_not_looked_at() -> None:
    shown = np.full((3, len(LOW)), 50)
    silent = np.full((3, len(LOW)), 5)
    silent[2, 7] = 50
    assert uneven_loss(table(shown - silent, silent, 4), K, 0.001) is not None
    assert uneven_loss(table(shown - silent, silent, 3), K, 0.001) is None


def test_self_pairs_count_once_for_their_item() -> None:
    i, j = np.array([0, 0, 1]), np.array([0, 1, 1])
    counts = Unanswered(i, j, np.ones(3, dtype=np.int64), np.array([10, 90, 90]), np.array([90, 10, 10]), 2)
    found = uneven_loss(counts, 2, 0.001)
    assert found is not None
    assert found.shown == 100, "the self pair itself, or its item at 200"
    assert found.items == (0, 0)


@pytest.mark.parametrize(("answered", "silent"), [(50, 0), (0, 50), (0, 0)])
def test_all_or_nothing_says_nothing(answered: int, silent: int) -> None:
    rows = np.ones((2, len(LOW)), dtype=np.int64)
    assert uneven_loss(table(answered * rows, silent * rows), K, 0.5) is None
    assert uneven_loss(Unanswered.none(), K, 0.5) is None
