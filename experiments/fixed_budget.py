"""Error of the returned pair after a fixed budget, on random matrices; finished sessions are stored in a file."""

import csv
import io
import json
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from app.engine.demand import Demand
from app.engine.evidence import Evidence
from app.engine.memory import Memory
from app.engine.plan import plan
from app.engine.policies import policy_named
from app.engine.policies.policy import Policy
from app.engine.problem import Goal, Problem
from app.engine.randomness import Purpose, source
from app.simulation.population import Population
from app.simulation.run import Outcome, outcome_of, run_budgets, show
from app.simulation.users import Users
from experiments.compare import problem_for
from experiments.matrices import Matrix, population
from experiments.parallel import run_parallel

EPSILON = 0.001
"""Too small to certify within any budget here: every policy spends its whole budget."""

DELTA = 0.1

IGNORES_BUDGET = frozenset({"naive", "lil_ucb", "lrmc"})
"""Policies whose choices do not depend on the budget: one session whose budget is raised gives the whole curve."""

RANDOM_PAIRS = "lrmc"
"""This policy shows random pairs independently of the evidence. So all impressions of a budget are drawn at once, and
the matrix is completed once per budget. A session would complete it at every plan: the same result in ten times the
time."""


@dataclass(frozen=True)
class Run:
    """One session to run: everything that a worker process needs, in few bytes."""

    matrix: Matrix
    policy: str
    seed: int
    budgets: tuple[int, ...]  # one, or several in increasing order
    folder: Path | None = None


class Key(NamedTuple):
    """Identifies a result."""

    matrix: str
    policy: str
    budget: int
    seed: int


@dataclass(frozen=True)
class Result:
    """The error of the returned pair after this budget."""

    matrix: str  # its slug
    policy: str
    budget: int
    seed: int
    error: float
    samples: int
    seconds: float

    @property
    def key(self) -> Key:
        """The key of this result."""
        return Key(self.matrix, self.policy, self.budget, self.seed)


def runs_for(
    matrix: Matrix, policy: str, seeds: Iterable[int], budgets: Sequence[int], folder: Path | None
) -> list[Run]:
    """Returns the sessions of one curve: one per budget, or a single one if the policy ignores the budget."""
    parts = [tuple(budgets)] if policy in IGNORES_BUDGET else [(budget,) for budget in budgets]
    return [Run(matrix, policy, seed, part, folder) for seed in seeds for part in parts if part]


def perform(run: Run) -> list[Result]:
    """Returns one result per budget. Matrix and users depend only on the seed, not on the policy."""
    policy, people = policy_named(run.policy), population(run.matrix, run.seed, run.folder)
    base = Problem(n_items=people.n_items, goal=Goal(EPSILON), delta=DELTA, seed=run.seed)
    problem = problem_for(policy, base, run.matrix.rank)
    run_all = run_random_pairs if run.policy == RANDOM_PAIRS else run_budgets
    outcomes = run_all(policy, problem, people, source(Purpose.USERS, run.seed), run.budgets)
    return [
        Result(run.matrix.slug, run.policy, budget, run.seed, round(o.error, 9), o.samples, round(o.seconds, 3))
        for budget, o in zip(run.budgets, outcomes, strict=True)
    ]


def run_random_pairs(
    policy: Policy, problem: Problem, people: Population, rng: np.random.Generator, budgets: Sequence[int]
) -> Iterator[Outcome]:
    """Yields the same as `run_budgets`, with one plan per budget: for a policy that shows uniformly random pairs."""
    began = time.perf_counter()
    users, evidence, memory = Users(people), Evidence.empty(problem.n_items), Memory()
    for budget in budgets:
        uniform = np.full(problem.n_pairs, 1 / problem.n_pairs)
        drawn = rng.multinomial(budget - evidence.samples, uniform)
        index = np.flatnonzero(drawn)
        demand = Demand.of_pairs(index, drawn[index], problem.n_items)
        evidence = show(users, problem, demand, evidence, memory.version + 1, rng)
        step = plan(policy, replace(problem, budget=budget), evidence, memory)
        memory = step.memory
        yield outcome_of(policy, problem.goal, step, people, time.perf_counter() - began, {})


def perform_missing(
    runs: Sequence[Run], file: Path | None, workers: int | None, *, finished_only: bool = False
) -> Iterator[list[Result]]:
    """Yields results as sessions end and appends them to the file; sessions that are in the file are not run again.

    So an interrupted run can be resumed. Sessions run in the order of their seeds, so that an interrupted run has some
    repetitions of every matrix, policy and budget. `finished_only` runs nothing and yields the results in the file.
    """
    known = {} if file is None else read_results(file)
    missing = []
    for run in sorted(runs, key=lambda run: run.seed):
        keys = [Key(run.matrix.slug, run.policy, budget, run.seed) for budget in run.budgets]
        if finished_only or all(key in known for key in keys):
            yield [known[key] for key in keys if key in known]
        else:
            missing.append(run)
    for _, results in run_parallel(perform, missing, workers):
        if file is not None:
            with file.open("a") as lines:
                lines.writelines(json.dumps(asdict(one)) + "\n" for one in results if one.key not in known)
        yield results


def read_results(file: Path) -> dict[Key, Result]:
    """Returns the results in the file; removes a last line that was cut off by an interruption."""
    found: dict[Key, Result] = {}
    if file.exists():
        lines = file.read_text().splitlines(keepends=True)
        if lines and not lines[-1].endswith("\n"):
            file.write_text("".join(lines[:-1]))  # otherwise the next line would be appended to it
            lines.pop()
        for line in lines:
            result = Result(**json.loads(line))
            found[result.key] = result
    return found


@dataclass(frozen=True)
class Cell:
    """Errors of one policy on one matrix at one budget, over the seeds."""

    matrix: str
    policy: str
    budget: int
    runs: int
    low: float  # quartiles
    median: float
    high: float
    mean: float
    mean_error: float  # standard error of the mean


def cells_of(results: Iterable[Result]) -> list[Cell]:
    """Returns one cell for each matrix, policy and budget, in the order of their first results."""
    groups: dict[tuple[str, str, int], list[float]] = {}
    for result in results:
        groups.setdefault((result.matrix, result.policy, result.budget), []).append(result.error)
    return [Cell(*key, len(errors), *_statistics(errors)) for key, errors in groups.items()]


def _statistics(errors: Sequence[float]) -> tuple[float, float, float, float, float]:
    low, median, high = (float(part) for part in np.percentile(errors, [25, 50, 75]))
    spread = float(np.std(errors, ddof=1) / np.sqrt(len(errors))) if len(errors) > 1 else 0.0
    return low, median, high, float(np.mean(errors)), spread


def as_csv(cells: Sequence[Cell]) -> str:
    """Returns one line per cell, rounded to six digits."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(field.name for field in fields(Cell))
    for cell in cells:
        writer.writerow(round(value, 6) if isinstance(value, float) else value for value in asdict(cell).values())
    return lines.getvalue()


def read_csv(content: str) -> list[Cell]:
    """Returns the cells; the inverse of `as_csv`."""
    kinds = {field.name: field.type for field in fields(Cell)}
    return [
        Cell(**{name: kinds[name](value) for name, value in row.items()})  # type: ignore[operator] # str, int and float, all of them classes
        for row in csv.DictReader(content.splitlines())
    ]
