"""Each family has its distribution, the trap misleads row means, and synthetic populations follow the paper."""

import math

import numpy as np
import pytest

from app.engine.arrays import FloatArray
from app.simulation.mixtures import FAMILIES, mixture, synthetic
from app.simulation.population import InvalidPopulation, Population


def clicks(population: Population) -> FloatArray:
    assert population.click_probabilities is not None
    return population.click_probabilities


def shares(population: Population) -> FloatArray:
    assert population.shares is not None
    return population.shares


@pytest.mark.parametrize("family", [name for name in FAMILIES if name != "trap"])
@pytest.mark.parametrize(("n_items", "rank"), [(2, 1), (50, 4), (3, 6)])
def test_every_family_has_the_requested_size_and_is_reproducible(family: str, n_items: int, rank: int) -> None:
    population = mixture(family, n_items, rank, np.random.default_rng(1))
    assert (population.n_items, population.rank) == (n_items, rank)
    again = mixture(family, n_items, rank, np.random.default_rng(1))
    np.testing.assert_array_equal(population.factor, again.factor)


# Mean and variance of Beta(a, b): a/(a+b), ab/((a+b)^2 (a+b+1)); of Uniform(c, d): (c+d)/2, (d-c)^2/12.
@pytest.mark.parametrize(
    ("family", "mean", "variance"),
    [("ads6", 1 / 7, 6 / (49 * 8)), ("ads20", 1 / 21, 20 / (441 * 22)), ("pref", 0.375, 0.65**2 / 12)],
)
def test_mean_and_spread_of_click_probabilities(family: str, mean: float, variance: float) -> None:
    u = clicks(mixture(family, 20_000, 2, np.random.default_rng(2))).ravel()
    six_sigma = 6 * math.sqrt(variance / len(u))
    assert u.mean() == pytest.approx(mean, abs=six_sigma)
    assert u.var() == pytest.approx(variance, rel=0.1)


def test_preferences_stay_in_their_range() -> None:
    u = clicks(mixture("pref", 5000, 2, np.random.default_rng(2)))
    assert 0.05 <= u.min() < 0.06
    assert 0.69 < u.max() <= 0.7


def test_each_group_of_clus_has_five_favourites_and_rarely_clicks_the_rest() -> None:
    u = clicks(mixture("clus", 200, 4, np.random.default_rng(3)))
    highest_last = np.sort(u, axis=1)
    assert np.all((highest_last[:, -5:] >= 0.3) & (highest_last[:, -5:] <= 0.7))
    assert np.all(highest_last[:, -6] < 0.3)
    rest = highest_last[:, :-5].ravel()
    assert rest.mean() == pytest.approx(1 / 26, abs=6 * math.sqrt(25 / (676 * 27) / len(rest)))


def test_all_items_are_favourites_of_clus_if_there_are_fewer_than_five() -> None:
    assert clicks(mixture("clus", 3, 2, np.random.default_rng(3))).min() >= 0.3


def test_shares_are_dirichlet_with_concentration_five() -> None:
    rng = np.random.default_rng(4)
    first = np.array([shares(mixture("pref", 2, 4, rng))[0] for _ in range(2000)])
    variance = 0.25 * 0.75 / 21  # of one coordinate of Dirichlet(5, 5, 5, 5)
    assert first.mean() == pytest.approx(0.25, abs=6 * math.sqrt(variance / 2000))
    assert first.var() == pytest.approx(variance, rel=0.2)


def rank_by_row_mean(population: Population) -> dict[int, int]:
    loss = population.loss_matrix()
    means = (loss.sum(axis=1) - loss.diagonal()) / (population.n_items - 1)
    return {item: place for place, item in enumerate(np.argsort(means).tolist(), start=1)}


def margin(population: Population) -> float:
    loss = np.sort(population.loss_matrix()[np.triu_indices(population.n_items, k=1)])
    return float(loss[1] - loss[0])


