"""The benchmark of planning: what it tells is of the session it played."""

import json

import pytest

from experiments.planning import Planning, play
from tests.test_cli import bestpair


def test_a_small_session_is_played_to_its_verdict() -> None:
    played = play(6, "ads6", "lucb", plans=400)
    assert played.certified
    assert played.samples > 0
    assert 1 < len(played.seconds) < 400
    assert len(play(6, "ads6", "lucb", plans=2).seconds) == 2, "no more than were asked for"


def test_early_and_late_are_told_apart_and_the_slowest_is_judged() -> None:
    row = Planning(200, (0.1, 0.1, 0.1, 0.2, 0.4, 0.4, 0.4), samples=5, certified=False, peak_mb=90.0)
    assert (row.early, row.late, row.is_within_targets) == (0.1, 0.4, True)
    assert Planning(200, (0.1, 0.6, 0.1), 5, False, 90.0).is_within_targets is False
    assert Planning(5000, (1.0,), 5, False, 1600.0).is_within_targets is False, "too much memory"
    assert Planning(77, (99.0,), 5, False, 9e9).is_within_targets is None


def test_what_is_stored_grows_with_clicks_on_items() -> None:
    of_pairs, of_items = (play(12, "ads6", "rplans", 8, item_clicks) for item_clicks in (False, True))
    assert 0 < of_pairs.memory_kb < of_items.memory_kb < 50


@pytest.mark.parametrize("items", ["6,8"])
def test_the_command_prints_a_row_for_each_size(items: str) -> None:
    rows = json.loads(bestpair("bench", "planning", "--items", items, "--plans", "2", "--json").stdout)
    assert [row["items"] for row in rows] == [6, 8]
    assert all(row["plans"] == 2 and row["peak_mb"] > 10 for row in rows)
    refused = bestpair("bench", "planning", "--items", "six")
    assert refused.returncode == 2
    assert "whole numbers" in refused.stderr
