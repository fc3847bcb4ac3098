"""`bestpair experiment budget` and `figures`: the error after a fixed budget, for several policies."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from app.cli.options import AsJson, Seed
from app.engine.policies import policy_named
from experiments.commands.options import (
    FinishedOnly,
    MovieLens,
    Workers,
    new_table,
    parse_names,
    parse_numbers,
    with_progress,
)
from experiments.figures import BUDGETS, QUICK_RUNS, Extent, figure_runs, write_figures
from experiments.fixed_budget import Cell, Result, Run, cells_of, perform_missing, runs_for
from experiments.matrices import MOVIELENS_1M, MOVIELENS_100K, TABLE, Matrix, available

POLICIES = "rplans,explore_fit_verify,sequential_halving,row_mean_halving"
TABLE_BUDGETS = "10000,30000,100000"
FIGURE_RUNS = 10
SESSIONS = "sessions.jsonl"


def budget(
    policies: Annotated[str, typer.Option(help="Names separated by commas.")] = POLICIES,
    budgets: Annotated[str, typer.Option(help="Impressions, separated by commas.")] = TABLE_BUDGETS,
    movielens: MovieLens = None,
    runs: Annotated[int, typer.Option(min=1, help="Repetitions, each on another matrix.")] = 40,
    seed: Seed = 0,
    out: Annotated[
        Path | None, typer.Option(help="Folder for budget.json and the finished sessions; run again to resume.")
    ] = None,
    workers: Workers = None,
    finished_only: FinishedOnly = False,
    as_json: AsJson = False,
) -> None:
    """Print the mean error after a fixed budget, with the same matrices and users for every policy.

    MovieLens is included if its folder is given. The error is L of the returned pair minus the lowest L.
    """
    names = parse_names(policies)
    for name in names:
        policy_named(name)
    sizes = sorted(int(number) for number in parse_numbers("budgets", budgets))
    matrices = available(TABLE, {MOVIELENS_100K: movielens})
    todo = [
        run
        for matrix in matrices
        for name in names
        for run in runs_for(matrix, name, range(seed, seed + runs), sizes, movielens if matrix.needs_folder else None)
    ]
    file = None if out is None else _sessions_file(out)
    cells = cells_of(_collect(todo, file, workers, finished_only=finished_only))
    if out is not None:
        (out / "budget.json").write_text(json.dumps(_as_records(cells), indent=1) + "\n")
    if as_json:
        typer.echo(json.dumps(_as_records(cells)))
    else:
        Console().print(_table(cells, matrices, names, sizes))


def figures(
    out: Annotated[Path, typer.Option(help="Folder for charts, table, page and finished sessions.")] = Path("figures"),
    quick: Annotated[
        bool, typer.Option("--quick", help="Two minutes: 200 items, budgets up to 30,000, four runs.")
    ] = False,
    movielens: MovieLens = None,
    movielens_1m: Annotated[Path | None, typer.Option(help="Folder of the MovieLens 1M data set.")] = None,
    matrices: Annotated[
        str | None, typer.Option(help="Only these matrices, separated by commas: synthetic-200-2.")
    ] = None,
    runs: Annotated[int | None, typer.Option(min=1, help="Repetitions; default 10.")] = None,
    largest: Annotated[int, typer.Option(min=1_000, help="Largest budget.")] = BUDGETS[-1],
    seed: Seed = 0,
    workers: Workers = None,
    finished_only: FinishedOnly = False,
) -> None:
    """Draw the error over the budget for every policy, on the paper's matrices (MovieLens if its folder is given).

    An interrupted run can be resumed: run the command again with the same folder.
    """
    only = frozenset() if matrices is None else frozenset(parse_names(matrices))
    extent = Extent(runs or (QUICK_RUNS if quick else FIGURE_RUNS), largest, seed, quick, only)
    folders = {MOVIELENS_100K: movielens, MOVIELENS_1M: movielens_1m}
    file = _sessions_file(out)
    cells = cells_of(_collect(figure_runs(extent, folders), file, workers, finished_only=finished_only))
    for path in write_figures(cells, out):
        typer.echo(path)


def _sessions_file(out: Path) -> Path:
    """Returns the file of the finished sessions; makes the folder."""
    out.mkdir(parents=True, exist_ok=True)
    return out / SESSIONS


def _collect(todo: list[Run], file: Path | None, workers: int | None, *, finished_only: bool) -> list[Result]:
    """Returns all results in the order of the sessions; shows a progress bar in the meantime."""
    steps = with_progress(perform_missing(todo, file, workers, finished_only=finished_only), len(todo))
    results: list[Result] = [result for some in steps for result in some]
    order = {(run.matrix.slug, run.policy): place for place, run in enumerate(reversed(todo))}
    return sorted(results, key=lambda one: (-order[one.matrix, one.policy], one.budget, one.seed))


def _as_records(cells: list[Cell]) -> list[dict[str, object]]:
    """Returns the cells for `--json` and for files, rounded to six digits."""
    return [
        {name: round(value, 6) if isinstance(value, float) else value for name, value in asdict(cell).items()}
        for cell in cells
    ]


def _table(cells: list[Cell], matrices: list[Matrix], names: list[str], sizes: list[int]) -> Table:
    """Returns mean errors, one line per matrix and budget, the lowest in bold."""
    table = new_table(("budget", *names), left=("budget",))
    found = {(cell.matrix, cell.policy, cell.budget): cell for cell in cells}
    for matrix in matrices:
        table.add_row(matrix.name, style="bold cyan")
        for size in sizes:
            row = [found[matrix.slug, name, size] for name in names if (matrix.slug, name, size) in found]
            if len(row) < len(names):
                continue  # some sessions are not finished
            lowest = min(cell.mean for cell in row)
            table.add_row(f"{size:,}", *(_cell(cell, lowest) for cell in row))
    table.caption = "Mean error ± its standard error."
    return table


def _cell(cell: Cell, lowest: float) -> str:
    text = f"{cell.mean:.4f} ±{cell.mean_error:.4f}"
    return f"[bold]{text}[/bold]" if cell.mean == lowest else text
