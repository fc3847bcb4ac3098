"""Halving, shared by three policies."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.evidence import DenseCounts
from app.engine.memory import int_list
from app.engine.policies.halving import affordable_arms, best_half, completed_rounds
from tests.engine.driver import evidence_from_rows


def test_the_better_half_by_hand() -> None:
    counts = DenseCounts(np.array([10, 10, 10, 0, 10]), np.array([5.0, 1.0, 9.0, 0.0, 3.0]))
    assert best_half(np.array([0, 1, 2, 3, 4]), counts).tolist() == [0, 1, 4]  # rounded up
    assert best_half(np.array([0, 2, 3]), counts).tolist() == [0, 2]  # never shown is last
    assert best_half(np.array([2]), counts).tolist() == [2]


def test_rounds_are_replayed_by_the_versions_they_began_with() -> None:
    # Versions 1-2 favour pairs 0 and 1, version 3 turns them round; the current round (from 4) decides nothing.
    rows = [(0, 1, 1, 10, 1.0), (0, 2, 2, 10, 2.0), (1, 2, 1, 10, 9.0), (0, 1, 3, 10, 9.0), (0, 2, 3, 10, 0.0)]
    evidence = evidence_from_rows(3, [*rows, (0, 2, 4, 10, 10.0)])
    arms = np.arange(3)
    assert completed_rounds(evidence, arms, [1], fresh=True).tolist() == [0, 1, 2]
    assert completed_rounds(evidence, arms, [1, 3], fresh=True).tolist() == [0, 1]
    assert completed_rounds(evidence, arms, [1, 3, 4], fresh=True).tolist() == [1]  # 9/10 against 0
    assert completed_rounds(evidence, arms, [1, 3, 4], fresh=False).tolist() == [1]  # 10/20 against 2/20
    late = evidence.add(np.array([0]), np.array([1]), 1, np.array([100]), np.array([0.0]))
    assert completed_rounds(late, arms, [1, 3, 4], fresh=True).tolist() == [1]
    assert completed_rounds(late, arms, [1, 3, 4], fresh=False).tolist() == [0]  # 10/120 against 2/20


def test_affordable_arms_by_hand() -> None:
    assert affordable_arms(6, 18) == 6  # 3 rounds of 6
    assert affordable_arms(6, 17) == 5  # 3 rounds of 5
    assert affordable_arms(1000, 1) == 2
    assert affordable_arms(1, 100) == 1


@given(st.integers(2, 2_000), st.integers(1, 30_000))
def test_affordable_arms_are_as_many_as_can_be_afforded(arms: int, budget: int) -> None:
    fitting = [n for n in range(2, arms + 1) if n * math.ceil(math.log2(n)) <= budget]
    assert affordable_arms(arms, budget) == max(fitting, default=2)


@pytest.mark.parametrize(("value", "expected"), [([1, 2], [1, 2]), (None, []), ("12", []), ([1, "x", 2.5], [1])])
def test_lists_read_from_notes(value: object, expected: list[int]) -> None:
    assert int_list(value) == expected  # type: ignore[arg-type]
