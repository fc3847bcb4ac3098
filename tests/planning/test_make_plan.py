"""Planning from stored values: the plan, its snapshot, and how a session ends."""

import json
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from app.counting.rules import EvidenceRows
from app.engine.problem import Model
from app.health import Health
from app.planning.make_plan import make_plan
from app.planning.plan import PlanningInput, StoredPlan
from app.sessions.model import Counters
from app.wire.vocabulary import FeedbackKind
from tests.session_fixtures import MakeRecord
from tests.session_log import NOW, Log

NOTHING = Counters(0, 0, 0, 0)


def test_first_plan_asks_for_pairs_and_certifies_nothing(make_record: MakeRecord) -> None:
    planned = make_plan(PlanningInput(make_record(plan_version=0), NOTHING, EvidenceRows(), None, ()), NOW)
    assert planned.plan.version == 1
    assert planned.plan.demand.total
    body = json.loads(planned.snapshot.body)
    assert (body["verdict"], body["certified"], body["gap"], body["samples"]) == ("not_yet", False, 1.0, 0)
    assert body["updated_at"] == "2026-01-02T03:04:05.000+00:00"
    assert planned.certificate is None


def test_two_items_are_certified_at_once(make_record: MakeRecord) -> None:
    given = PlanningInput(make_record(n_items=2, plan_version=0), NOTHING, EvidenceRows(), None, ())
    planned = make_plan(given, NOW)
    body = json.loads(planned.snapshot.body)
    assert (body["verdict"], body["gap"], body["pair"]) == ("certified", 0.0, ["ad-0", "ad-1"])
    assert planned.plan.demand.triples == ()
    assert planned.certificate is not None


def test_the_same_input_gives_the_same_plan(make_record: MakeRecord) -> None:
    log = Log(make_record(), np.random.default_rng(1))
    *_, planned = islice(log.plans(), 6)
    again = make_plan(replace(log.given(), session=replace(log.record)), NOW)
    assert again == make_plan(log.given(), NOW)
    assert planned.plan.version == 6


@pytest.mark.parametrize("feedback", FeedbackKind)
def test_the_engine_learns_the_kind_of_feedback(make_record: MakeRecord, feedback: FeedbackKind) -> None:
    problem = make_record(feedback=feedback).settings.problem(4, None)
    assert problem.item_clicks == (feedback is FeedbackKind.ITEMS)


def test_the_snapshot_has_the_forecast_of_the_policy(make_record: MakeRecord, choosing: str) -> None:
    planned = make_plan(
        PlanningInput(make_record(plan_version=0, policy=choosing), NOTHING, EvidenceRows(), None, ()), NOW
    )
    assert json.loads(planned.snapshot.body)["forecast_samples"] == 1234


@pytest.mark.parametrize(("suspends", "verdict"), [(True, "suspended"), (False, "certified")])
def test_only_entries_that_suspend_prevent_verdict_and_certificate(
    make_record: MakeRecord, verdict: str, *, suspends: bool
) -> None:
    stored = (Health("p", "c", "a", suspends),)
    given = PlanningInput(make_record(n_items=2, plan_version=0), NOTHING, EvidenceRows(), None, stored)
    planned = make_plan(given, NOW)
    body = json.loads(planned.snapshot.body)
    assert (body["verdict"], body["certified"]) == (verdict, not suspends)
    assert body["health"] == [{"problem": "p", "cause": "c", "advice": "a", "suspends": suspends, "kind": None}]
    assert (planned.certificate is None) == suspends


def test_a_deterministic_session_is_certified_with_exact_values(make_record: MakeRecord) -> None:
    log = Log(make_record(n_items=5, model=Model.DETERMINISTIC), np.random.default_rng(1), lambda *_: frozenset())

    def exactly(plan: StoredPlan) -> None:
        for i, j, count in plan.demand.triples:
            assert count == 1
            log.show(i, j, plan.version)
            log.impressions[-1]["outcome"] = 1.0 - (0.2 + 0.1 * i) * (0.2 + 0.1 * j)

    log.answer = exactly  # type: ignore[method-assign]
    body = json.loads(list(log.plans())[-1].snapshot.body)
    assert (body["verdict"], body["i"], body["j"]) == ("certified", 0, 1)
    assert body["gap"] < 1e-5
    assert body["estimated_reward"] == pytest.approx(1 - 0.2 * 0.3)
    assert body["interval"] == pytest.approx([0.94, 0.94], abs=1e-5)
