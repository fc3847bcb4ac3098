"""Planning from stored values: the plan, its snapshot, and how a session ends."""

import json
from collections import Counter
from dataclasses import replace
from itertools import islice
from operator import add
from typing import Any

import numpy as np
import pytest

from app.counting.delays import Delays
from app.counting.rules import Cell, EvidenceRows, rows_of
from app.counting.signals_sql import Signals
from app.engine.problem import Model
from app.health import Health
from app.planning.make_plan import late_answers_of, make_plan
from app.planning.plan import LateRows, Planned, PlanningInput, StoredPlan
from app.results.findings import LATE_CAUSE
from app.results.notes import NoteKind
from app.results.report import PlanReport
from app.sessions.model import Counters
from app.wire.vocabulary import FeedbackKind
from tests.session_fixtures import MakeRecord
from tests.session_log import NOW, Log

NOTHING = Counters(0, 0, 0, 0)


def made(given: PlanningInput) -> Planned:
    """Returns the plan of an input that needs one."""
    planned = make_plan(given, NOW)
    assert planned is not None
    return planned


def both(one: EvidenceRows, other: EvidenceRows) -> EvidenceRows:
    """Returns the counts of both."""
    sums: dict[Cell, list[float]] = {}
    for rows in (one, other):
        counts = (rows.n, rows.s, rows.clicks_i, rows.clicks_j, rows.unanswered)
        for i, j, version, *more in zip(rows.i, rows.j, rows.version, *counts, strict=True):
            cell = sums.setdefault((i, j, version), [0, 0.0, 0, 0, 0])
            sums[i, j, version] = [*map(add, cell, more)]
    return rows_of(sums)


def test_first_plan_asks_for_pairs_and_certifies_nothing(make_record: MakeRecord) -> None:
    planned = made(PlanningInput(make_record(plan_version=0), NOTHING, EvidenceRows(), None, ()))
    assert planned.plan.version == 1
    assert planned.plan.demand.total
    body = json.loads(planned.snapshot.body)
    assert (body["verdict"], body["certified"], body["gap"], body["samples"]) == ("not_yet", False, 1.0, 0)
    assert (body["relative_gap"], body["epsilon"], body["relative_epsilon"]) == (1.0, None, 0.1)
    assert body["updated_at"] == "2026-01-02T03:04:05.000+00:00"
    assert planned.certificate is None


def test_two_items_are_certified_at_once(make_record: MakeRecord) -> None:
    given = PlanningInput(make_record(n_items=2, plan_version=0), NOTHING, EvidenceRows(), None, ())
    planned = made(given)
    body = json.loads(planned.snapshot.body)
    assert (body["verdict"], body["gap"], body["pair"]) == ("certified", 0.0, ["ad-0", "ad-1"])
    assert body["relative_gap"] == 0.0
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
    planned = made(PlanningInput(make_record(plan_version=0, policy=choosing), NOTHING, EvidenceRows(), None, ()))
    assert json.loads(planned.snapshot.body)["forecast_samples"] == 1234


@pytest.mark.parametrize(("suspends", "verdict"), [(True, "suspended"), (False, "certified")])
def test_only_entries_that_suspend_prevent_verdict_and_certificate(
    make_record: MakeRecord, verdict: str, *, suspends: bool
) -> None:
    stored = (Health("p", "c", "a", suspends),)
    given = PlanningInput(make_record(n_items=2, plan_version=0), NOTHING, EvidenceRows(), None, stored)
    planned = made(given)
    body = json.loads(planned.snapshot.body)
    assert (body["verdict"], body["certified"]) == (verdict, not suspends)
    assert body["health"] == [{"problem": "p", "cause": "c", "advice": "a", "suspends": suspends, "kind": None}]
    assert (planned.certificate is None) == suspends


