"""The heat map: the best pair's items first, measured and imputed cells told apart."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from app.engine.bounds import Bounds
from app.engine.certificate import displayed
from app.engine.evidence import Evidence
from app.results.estimates import estimates_of
from tests.engine.driver import evidence_from_rows
from tests.session_fixtures import MakeRecord

COLUMNS = ("reward", "low", "high", "shown", "measured")


def cell(estimates: dict[str, Any], i: int, j: int) -> dict[str, Any]:
    numbers = [item["i"] for item in estimates["items"]]
    place = list(combinations(numbers, 2)).index((i, j) if numbers.index(i) < numbers.index(j) else (j, i))
    return {name: column[place] for name, column in estimates["cells"].items()}


def test_items_of_the_best_pairs_come_first(make_record: MakeRecord) -> None:
    rows = [(0, 1, 1, 100, 90.0), (2, 4, 1, 100, 20.0), (1, 3, 1, 100, 60.0)]
    estimates = estimates_of(make_record(n_items=6), evidence_from_rows(6, rows), top=4)
    assert [item["i"] for item in estimates["items"]] == [2, 4, 1, 3]
    assert estimates["items"][0] == {"i": 2, "id": "ad-2", "label": "Ad 2"}
    assert {name: len(column) for name, column in estimates["cells"].items()} == dict.fromkeys(COLUMNS, 6)
    measured = cell(estimates, 2, 4)
    assert measured["reward"] == pytest.approx(0.8)
    assert measured["low"] < 0.8 < measured["high"]
    assert (measured["shown"], measured["measured"]) == (100, True)


def test_unmeasured_cells_are_empty_until_there_is_enough_to_impute_from(make_record: MakeRecord) -> None:
    sparse = evidence_from_rows(6, [(0, 1, 1, 10, 5.0)])
    assert cell(estimates_of(make_record(n_items=6), sparse, top=6), 2, 3) == {
        "reward": None, "low": 0.0, "high": 1.0, "shown": 0, "measured": False,
    }  # fmt: skip
    x = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    rows = [(i, j, 1, 10**6, x[i] * x[j] * 10**6) for i in range(6) for j in range(i + 1, 6) if (i, j) != (2, 3)]
    imputed = cell(estimates_of(make_record(n_items=6), evidence_from_rows(6, rows), top=6), 2, 3)
    assert not imputed["measured"]
    assert imputed["reward"] == pytest.approx(1 - 0.42, abs=0.01)


def test_more_items_asked_for_than_there_are(make_record: MakeRecord) -> None:
    assert len(estimates_of(make_record(n_items=3), Evidence.empty(3), top=50)["items"]) == 3


def test_nothing_but_clicks_can_be_imputed_from(make_record: MakeRecord) -> None:
    rows = [(i, j, 1, 2, 0.0) for i in range(5) for j in range(i + 1, 5)]
    assert cell(estimates_of(make_record(n_items=5), evidence_from_rows(5, rows), top=5), 0, 1)["reward"] == 1.0


def test_intervals_are_rounded_outwards(make_record: MakeRecord) -> None:
    rows = [(0, 1, 1, 7_777, 1_234.0), (0, 2, 1, 3_333, 3_000.0), (1, 2, 1, 999, 77.0)]
    record, evidence = make_record(n_items=3), evidence_from_rows(3, rows)
    problem = record.settings.problem(3, None)
    exact = displayed(problem, evidence, Bounds(np.zeros(0), np.zeros(0), ()), np.array([0, 0, 1]), np.array([1, 2, 2]))
    told = estimates_of(record, evidence, top=3)
    for k, (i, j) in enumerate(((0, 1), (0, 2), (1, 2))):
        seen = cell(told, i, j)
        assert seen["low"] <= 1 - exact.high[k] < seen["low"] + 2e-4
        assert seen["high"] - 2e-4 < 1 - exact.low[k] <= seen["high"]
