"""Two groups of one coin: the statistic against a search over all p, how often it is wrong, where it looks."""

import math

import numpy as np
import pytest

from app.engine.agreement import Coins, change, worst_disagreement
from app.engine.arrays import FloatArray
from app.engine.confidence import log_price


def coins(n: list[int], clicks: list[float]) -> Coins:
    return Coins(np.array(n, dtype=np.int64), np.array(clicks, dtype=np.float64))


def log_martingale(n: int, clicks: float, p: FloatArray) -> FloatArray:
    """log M(p), written out: price + n KL."""
    price = float(log_price(np.array([n]), np.array([clicks]), None)[0])
    p_hat = clicks / n
    own = sum(k * math.log(q) for k, q in ((clicks, p_hat), (n - clicks, 1 - p_hat)) if k)
    return price + own - clicks * np.log(p) - (n - clicks) * np.log(1 - p)


@pytest.mark.parametrize(
    ("one", "other"), [((40, 4.0), (60, 30.0)), ((7, 0.0), (500, 260.0)), ((900, 899.0), (20, 3.0))]
)
def test_statistic_is_the_least_over_all_p(one: tuple[int, float], other: tuple[int, float]) -> None:
    p = np.linspace(1e-5, 1 - 1e-5, 200_001)
    least = float(np.min(log_martingale(*one, p) + log_martingale(*other, p)))
    first, second = coins([one[0]], [one[1]]), coins([other[0]], [other[1]])
    assert worst_disagreement(first, second, np.array([least - 1e-4])) == 0
    assert worst_disagreement(first, second, np.array([least + 1e-4])) is None
    assert worst_disagreement(second, first, np.array([least - 1e-4])) == 0


def test_the_furthest_beyond_its_own_level_is_named() -> None:
    one, other = coins([100, 100, 100], [10, 10, 50]), coins([100, 100, 100], [60, 70, 50])
    assert worst_disagreement(one, other, np.array([1.0, 1.0, 1.0])) == 1
    assert worst_disagreement(one, other, np.array([1.0, 30.0, 1.0])) == 0


def test_nothing_on_one_side_says_nothing() -> None:
    assert worst_disagreement(coins([0, 50], [0, 0]), coins([100, 0], [100, 0]), np.zeros(2)) is None


def test_false_alarms_at_all_times_for_any_rule_that_decides_the_group() -> None:
    """Level .2, looked at after every impression; the group of the next one depends on what was seen."""
    rng = np.random.default_rng(1)
    runs, everyone = 1500, np.arange(1500)
    n, clicks = np.zeros((2, runs), dtype=np.int64), np.zeros((2, runs))
    level = np.full(runs, math.log(5))
    means_differ = np.zeros(runs, dtype=bool)
    for _ in range(250):
        rate = (clicks + 1) / (n + 2)
        group = np.where(rng.random(runs) < 0.8, rate[1] > rate[0], rng.random(runs) < 0.5).astype(int)
        n[group, everyone] += 1
        clicks[group, everyone] += rng.random(runs) < 0.3
        while (at := worst_disagreement(Coins(n[0], clicks[0]), Coins(n[1], clicks[1]), level)) is not None:
            level[at] = math.inf  # it has alarmed
        spread = np.sqrt(0.3 * 0.7 * (1 / np.maximum(n[0], 1) + 1 / np.maximum(n[1], 1)))
        means_differ |= np.abs(rate[0] - rate[1]) > 1.2816 * spread  # two-sided level .2, looked at once
    ever = int(np.isinf(level).sum())
    assert ever <= 0.2 * runs + 2.33 * math.sqrt(0.16 * runs)
    assert ever > 0, "it can happen at this level"
    assert means_differ.sum() > 0.4 * runs, "what a plain test would do"


class TestChange:
    KEY = np.array([3, 5, 5, 5, 5, 9, 9])
    VERSION = np.array([1, 2, 4, 7, 9, 1, 2])

    def test_moment_and_groups(self) -> None:
        rows = coins([900, 100, 100, 100, 100, 100, 100], [0, 12, 8, 70, 80, 20, 20])
        found = change(self.KEY, self.VERSION, rows, 10.0)
        assert found is not None
        assert (found.row, found.until_version) == (2, 4)
        assert (tuple(found.early), tuple(found.late)) == ((200, 20), (200, 150))

    def test_keys_are_not_compared_with_each_other(self) -> None:
        assert (
            change(self.KEY, self.VERSION, coins([900, 90, 90, 90, 90, 90, 90], [0, 45, 45, 45, 45, 90, 90]), 5.0)
            is None
        )

    def test_later_moments_pay_more(self) -> None:
        """log(v(v+1)) is 1.8 for version 2 and 4.0 for version 7."""
        key, rows = np.array([0, 0]), coins([100, 100], [20, 60])
        level = next(x for x in np.arange(0, 40, 0.05) if change(key, np.array([2, 8]), rows, x) is None)
        assert change(key, np.array([2, 8]), rows, level - 0.06) is not None
        later = next(x for x in np.arange(0, 40, 0.05) if change(key, np.array([7, 8]), rows, x) is None)
        assert level - later == pytest.approx(math.log(56 / 6), abs=0.06)

    def test_nothing_to_compare(self) -> None:
        none = np.zeros(0, dtype=np.int64)
        assert change(none, none, coins([], []), 0.0) is None
        assert change(np.array([1, 2]), np.array([1, 1]), coins([9, 9], [0, 9]), 0.0) is None
