"""The short version of `make coverage`: ten sessions of each regime and way, watched at every plan."""

import pytest

from tests.statistics.coverage import REGIMES, WAYS, Cell, limits, measure

RUNS = 10


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("regime", REGIMES)
def test_bounds_and_certificates_fail_no_more_than_they_may(regime: str, way: str) -> None:
    cell = Cell(regime, 2 + len(regime) % 2, 0.5, way)
    found = measure(cell, range(RUNS))
    assert found["certified"] == RUNS
    over = {kind: found[kind] for kind, limit in limits(cell, RUNS).items() if found[kind] > limit}
    assert over == {}
    if (regime, way) != ("pref", "pairs"):  # nothing is weak there: no blank can help
        assert found["active"] >= 3
