"""One plan from stored values: evidence and memory in, a plan for the log, a snapshot and maybe a certificate out."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np

from app.engine.arrays import Pair
from app.engine.certificate import Verdict
from app.engine.evidence import Evidence
from app.engine.memory import Certified, Memory, UnreadableMemory
from app.engine.plan import Plan, plan
from app.engine.policies import policy_named
from app.sessions.certificates import certificate_of
from app.sessions.model import EvidenceRows, PlanRecord, Snapshot
from app.sessions.ports import CertificateRecord, PlanningInput
from app.sessions.snapshots import ALWAYS_ASSUMED, report_of, snapshot_of


@dataclass(frozen=True)
class Planned:
    """What planning adds to a session."""

    plan: PlanRecord
    snapshot: Snapshot
    certificate: CertificateRecord | None


def evidence_of(n_items: int, rows: EvidenceRows) -> Evidence:
    """Returns stored counts as the engine's evidence."""
    i, j, version, n = (np.array(column, dtype=np.int64) for column in (rows.i, rows.j, rows.version, rows.n))
    return Evidence.empty(n_items).add(i, j, version, n, np.array(rows.s, dtype=np.float64))


def make_plan(given: PlanningInput, now: datetime) -> Planned:
    """Returns the next plan; a pure function of what is stored, but for the time shown in the snapshot."""
    record = given.record
    n_items = len(record.items)
    problem = record.settings.problem(n_items, record.budget)
    evidence = evidence_of(n_items, given.evidence)
    memory = memory_of(given)
    result = plan(policy_named(record.settings.policy), problem, evidence, memory)
    report = {**report_of(result.report), "budget": record.budget}
    demand = tuple(
        (int(i), int(j), int(count))
        for i, j, count in zip(result.demand.i, result.demand.j, result.demand.count, strict=True)
    )
    new = PlanRecord(
        version=result.memory.version,
        epoch=record.epoch,
        demand=demand,
        handout=demand,
        report=report,
        memory=result.memory.to_json(),
        counted_before=given.counters.counted,
    )
    planned = replace(record, plan_version=new.version)
    snapshot = snapshot_of(planned, report, given.health, now)
    return Planned(new, snapshot, _new_certificate(given, result, evidence))


def memory_of(given: PlanningInput) -> Memory:
    """Returns the policy's memory at the stored version; one that cannot be read restarts the choices only.

    A verdict that had latched is in the last plan's report too, and is taken from there.
    """
    version = given.record.plan_version
    if given.last_plan is None:
        return Memory(version=version)
    try:
        return replace(Memory.from_json(given.last_plan.memory), version=version)
    except UnreadableMemory:
        return Memory(version=version, certified=_latched(given.last_plan.report, version))


def _latched(report: dict[str, Any], version: int) -> Certified | None:
    if report["verdict"] != Verdict.CERTIFIED:
        return None
    own = tuple(name for name in report["assumptions"] if name not in ALWAYS_ASSUMED)
    return Certified(Pair(*report["pair"]), report["gap"], version, own)


def _new_certificate(given: PlanningInput, result: Plan, evidence: Evidence) -> CertificateRecord | None:
    """Returns the certificate if this plan is the one that certified."""
    latched = result.memory.certified
    if latched is None or latched.version != result.memory.version or given.health:
        return None
    return certificate_of(given.record, latched, evidence, given.evidence)
