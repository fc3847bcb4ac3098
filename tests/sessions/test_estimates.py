"""The heat map: the best pair's items first, measured and imputed cells told apart."""

from typing import Any

import pytest

from app.engine.evidence import Evidence
from app.sessions.estimates import estimates_of
from tests.sessions.conftest import MakeRecord


def cell(estimates: dict[str, Any], i: int, j: int) -> dict[str, Any]:
    numbers = [item["i"] for item in estimates["items"]]
    (found,) = [c for c in estimates["cells"] if {numbers[c["a"]], numbers[c["b"]]} == {i, j}]
    return dict(found)


def test_items_of_the_best_pairs_come_first(make_record: MakeRecord) -> None:
    rows = [(0, 1, 1, 100, 90.0), (2, 4, 1, 100, 20.0), (1, 3, 1, 100, 60.0)]
    estimates = estimates_of(make_record(n_items=6), Evidence.from_rows(6, rows), top=4)
    assert [item["i"] for item in estimates["items"]] == [2, 4, 1, 3]
    assert estimates["items"][0] == {"i": 2, "id": "ad-2", "label": "Ad 2"}
    assert len(estimates["cells"]) == 6
    measured = cell(estimates, 2, 4)
    assert measured["reward"] == pytest.approx(0.8)
    assert measured["interval"][0] < 0.8 < measured["interval"][1]
    assert (measured["shown"], measured["measured"]) == (100, True)


def test_unmeasured_cells_are_empty_until_there_is_enough_to_impute_from(make_record: MakeRecord) -> None:
    sparse = Evidence.from_rows(6, [(0, 1, 1, 10, 5.0)])
    assert cell(estimates_of(make_record(n_items=6), sparse, top=6), 2, 3) == {
        "a": 2, "b": 3, "reward": None, "interval": [0.0, 1.0], "shown": 0, "measured": False,
    }  # fmt: skip
    x = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    rows = [(i, j, 1, 10**6, x[i] * x[j] * 10**6) for i in range(6) for j in range(i + 1, 6) if (i, j) != (2, 3)]
    imputed = cell(estimates_of(make_record(n_items=6), Evidence.from_rows(6, rows), top=6), 2, 3)
    assert not imputed["measured"]
    assert imputed["reward"] == pytest.approx(1 - 0.42, abs=0.01)


def test_more_items_asked_for_than_there_are(make_record: MakeRecord) -> None:
    assert len(estimates_of(make_record(n_items=3), Evidence.empty(3), top=50)["items"]) == 3


def test_nothing_but_clicks_can_be_imputed_from(make_record: MakeRecord) -> None:
    rows = [(i, j, 1, 2, 0.0) for i in range(5) for j in range(i + 1, 5)]
    assert cell(estimates_of(make_record(n_items=5), Evidence.from_rows(5, rows), top=5), 0, 1)["reward"] == 1.0