@pytest.mark.parametrize("goal", [{"epsilon": 0.3}, {"relative_epsilon": 0.4}])
@pytest.mark.parametrize("feedback", FeedbackKind)
def test_the_goal_decides_when_a_session_is_certified(
    make_record: MakeRecord, feedback: FeedbackKind, goal: dict[str, Any]
) -> None:
    log = Log(make_record(feedback=feedback, **goal), np.random.default_rng(3))
    bodies = [json.loads(planned.snapshot.body) for planned in log.plans()]
    for body in bodies:
        reached = {"epsilon": body["gap"], "relative_epsilon": body["relative_gap"]}
        assert all(body["certified"] == (reached[name] <= most) for name, most in goal.items()), body
        assert {name: body[name] for name in reached if body[name] is not None} == goal
    assert bodies[-1]["certified"]
    stored = [PlanReport.from_plain(json.loads(row["report"])) for row in log.plan_rows]
    assert [one.relative_gap for one in stored] == [body["relative_gap"] for body in bodies]


def test_a_verdict_of_a_version_without_relative_gaps_stays(make_record: MakeRecord) -> None:
    log = Log(make_record(epsilon=0.3), np.random.default_rng(3))
    *_, last = log.plans()
    memory = json.loads(last.plan.memory)
    del memory["certified"]["relative_gap"]
    log.stored[-1] = replace(last.plan, memory=json.dumps(memory))
    body = json.loads(log.plan().snapshot.body)
    assert (body["certified"], body["gap"], body["relative_gap"]) == (True, memory["certified"]["gap"], None)


@pytest.mark.parametrize("goal", [{}, {"epsilon": 0.05}, {"relative_epsilon": 0.5}])
def test_a_deterministic_session_is_certified_with_exact_values(make_record: MakeRecord, goal: dict[str, Any]) -> None:
    """Whatever its goal is."""
    record = make_record(n_items=5, model=Model.DETERMINISTIC, **goal)
    log = Log(record, np.random.default_rng(1), lambda *_: frozenset())

    def exactly(plan: StoredPlan) -> None:
        for i, j, count in plan.demand.triples:
            assert count == 1
            log.show(i, j, plan.version)
            log.impressions[-1]["outcome"] = 1.0 - (0.2 + 0.1 * i) * (0.2 + 0.1 * j)
        log.fold()

    log.answer = exactly  # type: ignore[method-assign]
    body = json.loads(list(log.plans())[-1].snapshot.body)
    assert (body["verdict"], body["i"], body["j"]) == ("certified", 0, 1)
    assert body["gap"] < 1e-5
    assert body["estimated_reward"] == pytest.approx(1 - 0.2 * 0.3)
    assert body["interval"] == pytest.approx([0.94, 0.94], abs=1e-5)


class TestKnownAnswers:
    """A plan is made from every answer that has arrived; only those up to the watermark prove something."""

    def waiting(self, make_record: MakeRecord, held: int = 40, policy: str = "rplans") -> PlanningInput:
        """Returns the input of a plan, with answers above the watermark."""
        log = Log(make_record(epsilon=0.2, delta=0.1, policy=policy), np.random.default_rng(3), held=held)
        *_, last = islice(log.plans(), 10)
        log.answer(last.plan)
        given = log.given()
        assert sum(given.known.n) == held - 1, "the first one is not answered"
        return given

    def test_they_are_stored_with_the_plan(self, make_record: MakeRecord) -> None:
        given = self.waiting(make_record)
        planned = made(given)
        assert json.loads(planned.plan.known) == given.known.to_plain()
        assert planned.plan.counted_before == given.counters.counted + sum(given.known.n)
        assert (planned.plan.watermark, planned.plan.digest) == (given.session.watermark, given.log.digest)

    def test_without_any_nothing_is_stored(self, make_record: MakeRecord) -> None:
        assert made(self.waiting(make_record, held=1)).plan.known == ""

    def test_they_decide_what_is_shown(self, make_record: MakeRecord) -> None:
        given = self.waiting(make_record)
        below = made(replace(given, evidence=both(given.evidence, given.known), known=EvidenceRows()))
        assert made(given).plan.demand == below.plan.demand, "as if they were below the watermark"
        assert made(given).plan.demand != made(replace(given, known=EvidenceRows())).plan.demand

    def test_they_prove_nothing(self, make_record: MakeRecord) -> None:
        given = self.waiting(make_record)
        report, without = made(given).plan.report, made(replace(given, known=EvidenceRows())).plan.report
        assert report.samples == sum(given.evidence.n)
        assert (report.gap, report.pair, report.interval) == (without.gap, without.pair, without.interval)

    def test_they_use_up_the_budget(self, make_record: MakeRecord) -> None:
        given = self.waiting(make_record, policy="lucb")
        n_known = sum(given.evidence.n) + sum(given.known.n)
        planned = made(replace(given, session=replace(given.session, budget=n_known + 3)))
        assert (planned.plan.demand.total, planned.plan.report.verdict) == (3, "not_yet")
        spent = replace(given, session=replace(given.session, budget=n_known))
        assert make_plan(spent, NOW) is None, "the last report waits for the watermark"

    def test_if_they_would_certify_there_is_no_plan_until_the_watermark_moves(self, make_record: MakeRecord) -> None:
        log = Log(make_record(epsilon=0.2, delta=0.1), np.random.default_rng(3), held=40)
        for _ in range(20):
            if make_plan(log.given(), NOW) is None:
                break
            log.answer(log.plan().plan)
        given = log.given()
        assert make_plan(given, NOW) is None
        alone = made(replace(given, known=EvidenceRows()))
        assert alone.certificate is None, "what is below the watermark does not certify"
        assert alone.plan.demand.total, "a plan without them would ask for more"
        log.fold()
        proven = made(log.given())
        assert proven.certificate is not None
        assert json.loads(proven.certificate.body)["log"]["watermark"] == len(log.impressions)
        assert (proven.plan.demand.total, proven.plan.known) == (0, "")


