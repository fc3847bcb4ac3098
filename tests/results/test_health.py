"""Findings in a session: they suspend, they stay, and people can read them."""

import json
from dataclasses import asdict, replace
from itertools import islice
from typing import Any

import numpy as np
import pytest

from app.engine.health import Finding, FindingKind
from app.planning.make_plan import Planned
from app.results.health import CHANGED_SHARES, REMOVED_BOUND, in_words, kept, suspended, to_plain, with_new
from app.results.snapshots import snapshot_of
from app.sessions.model import FeedbackKind, Health, Signals
from tests.session_fixtures import MakeRecord, items
from tests.session_log import NOW, Log, Users, a_clear_winner


def said(planned: Planned) -> dict[str, Any]:
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
    assert (said(last)["verdict"], said(last)["health"]) == ("certified", [])
    assert last.certificate is not None
    assert sum(log.evidence().unanswered) > 100


def test_drift_suspends_and_names_the_items(make_record: MakeRecord) -> None:
    log = Log(make_record(policy="lucb", epsilon=0.02), np.random.default_rng(1), drifting(since=10))
    planned = next(one for one in islice(log.plans(), 40) if said(one)["health"])
    assert said(planned)["verdict"] == "suspended"
    (entry,) = said(planned)["health"]
    assert "ad-0" in entry["problem"]
    assert "plan 9" in entry["problem"], "the last plan before the change"
    assert entry["suspends"]
    assert planned.plan.demand.total, "exploration goes on"


def test_only_clicks_suspend_with_the_way_out(make_record: MakeRecord) -> None:
    log = Log(make_record(epsilon=0.1), np.random.default_rng(1), only_clicks_are_reported)
    plans = list(islice(log.plans(), 40))
    assert said(plans[-1])["verdict"] == "suspended"
    assert all(one.certificate is None for one in plans)
    advice = {entry["advice"] for entry in said(plans[-1])["health"]}
    assert len(advice) == 1, "uneven silence asks for the same"
    assert '"missing_feedback": "no_click"' in advice.pop()


@pytest.mark.parametrize(("policy", "doubted"), [("choosing", True), ("lucb", False)])
@pytest.mark.usefixtures("choosing")
def test_hidden_slots_matter_only_to_bounds_that_use_clicks_by_item(
    make_record: MakeRecord, policy: str, *, doubted: bool
) -> None:
    record = make_record(policy=policy, feedback=FeedbackKind.ITEMS, epsilon=0.1)
    log = Log(record, np.random.default_rng(1), one_click_at_most)
    last = list(log.plans())[-1]
    assert said(last)["verdict"] == ("suspended" if doubted else "certified")
    if doubted:
        assert any('"feedback": "pair"' in entry["advice"] for entry in said(last)["health"])


def test_a_doubt_stays_as_it_was_first_said(make_record: MakeRecord) -> None:
    log = Log(make_record(policy="lucb", epsilon=0.02), np.random.default_rng(1), drifting(since=10))
    first = next(one for one in log.plans() if said(one)["health"])
    log.users = a_clear_winner
    log.answer(first.plan)
    for later in islice(log.plans(), 12):
        assert said(later)["health"] == said(first)["health"]
        assert later.certificate is None


def test_doubt_after_the_verdict_suspends_it_too(make_record: MakeRecord) -> None:
    log = Log(make_record(policy="lucb", epsilon=0.1), np.random.default_rng(1))
    done = list(log.plans())[-1]
    assert done.certificate is not None
    log.record = replace(log.record, epoch=log.record.epoch + 1)
    for _ in range(400):  # they were out when it was certified
        log.impressions.append({**log.impressions[-1], "i": 0, "j": 1, "plan_version": done.plan.version - 1})
        log.impressions[-1] |= {"outcome": 0.0, "clicked": 0, "sequence": len(log.impressions)}
    later = log.plan()
    assert (said(later)["verdict"], said(later)["certified"]) == ("suspended", False)
    assert later.plan.report["verdict"] == "certified", "what the bounds say is in the log"
    assert later.certificate is None


def test_refreshed_snapshot_says_what_the_plan_found(make_record: MakeRecord) -> None:
    """A change of state writes the snapshot anew, from the stored report."""
    report = {**Log(make_record(), np.random.default_rng(1)).plan().plan.report}
    report["health"] = to_plain([Health("p", "c", "a")])
    warning = Health("q", "d", "b", suspends=False)
    body = json.loads(snapshot_of(make_record(), report, (warning,), Signals(), NOW).body)
    assert body["verdict"] == "suspended"
    assert [entry["problem"] for entry in body["health"]] == ["q", "p"]


