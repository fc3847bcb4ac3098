"""Findings in a session: they suspend the verdict, later plans keep them, and their texts name items and numbers."""

import json
from dataclasses import asdict, replace
from itertools import islice
from typing import Any

import numpy as np
import pytest

from app.counting.signals_sql import Signals
from app.engine.health import Finding, FindingKind
from app.health import Health
from app.planning.plan import Planned
from app.results.best_pair import snapshot_of
from app.results.findings import CHANGED_SHARES, REMOVED_BOUND, describe
from app.results.report import PlanReport
from app.wire.vocabulary import FeedbackKind
from tests.session_fixtures import MakeRecord, items
from tests.session_log import NOW, Log, Users, a_clear_winner


def body(planned: Planned) -> dict[str, Any]:
    return dict(json.loads(planned.snapshot.body))


def drifting(since: int) -> Users:
    """From this plan on, the favourites are no longer clicked."""

    def users(i: int, j: int, version: int, rng: np.random.Generator) -> frozenset[int]:
        return a_clear_winner(i, j, version, rng) if version < since else frozenset()

    return users


def only_clicks_are_reported(i: int, j: int, version: int, rng: np.random.Generator) -> frozenset[int] | None:
    return a_clear_winner(i, j, version, rng) or None


def one_click_at_most(i: int, j: int, _version: int, rng: np.random.Generator) -> frozenset[int]:
    """All items are liked, but the first click leads away."""
    liked = [item for item in (i, j) if rng.random() < 0.65 - 0.05 * item]
    return frozenset(liked[:1])


def lost_by_coin(i: int, j: int, version: int, rng: np.random.Generator) -> frozenset[int] | None:
    return None if rng.random() < 0.3 else a_clear_winner(i, j, version, rng)


def test_healthy_session_is_certified(make_record: MakeRecord) -> None:
    log = Log(make_record(epsilon=0.1), np.random.default_rng(1), lost_by_coin)
    last = list(log.plans())[-1]
    assert (body(last)["verdict"], body(last)["health"]) == ("certified", [])
    assert last.certificate is not None
    assert sum(log.evidence().unanswered) > 100


def test_drift_suspends_and_names_the_items(make_record: MakeRecord) -> None:
    log = Log(make_record(policy="lucb", epsilon=0.02), np.random.default_rng(1), drifting(since=10))
    planned = next(one for one in islice(log.plans(), 40) if body(one)["health"])
    assert body(planned)["verdict"] == "suspended"
    (entry,) = body(planned)["health"]
    assert "ad-0" in entry["problem"]
    assert "plan 9" in entry["problem"], "the last plan before the change"
    assert entry["suspends"]
    assert planned.plan.demand.total, "the session still explores"


def test_only_clicks_suspend_and_the_advice_is_missing_feedback(make_record: MakeRecord) -> None:
    log = Log(make_record(epsilon=0.1), np.random.default_rng(1), only_clicks_are_reported)
    plans = list(islice(log.plans(), 40))
    assert body(plans[-1])["verdict"] == "suspended"
    assert all(one.certificate is None for one in plans)
    advice = {entry["advice"] for entry in body(plans[-1])["health"]}
    assert len(advice) == 1, "the finding about uneven silence gives the same advice"
    assert '"missing_feedback": "no_click"' in advice.pop()


@pytest.mark.parametrize(("policy", "suspended"), [("choosing", True), ("lucb", False)])
@pytest.mark.usefixtures("choosing")
def test_hidden_slots_matter_only_to_bounds_that_use_clicks_by_item(
    make_record: MakeRecord, policy: str, *, suspended: bool
) -> None:
    record = make_record(policy=policy, feedback=FeedbackKind.ITEMS, epsilon=0.1)
    log = Log(record, np.random.default_rng(1), one_click_at_most)
    last = list(log.plans())[-1]
    assert body(last)["verdict"] == ("suspended" if suspended else "certified")
    if suspended:
        assert any('"feedback": "pair"' in entry["advice"] for entry in body(last)["health"])


def test_later_plans_keep_a_finding_as_it_was_first_found(make_record: MakeRecord) -> None:
    log = Log(make_record(policy="lucb", epsilon=0.02), np.random.default_rng(1), drifting(since=10))
    first = next(one for one in log.plans() if body(one)["health"])
    log.users = a_clear_winner
    log.answer(first.plan)
    for later in islice(log.plans(), 12):
        assert body(later)["health"] == body(first)["health"]
        assert later.certificate is None


def test_a_finding_after_certification_suspends_the_verdict(make_record: MakeRecord) -> None:
    log = Log(make_record(policy="lucb", epsilon=0.1), np.random.default_rng(1))
    done = list(log.plans())[-1]
    assert done.certificate is not None
    for _ in range(400):  # outstanding when it was certified
        log.impressions.append({**log.impressions[-1], "i": 0, "j": 1, "plan_version": done.plan.version - 1})
        log.impressions[-1] |= {"outcome": 0.0, "clicked": 0, "sequence": len(log.impressions)}
    assert body(log.plan())["verdict"] == "certified", "answers above the watermark are no evidence yet"
    log.fold()
    later = log.plan()
    assert (body(later)["verdict"], body(later)["certified"]) == ("suspended", False)
    assert later.plan.report.verdict == "certified", "the log has the verdict of the bounds"
    assert later.certificate is None


