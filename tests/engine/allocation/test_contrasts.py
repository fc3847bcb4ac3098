"""Costs of contrasts: the allocation against a plain search, missing log wealth, and the outlook of a plan."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from app.engine.allocation.contrasts import LeaderAndRivals, log_wealth_missing, outlook_of
from app.engine.allocation.costs import score_variance, variance
from app.engine.arrays import FloatArray, Pair, pair_items, pair_number
from app.engine.bounds import Contrasts
from app.engine.bounds.contrast import MarginalBounds, contrasts
from app.engine.choices import Choices, Nominee
from app.engine.demand import Demand
from app.engine.evidence import Evidence

K = 8
X = np.array([0.5, 0.6, 0.65, 0.7, 0.72, 0.9, 0.95, 0.97])
LEADER = pair_number(Pair(0, 1), K)


def leader_and_rivals(*rivals: tuple[int, int], left: float = 5.0, x: FloatArray | None = X) -> LeaderAndRivals:
    index = np.array([pair_number(Pair(*pair), K) for pair in rivals])
    mean = np.array([X[i] * X[j] for i, j in rivals])
    return LeaderAndRivals(LEADER, float(X[0] * X[1]), index, mean, np.full(len(rivals), left), 0.05, x, K)


def spread(one: LeaderAndRivals, count: FloatArray) -> FloatArray:
    """The variance of each rival's bet, from the definition of its score."""
    index = np.append(one.leader, one.rivals)
    i, j = pair_items(index, K)
    mean = np.append(one.leader_mean, one.mean)
    if one.x is None:
        V = variance(mean) / count
        return np.asarray(V[1:] + V[0])
    V = score_variance(X[i], X[j], mean) / count
    shown = np.bincount(i, count, K) + np.bincount(j, count, K)
    total = V[1:] + V[0]
    for row in range(1, len(index)):
        c = np.zeros(K)
        c[i[row]] += X[j[row]]
        c[j[row]] += X[i[row]]
        c[i[0]] -= X[j[0]]
        c[j[0]] -= X[i[0]]
        used = np.flatnonzero(c)
        total[row - 1] += float((c[used] ** 2 * variance(X)[used] / shown[used]).sum())
    return total


@pytest.mark.parametrize(
    "one",
    [
        leader_and_rivals((0, 2), (1, 2), (2, 3)),
        leader_and_rivals((0, 2), (0, 3), (0, 4), (1, 2), (3, 4)),
        leader_and_rivals((2, 3)),
        leader_and_rivals((0, 2), (1, 3), (2, 4), x=None),
    ],
)
def test_the_allocation_wins_all_bets_with_about_the_least(one: LeaderAndRivals) -> None:
    count = one.allocation()
    assert np.all(spread(one, count) <= 1.05 * one.tolerated)
    found = minimize(
        lambda log_count: np.exp(log_count).sum(),
        np.log(count * 1.5),
        constraints={"type": "ineq", "fun": lambda log_count: np.log(one.tolerated / spread(one, np.exp(log_count)))},
        options={"maxiter": 500},
    )
    assert found.success
    assert count.sum() == pytest.approx(found.fun, rel=0.05)


def test_items_in_common_cost_nothing() -> None:
    shared, apart = leader_and_rivals((0, 2)), leader_and_rivals((2, 3))
    assert shared.prices()[0] * shared.margin[0] ** 2 < 0.8 * apart.prices()[0] * apart.margin[0] ** 2


def test_what_is_still_to_be_won() -> None:
    rivals = np.array([2, 5, 9, 11])
    found = Contrasts(0, np.array([2, 9, 11]), np.array([-0.2, -0.04, -1.0]), np.array([30.0, 50.0, 0.0]))
    left = log_wealth_missing(rivals, found, 0.05, 4.0)
    assert left == pytest.approx([30 * 0.15, 4.0, 0.0, 4.0])  # open, never bet on, proven, no bets so far
    assert log_wealth_missing(rivals, None, 0.05, 4.0).tolist() == [4.0] * 4


