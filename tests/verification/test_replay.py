"""Which differences between a stored and a replayed report count."""

from dataclasses import replace
from typing import Any

import pytest

from app.engine.arrays import Pair
from app.engine.choices import Choices, Outlook
from app.engine.memory import Certified, Memory
from app.health import Health
from app.results.report import PlanReport
from app.verification.replay import _same_memory, _same_report
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


def test_fields_that_an_older_version_did_not_store_are_no_difference() -> None:
    again = replace(FOUND, relative_gap=0.5)
    older = stored(FOUND)
    del older["relative_gap"]
    assert _same_report(older, again)
    assert not _same_report(stored(FOUND, relative_gap=0.4), again)


OUTLOOK = Outlook(3, (), (), (), ((0, 1), (0, 2)), (5, 5), (0.4, 0.6), epsilon=0.05)
VERDICT = Certified(Pair(0, 1), 0.04, 4, ("mixture",), 0.1)
NEW = Memory(4, {}, VERDICT, Choices(outlooks=(OUTLOOK,)))
OLD = replace(
    NEW,
    certified=replace(VERDICT, relative_gap=None),
    choices=Choices(outlooks=(replace(OUTLOOK, epsilon=None),)),
)


def test_what_an_older_version_did_not_remember_is_no_difference() -> None:
    assert _same_memory(NEW, NEW)
    assert _same_memory(OLD, NEW)
    assert _same_memory(None, None)


@pytest.mark.parametrize(
    "again",
    [
        None,
        OLD,
        replace(NEW, version=5),
        replace(NEW, certified=None),
        replace(NEW, certified=replace(VERDICT, relative_gap=0.2)),
        replace(NEW, choices=Choices()),
        replace(NEW, choices=Choices(outlooks=(replace(OUTLOOK, epsilon=0.06),))),
        replace(NEW, choices=Choices(outlooks=(OUTLOOK, replace(OUTLOOK, version=4)))),
    ],
)
def test_another_memory_is_a_difference(again: Memory | None) -> None:
    assert not _same_memory(NEW, again)


@pytest.mark.parametrize(
    "again",
    [
        replace(NEW, certified=replace(VERDICT, gap=0.05)),
        replace(NEW, choices=Choices(outlooks=(replace(OUTLOOK, planned=(5, 6)),))),
        replace(NEW, choices=Choices(outlooks=(OUTLOOK, replace(OUTLOOK, version=4)))),
        replace(NEW, choices=Choices()),
    ],
)
def test_what_an_older_version_remembered_is_compared(again: Memory) -> None:
    assert not _same_memory(OLD, again)


def test_a_share_of_zero_for_the_removed_bound_is_no_difference() -> None:
    shares = FOUND.to_plain()["shares_of_delta"]
    assert _same_report(stored(FOUND, shares_of_delta={**shares, "gram": 0.0}), FOUND)
    assert not _same_report(stored(FOUND, shares_of_delta={**shares, "gram": 0.1}), FOUND)
