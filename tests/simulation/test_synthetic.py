"""The paper's recipe, step by step, and its limits."""

import numpy as np
import pytest

from app.simulation.population import InvalidPopulation
from app.simulation.synthetic import synthetic


def test_it_is_the_recipe_of_the_paper() -> None:
    x = np.random.default_rng(3).random((40, 4))
    product = x @ x.T
    population = synthetic(40, 4, np.random.default_rng(3))
    np.testing.assert_allclose(population.loss_matrix(), product / product.max(), rtol=1e-12)


@pytest.mark.parametrize(("n_items", "rank"), [(2, 1), (200, 2), (200, 4), (3, 8)])
def test_largest_entry_is_one_and_rank_is_as_asked(n_items: int, rank: int) -> None:
    population = synthetic(n_items, rank, np.random.default_rng(5))
    assert population.loss_matrix().max() == pytest.approx(1, abs=1e-12)
    assert np.linalg.matrix_rank(population.loss_matrix()) == min(n_items, rank)
    assert population.shares is None


@pytest.mark.parametrize(("n_items", "rank", "field"), [(1, 2, "items"), (5, 0, "rank")])
def test_invalid_sizes_name_the_field(n_items: int, rank: int, field: str) -> None:
    with pytest.raises(InvalidPopulation) as caught:
        synthetic(n_items, rank, np.random.default_rng(1))
    assert caught.value.field == field
