"""The one entry point: a question, the counts and a memory in; what to show, what to say and a memory out."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypedDict

import numpy as np

from app.engine.arrays import Pair, pair_items
from app.engine.certificate import Assessment, Verdict, assess, displayed
from app.engine.demand import Demand
from app.engine.evidence import Evidence
from app.engine.memory import Certified, Memory
from app.engine.policies.policy import GUESSED_AT, Policy, Situation
from app.engine.problem import Problem
from app.engine.randomness import Purpose, source

_NO_LIMIT = 2**62

MOST_NAMED = 20
"""Contenders that a report names: as many as people look at."""


class Contender(NamedTuple):
    """A pair that keeps the leader from being certified, as people are shown it."""

    pair: Pair
    estimate: float | None  # of L
    interval: tuple[float, float]  # the same, simultaneous over pairs
    shown: int


@dataclass(frozen=True)
class Report:
    """What may be said now. `gap` belongs to `pair`: it is within `gap` of the best with probability 1-delta."""

    pair: Pair
    verdict: Verdict
    gap: float
    estimate: float | None  # of L at the pair; for display only
    interval: tuple[float, float]  # the same, simultaneous over pairs
    contenders: int
    phase: str
    samples: int
    version: int
    assumptions: tuple[str, ...]
    diagnostics: Mapping[str, float] = field(default_factory=dict)
    forecast_samples: int | None = None  # impressions still needed to certify, as far as can be told
    race: tuple[Contender, ...] = ()  # the strongest contenders

    @property
    def certified(self) -> bool:
        """Whether the verdict is `certified`."""
        return self.verdict is Verdict.CERTIFIED


@dataclass(frozen=True, eq=False)
class Plan:
    """The result of planning: show `demand`, say `report`, keep `memory`."""

    demand: Demand
    report: Report
    memory: Memory


def plan(policy: Policy, problem: Problem, evidence: Evidence, memory: Memory) -> Plan:
    """Returns what to show next and what is proven; the same arguments always give the same plan.

    The verdict comes from the certificate, never from the policy's own stopping rule. A certified verdict latches and
    asks for nothing more. Randomness is derived from the problem's seed and the version of the plan being made.
    """
    policy.check(problem)
    version = memory.version + 1
    proving = Evidence.empty(problem.n_items) if policy.guesses and version == GUESSED_AT else evidence
    assessment = assess(problem, proving, memory.choices, policy.shares(problem))
    certified = memory.certified or _certify(assessment, version)
    if certified is not None:
        report = Report(
            **_said_of(certified.pair, problem, evidence, assessment),
            pair=certified.pair,
            verdict=Verdict.CERTIFIED,
            gap=certified.gap,
            contenders=0,
            phase="done",
            samples=evidence.samples,
            version=version,
            assumptions=certified.assumptions,
        )
        return Plan(Demand.nothing(), report, Memory(version, memory.notes, certified, memory.choices))
    rng = source(Purpose.PLAN, problem.seed, version)
    room = _NO_LIMIT if problem.budget is None else max(problem.budget - evidence.samples, 0)
    situation = Situation(problem, evidence, assessment, memory.notes, version, room, rng, memory.choices)
    proposal = policy.propose(situation)
    demand = proposal.demand.limited(room, rng)
    report = Report(
        **_said_of(proposal.pair, problem, evidence, assessment),
        pair=proposal.pair,
        verdict=Verdict.NOT_YET if demand.total else Verdict.EXHAUSTED,
        gap=assessment.gap_of_pair(proposal.pair),
        contenders=len(assessment.contenders),
        phase=proposal.phase,
        samples=evidence.samples,
        version=version,
        assumptions=assessment.bounds.assumptions,
        diagnostics=proposal.diagnostics,
        forecast_samples=None if proposal.forecast is None else math.ceil(proposal.forecast),
        race=_race(problem, evidence, assessment),
    )
    choices = memory.choices if proposal.choices is None else proposal.choices
    return Plan(demand, report, Memory(version, proposal.notes, choices=choices))


class _Said(TypedDict):
    """The part of a report that is for display."""

    estimate: float | None
    interval: tuple[float, float]


def _said_of(pair: Pair, problem: Problem, evidence: Evidence, assessment: Assessment) -> _Said:
    shown = displayed(problem, evidence, assessment.bounds, np.array([pair.i]), np.array([pair.j]))
    value = float(shown.value[0])
    return {"estimate": None if math.isnan(value) else value, "interval": (float(shown.low[0]), float(shown.high[0]))}


def _race(problem: Problem, evidence: Evidence, assessment: Assessment) -> tuple[Contender, ...]:
    """Returns the contenders with the lowest lower bounds, lowest first: those the proof has to push up furthest."""
    lower, found = assessment.lower, assessment.contenders
    if len(found) > MOST_NAMED:
        found = found[np.argpartition(lower[found], MOST_NAMED - 1)[:MOST_NAMED]]
    found = found[np.argsort(lower[found], kind="stable")]
    i, j = pair_items(found, problem.n_items)
    shown = displayed(problem, evidence, assessment.bounds, i, j)
    n, _ = evidence.entries(i, j)
    return tuple(
        Contender(Pair(a, b), None if math.isnan(value) else value, (low, high), count)
        for a, b, value, low, high, count in zip(
            i.tolist(), j.tolist(), *(column.tolist() for column in shown), n.tolist(), strict=True
        )
    )


def _certify(assessment: Assessment, version: int) -> Certified | None:
    """Returns the certificate's latch if the leader is proven now."""
    if not assessment.certified:
        return None
    return Certified(assessment.leader, assessment.gap, version, assessment.bounds.assumptions)
