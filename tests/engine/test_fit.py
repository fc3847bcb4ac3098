"""The low-rank guess: it recovers what is there, chooses the rank by what it predicts, and says how sure it is."""

from itertools import combinations

import numpy as np
import pytest

import app.engine.fit as fitting
from app.engine.arrays import pair_items
from app.engine.evidence import PairCounts
from app.engine.fit import Fit, fit
from app.simulation.mixtures import mixture, synthetic
from app.simulation.population import Population


def counts_of(population: Population, n: int, seed: int, part: float = 1.0) -> PairCounts:
    """Returns n samples of each pair of a random part of all pairs."""
    rng = np.random.default_rng(seed)
    i, j = np.triu_indices(population.n_items, 1)
    kept = rng.random(len(i)) < part
    i, j = i[kept].astype(np.int64), j[kept].astype(np.int64)
    s = rng.binomial(n, population.loss(i, j)).astype(np.float64)
    return PairCounts(i, j, np.full(len(i), n, dtype=np.int64), s)


def error(guess: Fit, population: Population) -> float:
    """Returns the root mean square error over all pairs."""
    i, j = np.triu_indices(population.n_items, 1)
    return float(np.sqrt(np.mean((guess.entries(i, j) - population.loss(i, j)) ** 2)))


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_the_rank_is_found_where_samples_show_it(rank: int) -> None:
    population = synthetic(40, rank, np.random.default_rng(rank))
    guess = fit(counts_of(population, 2000, 1), 40, np.random.default_rng(0))
    assert guess.rank == rank
    assert error(guess, population) < 0.004  # a single pair's own mean has .011 at n = 2,000


def test_few_samples_do_not_buy_ranks_that_they_cannot_show() -> None:
    """True rank 4, 3 samples of a tenth of the pairs: one rank more would fit noise."""
    population = mixture("pref", 100, 4, np.random.default_rng(3))
    assert fit(counts_of(population, 3, 1, part=0.1), 100, np.random.default_rng(0)).rank == 1


def test_pairs_never_shown_are_imputed_better_than_by_one_rank() -> None:
    population = synthetic(60, 3, np.random.default_rng(5))
    counts = counts_of(population, 300, 2, part=0.4)
    rng = np.random.default_rng(0)
    assert error(fit(counts, 60, rng), population) < 0.5 * error(fit(counts, 60, rng, max_rank=1), population)


def test_the_spread_is_as_large_as_the_errors_are() -> None:
    """Errors over spread have a root mean square near 1: the mean field ignores that rows err together, so above it."""
    population = synthetic(60, 2, np.random.default_rng(8))
    i, j = np.triu_indices(60, 1)
    ratios = []
    for seed in range(5):
        guess = fit(counts_of(population, 30, seed, part=0.5), 60, np.random.default_rng(0))
        ratios.append(np.mean(((guess.entries(i, j) - population.loss(i, j)) / guess.spread(i, j)) ** 2))
    assert 0.7 < np.sqrt(np.mean(ratios)) < 1.6


def test_list_and_whole_matrix_give_the_same_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = counts_of(synthetic(30, 2, np.random.default_rng(1)), 50, 3, part=0.5)
    found = []
    for share in (0.0, 2.0):  # always whole, always listed
        monkeypatch.setattr(fitting, "DENSE_SHARE", share)
        found.append(fit(counts, 30, np.random.default_rng(4)))
    np.testing.assert_allclose(found[0].X, found[1].X, atol=1e-9)
    np.testing.assert_allclose(found[0].V, found[1].V, atol=1e-9)


def test_held_out_and_kept_impressions_add_up() -> None:
    counts = counts_of(synthetic(20, 2, np.random.default_rng(1)), 25, 3)
    train, test = fitting._split(counts, np.random.default_rng(2))
    for column in ("n", "s"):
        total = np.zeros((20, 20))
        for part in (train, test):
            total[part.i, part.j] += getattr(part, column)
            assert np.all(part.n > 0)
            assert np.all((part.s >= 0) & (part.s <= part.n))
        np.testing.assert_allclose(total[counts.i, counts.j], getattr(counts, column))
    assert 0.15 < test.n.sum() / counts.n.sum() < 0.25


@pytest.mark.parametrize("caution", [0.0, 1.0])
def test_the_smallest_pairs_are_those_of_a_full_sort(caution: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting, "_TILE_ENTRIES", 40)  # several tiles
    guess = fit(counts_of(synthetic(23, 2, np.random.default_rng(1)), 9, 3, part=0.6), 23, np.random.default_rng(4))
    everyone = np.arange(23 * 22 // 2)
    i, j = pair_items(everyone, 23)
    value = np.einsum("er,er->e", guess.X[i], guess.X[j]) - caution * guess.spread(i, j)
    assert guess.smallest_pairs(17, caution).tolist() == np.argsort(value, kind="stable")[:17].tolist()


def test_spread_is_that_of_independent_normal_rows() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(0.2, 0.5, (3, 2))
    V = np.array([[[0.01, 0.002], [0.002, 0.004]], [[0.02, 0.0], [0.0, 0.01]], [[0.005, -0.001], [-0.001, 0.02]]])
    guess = Fit(X, V)
    rows = [rng.multivariate_normal(X[k], V[k], 400_000) for k in range(3)]
    for i, j in combinations(range(3), 2):
        simulated = np.einsum("er,er->e", rows[i], rows[j]).std()
        assert guess.spread(np.array([i]), np.array([j]))[0] == pytest.approx(simulated, rel=0.01)


def test_items_never_shown_are_guessed_by_the_others() -> None:
    counts = counts_of(synthetic(10, 1, np.random.default_rng(1)), 200, 3)
    wider = fit(counts, 12, np.random.default_rng(4))  # items 10 and 11 were never shown
    mean = counts.s.sum() / counts.n.sum()
    assert abs(wider.entries(np.array([10]), np.array([11]))[0] - mean) < 0.15
    known = wider.spread(np.array([0]), np.array([1]))[0]
    assert wider.spread(np.array([10]), np.array([11]))[0] > 3 * known
