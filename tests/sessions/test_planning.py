"""Planning from stored values, the certificate it writes, and checking that certificate against a log."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from typing import Any

import numpy as np
import pytest

from app.engine.problem import Model
from app.sessions.certificates import digest_of
from app.sessions.model import Counters, EvidenceRows, Health, PlanRecord
from app.sessions.planning import Planned, make_plan
from app.sessions.ports import PlanningInput
from app.sessions.verification import Check, verify
from tests.sessions.conftest import MakeRecord

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
NOTHING = Counters(0, 0, 0, 0)


def loss(i: int, j: int) -> float:
    """A clear winner: items 0 and 1 are clicked often."""
    return (0.3 if i == 0 else 0.9) * (0.4 if j == 1 else 0.95)


class Log:
    """A session kept in lists: every demand answered at once, one fold before every plan."""

    def __init__(self, record: Any, rng: np.random.Generator) -> None:
        self.record, self.rng = replace(record, plan_version=0), rng
        self.evidence, self.rows = EvidenceRows(), []  # type: tuple[EvidenceRows, list[dict[str, Any]]]
        self.last: PlanRecord | None = None

    def given(self) -> PlanningInput:
        counted = len(self.rows)
        return PlanningInput(self.record, Counters(counted, counted, 0, counted), self.evidence, self.last, ())

    def plans(self) -> Iterator[Planned]:
        while True:
            planned = make_plan(self.given(), NOW)
            self.last = planned.plan
            self.record = replace(self.record, plan_version=planned.plan.version)
            yield planned
            if not planned.plan.demand:
                return
            self.answer(planned.plan)

    def answer(self, plan: PlanRecord) -> None:
        self.record = replace(self.record, epoch=self.record.epoch + 1)
        for i, j, count in plan.demand:
            silent = self.rng.random(count) < loss(i, j)
            for one in silent:
                row = {
                    "kind": "impression", "sequence": len(self.rows) + 1, "i": j, "j": i, "counts": True, "void": False,
                    "plan_version": plan.version, "epoch": self.record.epoch, "outcome": float(not one),
                }  # fmt: skip
                self.rows.append(row)
            self.evidence.i.append(i)
            self.evidence.j.append(j)
            self.evidence.version.append(plan.version)
            self.evidence.n.append(count)
            self.evidence.s.append(float(silent.sum()))


@pytest.fixture(scope="module")
def certified() -> tuple[dict[str, Any], list[dict[str, Any]]]:
    from app.sessions.creation import NewSession, settle  # noqa: PLC0415 - the shared factories are per function
    from app.sessions.model import SessionRecord, State  # noqa: PLC0415
    from tests.sessions.conftest import items  # noqa: PLC0415

    settings = settle(NewSession(items=items(4), epsilon=0.2, delta=0.1, seed=1))
    record = SessionRecord(
        id="s", name="", items=items(4), settings=settings, ticket_key=b"", state=State.RUNNING, budget=None,
        plan_version=0, epoch=0, created_at=0.0, updated_at=0.0,
    )  # fmt: skip
    log = Log(record, np.random.default_rng(3))
    certificate = next(planned.certificate for planned in log.plans() if planned.certificate)
    return json.loads(certificate.body), [{"kind": "session", "id": "s"}, *log.rows]


def failed(checks: list[Check]) -> set[str]:
    return {check.name for check in checks if not check.holds}


def test_first_plan_asks_for_pairs_and_says_not_yet(make_record: MakeRecord) -> None:
    planned = make_plan(PlanningInput(make_record(plan_version=0), NOTHING, EvidenceRows(), None, ()), NOW)
    assert planned.plan.version == 1
    assert planned.plan.demand
    body = json.loads(planned.snapshot.body)
    assert (body["verdict"], body["certified"], body["gap"], body["samples"]) == ("not_yet", False, 1.0, 0)
    assert body["updated_at"] == "2026-01-02T03:04:05.000+00:00"
    assert planned.certificate is None


def test_two_items_are_certified_at_once(make_record: MakeRecord) -> None:
    given = PlanningInput(make_record(n_items=2, plan_version=0), NOTHING, EvidenceRows(), None, ())
    planned = make_plan(given, NOW)
    body = json.loads(planned.snapshot.body)
    assert (body["verdict"], body["gap"], body["pair"]) == ("certified", 0.0, ["ad-0", "ad-1"])
    assert planned.plan.demand == ()
    assert planned.certificate is not None
    assert failed(verify(json.loads(planned.certificate.body), [{"kind": "session", "id": "s1"}])) == set()


def test_planning_is_a_pure_function_of_what_is_stored(make_record: MakeRecord) -> None:
    log = Log(make_record(), np.random.default_rng(1))
    *_, planned = islice(log.plans(), 6)
    again = make_plan(replace(log.given(), record=replace(log.record)), NOW)
    assert again == make_plan(log.given(), NOW)
    assert planned.plan.version == 6


def test_unreadable_memory_restarts_the_choices_and_keeps_the_evidence(make_record: MakeRecord) -> None:
    log = Log(make_record(policy="median_elimination"), np.random.default_rng(1))
    list(islice(log.plans(), 4))
    assert log.last is not None
    log.last = replace(log.last, memory="not json")
    planned = make_plan(log.given(), NOW)
    assert planned.plan.version == log.record.plan_version + 1
    assert json.loads(planned.snapshot.body)["samples"] == len(log.rows)


def test_unreadable_memory_does_not_forget_a_verdict(make_record: MakeRecord) -> None:
    log = Log(make_record(epsilon=0.2, delta=0.1), np.random.default_rng(3))
    done = list(log.plans())[-1]
    log.last = replace(done.plan, memory="")
    again = make_plan(log.given(), NOW)
    assert json.loads(again.snapshot.body)["certified"]
    assert again.plan.report["pair"] == done.plan.report["pair"]


def test_health_suspends_the_verdict_and_withholds_the_certificate(make_record: MakeRecord) -> None:
    sick = (Health("p", "c", "a"),)
    given = PlanningInput(make_record(n_items=2, plan_version=0), NOTHING, EvidenceRows(), None, sick)
    planned = make_plan(given, NOW)
    body = json.loads(planned.snapshot.body)
    assert (body["verdict"], body["certified"]) == ("suspended", False)
    assert body["health"] == [{"problem": "p", "cause": "c", "advice": "a"}]
    assert planned.certificate is None


def test_certificate_verifies_against_its_log(certified: tuple[dict[str, Any], list[dict[str, Any]]]) -> None:
    certificate, rows = certified
    assert certificate["pair"] == ["ad-0", "ad-1"]
    assert certificate["gap"] <= 0.2
    assert failed(verify(certificate, rows)) == set()


def forged(certificate: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A changed document with a digest that fits it."""
    document = {**certificate, **changes}
    return {**document, "digest": digest_of(document)}


