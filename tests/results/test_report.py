"""The report of a plan in its stored form, also as older versions stored it."""

import json
from typing import Any

import pytest

from app.engine.delta_shares import Shares
from app.health import Health
from app.results.report import PlanReport, RankedPair
from tests.examples import report

FULL = report(
    relative_gap=0.3,
    estimated_reward=0.4,
    forecast_samples=1234,
    diagnostics={"rank": 2.0},
    race=(RankedPair(0, 1, 0.4, 0.3, 0.5, 100), RankedPair(0, 2, None, 0.0, 1.0, 0)),
    budget=5000,
    shares=Shares(upper=0.1, nominees=0.2, direct=0.3, screening=0.2, clicks=0.2),
    health=(Health("p", "c", "a", suspends=False),),
)


def stored(of: PlanReport) -> dict[str, Any]:
    return dict(json.loads(json.dumps(of.to_plain())))


@pytest.mark.parametrize("each", [report(), FULL])
def test_a_stored_report_is_read_back(each: PlanReport) -> None:
    assert PlanReport.from_plain(stored(each)) == each


def test_the_stored_keys_stay_as_they_are() -> None:
    assert list(stored(FULL)) == [
        "pair", "verdict", "gap", "relative_gap", "estimated_reward", "interval", "phase", "samples", "contenders",
        "forecast_samples", "assumptions", "diagnostics", "race", "budget", "shares_of_delta", "health",
    ]  # fmt: skip


def test_fields_that_an_older_version_did_not_store_get_their_defaults() -> None:
    plain = stored(report())
    for name in ("relative_gap", "forecast_samples", "diagnostics", "race", "budget", "shares_of_delta", "health"):
        del plain[name]
    assert PlanReport.from_plain(plain) == report()


@pytest.mark.parametrize(("share", "expected"), [(0.0, Shares()), (0.2, None)])
def test_a_share_of_the_removed_bound_g_leaves_no_shares(share: float, expected: Shares | None) -> None:
    plain = stored(report())
    plain["shares_of_delta"]["gram"] = share
    assert PlanReport.from_plain(plain).shares == expected


@pytest.mark.parametrize("pair", [None, [1], [0, 1, 2], "ab"])
def test_a_report_without_a_pair_is_refused(pair: object) -> None:
    with pytest.raises(ValueError, match="no pair"):
        PlanReport.from_plain({**stored(report()), "pair": pair})


def test_a_report_of_a_newer_version_can_be_read() -> None:
    plain = {**report().to_plain(), "shares_of_delta": {"upper": 0.1, "of_a_later_bound": 0.9}, "later": 1}
    plain["race"] = [[0, 1, 0.5, 0.1, 0.9, 7, "later"]]
    read = PlanReport.from_plain(plain)
    assert (read.shares, read.uses_removed_bound) == (None, False)
    assert read.race == (RankedPair(0, 1, 0.5, 0.1, 0.9, 7),)
