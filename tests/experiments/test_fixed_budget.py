"""Sessions with a fixed budget: which are run, which are stored, and their statistics."""

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from app.engine.policies import policy_named
from app.engine.problem import Goal, Problem
from app.engine.randomness import Purpose, source
from app.simulation.mixtures import mixture
from app.simulation.population import InvalidPopulation
from app.simulation.run import run_budgets, run_session
from experiments.fixed_budget import (
    Result,
    cells_of,
    perform,
    perform_missing,
    read_results,
    run_random_pairs,
    runs_for,
)
from experiments.matrices import FIGURES, MOVIELENS_100K, SYNTHETIC, TABLE, Matrix, available, population
from tests.simulation.test_movielens import write_100k

SMALL = Matrix(SYNTHETIC, 8, 2)


def planted(error: float, seed: int = 1, budget: int = 100) -> Result:
    return Result(SMALL.slug, "naive", budget, seed, error, budget, 0.1)


def test_a_session_with_a_raised_budget_starts_like_one_with_the_smaller_budget() -> None:
    people = mixture("ads6", 8, 2, np.random.default_rng(1))
    problem = Problem(n_items=8, goal=Goal(0.001), delta=0.1, seed=3, budget=100)
    naive = policy_named("naive")
    alone = run_session(naive, problem, people, source(Purpose.USERS, 3))
    first, second = run_budgets(naive, problem, people, source(Purpose.USERS, 3), (100, 450))
    assert (first.pair, first.gap, first.samples) == (alone.pair, alone.gap, 100)
    assert second.samples == 450
    assert second.plans > first.plans
    assert second.bounds["direct"] == 1.0


def test_random_pairs_are_added_up_to_each_budget() -> None:
    people = population(SMALL, 1)
    problem = Problem(n_items=8, goal=Goal(0.001), delta=0.1, seed=3, rank=2)
    outcomes = [*run_random_pairs(policy_named("lrmc"), problem, people, source(Purpose.USERS, 3), (50, 4_000_000))]
    assert [outcome.samples for outcome in outcomes] == [50, 4_000_000]
    assert [outcome.plans for outcome in outcomes] == [1, 2]
    assert outcomes[1].error < 0.01 < population(SMALL, 1).loss_matrix().std()


def test_a_policy_that_depends_on_the_budget_gets_one_session_per_budget() -> None:
    assert [run.budgets for run in runs_for(SMALL, "rplans", [7], [10, 20], None)] == [(10,), (20,)]
    assert [run.budgets for run in runs_for(SMALL, "naive", [7, 8], [10, 20], None)] == [(10, 20), (10, 20)]
    assert runs_for(SMALL, "naive", [7], [], None) == []


def test_all_policies_use_the_same_matrix_and_each_seed_another_one() -> None:
    population.cache_clear()
    first = population(SMALL, 1).factor
    population.cache_clear()
    assert np.array_equal(first, population(SMALL, 1).factor)
    assert not np.array_equal(first, population(SMALL, 2).factor)
    (result,) = perform(runs_for(SMALL, "sequential_halving", [1], [300], None)[0])
    assert (result.matrix, result.policy, result.budget, result.seed) == (
        SMALL.slug, "sequential_halving", 300, 1,
    )  # fmt: skip
    errors = population(SMALL, 1).error(*np.triu_indices(8, 1))
    assert np.min(np.abs(errors - result.error)) < 1e-8


def test_sessions_in_the_file_are_not_run_again(tmp_path: Path) -> None:
    file = tmp_path / "sessions.jsonl"
    file.write_text(json.dumps(asdict(planted(0.77))) + "\n" + '{"matrix": "cut o')
    runs = runs_for(SMALL, "naive", [1, 2], [100], None)
    (known,), (new,) = perform_missing(runs, file, 1)
    assert known.error == 0.77, "kept, though no session can have that error"
    assert (new.seed, new.samples) == (2, 100)
    assert read_results(file) == {known.key: known, new.key: new}, "and the line that was cut off is gone"


def test_finished_only_runs_nothing(tmp_path: Path) -> None:
    file = tmp_path / "sessions.jsonl"
    file.write_text(json.dumps(asdict(planted(0.77))) + "\n")
    runs = runs_for(SMALL, "naive", [1, 2], [100, 200], None)
    found = [one for some in perform_missing(runs, file, 1, finished_only=True) for one in some]
    assert [(one.seed, one.budget) for one in found] == [(1, 100)]


def test_cells_by_hand() -> None:
    (cell,) = cells_of(planted(error, seed) for seed, error in enumerate([0.5, 0.1, 0.2, 0.3, 0.4]))
    assert (cell.matrix, cell.policy, cell.budget, cell.runs) == (SMALL.slug, "naive", 100, 5)
    assert (cell.low, cell.median, cell.high, cell.mean) == pytest.approx((0.2, 0.3, 0.4, 0.3))
    assert cell.mean_error == pytest.approx(np.sqrt(0.025 / 5))


def test_movielens_needs_its_folder_and_groups_by_rank(tmp_path: Path) -> None:
    write_100k(tmp_path)
    by_gender = population(Matrix(MOVIELENS_100K, 3, 2), 1, tmp_path)
    by_job = population(Matrix(MOVIELENS_100K, 3, 3), 1, tmp_path)
    assert by_gender.shares is not None
    assert by_job.shares is not None
    assert sorted(by_gender.shares) == [0.25, 0.75]
    assert sorted(by_job.shares) == [0.25, 0.25, 0.5]
    with pytest.raises(InvalidPopulation, match="folder"):
        population(Matrix(MOVIELENS_100K, 3, 2), 1)
    assert {matrix.kind for matrix in available(FIGURES, {})} == {SYNTHETIC}
    assert Matrix(MOVIELENS_100K, 800, 2) in available(TABLE, {MOVIELENS_100K: tmp_path})
