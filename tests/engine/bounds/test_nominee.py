"""Upper bounds of nominees: fresh samples only, each nomination at its own portion."""

import math

import numpy as np
import pytest

from app.engine.arrays import Pair
from app.engine.bounds.direct import lower_with_nominees
from app.engine.choices import Choices, Nominee
from app.engine.confidence import upper_end
from app.engine.delta_shares import portion
from tests.engine.driver import evidence_from_rows

EVIDENCE = evidence_from_rows(4, [(0, 1, 2, 4000, 800.0), (0, 1, 3, 1000, 350.0), (2, 3, 5, 700, 210.0)])


def end(n: int, s: float, share: float, guess: float) -> float:
    return float(upper_end(np.array([n]), np.array([s]), math.log(1 / share), np.array([guess]))[0])


def test_portions_add_up_to_the_share() -> None:
    assert [portion(0.6, k) for k in (1, 2, 3)] == pytest.approx([0.3, 0.1, 0.05])
    assert sum(portion(1.0, k) for k in range(1, 10_000)) == pytest.approx(1.0, abs=1e-3)


def test_only_samples_after_the_nomination_count() -> None:
    choices = Choices(nominees=(Nominee(2, Pair(0, 1), 0.2),))
    upper = lower_with_nominees(np.ones(6), EVIDENCE, choices, 0.01)
    assert upper[0] == pytest.approx(end(1000, 350.0, 0.005, 0.2), abs=1e-12)
    assert upper[1:].tolist() == [1.0] * 5


def test_a_later_nominee_pays_more_and_the_lowest_bound_wins() -> None:
    choices = Choices(nominees=(Nominee(1, Pair(0, 1), 0.3), Nominee(4, Pair(2, 3), 0.3)))
    upper = lower_with_nominees(np.full(6, 0.9), EVIDENCE, choices, 0.012)
    assert upper[5] == pytest.approx(end(700, 210.0, 0.002, 0.3), abs=1e-12)
    assert upper[0] == pytest.approx(end(5000, 1150.0, 0.006, 0.3), abs=1e-12)
    already = lower_with_nominees(np.full(6, 0.01), EVIDENCE, choices, 0.012)
    assert already.tolist() == [0.01] * 6


def test_the_bounds_passed_in_are_not_changed() -> None:
    upper = np.ones(6)
    lower_with_nominees(upper, EVIDENCE, Choices(nominees=(Nominee(1, Pair(0, 1), 0.3),)), 0.1)
    assert upper.tolist() == [1.0] * 6