def test_verification_notices_a_changed_document(certified: tuple[dict[str, Any], list[dict[str, Any]]]) -> None:
    certificate, rows = certified
    assert failed(verify({**certificate, "gap": 0.0}, rows)) == {"digest", "gap"}


def test_verification_notices_a_forged_document(certified: tuple[dict[str, Any], list[dict[str, Any]]]) -> None:
    certificate, rows = certified
    tight = {**certificate["settings"], "epsilon": 0.001}
    assert failed(verify(forged(certificate, settings=tight), rows)) == {"verdict"}
    assert failed(verify(forged(certificate, i=2, j=3), rows)) == {"pair"}
    assert failed(verify(forged(certificate, gap=0.01), rows)) == {"gap"}
    for name, number in (("upper_of_pair", "upper bound"), ("lowest_of_others", "lower bounds")):
        bounds = {**certificate["bounds"], name: certificate["bounds"][name] + 0.01}
        assert failed(verify(forged(certificate, bounds=bounds), rows)) == {number}
    other = {**certificate["session"], "id": "another"}
    assert failed(verify(forged(certificate, session=other), rows)) == {"session"}


def test_verification_notices_a_changed_log(certified: tuple[dict[str, Any], list[dict[str, Any]]]) -> None:
    certificate, (session, first, *rest) = certified
    flipped = {**first, "outcome": 1.0 - first["outcome"]}
    assert failed(verify(certificate, [session, flipped, *rest])) == {"evidence"}
    assert failed(verify(certificate, [session, *rest])) == {"evidence"}


def test_verification_notices_an_answer_left_out_as_void(
    certified: tuple[dict[str, Any], list[dict[str, Any]]],
) -> None:
    certificate, (session, *rows) = certified
    dropped = {**rows[-1], "sequence": len(rows) + 1, "void": True, "not_shown": False}
    assert failed(verify(certificate, [session, *rows, dropped])) == {"void"}


def test_verification_notices_counting_out_of_order(certified: tuple[dict[str, Any], list[dict[str, Any]]]) -> None:
    certificate, (session, *rows) = certified
    later = [{**row, "sequence": row["sequence"] + 1} for row in rows]
    waiting = {**rows[0], "sequence": 1, "epoch": None, "outcome": None}
    assert failed(verify(certificate, [session, waiting, *later])) == {"order"}
    voided_since = {**waiting, "void": True, "epoch": certificate["epoch"] + 1, "not_shown": False}
    assert failed(verify(certificate, [session, voided_since, *later])) == {"order"}, "it was open then"


def test_deterministic_session_ends_exact(make_record: MakeRecord) -> None:
    log = Log(make_record(n_items=5, model=Model.DETERMINISTIC), np.random.default_rng(1))

    def exactly(plan: PlanRecord) -> None:
        for i, j, count in plan.demand:
            assert count == 1
            value = (0.2 + 0.1 * i) * (0.2 + 0.1 * j)
            log.rows.append({})
            for column, entry in zip(
                (log.evidence.i, log.evidence.j, log.evidence.version, log.evidence.n, log.evidence.s),
                (i, j, plan.version, 1, value),
                strict=True,
            ):
                column.append(entry)  # type: ignore[attr-defined]

    log.answer = exactly  # type: ignore[method-assign]
    body = json.loads(list(log.plans())[-1].snapshot.body)
    assert (body["verdict"], body["i"], body["j"]) == ("certified", 0, 1)
    assert body["gap"] < 1e-5
    assert body["estimated_reward"] == pytest.approx(1 - 0.2 * 0.3)
    assert body["interval"] == pytest.approx([0.94, 0.94], abs=1e-5)
