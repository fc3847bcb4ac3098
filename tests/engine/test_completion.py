"""Low-rank completion: exact where it must be, against the truncated eigendecomposition, and tolerant of edges."""

import numpy as np
import pytest

from app.engine.arrays import FloatArray
from app.engine.completion import Completion, complete
from app.engine.evidence import Evidence, PairCounts
from app.simulation.mixtures import mixture


def shown(L: FloatArray, keep: np.typing.NDArray[np.bool_], n: int = 10**6) -> PairCounts:
    """Returns counts whose means are the entries of L that are kept (upper triangle with the diagonal)."""
    i, j = np.nonzero(np.triu(keep))
    return Evidence.empty(len(L)).add(i, j, 1, np.full(len(i), n), n * L[i, j]).totals


def completed(counts: PairCounts, n_items: int, rank: int) -> FloatArray:
    i, j = np.meshgrid(np.arange(n_items), np.arange(n_items), indexing="ij")
    return complete(counts, n_items, rank).entries(i.ravel(), j.ravel()).reshape(n_items, n_items)


def test_rank_one_by_hand() -> None:
    x = np.array([0.9, 0.5, 0.8, 0.4])
    L = np.outer(x, x)
    keep = np.ones((4, 4), dtype=bool)
    keep[1, 3] = keep[0, 0] = False
    full = completed(shown(L, keep), 4, 1)
    assert full[1, 3] == pytest.approx(0.2, abs=1e-3)
    assert full[0, 0] == pytest.approx(0.81, abs=1e-3)


def test_factors_are_symmetrised_by_hand() -> None:
    # X S Y' = 2 (1, 0)' (.3, .4) = (.6 .8; 0 0), symmetrised (.6 .4; .4 0)
    completion = Completion(np.array([[1.0], [0.0]]), np.array([[2.0]]), np.array([[0.3], [0.4]]))
    i, j = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    assert completion.entries(i, j).tolist() == pytest.approx([0.6, 0.4, 0.4, 0.0])


@pytest.mark.parametrize(("n_items", "rank"), [(30, 1), (30, 2), (40, 3)])
def test_a_part_of_exact_entries_gives_the_rest(n_items: int, rank: int) -> None:
    rng = np.random.default_rng(rank)
    L = mixture("pref", n_items, rank, rng).loss_matrix()
    keep = np.triu(rng.random((n_items, n_items)) < 0.6, 1)
    full = completed(shown(L, keep), n_items, rank)
    # The diagonal was never shown and is never asked for.
    off = ~np.eye(n_items, dtype=bool)
    assert np.abs(full - L)[off].max() < 0.02
    np.testing.assert_allclose(full, full.T, atol=1e-12)


def test_everything_shown_equally_gives_the_truncated_eigendecomposition() -> None:
    rng = np.random.default_rng(5)
    L = mixture("pref", 15, 4, rng).loss_matrix()
    values, vectors = np.linalg.eigh(L)
    best = (vectors[:, -2:] * values[-2:]) @ vectors[:, -2:].T
    # An off-diagonal entry is shown in two places, so with equal counts every place of the matrix weighs the same.
    full = completed(shown(L, np.ones((15, 15), dtype=bool)), 15, 2)
    assert np.sum((full - L) ** 2) <= np.sum((best - L) ** 2) * 1.01 + 1e-12


def test_an_entry_shown_more_often_is_fitted_better() -> None:
    means = np.array([[0.5, 0.2], [0.2, 0.9]])
    i, j = np.array([0, 0, 1]), np.array([0, 1, 1])
    often = Evidence.empty(2).add(i, j, 1, np.array([1, 10**6, 1]), np.array([0.5, 0.2e6, 0.9])).totals
    assert completed(often, 2, 1)[0, 1] == pytest.approx(0.2, abs=1e-3)
    evenly = Evidence.empty(2).add(i, j, 1, np.full(3, 100), 100 * means[i, j]).totals
    assert abs(completed(evenly, 2, 1)[0, 1] - 0.2) > 0.05


def test_the_smallest_pair_is_that_of_the_completed_matrix() -> None:
    rng = np.random.default_rng(7)
    population = mixture("pref", 25, 2, rng)
    keep = np.triu(rng.random((25, 25)) < 0.7, 1)
    completion = complete(shown(population.loss_matrix(), keep), 25, 2)
    full = completed(shown(population.loss_matrix(), keep), 25, 2)
    full[np.tril_indices(25)] = np.inf
    pair = completion.smallest_pair()
    assert full[pair.i, pair.j] == pytest.approx(full.min(), abs=1e-12)
    assert float(population.error(*pair)) < 0.02


def test_the_answer_is_always_the_same() -> None:
    rng = np.random.default_rng(8)
    counts = shown(mixture("clus", 20, 2, rng).loss_matrix(), np.triu(rng.random((20, 20)) < 0.5, 1), n=7)
    np.testing.assert_array_equal(completed(counts, 20, 2), completed(counts, 20, 2))


@pytest.mark.parametrize("rank", [1, 2, 5, 6])
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_items_always_or_never_clicked_are_completed_too(value: float, rank: int) -> None:
    full = completed(shown(np.full((6, 6), value), np.triu(np.ones((6, 6), dtype=bool), 1)), 6, rank)
    np.testing.assert_allclose(full[np.triu_indices(6, 1)], value, atol=1e-2)


def test_an_item_never_shown_does_no_harm() -> None:
    keep = np.triu(np.ones((8, 8), dtype=bool), 1)
    keep[:, 3] = keep[3, :] = False
    assert np.all(
        np.isfinite(completed(shown(mixture("pref", 8, 2, np.random.default_rng(9)).loss_matrix(), keep), 8, 2))
    )
