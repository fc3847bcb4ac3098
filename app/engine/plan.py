"""The one entry point: a problem, counts and a memory in; a demand, a report and a memory out.

A proof may use only the evidence: impressions up to the watermark, in issue order. What to show next may depend on
every answer that has arrived, in any order (`known`): a pair is chosen before its outcome, whatever it is chosen from.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypedDict, overload

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

MAX_NAMED_CONTENDERS = 20
"""The most contenders that a report names."""


class Contender(NamedTuple):
    """A pair that prevents the certification of the leader, with estimates to display."""

    pair: Pair
    estimate: float | None  # of L
    interval: tuple[float, float]  # the same, simultaneous over pairs
    shown: int


@dataclass(frozen=True)
class Report:
    """The result of a plan for users.

    With probability 1-delta the reward of `pair` is within `gap` of the best reward, and lacks at most `relative_gap`
    of it (a part; None: certified by a version that did not compute it).
    """

    pair: Pair
    verdict: Verdict
    gap: float
    relative_gap: float | None
    estimate: float | None  # of L at the pair; for display only
    interval: tuple[float, float]  # the same, simultaneous over pairs
    contenders: int
    phase: str
    samples: int
    version: int
    assumptions: tuple[str, ...]
    diagnostics: Mapping[str, float] = field(default_factory=dict)
    forecast_samples: int | None = None  # estimate of the impressions still needed to certify
    race: tuple[Contender, ...] = ()  # the strongest contenders; "race" is their name in the stored report

    @property
    def certified(self) -> bool:
        """Whether the verdict is `certified`."""
        return self.verdict is Verdict.CERTIFIED


@dataclass(frozen=True, eq=False)
class Plan:
    """The result of planning: show `demand`, publish `report`, store `memory`."""

    demand: Demand
    report: Report
    memory: Memory


@overload
def plan(policy: Policy, problem: Problem, evidence: Evidence, memory: Memory) -> Plan: ...


@overload
def plan(
    policy: Policy, problem: Problem, evidence: Evidence, memory: Memory, known: Evidence | None
) -> Plan | None: ...


def plan(
    policy: Policy, problem: Problem, evidence: Evidence, memory: Memory, known: Evidence | None = None
) -> Plan | None:
    """Returns what to show next and what is proven; the same arguments always give the same plan.

    None: the known answers would certify the leader, or leave nothing to show. Nothing new has to be planned, and the
    verdict waits for the watermark.

    `evidence` proves; `known`, which contains it, is what the policy sees (None: the evidence is all that is known).
    The verdict comes from the certificate, never from the policy's own stopping rule. A certified verdict latches and
    asks for nothing more. Randomness is derived from the problem's seed and the version of the plan being made.
    """
    policy.check(problem)
    version = memory.version + 1
    assessment = _assess(policy, problem, evidence, memory)
    certified = memory.certified or _certify(assessment, version)
    if certified is not None:
        report = Report(
            **_displayed_part(certified.pair, problem, evidence, assessment),
            pair=certified.pair,
            verdict=Verdict.CERTIFIED,
            gap=certified.gap,
            relative_gap=certified.relative_gap,
            contenders=0,
            phase="done",
            samples=evidence.samples,
            version=version,
            assumptions=certified.assumptions,
        )
        return Plan(Demand.nothing(), report, Memory(version, memory.notes, certified, memory.choices))
    expected = assessment if known is None else _assess(policy, problem, known, memory)
    known = known or evidence
    if expected.certified:
        return None
    rng = source(Purpose.PLAN, problem.seed, version)
    room = _NO_LIMIT if problem.budget is None else max(problem.budget - known.samples, 0)
    situation = Situation(problem, known, expected, memory.notes, version, room, rng, memory.choices)
    proposal = policy.propose(situation)
    demand = proposal.demand.limited(room, rng)
    if not demand.total and known is not evidence:
        return None  # the last plan of a session: what it reports has to contain all answers
    report = Report(
        **_displayed_part(proposal.pair, problem, evidence, assessment),
        pair=proposal.pair,
        verdict=Verdict.NOT_YET if demand.total else Verdict.EXHAUSTED,
        **assessment.gaps_of_pair(proposal.pair)._asdict(),
        contenders=len(assessment.contenders),
        phase=proposal.phase,
        samples=evidence.samples,
        version=version,
        assumptions=assessment.bounds.assumptions,
        diagnostics=proposal.diagnostics,
        forecast_samples=None if proposal.forecast is None else math.ceil(proposal.forecast),
        race=_strongest_contenders(problem, evidence, assessment),
    )
    choices = memory.choices if proposal.choices is None else proposal.choices
    return Plan(demand, report, Memory(version, proposal.notes, choices=choices))


def _assess(policy: Policy, problem: Problem, evidence: Evidence, memory: Memory) -> Assessment:
    """Returns what the evidence proves; nothing at the plan that may make the guess, which later proofs start from."""
    if policy.guesses and memory.version + 1 == GUESSED_AT:
        evidence = Evidence.empty(problem.n_items)
    return assess(problem, evidence, memory.choices, policy.shares(problem))


class _Displayed(TypedDict):
    """The part of a report that is for display only."""

    estimate: float | None
    interval: tuple[float, float]


def _displayed_part(pair: Pair, problem: Problem, evidence: Evidence, assessment: Assessment) -> _Displayed:
    shown = displayed(problem, evidence, assessment.bounds, np.array([pair.i]), np.array([pair.j]))
    value = float(shown.value[0])
    return {"estimate": None if math.isnan(value) else value, "interval": (float(shown.low[0]), float(shown.high[0]))}


def _strongest_contenders(problem: Problem, evidence: Evidence, assessment: Assessment) -> tuple[Contender, ...]:
    """Returns the contenders with the lowest lower bounds, lowest first: they need the most further proof."""
    lower, found = assessment.lower, assessment.contenders
    if len(found) > MAX_NAMED_CONTENDERS:
        found = found[np.argpartition(lower[found], MAX_NAMED_CONTENDERS - 1)[:MAX_NAMED_CONTENDERS]]
    found = found[np.argsort(lower[found], kind="stable")]
    i, j = pair_items(found, problem.n_items)
    shown = displayed(problem, evidence, assessment.bounds, i, j)
    n, _ = evidence.entries(i, j)
    return tuple(
        Contender(Pair(one, other), None if math.isnan(value) else value, (low, high), count)
        for one, other, value, low, high, count in zip(
            i.tolist(), j.tolist(), *(column.tolist() for column in shown), n.tolist(), strict=True
        )
    )


def _certify(assessment: Assessment, version: int) -> Certified | None:
    """Returns the certification if the leader is proven now."""
    if not assessment.certified:
        return None
    gaps = assessment.gaps_of_pair(assessment.leader)
    return Certified(assessment.leader, gaps.gap, version, assessment.bounds.assumptions, gaps.relative_gap)