@pytest.mark.parametrize("seed", range(20))
def test_the_trap_hides_the_best_pair_from_row_means(seed: int) -> None:
    population = mixture("trap", 200, 2, np.random.default_rng(seed))
    best, rank = population.best_pair(), rank_by_row_mean(population)
    assert best.value == pytest.approx(0.245, abs=1e-12)  # .98 * (1.02 - .77), derived in mixtures.py
    assert sorted((rank[best.i], rank[best.j]))[0] >= 34
    assert sorted((rank[best.i], rank[best.j]))[1] <= 42
    assert 0.04 < margin(population) < 0.06


def test_keeping_the_best_rows_by_mean_loses_the_margin() -> None:
    population = mixture("trap", 200, 2, np.random.default_rng(1))
    rank = rank_by_row_mean(population)
    kept = np.array([item for item, place in rank.items() if place <= 32])
    i, j = np.triu_indices(len(kept), k=1)
    assert population.error(kept[i], kept[j]).min() > 0.04


@pytest.mark.parametrize("n_items", [4, 5, 6, 10, 50, 800])
def test_the_trap_has_its_pair_and_margin_at_every_size(n_items: int) -> None:
    for seed in range(10):
        population = mixture("trap", n_items, 2, np.random.default_rng(seed))
        best = population.best_pair()
        pair = clicks(population)[:, [best.i, best.j]]
        assert sorted(pair.argmax(axis=0)) == [0, 1]  # each is clicked mostly by another group
        assert pair.min(axis=0).tolist() == [0.02, 0.02]
        assert margin(population) > 0.04
        np.testing.assert_allclose(shares(population) @ pair, 0.385)


def test_the_position_of_the_trap_depends_on_the_seed() -> None:
    places = {mixture("trap", 50, 2, np.random.default_rng(seed)).best_pair()[:2] for seed in range(10)}
    assert len(places) >= 8  # of 1225 possible ones


@pytest.mark.parametrize(
    ("family", "n_items", "rank", "field"),
    [
        ("ads7", 10, 2, "family"),
        ("ads6", 1, 2, "items"),
        ("ads6", 10, 0, "rank"),
        ("trap", 10, 3, "rank"),
        ("trap", 10, 1, "rank"),
        ("trap", 3, 2, "items"),
    ],
)
def test_invalid_sizes_of_a_family_name_the_field(family: str, n_items: int, rank: int, field: str) -> None:
    with pytest.raises(InvalidPopulation) as caught:
        mixture(family, n_items, rank, np.random.default_rng(1))
    assert caught.value.field == field


def test_the_error_for_an_unknown_family_lists_the_known_ones() -> None:
    with pytest.raises(InvalidPopulation, match="ads6, ads20, pref, clus, trap"):
        mixture("", 10, 2, np.random.default_rng(1))


def test_synthetic_follows_the_paper_step_by_step() -> None:
    x = np.random.default_rng(3).random((40, 4))
    product = x @ x.T
    population = synthetic(40, 4, np.random.default_rng(3))
    np.testing.assert_allclose(population.loss_matrix(), product / product.max(), rtol=1e-12)


@pytest.mark.parametrize(("n_items", "rank"), [(2, 1), (200, 2), (200, 4), (3, 8)])
def test_the_largest_entry_of_synthetic_is_one_and_its_rank_is_as_requested(n_items: int, rank: int) -> None:
    population = synthetic(n_items, rank, np.random.default_rng(5))
    assert population.loss_matrix().max() == pytest.approx(1, abs=1e-12)
    assert np.linalg.matrix_rank(population.loss_matrix()) == min(n_items, rank)
    assert population.shares is None


@pytest.mark.parametrize(("n_items", "rank", "field"), [(1, 2, "items"), (5, 0, "rank")])
def test_invalid_sizes_of_synthetic_name_the_field(n_items: int, rank: int, field: str) -> None:
    with pytest.raises(InvalidPopulation) as caught:
        synthetic(n_items, rank, np.random.default_rng(1))
    assert caught.value.field == field
