"""The short version of `tests.statistics.delays`: bounds hold at the watermark, however long clicks and silence take.

The mutant is the rule of version 0.1.0. A prefix of each pair's impressions stops before a click that is still open. An
item has many pairs, so many of its clicks are missing from the evidence, and bound I is too high.
"""

import pytest

from experiments.delayed_session import Rule
from tests.statistics.delays import PATTERNS, WAYS, Cell, limits, measure

RUNS = 8
MUTANT_RUNS = 10
SECONDS = 80.0


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_bounds_hold_at_the_watermark(pattern: str, way: str) -> None:
    cell = Cell(pattern, way, 0.5, Rule.WATERMARK, SECONDS)
    found = measure(cell, range(RUNS))
    assert found["checks"] > 10 * RUNS
    assert {kind: found[kind] for kind, limit in limits(cell, RUNS).items() if found[kind] > limit} == {}


@pytest.mark.parametrize("pattern", ["slow clicks", "slow best"])
def test_a_prefix_per_pair_breaks_bound_i(pattern: str) -> None:
    cell = Cell(pattern, "items", 0.5, Rule.PREFIX_PER_PAIR, SECONDS)
    found = measure(cell, range(MUTANT_RUNS))
    assert found["structural"] > limits(cell, MUTANT_RUNS)["structural"]
