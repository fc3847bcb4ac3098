"""`bestpair experiment figures`: the paper's figures again, with the missing baselines."""

from pathlib import Path
from typing import Annotated

import typer

from app.cli.options import FinishedOnly, MovieLens, Seed, Workers
from experiments.commands.budget import collect, sessions_file
from experiments.figures import BUDGETS, QUICK_RUNS, Extent, figure_runs, write_figures
from experiments.fixed_budget import cells_of
from experiments.matrices import MOVIELENS_1M, MOVIELENS_100K

RUNS = 10


def figures(
    out: Annotated[Path, typer.Option(help="Folder for charts, table, page, and finished sessions.")] = Path("figures"),
    quick: Annotated[
        bool, typer.Option("--quick", help="Two minutes: 200 items, budgets up to 30,000, four runs.")
    ] = False,
    movielens: MovieLens = None,
    movielens_1m: Annotated[Path | None, typer.Option(help="Folder of MovieLens 1M, which you have.")] = None,
    matrices: Annotated[str | None, typer.Option(help="Some of them, with commas: synthetic-200-2.")] = None,
    runs: Annotated[int | None, typer.Option(min=1, help="Repetitions; default 10.")] = None,
    largest: Annotated[int, typer.Option(min=1_000, help="Largest budget.")] = BUDGETS[-1],
    seed: Seed = 0,
    workers: Workers = None,
    finished_only: FinishedOnly = False,
) -> None:
    """Draw the error over the budget for every policy, on the paper's matrices (MovieLens where you give its folder).

    Stopped and started again with the same folder, it goes on where it was.
    """
    only = frozenset() if matrices is None else frozenset(name.strip() for name in matrices.split(","))
    extent = Extent(runs or (QUICK_RUNS if quick else RUNS), largest, seed, quick, only)
    folders = {MOVIELENS_100K: movielens, MOVIELENS_1M: movielens_1m}
    file = sessions_file(out)
    cells = cells_of(collect(figure_runs(extent, folders), file, workers, finished_only=finished_only))
    for path in write_figures(cells, out):
        typer.echo(path)