def test_what_remains_is_what_the_bound_lacks() -> None:
    """At a share that is larger by exp(remaining), the difference is proven to the digit."""
    one = leader_and_rivals((0, 2), (2, 3))
    demand = Demand.of_entries(np.array([0, 0, 2]), np.array([1, 2, 3]), np.array([60, 40, 30]))
    outlook = outlook_of(one, np.array([LEADER]), np.array([one.leader_mean]), demand, 3)
    clicks = (np.array([30, 20, 10]), np.array([24, 14, 9]))
    seen = Evidence.empty(K).add(demand.i, demand.j, 3, demand.count, np.array([18.0, 13.0, 14.0]), clicks)
    choices = Choices(nominees=(Nominee(2, Pair(0, 1), 0.3),), outlooks=(outlook,))
    nowhere = MarginalBounds(np.zeros(K * (K - 1) // 2), np.ones(K * (K - 1) // 2))
    found = contrasts(seen, choices, choices.nominees[0], 1e-3, 0.05, nowhere)
    assert found is not None
    for rival, left in zip(one.rivals, log_wealth_missing(one.rivals, found, 0.05, 9.9), strict=True):
        again = contrasts(seen, choices, choices.nominees[0], 1e-3 * math.exp(left), 0.05, nowhere)
        assert again is not None
        assert again.difference[np.searchsorted(again.rivals, rival)] == pytest.approx(-0.05)


class TestOutlook:
    DEMAND = Demand.of_entries(
        np.array([0, 0, 2, 5, 1, 3]), np.array([1, 2, 3, 6, 4, 7]), np.array([60, 40, 30, 12, 5, 2])
    )

    def test_it_lists_what_the_plan_will_show(self) -> None:
        one = leader_and_rivals((0, 2), (2, 3), (1, 2), (5, 6))
        found = outlook_of(one, np.array([LEADER]), np.array([0.31]), self.DEMAND, 7)
        assert found.version == 6
        assert found.pairs[0] == (0, 1)
        assert dict(zip(found.pairs, found.planned, strict=True)).items() <= {
            (0, 1): 60, (0, 2): 40, (2, 3): 30, (5, 6): 12,
        }.items()  # fmt: skip
        assert (0, 2) in found.pairs
        assert found.values[0] == 0.31
        shown = dict(zip(found.items, found.shown, strict=True))
        assert shown == {0: 100, 1: 65, 2: 70, 3: 32, 5: 12, 6: 12}  # 4 and 7 are in no open pair
        assert dict(zip(found.items, found.unclicked, strict=True))[5] == 0.9

    def test_nominees_that_are_shown_are_in_it_once(self) -> None:
        one = leader_and_rivals((0, 2), (2, 3))
        named = np.array([LEADER, pair_number(Pair(2, 3), K), LEADER, pair_number(Pair(6, 7), K)])
        found = outlook_of(one, named, np.array([0.31, 0.44, 0.31, 0.9]), self.DEMAND, 7)
        assert sorted(found.pairs) == [(0, 1), (0, 2), (2, 3)]
        assert dict(zip(found.pairs, found.values, strict=True))[2, 3] == 0.44

    def test_self_pairs_are_no_part_of_it(self) -> None:
        one, named, values = leader_and_rivals((0, 2), (2, 3)), np.array([LEADER]), np.array([0.31])
        twice = Demand.of_entries(*(np.append(a, b) for a, b in zip(
            (self.DEMAND.i, self.DEMAND.j, self.DEMAND.count), ([1, 2], [1, 2], [50, 50]), strict=True
        )))  # fmt: skip
        assert outlook_of(one, named, values, twice, 7) == outlook_of(one, named, values, self.DEMAND, 7)

    def test_without_clicks_by_item_it_has_no_items(self) -> None:
        found = outlook_of(
            leader_and_rivals((0, 2), (2, 3), x=None), np.array([LEADER]), np.array([0.31]), self.DEMAND, 7
        )
        assert found.items == found.shown == found.unclicked == ()
        assert sorted(found.pairs) == [(0, 1), (0, 2), (2, 3)]


def test_how_often_items_are_asked_for() -> None:
    demand = Demand.of_entries(np.array([0, 1, 2]), np.array([1, 2, 2]), np.array([3, 4, 5]))
    assert demand.of_items(4).tolist() == [3, 7, 14, 0]
