"""Which differences between a stored and a replayed report count."""

from dataclasses import replace
from typing import Any

import pytest

from app.health import Health
from app.results.report import PlanReport
from app.verification.replay import _same_report
from tests.examples import report

FOUND = report(health=(Health("the text of an older version", "a cause", "older advice"),))


def stored(of: PlanReport, **changes: Any) -> dict[str, Any]:
    return {**of.to_plain(), **changes}


def test_other_words_for_the_same_cause_are_the_same_report() -> None:
    again = replace(FOUND, health=(Health("another text", "a cause", "other advice"),))
    assert _same_report(stored(FOUND), again)


def test_another_forecast_is_the_same_report() -> None:
    assert _same_report(stored(FOUND, forecast_samples=1234), FOUND)


@pytest.mark.parametrize(
    "again",
    [
        replace(FOUND, health=()),
        replace(FOUND, health=(Health("p", "another cause", "a"),)),
        replace(FOUND, health=(Health("p", "a cause", "a", suspends=False),)),
        replace(FOUND, gap=0.24),
    ],
)
def test_another_finding_or_number_is_another_report(again: PlanReport) -> None:
    assert not _same_report(stored(FOUND), again)


def test_a_share_of_zero_for_the_removed_bound_is_no_difference() -> None:
    shares = FOUND.to_plain()["shares_of_delta"]
    assert _same_report(stored(FOUND, shares_of_delta={**shares, "gram": 0.0}), FOUND)
    assert not _same_report(stored(FOUND, shares_of_delta={**shares, "gram": 0.1}), FOUND)
