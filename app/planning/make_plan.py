"""Make one plan: evidence and memory in; a plan for the log, a snapshot and maybe a certificate out. Pure."""

from dataclasses import replace
from datetime import datetime

import numpy as np

from app.counting.rules import EvidenceRows
from app.engine.choices import Choices
from app.engine.evidence import Evidence
from app.engine.health import findings
from app.engine.plan import Plan, plan
from app.engine.policies import policy_named
from app.engine.problem import Problem
from app.engine.shares import Shares
from app.engine.unanswered import Unanswered
from app.health import Health, merge, suspends
from app.impressions.handout import PairCounts
from app.planning.memory import load_memory
from app.planning.plan import Planned, PlanningInput, StoredPlan
from app.results.certificates import Proof, certificate_of
from app.results.estimates import evidence_of
from app.results.findings import CHANGED_SHARES, REMOVED_BOUND, describe
from app.results.report import PlanReport
from app.results.snapshots import snapshot_of
from app.results.sql import Certificate


def unanswered_of(rows: EvidenceRows, closed_before: int) -> Unanswered:
    """Returns which impressions were answered and which were not, as the engine takes it."""
    i, j, version, answered, silent = (
        np.array(column, dtype=np.int64) for column in (rows.i, rows.j, rows.version, rows.n, rows.unanswered)
    )
    return Unanswered(i, j, version, answered, silent, closed_before)


def make_plan(given: PlanningInput, now: datetime) -> Planned:
    """Returns the next plan; it depends on nothing but what is stored, except for the time shown in the snapshot."""
    session, problem = given.session, given.session.problem
    policy = policy_named(session.settings.policy)
    evidence, shares = evidence_of(len(session.items), given.evidence), policy.shares(problem)
    loaded = load_memory(given)
    result = plan(policy, problem, evidence, loaded.memory)
    last = None if given.last_plan is None else given.last_plan.report
    contradicted = _findings(given, problem, evidence, loaded.memory.choices, shares)
    found = (*loaded.lost, *_changed_shares(last, shares), *contradicted)
    health = merge(() if last is None else last.health, found)
    report = PlanReport.of(result.report, session.budget, shares, health)
    demand = PairCounts.of(
        zip(result.demand.i.tolist(), result.demand.j.tolist(), result.demand.count.tolist(), strict=True)
    )
    new = StoredPlan(
        version=result.memory.version,
        epoch=session.epoch,
        demand=demand,
        handout=demand,
        report=report,
        memory=result.memory.to_json(),
        counted_before=given.counters.counted,
        follows=session.plan_id,
    )
    snapshot = snapshot_of(replace(session, plan_version=new.version), report, given.health, given.signals, now)
    proof = Proof(problem, evidence, loaded.memory.choices, shares)
    return Planned(new, snapshot, _new_certificate(given, result, proof, health), session.state)


def _changed_shares(last: PlanReport | None, shares: Shares) -> tuple[Health, ...]:
    """Returns a finding if the last plan divided delta in another way."""
    if last is None or last.shares == shares:
        return ()
    return (REMOVED_BOUND,) if last.shares is None else (CHANGED_SHARES,)


def _findings(
    given: PlanningInput, problem: Problem, evidence: Evidence, choices: Choices, shares: Shares
) -> tuple[Health, ...]:
    """Returns what contradicts the assumptions, in words."""
    unanswered = unanswered_of(given.evidence, given.closed_before)
    found = findings(problem, evidence, choices, shares, unanswered)
    return tuple(describe(finding, given.session.items) for finding in found)


def _new_certificate(
    given: PlanningInput, result: Plan, proof: Proof, health: tuple[Health, ...]
) -> Certificate | None:
    """Returns the certificate if this plan is the one that certified and nothing casts doubt on it."""
    latched = result.memory.certified
    if latched is None or latched.version != result.memory.version or suspends((*given.health, *health)):
        return None
    return certificate_of(given.session, latched, proof, given.evidence)
