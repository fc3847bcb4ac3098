"""Exact bounds: by hand, and never wrong for any known part of the matrix."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.arrays import FloatArray, Pair, pair_items
from app.engine.bounds.exact import exact_bounds, independent_columns, values
from app.engine.certificate import assess, displayed
from app.engine.evidence import Evidence
from app.engine.problem import Goal, Model, Problem
from app.simulation.mixtures import mixture
from tests.engine.driver import evidence_from_rows

# Two groups of half each, items clicked by group: (0, 1), (1, 0), (.5, .5), so no-click rows (1,0), (0,1), (.5,.5).
HAND = np.array([[0.5, 0.0, 0.25], [0.0, 0.5, 0.25], [0.25, 0.25, 0.25]])


def showing(L: FloatArray, entries: list[tuple[int, int]]) -> Evidence:
    return evidence_from_rows(len(L), [(i, j, 1, 1, float(L[i, j])) for i, j in entries])


def question(n_items: int, rank: int | None = None) -> Problem:
    return Problem(n_items=n_items, goal=Goal(0.1), delta=0.1, rank=rank, model=Model.DETERMINISTIC)


def test_one_column_by_hand() -> None:
    # Column 0 known: Z_11 <= 1 - 0, Z_22 <= 1 - .25^2/.5 = .875, so (1, 2) is 0 +- sqrt(.875)
    bounds = exact_bounds(question(3), showing(HAND, [(0, 0), (0, 1), (0, 2)]))
    assert bounds.lower.tolist() == pytest.approx([0.0, 0.25, 0.0], abs=1e-12)
    assert bounds.upper.tolist() == pytest.approx([0.0, 0.25, np.sqrt(0.875)], abs=1e-12)
    assert bounds.assumptions == ("mixture",)


def test_the_stated_rank_makes_the_rest_known() -> None:
    x = np.array([0.5, 0.8, 0.4])
    bounds = exact_bounds(question(3, rank=1), showing(np.outer(x, x), [(0, 0), (0, 1), (0, 2)]))
    assert bounds.lower.tolist() == pytest.approx([0.4, 0.2, 0.32], abs=1e-12)
    assert bounds.upper.tolist() == pytest.approx([0.4, 0.2, 0.32], abs=1e-12)
    assert bounds.assumptions == ("mixture", "rank<=1")


def test_self_pairs_make_the_rest_known_without_a_rank() -> None:
    x = np.array([0.5, 0.8, 0.4])
    known = [(0, 0), (0, 1), (0, 2), (1, 1), (2, 2)]
    bounds = exact_bounds(question(3), showing(np.outer(x, x), known))
    assert bounds.upper[2] == pytest.approx(0.32, abs=1e-6)
    assert bounds.lower[2] == pytest.approx(0.32, abs=1e-6)
    assert bounds.assumptions == ("mixture",)


def test_nothing_shown_is_nothing_known() -> None:
    bounds = exact_bounds(question(4), Evidence.empty(4))
    assert (bounds.lower.tolist(), bounds.upper.tolist(), bounds.assumptions) == ([0.0] * 6, [1.0] * 6, ())


def test_only_whole_columns_are_chosen_and_clones_once() -> None:
    clones = HAND[np.ix_([0, 0, 1], [0, 0, 1])]
    whole = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2)]
    assert independent_columns(showing(clones, whole)) == [0]
    assert sorted(independent_columns(showing(clones, [*whole, (2, 2)]))) == [0, 2]
    assert independent_columns(showing(clones, whole[1:])) == [1]  # (0, 0) is missing of column 0


def test_values_not_shown_are_not_numbers() -> None:
    found = values(showing(HAND, [(0, 1)]), np.array([1, 0]), np.array([0, 0]))
    assert found[0] == 0.0
    assert np.isnan(found[1])


@given(st.integers(0, 2**32), st.integers(2, 7), st.integers(1, 3), st.floats(0, 1), st.booleans())
def test_bounds_hold_for_any_known_part(seed: int, n_items: int, rank: int, part: float, stated: bool) -> None:
    rng = np.random.default_rng(seed)
    L = mixture("pref", n_items, rank, rng).loss_matrix()
    i, j = np.nonzero(np.triu(rng.random((n_items, n_items)) < part))
    bounds = exact_bounds(
        question(n_items, min(rank, n_items) if stated else None),
        showing(L, list(zip(i.tolist(), j.tolist(), strict=True))),
    )
    left, right = pair_items(np.arange(n_items * (n_items - 1) // 2), n_items)
    # Imputed values carry the rounding of W^-1.
    assert np.all(bounds.lower <= L[left, right] + 1e-7)
    assert np.all(bounds.upper >= L[left, right] - 1e-7)
    assert np.all(bounds.lower <= bounds.upper + 1e-12)


def test_a_stated_rank_that_self_pairs_refute_is_not_used() -> None:
    X = np.random.default_rng(3).random((8, 2)) / 2
    L = X @ X.T  # rank 2, stated 1
    evidence = showing(L, [(0, j) for j in range(8)] + [(j, j) for j in range(1, 7)])
    bounds = exact_bounds(question(8, 1), evidence)
    truth = L[np.triu_indices(8, 1)]
    assert np.all((bounds.lower <= truth + 1e-9) & (truth <= bounds.upper + 1e-9))
    assert bounds.assumptions == ("mixture",)
    assert not assess(question(8, 1), evidence).certified


def test_a_stated_rank_that_another_pair_refutes_is_not_used() -> None:
    X = np.random.default_rng(3).random((8, 2)) / 2
    L = X @ X.T
    trusted = exact_bounds(question(8, 1), showing(L, [(0, j) for j in range(8)]))
    assert trusted.assumptions == ("mixture", "rank<=1"), "nothing speaks against it yet"
    refuted = exact_bounds(question(8, 1), showing(L, [(0, j) for j in range(8)] + [(3, 5)]))
    assert refuted.assumptions == ("mixture",)
    truth = L[np.triu_indices(8, 1)]
    assert np.all((refuted.lower <= truth + 1e-9) & (truth <= refuted.upper + 1e-9))


def test_answers_of_no_mixture_impute_nothing() -> None:
    L = np.array([[0.5, 0.5, 0.5], [0.5, 0.5, 0.0], [0.5, 0.0, 0.5]])  # items 1 and 2 both equal item 0, yet differ
    bounds = exact_bounds(question(3, None), showing(L, [(0, 0), (0, 1), (0, 2), (1, 1), (2, 2), (1, 2)]))
    assert bounds.assumptions == ()
    assert bounds.lower.tolist() == bounds.upper.tolist() == [0.5, 0.5, 0.0]


def test_a_pair_that_was_never_shown_is_displayed_with_its_imputed_value() -> None:
    x = np.array([0.9, 0.8, 0.3, 0.2])
    L = np.outer(x, x)
    problem, evidence = question(4, 1), showing(L, [(0, j) for j in range(4)])
    found = assess(problem, evidence)
    assert (found.leader, found.certified) == (Pair(2, 3), True)
    display = displayed(problem, evidence, found.bounds, np.array([2]), np.array([3]))
    assert display.value[0] == pytest.approx(0.06)
    assert (display.low[0], display.high[0]) == pytest.approx((0.06, 0.06))