class TestLateAnswers:
    """Answers after the time to live: they are compared with the timely ones of the same pair and plan."""

    def given(self, make_record: MakeRecord, outcome: float) -> PlanningInput:
        """Every fourth impression has another one, of the same pair and plan, whose answer is late."""
        log = Log(make_record(epsilon=0.01), np.random.default_rng(1))
        for _ in islice(log.plans(), 10):
            pass
        i, j, version = zip(*((row["i"], row["j"], row["plan_version"]) for row in log.impressions[::4]), strict=True)
        late = LateRows(i, j, version, (outcome,) * len(i), (400.0,) * len(i))
        return replace(log.given(), late=late)

    def test_each_pair_of_each_plan_is_compared(self, make_record: MakeRecord) -> None:
        given = self.given(make_record, 1.0)
        found = late_answers_of(given)
        assert found is not None
        rows = given.evidence
        cells = Counter(
            (min(i, j), max(i, j), version)
            for i, j, version in zip(given.late.i, given.late.j, given.late.version, strict=True)
        )
        expected = [
            [version, n, n - s, cells[i, j, version], cells[i, j, version]]
            for i, j, version, n, s in zip(rows.i, rows.j, rows.version, rows.n, rows.s, strict=True)
            if (i, j, version) in cells
        ]
        assert np.array(found[:5]).T.tolist() == expected
        assert len(expected) > 10
        assert (found.closed_before, found.look) == (given.closed_before, given.session.plan_version + 1)
        assert late_answers_of(replace(given, late=LateRows())) is None

    def test_late_answers_of_a_pair_without_timely_ones_are_left_out(self, make_record: MakeRecord) -> None:
        found = late_answers_of(
            replace(self.given(make_record, 1.0), late=LateRows((0,), (1,), (99,), (1.0,), (400.0,)))
        )
        assert found is not None
        assert len(found.version) == 0

    def test_if_only_one_kind_of_answer_is_late_the_verdict_is_suspended(self, make_record: MakeRecord) -> None:
        given = self.given(make_record, 0.0)
        assert LATE_CAUSE in [entry.cause for entry in made(given).plan.report.health]
        assert json.loads(made(given).snapshot.body)["verdict"] == "suspended"
        assert made(replace(given, late=LateRows())).plan.report.health == ()

    def test_a_note_advises_a_longer_time_to_live(self, make_record: MakeRecord) -> None:
        """The delays of late answers are in the snapshot, and stored with the plan."""
        late = LateRows((0,) * 1000, (1,) * 1000, (99,) * 1000, (1.0,) * 1000, (400.0,) * 1000)
        given = replace(self.given(make_record, 0.0), late=late)
        lost = Signals(issued=5000, answered=4000, delays=Delays(lost=10))
        planned = made(replace(given, signals=lost))
        assert NoteKind.TICKET_TTL in [entry["kind"] for entry in json.loads(planned.snapshot.body)["health"]]
        assert planned.late_delays == Delays().add(given.late.seconds, given.late.outcome, 120)
