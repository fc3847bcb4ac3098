"""Options that several commands share, and the progress bar."""

import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from app.engine.problem import InvalidProblem, Model

Seed = Annotated[int, typer.Option(min=0, help="Seed of all random choices.")]
Epsilon = Annotated[
    float | None, typer.Option(help="Absolute goal: the largest allowed difference from the best pair, 0 to 1.")
]
RelativeEpsilon = Annotated[
    float | None,
    typer.Option(help="Relative goal: the part of the best pair's reward that the pair may lack; 0.1: at least 90 %."),
]
"""A command takes both options and passes them to `wire.goal.requested_goal`."""
Delta = Annotated[float, typer.Option(help="Error probability of the certificate, 0 to 1; confidence is 1 - delta.")]
Rank = Annotated[str, typer.Option(help='"auto", or the number of hidden groups, for policies that take one.')]
Budget = Annotated[int | None, typer.Option(help="Maximum number of impressions; no limit by default.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print only JSON.")]
ItemClicks = Annotated[bool, typer.Option("--item-clicks", help="Feedback names the clicked items.")]
InFlight = Annotated[
    int,
    typer.Option(min=0, help="Impressions handed out in addition to each plan's, while the next plan is computed."),
]
ModelName = Annotated[
    Model, typer.Option("--model", help="Random clicks (stochastic), or exact probabilities (deterministic).")
]


def parse_rank(text: str) -> int | None:
    """Returns the rank, None for "auto"; raises InvalidProblem for other text."""
    if text == "auto":
        return None
    try:
        return int(text)
    except ValueError:
        raise InvalidProblem("rank", f'must be "auto" or a whole number, got "{text}"') from None


def progress(*columns: TextColumn | BarColumn | MofNCompleteColumn) -> Progress:
    """Returns a progress bar on standard error; it is disabled where that is not a terminal."""
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        *columns,
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
