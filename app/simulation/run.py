"""One session in process: plan, show the whole demand to simulated users, plan again, until there is a verdict."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from app.engine.bounds import Bounds, Kind
from app.engine.certificate import assess
from app.engine.demand import Demand
from app.engine.evidence import Evidence
from app.engine.memory import Memory
from app.engine.plan import Plan, Report, plan
from app.engine.policies.policy import Policy
from app.engine.problem import Model, Problem
from app.simulation.population import Population
from app.simulation.users import Users

MAX_PLANS = 1000
"""A ceiling against a policy that asks for next to nothing for ever; sessions take some dozens of plans."""


@dataclass(frozen=True)
class Outcome:
    """How a session ended, and how far from the truth, which only a simulation knows."""

    policy: str
    certified: bool
    verdict: str
    samples: int
    pair: tuple[int, int]
    error: float  # L of the pair minus the lowest L: what is lost per impression
    gap: float  # what was proven of that error
    plans: int
    seconds: float
    phase: str
    assumptions: tuple[str, ...]
    diagnostics: dict[str, float]
    bounds: dict[str, float]  # part of the pairs whose lower bound is of each kind, at the end

    def as_json(self) -> dict[str, Any]:
        """Returns the outcome for `--json`."""
        return asdict(self)


def run_session(
    policy: Policy,
    problem: Problem,
    population: Population,
    rng: np.random.Generator,
    on_plan: Callable[[Report], None] = lambda _: None,
    in_flight: int = 0,
) -> Outcome:
    """Returns the outcome of one session; `on_plan` hears the report of every plan as it is made.

    `in_flight` impressions go out beside each plan's own, as a service has them: while answers are awaited and the next
    plan is computed it hands out more of the last one.
    """
    (outcome,) = run_raising(policy, problem, population, rng, (problem.budget,), on_plan, in_flight)
    return outcome


def run_raising(
    policy: Policy,
    problem: Problem,
    population: Population,
    rng: np.random.Generator,
    budgets: Sequence[int | None],
    on_plan: Callable[[Report], None] = lambda _: None,
    in_flight: int = 0,
) -> Iterator[Outcome]:
    """Yields the outcome at each of the budgets of one session, whose budget is raised each time it is spent."""
    began = time.perf_counter()
    users = Users(population, problem.model)
    evidence, memory = Evidence.empty(problem.n_items), Memory()
    for budget in budgets:
        asked = replace(problem, budget=budget)
        while True:
            step = plan(policy, asked, evidence, memory)
            memory = step.memory
            on_plan(step.report)
            if step.demand.total == 0 or memory.version >= MAX_PLANS:
                break
            shown = step.demand
            if in_flight > 0:
                room = in_flight if budget is None else min(in_flight, budget - evidence.samples - shown.total)
                shown = replace(shown, count=shown.count + rng.multinomial(max(room, 0), shown.count / shown.total))
            evidence = show(users, problem, shown, evidence, memory.version, rng)
        seconds = time.perf_counter() - began
        bounds = assess(problem, evidence, memory.choices, policy.shares(problem)).bounds
        yield _outcome(policy, step, population, seconds, _parts(bounds))


def run_random_pairs(
    policy: Policy, problem: Problem, population: Population, rng: np.random.Generator, budgets: Sequence[int]
) -> Iterator[Outcome]:
    """Yields what `run_raising` does, in one plan a budget: for a policy that shows pairs drawn uniformly at random."""
    began = time.perf_counter()
    users, evidence, memory = Users(population), Evidence.empty(problem.n_items), Memory()
    for budget in budgets:
        uniform = np.full(problem.n_pairs, 1 / problem.n_pairs)
        drawn = rng.multinomial(budget - evidence.samples, uniform)
        index = np.flatnonzero(drawn)
        demand = Demand.of_pairs(index, drawn[index], problem.n_items)
        evidence = show(users, problem, demand, evidence, memory.version + 1, rng)
        step = plan(policy, replace(problem, budget=budget), evidence, memory)
        memory = step.memory
        yield _outcome(policy, step, population, time.perf_counter() - began, {})


def _parts(bounds: Bounds) -> dict[str, float]:
    """Returns which part of the pairs has its lower bound from each kind; nothing where all is exact."""
    if bounds.binding is None:
        return {}
    return {kind.name.lower(): float(np.mean(bounds.binding == kind)) for kind in Kind}


def _outcome(policy: Policy, step: Plan, population: Population, seconds: float, bounds: dict[str, float]) -> Outcome:
    report = step.report
    return Outcome(
        policy=policy.name,
        certified=report.certified,
        verdict=report.verdict.value,
        samples=report.samples,
        pair=(report.pair.i, report.pair.j),
        error=float(population.error(*report.pair)),
        gap=report.gap,
        plans=step.memory.version,
        seconds=seconds,
        phase=report.phase,
        assumptions=report.assumptions,
        diagnostics=dict(report.diagnostics),
        bounds=bounds,
    )


def show(
    users: Users, problem: Problem, demand: Demand, evidence: Evidence, version: int, rng: np.random.Generator
) -> Evidence:
    """Returns the evidence after all of the demand has been shown and answered."""
    i, j, count = demand.i, demand.j, demand.count
    if users.model is Model.DETERMINISTIC:
        return evidence.add(i, j, version, count, count * (1.0 - users.exact_rewards(i, j)))
    if problem.item_clicks:
        seen = users.item_outcomes(i, j, count, rng)
        clicks = (seen.only_i + seen.both, seen.only_j + seen.both)
        return evidence.add(i, j, version, count, seen.neither.astype(np.float64), clicks)
    return evidence.add(i, j, version, count, users.no_click_counts(i, j, count, rng).astype(np.float64))
