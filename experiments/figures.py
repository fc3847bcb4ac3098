"""Error over budget for all policies of the paper, the missing baselines and ours: what is run, and what files say."""

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from app.simulation.population import InvalidPopulation
from experiments.error_chart import draw_errors
from experiments.fixed_budget import Cell, Run, runs_for
from experiments.matrices import FIGURES, Matrix, available
from experiments.result_tables import errors_table, where_it_loses

POLICIES = ("rplans", "row_mean_halving", "sequential_halving", "lrmc", "rplans_literal", "lil_ucb", "naive")
BUDGETS = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)

CAPS = {"lil_ucb": (1_000_000, 300_000), "lrmc": (1_000_000, 100_000)}
"""The largest budget of the slow ones, up to 200 items and above. At 800 items one completion takes some seconds, the
more entries it has the longer; lil'UCB, once it has seen all 319,600 pairs, takes twenty seconds a plan. Below that
number lil'UCB has at most one sample a pair, and is the same as naive."""

FEW_ITEMS = 200

QUICK_BUDGETS = (1_000, 3_000, 10_000, 30_000)
QUICK_RUNS = 4


@dataclass(frozen=True)
class Extent:
    """How much is run."""

    runs: int
    largest: int
    seed: int
    quick: bool
    only: frozenset[str] = frozenset()  # slugs of matrices; none: all


def figure_runs(extent: Extent, folders: dict[str, Path | None]) -> list[Run]:
    """Returns all sessions of the figures; the quick ones leave out 800 items."""
    unknown = extent.only - {matrix.slug for matrix in FIGURES}
    if unknown:
        slugs = ", ".join(matrix.slug for matrix in FIGURES)
        raise InvalidPopulation("matrices", f'there is no "{min(unknown)}"; there are {slugs}')
    chosen = [
        matrix
        for matrix in available(FIGURES, folders)
        if (not extent.only or matrix.slug in extent.only) and (not extent.quick or matrix.n_items <= FEW_ITEMS)
    ]
    seeds = range(extent.seed, extent.seed + extent.runs)
    return [
        run
        for matrix in chosen
        for policy in POLICIES
        for run in runs_for(matrix, policy, seeds, _budgets(extent, matrix, policy), folders.get(matrix.kind))
    ]


def _budgets(extent: Extent, matrix: Matrix, policy: str) -> list[int]:
    few, many = CAPS.get(policy, (BUDGETS[-1], BUDGETS[-1]))
    most = min(extent.largest, few if matrix.n_items <= FEW_ITEMS else many)
    return [budget for budget in (QUICK_BUDGETS if extent.quick else BUDGETS) if budget <= most]


def write_figures(cells: Sequence[Cell], out: Path) -> list[Path]:
    """Returns the files written: errors.csv, a chart for each matrix, and a page with both."""
    written = [out / "errors.csv"]
    written[0].write_text(as_csv(cells))
    for matrix, own in by_matrix(cells):
        written.append(out / f"{matrix.slug}.svg")
        written[-1].write_text(draw_errors(own, matrix.name))
    written.append(out / "figures.md")
    head = ["# Error over budget", "", "By `bestpair experiment figures`; numbers in [errors.csv](errors.csv).", ""]
    written[-1].write_text("\n".join([*head, *sections(cells, Path()), ""]))
    return written


def by_matrix(cells: Sequence[Cell]) -> list[tuple[Matrix, list[Cell]]]:
    """Returns the cells of each matrix that has some, in the order of the figures."""
    parts = [(matrix, [cell for cell in cells if cell.matrix == matrix.slug]) for matrix in FIGURES]
    return [(matrix, own) for matrix, own in parts if own]


def sections(cells: Sequence[Cell], charts: Path) -> list[str]:
    """Returns the lines of a page: for each matrix its chart, its numbers, and where we are not the lowest."""
    lines: list[str] = []
    for matrix, own in by_matrix(cells):
        chart = charts / f"{matrix.slug}.svg"
        lines += [f"### {matrix.name}", "", f"![{matrix.name}]({chart})", "", *errors_table(own), ""]
        lines += [*where_it_loses(own), ""]
    return lines[:-1]


def as_csv(cells: Sequence[Cell]) -> str:
    """Returns one line a cell, rounded to what it is worth."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(field.name for field in fields(Cell))
    for cell in cells:
        writer.writerow(round(value, 6) if isinstance(value, float) else value for value in asdict(cell).values())
    return text.getvalue()


def read_csv(text: str) -> list[Cell]:
    """Returns the cells of `as_csv`."""
    kinds = {field.name: field.type for field in fields(Cell)}
    return [
        Cell(**{name: kinds[name](value) for name, value in row.items()})  # type: ignore[operator] # str, int and float, all of them classes
        for row in csv.DictReader(text.splitlines())
    ]
