"""`bestpair bench`: what the service costs, measured beside what it could cost at the least."""

import json
from typing import Annotated

import typer
from rich.console import Console

from app.cli.options import AsJson, progress
from app.experiments.serving import Sizes, measure
from app.experiments.serving_table import serving_table

bench = typer.Typer(name="bench", help="Measure the service: serving.", no_args_is_help=True)

LANES = ("hot", "plain")


@bench.callback()
def _bench() -> None:
    """Measure the service beside a floor, in interleaved rounds."""


@bench.command()
def serving(
    rounds: Annotated[int, typer.Option(min=1, help="Interleaved rounds; medians are told.")] = 3,
    requests: Annotated[int, typer.Option(min=100, help="Single calls in a round.")] = 6000,
    clients: Annotated[int, typer.Option(min=1, help="Connections at once.")] = 128,
    postgresql: Annotated[
        str | None, typer.Option(help="URL of a PostgreSQL server; left out, one is started from wheels if installed.")
    ] = None,
    lane: Annotated[list[str] | None, typer.Option(help="hot, plain; both if left out.")] = None,
    as_json: AsJson = False,
) -> None:
    """Server CPU per request beside the floor, a raw ASGI application on the same uvicorn."""
    sizes = Sizes(rounds=rounds, requests=requests, clients=clients)
    with progress() as bar:
        task = bar.add_task("starting servers", total=None)
        rows = measure(
            sizes,
            postgresql_url=postgresql,
            lanes=tuple(lane or LANES),
            step=lambda text: bar.update(task, description=text),
        )
    if as_json:
        typer.echo(json.dumps([row.as_json() for row in rows]))
    else:
        Console().print(serving_table(rows))
