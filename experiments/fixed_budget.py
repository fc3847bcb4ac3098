"""Error of the answer after a fixed budget: sessions on random matrices, each finished one kept as a line of a file."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from app.engine.policies import policy_named
from app.engine.problem import Problem
from app.engine.randomness import Purpose, source
from app.simulation.run import run_raising, run_random_pairs
from experiments.compare import fitted
from experiments.matrices import Matrix, population
from experiments.pool import on_all_cores

EPSILON = 0.001
"""So small that no budget here can certify it: every policy spends all it is given."""

DELTA = 0.1

BUDGET_BLIND = frozenset({"naive", "lil_ucb", "lrmc"})
"""They do the same whatever the budget, so one session whose budget is raised step by step gives a whole curve."""

RANDOM_PAIRS = "lrmc"
"""It shows random pairs whatever it has seen. So its impressions are drawn at once, and the matrix is completed once
a budget; a session would do so at every plan, at the same result and ten times the time."""


@dataclass(frozen=True)
class Run:
    """One session to run: everything a worker process needs, and nothing large."""

    matrix: Matrix
    policy: str
    seed: int
    budgets: tuple[int, ...]  # one, or several in rising order
    folder: Path | None = None


class Key(NamedTuple):
    """What a result is the result of."""

    matrix: str
    policy: str
    budget: int
    seed: int


@dataclass(frozen=True)
class Result:
    """How far the answer was from the best pair after this budget."""

    matrix: str  # its slug
    policy: str
    budget: int
    seed: int
    error: float
    samples: int
    seconds: float

    @property
    def key(self) -> Key:
        """What it is the result of."""
        return Key(self.matrix, self.policy, self.budget, self.seed)


def runs_for(
    matrix: Matrix, policy: str, seeds: Iterable[int], budgets: Sequence[int], folder: Path | None
) -> list[Run]:
    """Returns the sessions of one curve: one a budget, or one for all where the policy does not look at it."""
    parts = [tuple(budgets)] if policy in BUDGET_BLIND else [(budget,) for budget in budgets]
    return [Run(matrix, policy, seed, part, folder) for seed in seeds for part in parts if part]


def perform(run: Run) -> list[Result]:
    """Returns one result a budget. Matrix and users depend on the seed only, not on the policy."""
    policy, people = policy_named(run.policy), population(run.matrix, run.seed, run.folder)
    base = Problem(n_items=people.n_items, epsilon=EPSILON, delta=DELTA, seed=run.seed)
    problem = fitted(policy, base, run.matrix.rank)
    raising = run_random_pairs if run.policy == RANDOM_PAIRS else run_raising
    outcomes = raising(policy, problem, people, source(Purpose.USERS, run.seed), run.budgets)
    return [
        Result(run.matrix.slug, run.policy, budget, run.seed, round(o.error, 9), o.samples, round(o.seconds, 3))
        for budget, o in zip(run.budgets, outcomes, strict=True)
    ]


def perform_missing(
    runs: Sequence[Run], file: Path | None, workers: int | None, *, finished_only: bool = False
) -> Iterator[list[Result]]:
    """Yields results as sessions end, each written to the file at once; sessions in the file already are not run.

    The lines of an interrupted run are kept, so it goes on where it was. Seeds come first in the order of work: an
    interrupted run has a few repetitions of everything. `finished_only` runs nothing, and yields what there is.
    """
    known = {} if file is None else read_results(file)
    missing = []
    for run in sorted(runs, key=lambda run: run.seed):
        keys = [Key(run.matrix.slug, run.policy, budget, run.seed) for budget in run.budgets]
        if finished_only or all(key in known for key in keys):
            yield [known[key] for key in keys if key in known]
        else:
            missing.append(run)
    for _, results in on_all_cores(perform, missing, workers):
        if file is not None:
            with file.open("a") as lines:
                lines.writelines(json.dumps(asdict(one)) + "\n" for one in results if one.key not in known)
        yield results


def read_results(file: Path) -> dict[Key, Result]:
    """Returns what the file has; a last line cut off by an interruption counts as none."""
    found: dict[Key, Result] = {}
    if file.exists():
        lines = file.read_text().splitlines(keepends=True)
        if lines and not lines[-1].endswith("\n"):
            file.write_text("".join(lines[:-1]))  # or the next line would be glued to it
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
    return [Cell(*key, len(errors), *_numbers(errors)) for key, errors in groups.items()]


def _numbers(errors: Sequence[float]) -> tuple[float, float, float, float, float]:
    low, median, high = (float(part) for part in np.percentile(errors, [25, 50, 75]))
    spread = float(np.std(errors, ddof=1) / np.sqrt(len(errors))) if len(errors) > 1 else 0.0
    return low, median, high, float(np.mean(errors)), spread
