"""One plan from stored values: evidence and memory in, a plan for the log, a snapshot and maybe a certificate out."""

from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np

from app.engine.choices import Choices
from app.engine.evidence import Evidence
from app.engine.health import findings
from app.engine.plan import Plan, plan
from app.engine.policies import policy_named
from app.engine.problem import Problem
from app.engine.shares import Shares
from app.engine.silence import Unanswered
from app.planning.memory import recall
from app.results.certificates import Proof, certificate_of
from app.results.health import CHANGED_SHARES, REMOVED_BOUND, in_words, kept, suspended, to_plain, with_new
from app.results.snapshots import report_of, snapshot_of
from app.sessions.model import Asked, EvidenceRows, Health, PlanRecord, Snapshot, State
from app.sessions.ports import CertificateRecord, PlanningInput
from app.verification.logged_choices import shares_in


@dataclass(frozen=True)
class Planned:
    """What planning adds to a session."""

    plan: PlanRecord
    snapshot: Snapshot
    certificate: CertificateRecord | None
    made_for: State  # of the session, when it was read


def evidence_of(n_items: int, rows: EvidenceRows) -> Evidence:
    """Returns stored counts as the engine's evidence."""
    i, j, version, n, on_i, on_j = (
        np.array(column, dtype=np.int64)
        for column in (rows.i, rows.j, rows.version, rows.n, rows.clicks_i, rows.clicks_j)
    )
    return Evidence.empty(n_items).add(i, j, version, n, np.array(rows.s, dtype=np.float64), (on_i, on_j))


def unanswered_of(rows: EvidenceRows, closed_before: int) -> Unanswered:
    """Returns which impressions were answered and which were not, as the engine takes it."""
    i, j, version, answered, silent = (
        np.array(column, dtype=np.int64) for column in (rows.i, rows.j, rows.version, rows.n, rows.unanswered)
    )
    return Unanswered(i, j, version, answered, silent, closed_before)


def make_plan(given: PlanningInput, now: datetime) -> Planned:
    """Returns the next plan; a pure function of what is stored, but for the time shown in the snapshot."""
    record = given.record
    problem = record.settings.problem(len(record.items), record.budget)
    policy = policy_named(record.settings.policy)
    evidence, shares = evidence_of(len(record.items), given.evidence), policy.shares(problem)
    recalled = recall(given)
    result = plan(policy, problem, evidence, recalled.memory)
    said = {} if given.last_plan is None else given.last_plan.report
    contradicted = _findings(given, problem, evidence, recalled.memory.choices, shares)
    found = (*recalled.lost, *_changed_shares(said, shares), *contradicted)
    health = with_new(kept(said), found)
    report = {
        **report_of(result.report),
        "budget": record.budget,
        "shares_of_delta": asdict(shares),
        "health": to_plain(health),
    }
    demand = Asked.of(
        zip(result.demand.i.tolist(), result.demand.j.tolist(), result.demand.count.tolist(), strict=True)
    )
    new = PlanRecord(
        version=result.memory.version,
        epoch=record.epoch,
        demand=demand,
        handout=demand,
        report=report,
        memory=result.memory.to_json(),
        counted_before=given.counters.counted,
        follows=record.plan_id,
    )
    snapshot = snapshot_of(replace(record, plan_version=new.version), report, given.health, given.signals, now)
    proof = Proof(problem, evidence, recalled.memory.choices, shares)
    return Planned(new, snapshot, _new_certificate(given, result, proof, health), record.state)


def _changed_shares(said: dict[str, Any], shares: Shares) -> tuple[Health, ...]:
    """Returns a finding if the last plan's report divides delta in another way."""
    if not said:
        return ()
    before = shares_in(said)
    if before is None:
        return (REMOVED_BOUND,)
    return () if before == shares else (CHANGED_SHARES,)


def _findings(
    given: PlanningInput, problem: Problem, evidence: Evidence, choices: Choices, shares: Shares
) -> tuple[Health, ...]:
    """Returns what contradicts the assumptions, in words."""
    unanswered = unanswered_of(given.evidence, given.closed_before)
    found = findings(problem, evidence, choices, shares, unanswered)
    return tuple(in_words(finding, given.record.items) for finding in found)


def _new_certificate(
    given: PlanningInput, result: Plan, proof: Proof, health: tuple[Health, ...]
) -> CertificateRecord | None:
    """Returns the certificate if this plan is the one that certified and nothing casts doubt on it."""
    latched = result.memory.certified
    if latched is None or latched.version != result.memory.version or suspended((*given.health, *health)):
        return None
    return certificate_of(given.record, latched, proof, given.evidence)
