"""Predicted needs agree with what the intervals themselves do."""

import math

import numpy as np
import pytest

from app.engine.allocation.costs import RETRY_PART, relative_entropy, samples_to_separate
from app.engine.confidence import lower_end, upper_end

LEVEL = math.log(1 / 0.05)


def test_relative_entropy_by_hand() -> None:
    found = relative_entropy(np.array([0.5, 0.0, 1.0]), np.array([0.25, 0.5, 0.5]))
    expected = [0.5 * math.log(2) + 0.5 * math.log(0.5 / 0.75), math.log(2), math.log(2)]
    assert found.tolist() == pytest.approx(expected)


@pytest.mark.parametrize(("mean", "limit"), [(0.8, 0.7), (0.5, 0.45), (0.95, 0.8)])
def test_a_lower_end_reaches_the_limit_with_about_the_predicted_samples(mean: float, limit: float) -> None:
    need = float(samples_to_separate(np.array([mean]), limit, LEVEL, np.zeros(1))[0])
    for factor, reached in ((0.6, False), (1.6, True)):
        n = np.array([round(factor * need)])
        assert (lower_end(n, n * mean, LEVEL, np.array([mean]))[0] >= limit) is np.bool_(reached)


def test_an_upper_end_does_too() -> None:
    need = float(samples_to_separate(np.array([0.3]), 0.34, LEVEL, np.zeros(1))[0])
    for factor, reached in ((0.6, False), (1.6, True)):
        n = np.array([round(factor * need)])
        assert (upper_end(n, n * 0.3, LEVEL, np.array([0.3]))[0] <= 0.34) is np.bool_(reached)


def test_what_is_there_is_taken_off_and_what_should_suffice_gets_more() -> None:
    fresh, some, plenty = samples_to_separate(np.full(3, 0.8), 0.7, LEVEL, np.array([0.0, 50.0, 1e6]))
    assert some == pytest.approx(fresh - 50)
    assert plenty == pytest.approx(RETRY_PART * 1e6 + 1)
