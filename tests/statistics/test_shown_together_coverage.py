"""Bound I of one shown pair, looked at again and again: wrong at some time in at most alpha of all runs.

Ten thousand runs at alpha = .2, polled at 30 growing sizes: the pair's own impressions by what was clicked, and each
item beside others. That own impressions must not enter both items is shown in `test_screening_coverage`.
"""

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binom

from app.engine.arrays import FloatArray, IntArray
from app.engine.bounds import shown_together
from app.engine.bounds.shown_together import Apart, Together, lower_together

ALPHA = 0.2
RUNS = 10_000
ALLOWED = int(binom.ppf(0.999, RUNS, ALPHA))
POLLS = np.unique(np.round(np.geomspace(2, 2000, 30)).astype(np.int64))

Cells = tuple[float, float, float, float]
INDEPENDENT: Cells = (0.42, 0.18, 0.28, 0.12)  # neither, only i, only j, both: p_i = .7, p_j = .6
TOGETHER: Cells = (0.58, 0.02, 0.12, 0.28)
APART: Cells = (0.32, 0.28, 0.38, 0.02)
RARE: Cells = (0.94, 0.03, 0.025, 0.005)

Look = Callable[[Together, Apart, Apart], FloatArray]


def misses(cells: Cells, offset: float, per_item: float, look: Look) -> int:
    """Returns the runs in which the bound exceeds L at some poll; `offset`: how far the centres are off."""
    rng = np.random.default_rng([int(1000 * cells[0]), int(100 * abs(offset)), int(10 * per_item)])
    p = np.array([cells[0] + cells[2], cells[0] + cells[1]])
    d = [np.full(RUNS, min(max(one + offset, 0.01), 0.99)) for one in p]
    own, s, n_item = np.zeros((RUNS, 4)), np.zeros((2, RUNS)), 0
    missed = np.zeros(RUNS, dtype=np.bool_)
    for before, after in zip([0, *POLLS], POLLS, strict=False):
        own = own + rng.multinomial(after - before, cells, size=RUNS)
        more: IntArray = np.ceil(per_item * after).astype(np.int64) - n_item
        s = s + rng.binomial(more, p[:, None], size=(2, RUNS))
        n_item += int(more)
        together = Together(np.full(RUNS, after), own[:, 0], own[:, 1], own[:, 2])
        i, j = (Apart(np.full(RUNS, n_item), s[k], d[k]) for k in (0, 1))
        missed |= look(together, i, j) > cells[0] + 1e-12
    return int(missed.sum())


def bound(together: Together, i: Apart, j: Apart) -> FloatArray:
    return lower_together(together, i, j, math.log(1 / ALPHA))


@pytest.mark.parametrize("cells", [INDEPENDENT, TOGETHER, APART, RARE])
@pytest.mark.parametrize(("offset", "per_item"), [(0.0, 5.0), (0.1, 5.0), (-0.1, 0.5)])
def test_it_covers(cells: Cells, offset: float, per_item: float) -> None:
    assert misses(cells, offset, per_item, bound) <= ALLOWED


def one_bet(monkeypatch: pytest.MonkeyPatch, level: float) -> int:
    """Returns the misses of a single bet with items that are known exactly: nothing else is paid for."""
    monkeypatch.setattr(shown_together, "NO_BET", 1e-12)
    monkeypatch.setattr(shown_together, "BETS", (0.1,))
    monkeypatch.setattr(shown_together, "log_price", lambda n, _s, _d: np.zeros(len(n)))
    known = [np.full(RUNS, p) for p in (INDEPENDENT[0] + INDEPENDENT[2], INDEPENDENT[0] + INDEPENDENT[1])]

    def look(together: Together, _i: Apart, _j: Apart) -> FloatArray:
        i, j = (Apart(np.full(RUNS, 10**12), p * 10**12, p) for p in known)
        return lower_together(together, i, j, level) - 1e-6  # 10^12 samples leave an error of less

    return misses(INDEPENDENT, 0.0, 1.0, look)


def test_one_bet_is_near_its_level(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a level too low by a factor of two would be noticed."""
    assert 0.5 * ALPHA * RUNS < one_bet(monkeypatch, math.log(1 / ALPHA)) <= ALLOWED


def test_a_share_that_is_spent_twice_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert one_bet(monkeypatch, math.log(1 / (2 * ALPHA))) > ALLOWED


def test_a_bet_without_its_price_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert one_bet(monkeypatch, 0.0) > ALLOWED
