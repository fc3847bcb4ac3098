"""`bestpair experiment budget`: the mean error after a fixed budget, policies side by side."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from app.cli.options import AsJson, FinishedOnly, MovieLens, Seed, Workers, table_of, with_a_bar
from app.engine.policies import policy_named
from app.engine.problem import InvalidProblem
from experiments.fixed_budget import Cell, Result, Run, cells_of, perform_missing, runs_for
from experiments.matrices import MOVIELENS_100K, TABLE, Matrix, available

POLICIES = "rplans,explore_fit_verify,sequential_halving,row_mean_halving"
BUDGETS = "10000,30000,100000"
SESSIONS = "sessions.jsonl"


def budget(
    policies: Annotated[str, typer.Option(help="Names with commas between them.")] = POLICIES,
    budgets: Annotated[str, typer.Option(help="Impressions, with commas between them.")] = BUDGETS,
    movielens: MovieLens = None,
    runs: Annotated[int, typer.Option(min=1, help="Repetitions, each on a matrix of its own.")] = 40,
    seed: Seed = 0,
    out: Annotated[
        Path | None, typer.Option(help="Folder for budget.json and finished sessions; a second start goes on there.")
    ] = None,
    workers: Workers = None,
    finished_only: FinishedOnly = False,
    as_json: AsJson = False,
) -> None:
    """Mean error after a fixed budget, the same matrices and users for every policy.

    MovieLens is included where its folder is given. The error is L of the answer minus the lowest L.
    """
    names = [name.strip() for name in policies.split(",")]
    for name in names:
        policy_named(name)
    sizes = sorted(_budget(text) for text in budgets.split(","))
    matrices = available(TABLE, {MOVIELENS_100K: movielens})
    todo = [
        run
        for matrix in matrices
        for name in names
        for run in runs_for(matrix, name, range(seed, seed + runs), sizes, movielens if matrix.needs_folder else None)
    ]
    cells = cells_of(collect(todo, None if out is None else sessions_file(out), workers, finished_only=finished_only))
    if out is not None:
        (out / "budget.json").write_text(json.dumps(as_records(cells), indent=1) + "\n")
    if as_json:
        typer.echo(json.dumps(as_records(cells)))
    else:
        Console().print(_table(cells, matrices, names, sizes))


def sessions_file(out: Path) -> Path:
    """Returns where finished sessions are kept; makes the folder."""
    out.mkdir(parents=True, exist_ok=True)
    return out / SESSIONS


def collect(todo: list[Run], file: Path | None, workers: int | None, *, finished_only: bool) -> list[Result]:
    """Returns all results in the order of the sessions, showing how far it is."""
    steps = with_a_bar(perform_missing(todo, file, workers, finished_only=finished_only), len(todo))
    results: list[Result] = [result for some in steps for result in some]
    order = {(run.matrix.slug, run.policy): place for place, run in enumerate(reversed(todo))}
    return sorted(results, key=lambda one: (-order[one.matrix, one.policy], one.budget, one.seed))


def as_records(cells: list[Cell]) -> list[dict[str, object]]:
    """Returns the cells for `--json` and for files, rounded to what they are worth."""
    return [
        {name: round(value, 6) if isinstance(value, float) else value for name, value in asdict(cell).items()}
        for cell in cells
    ]


def _budget(text: str) -> int:
    try:
        return int(float(text))
    except ValueError:
        raise InvalidProblem("budgets", f'must be numbers with commas between them, got "{text}"') from None


def _table(cells: list[Cell], matrices: list[Matrix], names: list[str], sizes: list[int]) -> Table:
    """Returns mean errors, one line a matrix and budget, the lowest bold."""
    table = table_of(("budget", *names), left="budget")
    found = {(cell.matrix, cell.policy, cell.budget): cell for cell in cells}
    for matrix in matrices:
        table.add_row(matrix.name, style="bold cyan")
        for size in sizes:
            row = [found[matrix.slug, name, size] for name in names if (matrix.slug, name, size) in found]
            if len(row) < len(names):
                continue  # not finished yet
            lowest = min(cell.mean for cell in row)
            table.add_row(f"{size:,}", *(_cell(cell, lowest) for cell in row))
    table.caption = "Mean error ± its standard error."
    return table


def _cell(cell: Cell, lowest: float) -> str:
    text = f"{cell.mean:.4f} ±{cell.mean_error:.4f}"
    return f"[bold]{text}[/bold]" if cell.mean == lowest else text
