"""lil'UCB: its radius by hand, and batches that level the indices."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.arrays import Pair
from app.engine.evidence import Evidence
from app.engine.policies import policy_named
from app.engine.policies.lil_ucb import _confidence, _level_indices, _radius
from app.engine.problem import Goal, Problem
from tests.engine.driver import asked, evidence_from_rows, propose

LIL = policy_named("lil_ucb")
DELTA = _confidence(0.1)


def test_inner_delta_by_hand() -> None:
    # The failure probability of the whole procedure, 4 sqrt(c d) + 4 c d, must come out as .1 at eps = .01.
    c = 201 * (1 / math.log(1.01)) ** 1.01
    assert 4 * math.sqrt(c * DELTA) + 4 * c * DELTA == pytest.approx(0.1, rel=1e-9)
    assert pytest.approx(2.8e-8, rel=0.02) == DELTA


def test_radius_by_hand() -> None:
    # (1 + 1)(1 + .1) sqrt(2 * .25 * 1.01 * log(log(1.01 * 100)/delta)/100)
    expected = 2.2 * math.sqrt(0.505 * math.log(math.log(101) / 0.01) / 100)
    assert _radius(np.array([100.0]), 0.01)[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("delta", [1e-9, 0.1, 0.5, 0.999])
def test_the_radius_exists_and_falls_from_the_first_pull_on(delta: float) -> None:
    radius = _radius(np.arange(1.0, 10_000.0), _confidence(delta))
    assert np.all(np.isfinite(radius))
    assert np.all(np.diff(radius[10:]) < 0)


def test_pulls_go_to_the_highest_index_until_it_is_level() -> None:
    n, mean = np.array([100, 100, 100]), np.array([0.9, 0.5, 0.1])
    extra = _level_indices(n, mean, 30, DELTA)
    assert extra.sum() == 30
    assert extra[2] == 0
    assert extra[0] > extra[1]


@given(st.integers(0, 2**32), st.integers(2, 12), st.integers(1, 5000))
def test_the_whole_batch_is_spent_and_indices_end_level(seed: int, arms: int, batch: int) -> None:
    rng = np.random.default_rng(seed)
    n, mean = rng.integers(1, 200, size=arms), rng.random(arms)
    extra = _level_indices(n, mean, batch, DELTA)
    assert extra.min() >= 0
    assert int(extra.sum()) == batch
    index = mean + _radius((n + extra).astype(np.float64), DELTA)
    # What was pulled was worth pulling: one pull fewer and it would not be below the others' level by much.
    for arm in np.flatnonzero(extra > 1):
        before = mean[arm] + _radius(np.array([float(n[arm] + extra[arm] - 2)]), DELTA)[0]
        untouched = index[extra == 0]
        assert before >= untouched.max(initial=0) - 1e-2


def test_each_pair_is_shown_once_first() -> None:
    problem = Problem(n_items=4, goal=Goal(0.1), delta=0.1)
    opening = propose(LIL, problem, Evidence.empty(4), {}, 1)
    assert sorted(asked(opening.demand).values()) == [1] * 6
    i, j = np.triu_indices(4, 1)
    some = Evidence.empty(4).add(i[:4], j[:4], 1, np.ones(4, dtype=np.int64), np.zeros(4))
    assert asked(propose(LIL, problem, some, {}, 2).demand) == {(1, 3): 1, (2, 3): 1}


def test_the_most_pulled_pair_is_the_answer() -> None:
    evidence = evidence_from_rows(3, [(0, 1, 1, 40, 20.0), (0, 2, 1, 60, 31.0), (1, 2, 1, 60, 30.0)])
    step = propose(LIL, Problem(n_items=3, goal=Goal(0.01), delta=0.1), evidence, {}, 2)
    assert step.pair == Pair(1, 2)  # of two pulled equally, the one with fewer impressions without a click
    assert step.phase == "pull"
