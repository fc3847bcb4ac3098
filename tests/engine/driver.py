"""One session against a known population, the memory sent through JSON at every plan: shared by the engine's tests."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from app.engine.arrays import IntArray
from app.engine.certificate import assess
from app.engine.demand import Demand
from app.engine.evidence import Evidence
from app.engine.memory import Memory, Notes
from app.engine.plan import Plan, Report, plan
from app.engine.policies.policy import Policy, Proposal, Situation
from app.engine.problem import Goal, Model, Problem, SelfPairs
from app.engine.randomness import Purpose, source
from app.simulation.population import Population
from app.simulation.users import Users

MAX_PLANS = 400
"""Far above what any session needs: a policy that stalls is caught here."""

Delivery = Callable[[IntArray, np.random.Generator], IntArray]
"""From how often each pair was to be shown to how often its answer was counted."""


def evidence_from_rows(n_items: int, rows: Iterable[tuple[int, int, int, int, float]]) -> Evidence:
    """Returns the evidence of rows (i, j, version, n, s) in any order of pair and rows; equal keys are added."""
    table = np.array(list(rows), dtype=np.float64).reshape(-1, 5)
    i, j, version, n = (table[:, column].astype(np.int64) for column in range(4))
    return Evidence.empty(n_items).add(i, j, version, n, table[:, 4])


def all_of_it(count: IntArray, _rng: np.random.Generator) -> IntArray:
    return count


def with_losses(count: IntArray, rng: np.random.Generator) -> IntArray:
    """Returns about 70 % of the demand, lost at random pair by pair."""
    return np.asarray(rng.binomial(count, 0.7), dtype=np.int64)


def with_extras(count: IntArray, rng: np.random.Generator) -> IntArray:
    """Returns the demand and some more: answers that an earlier plan's tail brought in late."""
    return np.asarray(count + rng.integers(0, 3, size=len(count)), dtype=np.int64)


@dataclass(frozen=True)
class Run:
    """All plans of one session with the evidence each was made from; both have the same length."""

    plans: list[Plan]
    evidence: list[Evidence]

    @property
    def last(self) -> Report:
        return self.plans[-1].report


def problem_for(policy: Policy, population: Population, **settings: object) -> Problem:
    """Returns a problem that the policy accepts; settings override its defaults."""
    defaults: dict[str, object] = {
        "n_items": population.n_items,
        "goal": Goal(0.05),
        "delta": 0.1,
        "rank": population.rank if policy.needs_rank else None,
        "model": policy.model,
        "self_pairs": SelfPairs.EXPLORE if policy.needs_self_pairs else SelfPairs.NEVER,
    }
    return Problem(**{**defaults, **settings})  # type: ignore[arg-type]


def propose(policy: Policy, problem: Problem, evidence: Evidence, notes: Notes, version: int) -> Proposal:
    """Returns the policy's own proposal, where the certificate would already have ended the session."""
    room = 2**62 if problem.budget is None else problem.budget - evidence.samples
    rng = source(Purpose.PLAN, problem.seed, version)
    assessment = assess(problem, evidence, shares=policy.shares(problem))
    return policy.propose(Situation(problem, evidence, assessment, notes, version, room, rng))


def asked(demand: Demand) -> dict[tuple[int, int], int]:
    """Returns the demand as counts by pair."""
    return {(int(i), int(j)): int(n) for i, j, n in zip(demand.i, demand.j, demand.count, strict=True)}


def answers(
    population: Population, problem: Problem, step: Plan, evidence: Evidence, count: IntArray, rng: np.random.Generator
) -> Evidence:
    """Returns the evidence after the plan's pairs were answered `count` times each."""
    demand, users = step.demand, Users(population, problem.model)
    if problem.model is Model.DETERMINISTIC:
        s = count * (1.0 - users.exact_rewards(demand.i, demand.j))
    elif problem.item_clicks:
        seen = users.item_outcomes(demand.i, demand.j, count, rng)
        clicks = (seen.only_i + seen.both, seen.only_j + seen.both)
        return evidence.add(demand.i, demand.j, step.memory.version, count, seen.neither.astype(np.float64), clicks)
    else:
        s = users.no_click_counts(demand.i, demand.j, count, rng).astype(np.float64)
    return evidence.add(demand.i, demand.j, step.memory.version, count, s)


def run(
    policy: Policy,
    problem: Problem,
    population: Population,
    *,
    seed: int = 0,
    deliver: Delivery = all_of_it,
    until: Callable[[Report], bool] = lambda _: False,
) -> Run:
    """Returns the session until it asks for nothing more, or until the report says so."""
    rng = source(Purpose.USERS, seed)
    evidence, memory = Evidence.empty(problem.n_items), Memory()
    plans, seen = [], []
    while True:
        step = plan(policy, problem, evidence, memory)
        memory = Memory.from_json(step.memory.to_json())
        assert memory == step.memory
        plans.append(step)
        seen.append(evidence)
        if step.demand.total == 0 or until(step.report):
            return Run(plans, seen)
        assert len(plans) < MAX_PLANS, f"{policy.name} stalls in phase {step.report.phase}"
        evidence = answers(population, problem, step, evidence, deliver(step.demand.count, rng), rng)
