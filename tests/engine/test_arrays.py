"""The numbering of pairs, by hand and against a plain enumeration."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.arrays import Pair, n_pairs, pair_at, pair_index, pair_items, pair_number


def test_four_items_have_six_pairs_in_row_order() -> None:
    pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert n_pairs(4) == 6
    assert [pair_at(index, 4) for index in range(6)] == [Pair(*pair) for pair in pairs]
    assert [pair_number(Pair(*pair), 4) for pair in pairs] == list(range(6))


def test_two_items_have_one_pair() -> None:
    assert n_pairs(2) == 1
    assert pair_at(0, 2) == Pair(0, 1)


@pytest.mark.parametrize("n_items", [2, 3, 7, 50])
def test_numbers_follow_the_enumeration_of_combinations(n_items: int) -> None:
    pairs = np.array(list(combinations(range(n_items), 2)))
    numbers = np.arange(n_pairs(n_items))
    assert len(pairs) == len(numbers)
    np.testing.assert_array_equal(pair_index(pairs[:, 0], pairs[:, 1], n_items), numbers)
    i, j = pair_items(numbers, n_items)
    np.testing.assert_array_equal(np.column_stack([i, j]), pairs)


@given(st.data())
def test_numbers_of_many_items_come_back_exactly(data: st.DataObject) -> None:
    n_items = data.draw(st.integers(2, 3_000))
    index = data.draw(st.integers(0, n_pairs(n_items) - 1))
    pair = pair_at(index, n_items)
    assert 0 <= pair.i < pair.j < n_items
    assert pair_number(pair, n_items) == index


def test_first_and_last_of_every_row_are_exact_at_twenty_thousand_items() -> None:
    n_items = 20_000
    i = np.repeat(np.arange(n_items - 1), 2)
    j = np.column_stack([np.arange(1, n_items), np.full(n_items - 1, n_items - 1)]).ravel()
    back_i, back_j = pair_items(pair_index(i, j, n_items), n_items)
    np.testing.assert_array_equal(back_i, i)
    np.testing.assert_array_equal(back_j, j)
