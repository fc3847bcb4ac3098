"""The Nystrom extension, its smallest pair, and the paper's printed sample sizes."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.arrays import Pair
from app.engine.nystrom import extend, printed_sample_sizes, smallest_pair

seeds = st.integers(0, 2**32)


def test_rank_one_by_hand() -> None:
    # x = (.5, 1, .2): L_ij = x_i x_j, column of item 1 is x itself, W = 1
    x = np.array([0.5, 1.0, 0.2])
    imputed = extend(x[:, None], np.array([[1.0]]))
    values = (imputed.mixer @ imputed.C.T)[[0, 0, 2], [2, 0, 2]]
    assert values.tolist() == pytest.approx([0.1, 0.25, 0.04])
    pair, value = smallest_pair(*imputed)
    assert pair == Pair(0, 2)
    assert value == pytest.approx(0.1)


@given(seeds, st.integers(1, 4))
def test_independent_columns_determine_the_rest(seed: int, rank: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.random((15, rank))
    X[:rank] += 3 * np.eye(rank)  # so that the first columns are well independent
    L = X @ X.T
    imputed = extend(L[:, :rank], L[:rank, :rank])
    np.testing.assert_allclose(imputed.mixer @ imputed.C.T, L, atol=1e-8)


def test_a_singular_core_is_not_inverted_into_noise() -> None:
    x = np.array([0.5, 0.5, 0.2])
    C = np.outer(x, x[:2])  # two clones chosen
    imputed = extend(C, C[:2])
    assert (imputed.mixer @ imputed.C.T)[2, 2] == pytest.approx(0.04, abs=1e-12)


@pytest.mark.parametrize("n_items", [2, 3, 511, 512, 513, 1100])
def test_smallest_pair_equals_brute_force_across_tiles(n_items: int) -> None:
    rng = np.random.default_rng(n_items)
    left, right = rng.normal(size=(n_items, 3)), rng.normal(size=(n_items, 3))
    full = left @ right.T
    full[np.tril_indices(n_items)] = np.inf
    i, j = np.unravel_index(int(full.argmin()), full.shape)
    pair, value = smallest_pair(left, right)
    assert pair == Pair(int(i), int(j))
    assert value == pytest.approx(full[i, j], rel=1e-12)


@pytest.mark.parametrize("corner", [(0, 1), (0, 1099), (1098, 1099), (511, 512), (600, 1050)])
def test_smallest_pair_is_found_in_every_corner(corner: tuple[int, int]) -> None:
    left, right = np.zeros((1100, 1)), np.zeros((1100, 1))
    left[corner[0]], right[corner[1]] = -1.0, 1.0
    assert smallest_pair(left, right) == (Pair(*corner), -1.0)


def test_the_diagonal_is_never_the_answer() -> None:
    x = np.array([[0.0], [1.0], [2.0]])  # L_00 = 0 is the smallest entry, but (0, 1) is the smallest pair
    assert smallest_pair(x + 1, x + 1)[0] == Pair(0, 1)
    x = np.array([[0.1], [0.9], [1.0]])
    y = np.array([[-5.0], [0.9], [1.0]])
    assert smallest_pair(x, y)[0] == Pair(0, 1)


def test_printed_sizes_by_hand_where_the_inverse_binds() -> None:
    # W = diag(.5, .25): inverse diag(2, 4), norms 4 and 4; C = W, so C W^-1 = I.
    # C_1 = max(1, 1, 4, 1, 16) = 16; C_2 = max(16^2, 16, 4, 16) = 256. epsilon = delta = .1:
    # m_1 = 100 C_1 log(2*2*2/.1) max(2^2.5/.1, 4/.01); m_2 = 200 C_2 log(2*2/.1) max(8/.1, 32/.01)
    W = np.diag([0.5, 0.25])
    sizes = printed_sample_sizes(W, W, 0.1, 0.1)
    assert (sizes.c1, sizes.c2) == pytest.approx((16, 256))
    assert sizes.m1 == pytest.approx(1600 * math.log(80) * 400)
    assert sizes.m2 == pytest.approx(51200 * math.log(40) * 3200)


def test_printed_sizes_by_hand_where_the_column_sum_binds() -> None:
    # W = I, rows (1,0), (0,1), (.5,.5): column sums 1.5, squared 2.25, the largest; C_2 = 1. epsilon .9, delta .5:
    # 2^2.5/.9 = 6.285 is above 4/.81 = 4.938; 32/.81 is above 8/.9
    C = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    sizes = printed_sample_sizes(C, np.eye(2), 0.9, 0.5)
    assert (sizes.c1, sizes.c2) == pytest.approx((2.25, 1.0))
    assert sizes.m1 == pytest.approx(225 * math.log(24) * 2**2.5 / 0.9)
    assert sizes.m2 == pytest.approx(200 * math.log(8) * 32 / 0.81)
