"""L of small populations by hand, the best pair against brute force, and every error."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.simulation import population as module
from app.simulation.population import InvalidPopulation, Population

# Two groups, three items, by hand: (1-u) = [[.5, 1, .2], [.8, .4, 1]], p = (.25, .75).
P = np.array([0.25, 0.75])
U = np.array([[0.5, 0.0, 0.8], [0.2, 0.6, 0.0]])
L = np.array(
    [
        [0.25 * 0.25 + 0.75 * 0.64, 0.25 * 0.5 + 0.75 * 0.32, 0.25 * 0.1 + 0.75 * 0.8],
        [0.365, 0.25 + 0.75 * 0.16, 0.25 * 0.2 + 0.75 * 0.4],
        [0.625, 0.35, 0.25 * 0.04 + 0.75],
    ]
)


def random_mixture(n_items: int, rank: int, seed: int) -> Population:
    rng = np.random.default_rng(seed)
    return Population.mixture(rng.dirichlet(np.ones(rank)), rng.random((rank, n_items)))


def test_loss_of_two_groups_by_hand() -> None:
    population = Population.mixture(P, U)
    np.testing.assert_allclose(population.loss_matrix(), L, atol=1e-15)
    np.testing.assert_allclose(population.loss(np.array([0, 2, 1]), np.array([1, 0, 1])), [0.365, 0.625, 0.37])
    assert float(population.loss(1, 2)) == pytest.approx(0.35)
    assert (population.n_items, population.rank) == (3, 2)


def test_best_pair_by_hand_is_not_a_self_pair_unless_asked() -> None:
    population = Population.mixture([1.0], [[0.1, 0.9, 0.5]])
    assert tuple(population.best_pair()) == pytest.approx((1, 2, 0.05))
    assert tuple(population.best_pair(self_pairs=True)) == pytest.approx((1, 1, 0.01))


def test_error_is_the_excess_over_the_best_distinct_pair() -> None:
    population = Population.mixture([1.0], [[0.1, 0.9, 0.5]])
    assert float(population.error(1, 2)) == 0.0
    np.testing.assert_allclose(population.error(np.array([0, 0]), np.array([1, 2])), [0.09 - 0.05, 0.45 - 0.05])
    assert float(population.error(1, 1)) == pytest.approx(
        0.01 - 0.05
    )  # a self pair may be better: the error is negative


def test_eigenvalues_are_those_of_the_matrix_highest_first() -> None:
    np.testing.assert_allclose(
        Population.mixture(P, U).eigenvalues(), np.linalg.eigvalsh(L)[:0:-1], rtol=1e-12, atol=1e-14
    )


def test_more_groups_than_items() -> None:
    population = random_mixture(n_items=3, rank=7, seed=1)
    assert population.rank == 7
    np.testing.assert_allclose(
        population.eigenvalues(), np.linalg.eigvalsh(population.loss_matrix())[::-1], rtol=1e-9, atol=1e-12
    )


@settings(deadline=None)  # the machine may be busy
@given(st.integers(2, 30), st.integers(1, 5), st.integers(0, 10**6), st.booleans(), st.sampled_from([1, 40, 2**20]))
def test_best_pair_equals_brute_force_for_all_tile_sizes(
    n_items: int, rank: int, seed: int, self_pairs: bool, tile_entries: int
) -> None:
    population = random_mixture(n_items, rank, seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "TILE_ENTRIES", tile_entries)
        i, j, value = population.best_pair(self_pairs)
    i_all, j_all = np.triu_indices(n_items, k=0 if self_pairs else 1)
    assert i <= j
    assert self_pairs or i < j
    assert value == float(population.loss(i, j))
    assert value == pytest.approx(float(population.loss_matrix()[i_all, j_all].min()), abs=1e-14)
    assert np.all(population.error(i_all, j_all)[i_all != j_all] >= 0)


def test_the_first_of_tied_pairs_is_the_best() -> None:
    assert Population.mixture([1.0], [[0.5] * 5]).best_pair() == (0, 1, 0.25)


def test_shares_are_rescaled_to_one_and_left_alone_when_they_are() -> None:
    rescaled = Population.mixture([0.5, 0.5 + 8e-7], U).shares
    assert rescaled is not None
    assert rescaled.sum() == pytest.approx(1, abs=1e-15)
    shares = np.array([0.1, 0.2, 0.7])
    np.testing.assert_array_equal(Population.mixture(shares, np.zeros((3, 2))).shares, shares)


def test_arrays_passed_in_are_neither_changed_nor_shared() -> None:
    p, u, x = P.copy(), U.copy(), np.full((2, 1), 0.5)
    mixture, given_by_factor = Population.mixture(p, u), Population.from_factor(x)
    p[:], u[:], x[:] = 0, 0, 0
    np.testing.assert_allclose(mixture.loss_matrix(), L)
    np.testing.assert_array_equal(given_by_factor.loss_matrix(), np.full((2, 2), 0.25))
    with pytest.raises(ValueError, match="read-only"):
        mixture.factor[0, 0] = 1


def test_a_factor_may_have_negative_entries_if_the_products_have_none() -> None:
    population = Population.from_factor([[0.6, 0.8], [0.8, -0.6]])
    np.testing.assert_allclose(population.loss_matrix(), [[1, 0], [0, 1]], atol=1e-15)
    assert population.shares is None
    assert population.click_probabilities is None


@pytest.mark.parametrize(
    ("p", "u", "field"),
    [
        ([0.5, 0.6], U, "p"),
        ([0.5, 0.5 + 2e-6], U, "p"),
        ([-0.5, 1.5], U, "p"),
        ([np.nan, 1.0], U, "p"),
        ([], np.zeros((0, 3)), "p"),
        ([[0.5, 0.5]], U, "p"),
        (["a", "b"], U, "p"),
        ([0.5, None], U, "p"),
        (P, [[0.5, 0.1], [0.2]], "u"),
        (P, U[:1], "u"),
        (P, U[0], "u"),
        (P, U[:, :1], "u"),
        (P, U + 0.5, "u"),
        (P, U - 0.1, "u"),
        (P, np.where(U == 0, np.nan, U), "u"),
        (P, np.where(U == 0, np.inf, U), "u"),
        (P, U.astype(complex), "u"),
        (P, U > 0.5, "u"),
    ],
)
def test_an_invalid_mixture_names_the_field(p: npt.ArrayLike, u: npt.ArrayLike, field: str) -> None:
    with pytest.raises(InvalidPopulation) as caught:
        Population.mixture(p, u)
    assert caught.value.field == field
    assert str(caught.value).startswith(f"{field}: ")


@pytest.mark.parametrize(
    ("x", "advice"),
    [
        ([[1.0, 0.1], [0.0, 0.1]], "largest entry is 1.01"),
        ([[0.9, 0.1], [-0.1, 0.5]], "smallest entry is -0.04"),
        ([[1e200], [0.1]], "largest entry is inf"),
        ([[0.5]], "items >= 2"),
        ([0.5, 0.5], "shape"),
        (np.zeros((3, 0)), "rank >= 1"),
        ([[np.nan], [0.1]], "finite"),
        ([["a"], ["b"]], "real numbers"),
    ],
)
def test_an_invalid_factor_says_why(x: npt.ArrayLike, advice: str) -> None:
    with pytest.raises(InvalidPopulation, match=advice) as caught:
        Population.from_factor(x)
    assert caught.value.field == "x"


def test_a_negative_product_is_found_in_the_last_tile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TILE_ENTRIES", 1)
    x = np.array([[0.5, 0.5], [0.5, 0.5], [0.9, 0.1], [-0.1, 0.5]])
    with pytest.raises(InvalidPopulation) as caught:
        Population.from_factor(x)
    assert caught.value.field == "x"