def test_division_of_delta_must_not_change_on_the_way(make_record: MakeRecord, choosing: str) -> None:
    log = Log(make_record(policy="lucb"), np.random.default_rng(1))
    list(islice(log.plans(), 3))
    log.record = replace(log.record, settings=replace(log.record.settings, policy=choosing))
    assert said(log.plan())["health"] == [asdict(CHANGED_SHARES)]


@pytest.mark.parametrize(("share", "found"), [(0.0, []), (0.2, [asdict(REMOVED_BOUND)])])
def test_a_share_of_bound_g_suspends_and_an_empty_one_is_ignored(
    make_record: MakeRecord, share: float, found: list[dict[str, Any]]
) -> None:
    log = Log(make_record(policy="lucb"), np.random.default_rng(1))
    list(islice(log.plans(), 3))
    last = log.stored[-1]
    shares = {**last.report["shares_of_delta"], "gram": share}
    log.stored[-1] = replace(last, report={**last.report, "shares_of_delta": shares})
    assert said(log.plan())["health"] == found
    log.answer(log.stored[-1])
    assert said(log.plan())["health"] == found, "it stays"


def test_reports_of_older_versions_divided_delta_as_lucb_does(make_record: MakeRecord) -> None:
    log = Log(make_record(policy="lucb"), np.random.default_rng(1))
    list(islice(log.plans(), 3))
    old = {name: value for name, value in log.stored[-1].report.items() if name not in {"health", "shares_of_delta"}}
    log.stored[-1] = replace(log.stored[-1], report=old)
    assert said(log.plan())["health"] == []


NUMBERS = {
    FindingKind.STRUCTURE: {"direct_at_most": 0.521, "implied_at_least": 0.573, "shown": 900.0},
    FindingKind.PARTNERS: {"beside_it": 0.12, "beside_others": 0.19},
    FindingKind.NEVER_BOTH: {"expected": 140.2, "shown": 3000.0},
    FindingKind.DRIFT: {"until_version": 9.0, "early": 0.31, "late": 0.42, "early_shown": 2100.0, "late_shown": 1800.0},
    FindingKind.SILENCE: {"unanswered": 0.4, "expected": 0.25, "shown": 700.0},
    FindingKind.ONLY_CLICKS: {"clicks": 57.0, "unanswered": 0.83},
}
SAID = {
    FindingKind.STRUCTURE: ("ad-2 and ad-0", "52.1 %", "57.3 %"),
    FindingKind.PARTNERS: ("ad-2 and ad-0", "12 %", "19 %"),
    FindingKind.NEVER_BOTH: ("about 140",),
    FindingKind.DRIFT: ("ad-2 and ad-0", "31 % of 2100", "plan 9", "42 % of 1800"),
    FindingKind.SILENCE: ("ad-2 and ad-0", "40 % of 700", "25 %"),
    FindingKind.ONLY_CLICKS: ("all 57", "83 %"),
}


@pytest.mark.parametrize("kind", FindingKind)
def test_every_kind_has_words_with_items_and_numbers(kind: FindingKind) -> None:
    words = in_words(Finding(kind, True, (2, 0), NUMBERS[kind]), items(3))
    for part in SAID[kind]:
        assert part in words.problem
    assert words.suspends
    assert "create a" in words.advice
    assert not in_words(Finding(kind, False, (2, 0), NUMBERS[kind]), items(3)).suspends


def test_causes_tell_the_kinds_apart() -> None:
    """One finding of a cause is kept, so two kinds must not share one."""
    causes = {in_words(Finding(kind, True, (0, 1), NUMBERS[kind]), items(2)).cause for kind in FindingKind}
    assert len(causes) == len(FindingKind)


def test_one_of_each_cause_the_first_stays() -> None:
    first, again, other = Health("1", "c", "a"), Health("2", "c", "a"), Health("3", "d", "a", suspends=False)
    assert with_new([first], [again, other]) == (first, other)
    assert kept({"health": to_plain([first, other])}) == (first, other)
    assert suspended([first, other])
    assert not suspended([other])


def test_findings_stored_before_some_could_be_warnings_suspend() -> None:
    assert kept({"health": [{"problem": "p", "cause": "c", "advice": "a"}]}) == (Health("p", "c", "a", suspends=True),)
