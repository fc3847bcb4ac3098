"""Bound I of one shown pair, looked at again and again: wrong at some time in at most alpha of all runs.

Ten thousand runs, polled at 25 growing sizes: the pair's own impressions by what was clicked, and each item beside
others. The bound is held against p_i + p_j - 1, which is what it is about and at most L. A region for two unknown
entries misses far less often than alpha (see `test_screening_coverage`); `tests/engine/bounds` holds its level to the
digit.
"""

import math

import numpy as np
import pytest
from scipy.stats import binom

from app.engine.bounds.item_clicks import lower_of_shown
from app.engine.evidence import ItemClicks, PairClicks

RUNS = 10_000
POLLS = np.unique(np.round(np.geomspace(2, 2000, 25)).astype(np.int64))

Cells = tuple[float, float, float, float]
INDEPENDENT: Cells = (0.42, 0.18, 0.28, 0.12)  # neither, only i, only j, both: p_i = .7, p_j = .6
TOGETHER: Cells = (0.7, 0.0, 0.0, 0.3)
APART: Cells = (0.3, 0.3, 0.4, 0.0)
RARE: Cells = (0.94, 0.035, 0.025, 0.0)


def misses(cells: Cells, offset: float, per_item: float, alpha: float, *, own_for_both: bool = False) -> int:
    """Returns the runs in which the bound exceeds p_i + p_j - 1 at some poll; `offset`: how far guesses are off.

    Every run is a pair of its own, of two items that no other run has. `own_for_both` is the mutant.
    """
    rng = np.random.default_rng([int(1000 * cells[0]), int(100 * abs(offset)), int(10 * per_item)])
    p = np.array([cells[0] + cells[2], cells[0] + cells[1]])
    guess = np.clip(np.repeat(p, RUNS) + offset, 0.01, 0.99)
    i, own, beside, n_beside = np.arange(RUNS), np.zeros((RUNS, 4)), np.zeros((2, RUNS)), 0
    missed = np.zeros(RUNS, dtype=np.bool_)
    for before, after in zip([0, *POLLS], POLLS, strict=False):
        own = own + rng.multinomial(after - before, cells, size=RUNS)
        more = math.ceil(per_item * after) - n_beside
        beside = beside + rng.binomial(more, 1 - p[:, None], size=(2, RUNS))
        n_beside += more
        clicks = np.array([own[:, 1] + own[:, 3], own[:, 2] + own[:, 3]])
        items = ItemClicks(np.full(2 * RUNS, n_beside + after), (beside + clicks).reshape(-1))
        told = np.zeros_like(clicks) if own_for_both else clicks
        n = np.full(RUNS, 0 if own_for_both else after)
        pairs = PairClicks(i, i + RUNS, n, own[:, 0], *told.astype(np.int64))
        missed |= lower_of_shown(pairs, items, guess, math.log(1 / alpha)) > p.sum() - 1 + 1e-12
    return int(missed.sum())


@pytest.mark.parametrize("cells", [INDEPENDENT, TOGETHER, APART, RARE])
@pytest.mark.parametrize(("offset", "per_item"), [(0.0, 2.0), (-0.1, 0.2)])
def test_it_covers(cells: Cells, offset: float, per_item: float) -> None:
    assert misses(cells, offset, per_item, 0.2) <= int(binom.ppf(0.999, RUNS, 0.2))


def test_own_impressions_that_count_for_both_items_are_noticed() -> None:
    """Clicks that come together give the sum twice the variance that the region reckons with."""
    alpha = 0.001  # the mutant's misses fall more slowly with alpha than the region's
    allowed = int(binom.ppf(0.999, RUNS, alpha))
    assert misses(TOGETHER, 0.05, 0.02, alpha) <= allowed
    assert misses(TOGETHER, 0.05, 0.02, alpha, own_for_both=True) > allowed
