"""Leader, gap and contenders by hand; what is displayed is not what is proven."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.arrays import Pair
from app.engine.bounds import Bounds, Contrasts
from app.engine.certificate import EXACT, Assessment, assess, displayed
from app.engine.delta_shares import Shares
from app.engine.evidence import Evidence
from app.engine.problem import Goal, Model, Problem
from tests.engine.driver import evidence_from_rows

# n=2: S=0 has the upper end 1 - sqrt(3 alpha/8), S=2 the lower end sqrt(3 alpha/8) (test_confidence). With delta .1,
# upper ends take alpha = .1 * .1 / pairs, lower ends alpha = .9 * .1 = .09 for any number of pairs.
LOWER_OF_TWO = math.sqrt(3 * 0.09 / 8)  # .1837


def displayed_interval(problem: Problem, evidence: Evidence, pair: Pair) -> tuple[float, float]:
    shown = displayed(problem, evidence, assess(problem, evidence).bounds, np.array([pair.i]), np.array([pair.j]))
    return float(shown.low[0]), float(shown.high[0])


def upper_of_none(n_pairs: int) -> float:
    return 1 - math.sqrt(3 * 0.01 / n_pairs / 8)


def test_three_items_by_hand() -> None:
    evidence = evidence_from_rows(3, [(0, 1, 1, 2, 0.0), (0, 2, 1, 2, 2.0)])
    found = assess(Problem(n_items=3, goal=Goal(0.5), delta=0.1), evidence)
    assert found.bounds.lower.tolist() == pytest.approx([0.0, LOWER_OF_TWO, 0.0], abs=1e-12)
    assert found.bounds.upper.tolist() == pytest.approx([upper_of_none(3), 1.0, 1.0], abs=1e-12)
    assert found.leader == Pair(0, 1)
    assert found.gap == pytest.approx(upper_of_none(3), abs=1e-12)  # pair (1, 2), never shown, may be 0
    assert found.contenders.tolist() == [1, 2]
    assert not found.certified
    assert found.bounds.assumptions == ()


def test_the_gap_closes_when_every_rival_has_a_lower_bound() -> None:
    rows = [(0, 1, 1, 2, 0.0), (0, 2, 1, 2, 2.0), (1, 2, 1, 2, 2.0)]
    gap = upper_of_none(3) - LOWER_OF_TWO  # .781
    for epsilon, certified in ((gap + 1e-9, True), (gap - 1e-9, False)):
        found = assess(Problem(n_items=3, goal=Goal(epsilon), delta=0.1), evidence_from_rows(3, rows))
        assert found.gap == pytest.approx(gap, abs=1e-12)
        assert found.certified is certified
        assert found.contenders.tolist() == ([] if certified else [1, 2])
        # Seen from a rival, the leader's own lower bound 0 counts.
        assert found.gaps_of_pair(Pair(1, 2)).gap == pytest.approx(1.0)


def test_a_relative_goal_is_reached_at_the_same_gap_divided_by_what_can_be_earned() -> None:
    """U = .88 and a gap of .69: the pair earns .12 at least, the best .81 at most, so the pair may lack .85 of it."""
    rows = [(0, 1, 1, 2, 0.0), (0, 2, 1, 2, 2.0), (1, 2, 1, 2, 2.0)]
    most_lost = 1 - (1 - upper_of_none(3)) / (1 - LOWER_OF_TWO)
    for epsilon, certified in ((most_lost + 1e-9, True), (most_lost - 1e-9, False)):
        found = assess(Problem(n_items=3, goal=Goal(epsilon, relative=True), delta=0.1), evidence_from_rows(3, rows))
        assert found.gaps_of_pair(found.leader).relative_gap == pytest.approx(most_lost, abs=1e-12)
        assert found.certified is certified
        assert found.contenders.tolist() == ([] if certified else [1, 2])


def test_the_leader_has_the_smallest_gap_in_the_terms_of_the_goal() -> None:
    """Pair 0 may earn .05 less than the best, but earns .1 only; pair 1 may earn .08 less, and earns .5."""
    lower, upper = np.array([0.42, 0.42, 0.42]), np.array([0.9, 0.5, 1.0])
    nominee = Contrasts(0, np.array([1, 2]), np.array([-0.05, 0.0]), np.ones(2))
    bounds = Bounds(lower, upper, (), contrasts=(nominee,))
    assert [bounds.gap_of(0), bounds.gap_of(1)] == pytest.approx([0.05, 0.08])
    assert bounds.leader(Goal(0.1)) == 0
    assert bounds.leader(Goal(0.1, relative=True)) == 1


def test_four_items_by_hand() -> None:
    rows = [(i, j, 1, 2, 2.0) for i in range(4) for j in range(i + 1, 4) if (i, j) != (1, 3)]
    evidence = evidence_from_rows(4, [*rows, (3, 1, 1, 2, 0.0), (1, 1, 1, 50, 0.0)])
    found = assess(Problem(n_items=4, goal=Goal(0.1), delta=0.1), evidence)
    assert found.leader == Pair(1, 3)  # and not the self pair (1, 1), which is never the answer
    assert found.gap == pytest.approx(upper_of_none(6) - LOWER_OF_TWO, abs=1e-12)
    assert found.contenders.tolist() == [0, 1, 2, 3, 5]


def test_two_items_are_certified_at_once() -> None:
    found = assess(Problem(n_items=2, goal=Goal(1e-9), delta=0.1), Evidence.empty(2))
    assert (found.leader, found.gap, found.certified) == (Pair(0, 1), 0.0, True)
    assert found.contenders.tolist() == []


def test_pairs_never_shown_have_bounds_zero_and_one() -> None:
    found = assess(Problem(n_items=5, goal=Goal(0.1), delta=0.1), evidence_from_rows(5, [(0, 1, 1, 900, 400.0)]))
    assert found.bounds.lower[1:].tolist() == [0.0] * 9
    assert found.bounds.upper[1:].tolist() == [1.0] * 9
    assert assess(Problem(n_items=5, goal=Goal(0.1), delta=0.1), Evidence.empty(5)).gap == 1.0


def test_among_equal_upper_bounds_the_lowest_lower_bound_leads() -> None:
    evidence = evidence_from_rows(3, [(0, 1, 1, 5, 5.0), (1, 2, 1, 2, 2.0)])
    assert assess(Problem(n_items=3, goal=Goal(0.1), delta=0.1), evidence).leader == Pair(0, 2)


def test_shares_add_up_to_delta() -> None:
    assert Shares().upper + Shares().direct == pytest.approx(1.0)
    assert Shares().upper > 0


def test_a_proven_best_pair_has_no_negative_gap() -> None:
    bounds = Bounds(np.array([0.1, 0.5]), np.array([0.2, 0.9]), ())
    found = Assessment(bounds, 3, Goal(0.01), 0)
    assert found.gap == 0.0
    assert found.certified


vectors = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=3, max_size=3)


@given(vectors, st.integers(1, 7), st.booleans())
def test_gap_and_contenders_follow_their_definitions(ends: list[tuple[int, int]], eighths: int, relative: bool) -> None:
    goal = Goal(eighths / 8, relative=relative)
    lower = np.array([min(pair) for pair in ends]) / 8
    upper = np.array([max(pair) for pair in ends]) / 8
    leader = int(np.argmin(upper))
    found = Assessment(Bounds(lower, upper, ()), 3, goal, leader)
    rivals = [k for k in range(3) if k != leader]
    assert found.gap == max(upper[leader] - min(lower[k] for k in rivals), 0.0)
    assert found.contenders.tolist() == [k for k in rivals if upper[leader] - lower[k] > goal.allowed(upper[leader])]
    assert found.certified is (len(found.contenders) == 0)


@given(st.integers(1, 10**6), st.floats(0, 1), st.floats(0.01, 0.9), st.integers(3, 60))
def test_what_is_displayed_is_wider_than_the_verdicts_lower_bound(n: int, part: float, delta: float, K: int) -> None:
    s = float(round(n * part))
    evidence = evidence_from_rows(K, [(0, 1, 1, n, s)])
    problem = Problem(n_items=K, goal=Goal(0.1), delta=delta)
    low, high = displayed_interval(problem, evidence, Pair(0, 1))
    assert low <= assess(problem, evidence).bounds.lower[0] + 1e-12
    assert low <= s / n <= high
    if s > 0:
        assert low < assess(problem, evidence).bounds.lower[0]


def test_what_is_displayed_by_hand() -> None:
    # delta/pairs = .1/3 each: n=2, S=2 has the lower end sqrt(3 alpha/8)
    problem = Problem(n_items=3, goal=Goal(0.1), delta=0.1)
    evidence = evidence_from_rows(3, [(0, 2, 1, 2, 2.0)])
    shown = displayed_interval(problem, evidence, Pair(0, 2))
    assert shown == pytest.approx((math.sqrt(0.1 / 8), 1.0), abs=1e-12)
    assert displayed_interval(problem, evidence, Pair(0, 1)) == (0.0, 1.0)


def test_the_exact_model_asks_for_the_exact_answer() -> None:
    problem = Problem(n_items=3, goal=Goal(0.5), delta=0.1, model=Model.DETERMINISTIC)
    evidence = evidence_from_rows(3, [(0, 1, 1, 1, 0.4), (0, 2, 1, 1, 0.3)])
    found = assess(problem, evidence)
    assert found.allowed == EXACT
    assert not found.certified  # (1, 2) may be anything
    known = assess(problem, evidence.add(np.array([1]), np.array([2]), 2, np.array([1]), np.array([0.2])))
    assert (known.leader, known.gap, known.certified) == (Pair(1, 2), 0.0, True)
    assert displayed_interval(problem, evidence, Pair(0, 2)) == pytest.approx((0.3, 0.3))
    assert displayed_interval(problem, evidence, Pair(1, 2)) == (0.0, 1.0)
