"""The short version of `make coverage`: some sessions of each regime and way, watched at every plan."""

import pytest

from tests.statistics.coverage import HARD, HARD_DELTA, REGIMES, WAYS, Cell, limits, measure

RUNS = 10
HARD_RUNS = 5


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("regime", [name for name, regime in REGIMES.items() if regime.absolute])
def test_bounds_and_certificates_fail_no_more_than_they_may(regime: str, way: str) -> None:
    cell = Cell(regime, 2 + len(regime) % 2, 0.5, way)
    found = measure(cell, range(RUNS))
    assert found["certified"] == RUNS
    assert _over(cell, found, RUNS) == {}
    if (regime, way) != ("pref", "pairs"):  # nothing is weak there: no blank can help
        assert found["active"] >= 3


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("regime", REGIMES)
def test_relative_certificates_fail_no_more_than_they_may(regime: str, way: str) -> None:
    cell = Cell(regime, 2, 0.5, way, relative=True)
    found = measure(cell, range(RUNS // 3))
    assert found["certified"] == RUNS // 3
    assert _over(cell, found, RUNS // 3) == {}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("regime", HARD)
def test_hard_instances_are_answered_rightly(regime: str, way: str) -> None:
    cell = Cell(regime, 1, HARD_DELTA, way, relative=True)
    found = measure(cell, range(HARD_RUNS))
    assert found["certified"] == HARD_RUNS
    assert _over(cell, found, HARD_RUNS) == {}


def _over(cell: Cell, found: dict[str, int], runs: int) -> dict[str, int]:
    """Returns the counts that exceed their limits."""
    return {kind: found[kind] for kind, limit in limits(cell, runs).items() if found[kind] > limit}
