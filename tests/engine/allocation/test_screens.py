"""Levels: against exhaustive search where it is possible, and what settles a pair against the bound itself."""

import itertools

import numpy as np
import pytest

from app.engine.allocation.costs import variance
from app.engine.allocation.screens import PairsToScreen, Screen, best_levels, tolerated
from app.engine.bounds.screening import screening_bounds

LEVEL = 4.0


def screen_of(x: list[float], n: list[int] | None = None, blank: int = -1, cost: float = 1.0) -> Screen:
    K = len(x)
    return Screen(np.array(x), np.array(n or [0] * K), np.full(K, LEVEL / 2 + 1.5), cost, blank)


def open_pairs(screen: Screen, threshold: float, direct: np.ndarray) -> PairsToScreen:
    """Returns all pairs of the items, open at this threshold, with what each would cost by itself."""
    i, j = np.triu_indices(len(screen.x), 1)
    return PairsToScreen(i, j, direct, tolerated(screen, threshold, i, j))


def total_cost(screen: Screen, pairs: PairsToScreen, samples: np.ndarray) -> float:
    """Returns what given samples of each item cost, with the pairs that they leave open."""
    e = variance(screen.x) / np.maximum(samples, 1e-9)
    settled = (pairs.T > 0) & (e[pairs.i] + e[pairs.j] <= pairs.T)
    return float(screen.cost * (samples - screen.n).sum() + pairs.direct[~settled].sum())


@pytest.mark.parametrize("seed", range(5))
def test_the_levels_are_close_to_the_best_of_a_grid(seed: int) -> None:
    rng = np.random.default_rng(seed)
    screen = screen_of(rng.uniform(0.7, 0.98, size=4).tolist())
    pairs = open_pairs(screen, 0.4, rng.uniform(20, 400, size=6))
    found = best_levels(screen, pairs)
    grid = np.concatenate([[0.0], np.geomspace(5, 3000, 14)])
    best = min(total_cost(screen, pairs, np.array(n)) for n in itertools.product(grid, repeat=4))
    assert found.cost == pytest.approx(total_cost(screen, pairs, screen.n + found.extra), rel=1e-6)
    assert found.cost <= 1.25 * best


def test_no_screening_where_direct_samples_are_cheaper() -> None:
    screen = screen_of([0.6] * 5)
    found = best_levels(screen, open_pairs(screen, 0.15, np.full(10, 3.0)))
    assert found.extra.sum() == 0
    assert not found.settled.any()
    assert found.cost == 30.0


def test_many_weak_items_are_screened_with_few_samples_each() -> None:
    K = 40
    screen, n = screen_of([0.95] * K), K * (K - 1) // 2
    found = best_levels(screen, open_pairs(screen, 0.4, np.full(n, 30.0)))
    assert found.settled.all()
    assert found.cost < 0.1 * 30.0 * n


def test_pairs_with_the_blank_and_pairs_without_slack_cannot_be_screened() -> None:
    screen = screen_of([0.95, 0.9, 0.5, 0.4], blank=1)
    i, j = np.triu_indices(4, 1)
    T = tolerated(screen, 0.3, i, j)
    assert [(int(a), int(b)) for a, b, t in zip(i, j, T, strict=True) if t > 0] == [(0, 2), (0, 3)]


def test_what_is_open_asks_for_more_than_there_is() -> None:
    screen = screen_of([0.95, 0.95], [10_000, 10_000])
    found = best_levels(screen, open_pairs(screen, 0.3, np.array([1e6])))
    assert found.extra.min() > 0.15 * 10_000


@pytest.mark.parametrize(("x", "threshold"), [((0.95, 0.9), 0.6), ((0.97, 0.97), 0.5), ((0.8, 0.75), 0.4)])
def test_levels_that_should_settle_a_pair_do_so_within_a_factor_of_two(
    x: tuple[float, float], threshold: float
) -> None:
    screen = screen_of(list(x))
    found = best_levels(screen, open_pairs(screen, threshold, np.array([1e9])))
    for factor, reached in ((0.5, False), (2.0, True)):
        n = np.round(factor * found.extra).astype(np.int64)
        bound = screening_bounds(n, n * np.array(x), LEVEL, np.array(x))[0]
        assert (bound >= threshold) is np.bool_(reached), (factor, bound)
