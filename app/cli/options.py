"""Options that several commands share, the progress bar, and the look of tables."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from app.engine.problem import InvalidProblem, Model

Seed = Annotated[int, typer.Option(min=0, help="Fixes every random choice.")]
Epsilon = Annotated[float, typer.Option(help="How far from the best the answer may be, 0 to 1.")]
Delta = Annotated[float, typer.Option(help="How often the proof may be wrong, 0 to 1.")]
Rank = Annotated[str, typer.Option(help='"auto", or the number of hidden groups, for policies that take one.')]
Budget = Annotated[int | None, typer.Option(help="Most impressions to spend; no limit if left out.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON only.")]
MovieLens = Annotated[Path | None, typer.Option(help="Folder of MovieLens 100K, which you have; read, never copied.")]
Workers = Annotated[int | None, typer.Option(min=1, help="Processes; default: one a core.")]
InFlight = Annotated[
    int,
    typer.Option(min=0, help="Impressions that go out beside each plan's own, while answers and the next are awaited."),
]
FinishedOnly = Annotated[bool, typer.Option("--finished-only", help="Run nothing: show the sessions that are done.")]
HowAnswered = Annotated[Model, typer.Option("--model", help="Coins, or the exact probabilities.")]


T = TypeVar("T")


def parse_rank(text: str) -> int | None:
    """Returns the rank, None for "auto"."""
    if text == "auto":
        return None
    try:
        return int(text)
    except ValueError:
        raise InvalidProblem("rank", f'must be "auto" or a whole number, got "{text}"') from None


def whole(field: str, text: str) -> int:
    """Returns one of the whole numbers of a list."""
    try:
        return int(text)
    except ValueError:
        raise InvalidProblem(field, f'must be whole numbers with commas between them, got "{text}"') from None


def chosen(field: str, some: Sequence[str] | None, known: tuple[str, ...]) -> tuple[str, ...]:
    """Returns those of the known ones that were asked for; all, if none was."""
    for name in some or ():
        if name not in known:
            raise InvalidProblem(field, f'there is no "{name}"; there are {", ".join(known)}')
    return tuple(name for name in known if not some or name in some)


def table_of(headings: Iterable[str], left: str) -> Table:
    """Returns a table with these columns; numbers stand on the right, all but the one column of words."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    for heading in headings:
        table.add_column(heading, justify="left" if heading == left else "right", no_wrap=True)
    return table


def progress(*columns: TextColumn | BarColumn | MofNCompleteColumn) -> Progress:
    """Returns a progress bar on a terminal's error stream, and nothing elsewhere: output stays clean."""
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        *columns,
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )


def with_a_bar(results: Iterable[T], total: int) -> list[T]:
    """Returns all results of some sessions, showing how far it is."""
    found = []
    with progress(BarColumn(), MofNCompleteColumn()) as bar:
        task = bar.add_task("sessions", total=total)
        for result in results:
            found.append(result)
            bar.update(task, advance=1)
    return found
