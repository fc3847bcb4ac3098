"""Several policies on the same populations and seeds: impressions, errors, wrong certificates."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from app.engine.policies import POLICIES, check_new, policy_named
from app.engine.policies.policy import Policy
from app.engine.problem import Goal, Model, Problem, SelfPairs
from app.engine.randomness import Purpose, source
from app.simulation.population_file import load_population
from app.simulation.run import Outcome, run_session
from experiments.parallel import run_parallel

QUARTILES = ("samples", "error", "relative_error", "gap", "relative_gap", "plans", "seconds")
"""What `--json` has quartiles of."""


@dataclass(frozen=True)
class Task:
    """One session to run: everything that a worker process needs, in few bytes."""

    population: Path
    policy: str
    problem: Problem


@dataclass(frozen=True)
class Row:
    """One policy on one population over all seeds."""

    population: str
    policy: str
    outcomes: tuple[Outcome, ...]

    @property
    def certified(self) -> int:
        """The number of sessions that ended certified."""
        return sum(outcome.certified for outcome in self.outcomes)

    @property
    def failures(self) -> int:
        """The number of sessions that certified a pair that does not reach the goal: delta limits their share."""
        return sum(outcome.wrong for outcome in self.outcomes)

    def quartiles(self, name: str) -> tuple[float, float, float]:
        """Returns the quartiles (25, 50, 75 %) of a field of the outcomes."""
        low, middle, high = np.percentile([getattr(outcome, name) for outcome in self.outcomes], [25, 50, 75])
        return float(low), float(middle), float(high)

    def as_json(self) -> dict[str, Any]:
        """Returns the row for `--json`: counts, quartiles, and every session."""
        return {
            "population": self.population,
            "policy": self.policy,
            "runs": len(self.outcomes),
            "certified": self.certified,
            "failures": self.failures,
            **{name: self.quartiles(name) for name in QUARTILES},
            "sessions": [outcome.as_json() for outcome in self.outcomes],
        }


def policies_for(model: Model, goal: Goal) -> list[str]:
    """Returns the names of all policies that work on this model and with this goal."""
    return [
        name
        for name, policy in POLICIES.items()
        if policy.model is model and not (policy.needs_absolute_goal and goal.relative)
    ]


def problem_for(policy: Policy, base: Problem, true_rank: int) -> Problem:
    """Returns the problem with the settings that this policy needs.

    A policy that needs self pairs gets them. A policy that needs a rank gets the population's rank if none is given, as
    in the paper; a policy that does not use a rank gets none, so that one --rank can serve several policies.
    """
    rank = true_rank if policy.needs_rank and base.rank is None else base.rank
    return replace(
        base,
        self_pairs=SelfPairs.EXPLORE if policy.needs_self_pairs else base.self_pairs,
        rank=rank if policy.uses_rank else None,
    )


def make_tasks(path: Path, policies: Sequence[str], base: Problem, true_rank: int, runs: int) -> list[Task]:
    """Returns one task per policy and seed on one population; raises InvalidProblem before anything runs."""
    if policies and not any(policy_named(name).uses_rank for name in policies):
        check_new(policy_named(policies[0]), base)  # a stated rank that none of them uses
    tasks = []
    for name in policies:
        policy = policy_named(name)
        problem = problem_for(policy, base, true_rank)
        check_new(policy, problem)
        tasks += [Task(path, name, replace(problem, seed=base.seed + run)) for run in range(runs)]
    return tasks


def run_task(task: Task) -> Outcome:
    """Returns the outcome of one task; the randomness of the users depends only on the seed, not on the policy."""
    population = load_population(task.population)
    users = source(Purpose.USERS, task.problem.seed)
    return run_session(policy_named(task.policy), task.problem, population, users)


def run_tasks(tasks: Sequence[Task]) -> Iterator[tuple[Task, Outcome]]:
    """Yields (task, outcome) as each session ends."""
    return run_parallel(run_task, tasks)


def collect(results: Sequence[tuple[Task, Outcome]]) -> list[Row]:
    """Returns one row per population and policy, in the order of the results; sessions in the order of the seeds."""
    groups: dict[tuple[Path, str], list[tuple[Task, Outcome]]] = {}
    for task, outcome in results:
        groups.setdefault((task.population, task.policy), []).append((task, outcome))
    rows = []
    for (population, policy), members in groups.items():
        members.sort(key=lambda member: member[0].problem.seed)
        outcomes = tuple(outcome for _, outcome in members)
        rows.append(Row(str(population), policy, outcomes))
    return rows
