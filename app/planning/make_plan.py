"""Make one plan from evidence and memory: a plan for the log, a snapshot, and maybe a certificate. A pure function."""

from collections import Counter
from dataclasses import replace
from datetime import datetime

import numpy as np

from app.counting.delays import Delays
from app.counting.rules import Cell, EvidenceRows
from app.database.statements import compact_json
from app.engine.choices import Choices
from app.engine.delta_shares import Shares
from app.engine.evidence import Evidence
from app.engine.health import findings
from app.engine.late import LateAnswers
from app.engine.plan import Plan, plan
from app.engine.policies import policy_named
from app.engine.problem import Problem
from app.engine.unanswered import Unanswered
from app.health import Health, merge, suspends
from app.impressions.handout_order import PairCounts
from app.planning.memory import load_memory
from app.planning.plan import Planned, PlanningInput, StoredPlan
from app.results.best_pair import snapshot_of
from app.results.certificates import Proof, certificate_of
from app.results.findings import CHANGED_SHARES, REMOVED_BOUND, describe
from app.results.report import PlanReport
from app.results.sql import Certificate


def unanswered_of(rows: EvidenceRows, closed_before: int) -> Unanswered:
    """Returns the numbers of answered and unanswered impressions, in the engine's form."""
    i, j, version, answered, unanswered = (
        np.array(column, dtype=np.int64) for column in (rows.i, rows.j, rows.version, rows.n, rows.unanswered)
    )
    return Unanswered(i, j, version, answered, unanswered, closed_before)


def late_answers_of(planning_input: PlanningInput) -> LateAnswers | None:
    """Returns late answers with the timely ones to the same pair in the same plan, in the engine's form; None if none.

    Each stored plan is one look at them.
    """
    rows, late = planning_input.evidence, planning_input.late
    if not late.outcome:
        return None
    answers: Counter[Cell] = Counter()
    clicks: Counter[Cell] = Counter()
    for i, j, version, outcome in zip(late.i, late.j, late.version, late.outcome, strict=True):
        cell = (min(i, j), max(i, j), version)
        answers[cell] += 1
        clicks[cell] += outcome > 0
    cells = zip(rows.i, rows.j, rows.version, rows.n, rows.s, strict=True)
    both = [
        (version, n, n - int(s), answers[i, j, version], clicks[i, j, version])
        for i, j, version, n, s in cells
        if (i, j, version) in answers
    ]
    versions, timely, timely_clicks, late_answers, late_clicks = np.array(both, dtype=np.int64).reshape(-1, 5).T
    return LateAnswers(
        versions,
        timely,
        timely_clicks,
        late_answers,
        late_clicks,
        closed_before=planning_input.closed_before,
        look=planning_input.session.plan_version + 1,
    )


def make_plan(planning_input: PlanningInput, now: datetime) -> Planned | None:
    """Returns the next plan. It depends only on what is stored; `now` is only shown in the snapshot.

    None: the answers that have arrived would certify the session, or leave nothing to show; the verdict waits for the
    watermark.
    """
    session, problem = planning_input.session, planning_input.session.problem
    policy = policy_named(session.settings.policy)
    evidence, shares = planning_input.evidence.to_evidence(len(session.items)), policy.shares(problem)
    above = planning_input.known
    known = above.added_to(evidence) if above.n else None
    loaded = load_memory(planning_input)
    result = plan(policy, problem, evidence, loaded.memory, known)
    if result is None:
        return None
    last = None if planning_input.last_plan is None else planning_input.last_plan.report
    findings_now = _findings(planning_input, problem, evidence, loaded.memory.choices, shares)
    new_health = (*loaded.lost, *_changed_shares(last, shares), *findings_now)
    health = merge(() if last is None else last.health, new_health)
    report = PlanReport.of(result.report, session.budget, shares, health)
    demand = PairCounts.of(
        zip(result.demand.i.tolist(), result.demand.j.tolist(), result.demand.count.tolist(), strict=True)
    )
    new = StoredPlan(
        version=result.memory.version,
        watermark=session.watermark,
        demand=demand,
        handout=demand,
        report=report,
        memory=result.memory.to_json(),
        counted_before=planning_input.counters.counted + sum(above.n),
        digest=planning_input.log.digest,
        known=compact_json(above.to_plain()) if above.n else "",
        follows=session.plan_id,
    )
    late, signals = planning_input.late, planning_input.signals
    late_delays = Delays().add(late.seconds, late.outcome, session.settings.ticket_ttl_seconds)
    signals = replace(signals, delays=signals.delays.with_late(late_delays))
    snapshot = snapshot_of(replace(session, plan_version=new.version), report, planning_input.health, signals, now)
    proof = Proof(problem, evidence, loaded.memory.choices, shares)
    return Planned(new, snapshot, _new_certificate(planning_input, result, proof, health), session.state, late_delays)


def _changed_shares(last: PlanReport | None, shares: Shares) -> tuple[Health, ...]:
    """Returns a health entry if the last plan divided delta among the bounds in another way."""
    if last is None or last.shares == shares:
        return ()
    return (REMOVED_BOUND,) if last.uses_removed_bound else (CHANGED_SHARES,)


def _findings(
    planning_input: PlanningInput, problem: Problem, evidence: Evidence, choices: Choices, shares: Shares
) -> tuple[Health, ...]:
    """Returns a health entry for everything in the evidence that contradicts the assumptions."""
    unanswered = unanswered_of(planning_input.evidence, planning_input.closed_before)
    late = late_answers_of(planning_input)
    items = planning_input.session.items
    return tuple(describe(each, items) for each in findings(problem, evidence, choices, shares, unanswered, late))


def _new_certificate(
    planning_input: PlanningInput, result: Plan, proof: Proof, health: tuple[Health, ...]
) -> Certificate | None:
    """Returns the certificate if this plan is the one that certified, and no health entry suspends the verdict."""
    certified = result.memory.certified
    if certified is None or certified.version != result.memory.version or suspends((*planning_input.health, *health)):
        return None
    return certificate_of(planning_input.session, certified, proof, planning_input.evidence, planning_input.log)
