"""One session in this process: plan, show the whole demand to simulated users, plan again, until there is a verdict."""

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
from app.engine.problem import Goal, Model, Problem
from app.simulation.population import Population
from app.simulation.users import Users
from app.wire.goal import settings_of

MAX_PLANS = 1000
"""An upper limit, in case a policy requests only a few impressions per plan; a session usually takes some dozens."""


@dataclass(frozen=True)
class Outcome:
    """How a session ended, and its true error, which is known only in a simulation."""

    policy: str
    certified: bool
    verdict: str
    samples: int
    pair: tuple[int, int]
    error: float  # L of the pair minus the lowest L: the loss per impression
    best_reward: float  # of the true best pair
    gap: float  # the proven upper bound of the error
    relative_gap: float | None  # and of the relative error
    goal: Goal
    plans: int
    seconds: float
    phase: str
    assumptions: tuple[str, ...]
    diagnostics: dict[str, float]
    bounds: dict[str, float]  # share of the pairs whose lower bound is of each kind, at the end

    @property
    def relative_error(self) -> float:
        """The part of the best reward that the pair lacks."""
        return relative_error(self.error, self.best_reward)

    @property
    def wrong(self) -> bool:
        """Whether the pair is certified, but does not reach the goal; delta limits the share of such sessions."""
        return self.certified and self.goal.missed_by(self.best_reward - self.error, self.best_reward)

    def as_json(self) -> dict[str, Any]:
        """Returns the outcome for `--json`; the goal as settings of a session."""
        fields = {name: value for name, value in asdict(self).items() if name != "goal"}
        return {**fields, **settings_of(self.goal), "relative_error": self.relative_error}


def relative_error(error: float, best_reward: float) -> float:
    """Returns an error as a part of the best reward; 0 if nothing is ever clicked."""
    return error / best_reward if best_reward > 0 else 0.0


def run_session(
    policy: Policy,
    problem: Problem,
    population: Population,
    rng: np.random.Generator,
    on_plan: Callable[[Report], None] = lambda _: None,
    in_flight: int = 0,
) -> Outcome:
    """Returns the outcome of one session; `on_plan` is called with the report of every plan.

    `in_flight` impressions are shown in addition to those of each plan. A service has them too: while it waits for
    feedback and computes the next plan, it hands out more pairs of the last one.
    """
    (outcome,) = run_budgets(policy, problem, population, rng, (problem.budget,), on_plan, in_flight)
    return outcome


def run_budgets(
    policy: Policy,
    problem: Problem,
    population: Population,
    rng: np.random.Generator,
    budgets: Sequence[int | None],
    on_plan: Callable[[Report], None] = lambda _: None,
    in_flight: int = 0,
) -> Iterator[Outcome]:
    """Yields the outcome at each budget of one session; the budget is raised to the next one when it is spent."""
    began = time.perf_counter()
    users = Users(population, problem.model)
    evidence, memory = Evidence.empty(problem.n_items), Memory()
    for budget in budgets:
        current = replace(problem, budget=budget)
        while True:
            step = plan(policy, current, evidence, memory)
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
        yield outcome_of(policy, problem.goal, step, population, seconds, _shares_by_kind(bounds))


def _shares_by_kind(bounds: Bounds) -> dict[str, float]:
    """Returns the share of the pairs whose lower bound is of each kind; empty in the deterministic model."""
    if bounds.binding is None:
        return {}
    return {kind.name.lower(): float(np.mean(bounds.binding == kind)) for kind in Kind}


def outcome_of(
    policy: Policy, goal: Goal, step: Plan, population: Population, seconds: float, bounds: dict[str, float]
) -> Outcome:
    """Returns the outcome after this plan."""
    report = step.report
    return Outcome(
        policy=policy.name,
        certified=report.certified,
        verdict=report.verdict.value,
        samples=report.samples,
        pair=(report.pair.i, report.pair.j),
        error=float(population.error(*report.pair)),
        best_reward=1.0 - population.best_pair().value,
        gap=report.gap,
        relative_gap=report.relative_gap,
        goal=goal,
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
    """Returns the evidence after the whole demand was shown to the users."""
    i, j, count = demand.i, demand.j, demand.count
    if users.model is Model.DETERMINISTIC:
        return evidence.add(i, j, version, count, count * (1.0 - users.exact_rewards(i, j)))
    if problem.item_clicks:
        seen = users.item_outcomes(i, j, count, rng)
        clicks = (seen.only_i + seen.both, seen.only_j + seen.both)
        return evidence.add(i, j, version, count, seen.neither.astype(np.float64), clicks)
    return evidence.add(i, j, version, count, users.no_click_counts(i, j, count, rng).astype(np.float64))
