"""Beliefs, the first look and the fit."""

import numpy as np
import pytest

from app.engine.allocation.batch import PARTNERS, PULLS, first_look
from app.engine.allocation.estimates import PairEstimates, rank_one
from app.engine.allocation.screens import TRUST
from app.engine.arrays import pair_index
from app.engine.choices import Guess
from app.engine.evidence import Evidence
from app.simulation.mixtures import mixture
from app.simulation.population import Population
from app.simulation.users import Users
from tests.engine.driver import evidence_from_rows

EVIDENCE = evidence_from_rows(4, [(0, 1, 1, 30, 12.0), (0, 1, 3, 10, 2.0), (2, 3, 3, 5, 5.0), (1, 1, 3, 9, 9.0)])
X = np.array([[0.5], [0.8], [1.0], [0.9]])


def test_samples_move_the_guess() -> None:
    estimates = PairEstimates(EVIDENCE, X, Guess.of(2, X), None)
    index = pair_index(np.array([0, 0, 2]), np.array([1, 3, 3]), 4)
    first, last = TRUST / 0.6, TRUST / 0.1  # the samples that would have `TRUST` clicks
    expected = [(14 + first * 0.4) / (40 + first), 0.45, (5 + last * 0.9) / (5 + last)]
    mean = estimates.mean(index)
    assert mean.tolist() == pytest.approx(expected)
    seen, counted = estimates.samples(index)
    assert seen.tolist() == [40, 0, 5]
    assert counted.tolist() == [10, 0, 5]  # after the guess of version 2
    spread = estimates.spread(index, mean)
    assert spread[1] == pytest.approx(np.sqrt(0.45 * 0.55 / (TRUST / 0.55)))


def test_clicks_on_items_say_how_the_two_vary_together() -> None:
    # 40 impressions: 14 without a click, 10 with one on item 0 only, 12 on item 1 only, 4 on both.
    seen = Evidence.empty(3).add(
        np.array([0]), np.array([1]), 1, np.array([40]), np.array([14.0]), (np.array([14]), np.array([16]))
    )
    x = np.array([[0.6], [0.55], [0.9]])
    estimates = PairEstimates(seen, x, None, seen.item_clicks())
    q = [(1, 1)] * 14 + [(0, 1)] * 10 + [(1, 0)] * 12 + [(0, 0)] * 4
    beyond = sum((a - 0.6) * (b - 0.55) for a, b in q)
    mean = estimates.mean(np.array([0, 1]))
    assert mean.tolist() == pytest.approx([0.33 + beyond / (40 + TRUST / 0.67), 0.54])
    own, items = 0.6 * 0.4 * 0.55 * 0.45 / (40 + TRUST / (1 - mean[0])), 0.55**2 * 0.24 / 40 + 0.6**2 * 0.2475 / 40
    assert estimates.spread(np.array([0]), mean[:1])[0] == pytest.approx(np.sqrt(own + items))


def test_every_item_meets_its_partners() -> None:
    demand = first_look(60, np.random.default_rng(0))
    times = np.bincount(demand.i, demand.count, 60) + np.bincount(demand.j, demand.count, 60)
    assert times.tolist() == [PARTNERS * PULLS] * 60
    assert np.all(demand.i < demand.j)


@pytest.mark.parametrize("K", [2, 3, 5, 13])
def test_few_items_all_meet(K: int) -> None:
    demand = first_look(K, np.random.default_rng(0))
    assert len(demand.i) == K * (K - 1) // 2
    assert set(demand.count.tolist()) == {PULLS}


def test_a_rank_one_matrix_is_recovered() -> None:
    x = np.linspace(0.5, 0.98, 30)
    people = Population.from_factor(x[:, None])
    demand = first_look(30, np.random.default_rng(1))
    count = demand.count * 4000
    s = Users(people).no_click_counts(demand.i, demand.j, count, np.random.default_rng(2)).astype(np.float64)
    found = rank_one(Evidence.empty(30).add(demand.i, demand.j, 1, count, s))
    # Shrinkage (4 samples compared with 12 partners of 200 each at most) and noise leave a percent.
    np.testing.assert_allclose(found, x, atol=0.015)


def test_the_fit_orders_the_items_of_a_mixture() -> None:
    people = mixture("ads6", 100, 2, np.random.default_rng(3))
    demand = first_look(100, np.random.default_rng(4))
    s = Users(people).no_click_counts(demand.i, demand.j, demand.count, np.random.default_rng(5)).astype(np.float64)
    found = rank_one(Evidence.empty(100).add(demand.i, demand.j, 1, demand.count, s))
    shares, clicks = people.shares, people.click_probabilities
    assert shares is not None
    assert clicks is not None
    assert np.corrcoef(found, 1 - shares @ clicks)[0, 1] > 0.6
