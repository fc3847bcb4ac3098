"""Options, lists of values, tables and the progress bar that several commands of the experiments share."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from rich import box
from rich.progress import BarColumn, MofNCompleteColumn
from rich.table import Table

from app.cli.options import progress
from app.engine.problem import InvalidProblem

MovieLens = Annotated[
    Path | None, typer.Option(help="Folder of the MovieLens 100K data set; it is read, never copied.")
]
Workers = Annotated[int | None, typer.Option(min=1, help="Number of processes; default: one per core.")]
FinishedOnly = Annotated[bool, typer.Option("--finished-only", help="Run nothing; use the finished sessions.")]


Result = TypeVar("Result")


def parse_names(text: str) -> list[str]:
    """Returns the names of a comma-separated list."""
    return [name.strip() for name in text.split(",")]


def parse_integers(field: str, text: str) -> list[int]:
    """Returns the integers of a comma-separated list; raises InvalidProblem for this field if one is not an integer."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise InvalidProblem(field, f'must be whole numbers separated by commas, got "{text}"') from None


def parse_numbers(field: str, text: str) -> list[float]:
    """Returns the numbers of a comma-separated list; raises InvalidProblem for this field if one is not a number."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InvalidProblem(field, f'must be numbers separated by commas, got "{text}"') from None


def select(field: str, requested: Sequence[str] | None, known: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the requested names in the order of the known ones; all known names if none is requested."""
    for name in requested or ():
        if name not in known:
            raise InvalidProblem(field, f'must be one of {", ".join(known)}, got "{name}"')
    return tuple(name for name in known if not requested or name in requested)


def new_table(headings: Iterable[str], *, left: Sequence[str] = (), padding: int = 1) -> Table:
    """Returns a table with these columns, right-aligned except those in `left`."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, padding, 0, 0), show_edge=False)
    for heading in headings:
        table.add_column(heading, justify="left" if heading in left else "right", no_wrap=True)
    return table


def short(count: float) -> str:
    """Returns a count with two digits, 7.5e4; counts below 1000 are returned in full."""
    if count < 1000:
        return f"{count:.0f}"
    digits, exponent = f"{count:.1e}".split("e")
    return f"{digits}e{int(exponent)}"


def with_progress(results: Iterable[Result], total: int) -> list[Result]:
    """Returns all results as a list; shows a progress bar in the meantime."""
    found = []
    with progress(BarColumn(), MofNCompleteColumn()) as bar:
        task = bar.add_task("sessions", total=total)
        for result in results:
            found.append(result)
            bar.update(task, advance=1)
    return found