def test_refreshed_snapshot_has_the_findings_of_the_plan(make_record: MakeRecord) -> None:
    """A change of state rewrites the snapshot from the stored report."""
    report = replace(Log(make_record(), np.random.default_rng(1)).plan().plan.report, health=(Health("p", "c", "a"),))
    warning = Health("q", "d", "b", suspends=False)
    snapshot = json.loads(snapshot_of(make_record(), report, (warning,), Signals(), NOW).body)
    assert snapshot["verdict"] == "suspended"
    assert [entry["problem"] for entry in snapshot["health"]] == ["q", "p"]


def test_a_changed_division_of_delta_is_reported(make_record: MakeRecord, choosing: str) -> None:
    log = Log(make_record(policy="lucb"), np.random.default_rng(1))
    list(islice(log.plans(), 3))
    log.record = replace(log.record, settings=log.record.settings.model_copy(update={"policy": choosing}))
    assert body(log.plan())["health"] == [asdict(CHANGED_SHARES)]


@pytest.mark.parametrize(("share", "found"), [(0.0, []), (0.2, [asdict(REMOVED_BOUND)])])
def test_a_share_of_bound_g_suspends_and_an_empty_one_is_ignored(
    make_record: MakeRecord, share: float, found: list[dict[str, Any]]
) -> None:
    log = Log(make_record(policy="lucb"), np.random.default_rng(1))
    list(islice(log.plans(), 3))
    plain = log.stored[-1].report.to_plain()
    plain["shares_of_delta"]["gram"] = share
    log.stored[-1] = replace(log.stored[-1], report=PlanReport.from_plain(plain))
    assert body(log.plan())["health"] == found
    log.answer(log.stored[-1])
    assert body(log.plan())["health"] == found, "the next plan keeps it"


def test_a_report_without_shares_is_read_with_the_default_shares(make_record: MakeRecord) -> None:
    log = Log(make_record(policy="lucb"), np.random.default_rng(1))
    list(islice(log.plans(), 3))
    plain = log.stored[-1].report.to_plain()
    del plain["health"], plain["shares_of_delta"]
    log.stored[-1] = replace(log.stored[-1], report=PlanReport.from_plain(plain))
    assert body(log.plan())["health"] == []


NUMBERS = {
    FindingKind.STRUCTURE: {"direct_at_most": 0.521, "implied_at_least": 0.573, "shown": 900.0},
    FindingKind.PARTNERS: {"beside_it": 0.12, "beside_others": 0.19},
    FindingKind.NEVER_BOTH: {"expected": 140.2, "shown": 3000.0},
    FindingKind.DRIFT: {"until_version": 9.0, "early": 0.31, "late": 0.42, "early_shown": 2100.0, "late_shown": 1800.0},
    FindingKind.SILENCE: {"unanswered": 0.4, "expected": 0.25, "shown": 700.0},
    FindingKind.ONLY_CLICKS: {"clicks": 57.0, "unanswered": 0.83},
    FindingKind.LATE: {"clicked": 0.91, "expected": 0.214, "late": 33.0},
}
EXPECTED = {
    FindingKind.STRUCTURE: ("ad-2 and ad-0", "52.1 %", "57.3 %"),
    FindingKind.PARTNERS: ("ad-2 and ad-0", "12 %", "19 %"),
    FindingKind.NEVER_BOTH: ("about 140",),
    FindingKind.DRIFT: ("ad-2 and ad-0", "31 % of 2100", "plan 9", "42 % of 1800"),
    FindingKind.SILENCE: ("ad-2 and ad-0", "40 % of 700", "25 %"),
    FindingKind.ONLY_CLICKS: ("all 57", "83 %"),
    FindingKind.LATE: ("91 % of 33 late answers are clicks", "21.4 % were expected"),
}


@pytest.mark.parametrize("kind", FindingKind)
def test_every_kind_is_described_with_items_and_numbers(kind: FindingKind) -> None:
    entry = describe(Finding(kind, True, (2, 0), NUMBERS[kind]), items(3))
    for part in EXPECTED[kind]:
        assert part in entry.problem
    assert entry.suspends
    assert "create a" in entry.advice
    assert not describe(Finding(kind, False, (2, 0), NUMBERS[kind]), items(3)).suspends


def test_every_kind_has_a_different_cause() -> None:
    """A report has one finding per cause, so two kinds must not have the same cause."""
    causes = {describe(Finding(kind, True, (0, 1), NUMBERS[kind]), items(2)).cause for kind in FindingKind}
    assert len(causes) == len(FindingKind)
