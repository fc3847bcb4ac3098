"""`bestpair bench`: what the service costs, measured beside what it could cost at the least."""

import json
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from app.cli.options import AsJson, progress
from app.experiments.growth import measure_growth
from app.experiments.serving import Sizes, measure
from app.experiments.serving_table import serving_table

bench = typer.Typer(name="bench", help="Measure the service: serving, growth.", no_args_is_help=True)

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


@bench.command()
def growth(
    levels: Annotated[str, typer.Option(help="Stored impressions to measure at.")] = "10000,100000,1000000",
    sessions: Annotated[str, typer.Option(help="Sessions to measure with, after that.")] = "100,1000",
    rounds: Annotated[int, typer.Option(min=1, help="Rounds at each level; medians are told.")] = 3,
    requests: Annotated[int, typer.Option(min=100, help="Impressions in a round.")] = 4000,
    backend: Annotated[str, typer.Option(help="sqlite or postgresql.")] = "sqlite",
    postgresql: Annotated[str | None, typer.Option(help="URL of a PostgreSQL server.")] = None,
    as_json: AsJson = False,
) -> None:
    """Server CPU per impression when 1e4, 1e5, 1e6 are stored, then with more and more sessions."""
    stored = [(int(level), 1) for level in levels.split(",")]
    stored += [(stored[-1][0], int(count)) for count in sessions.split(",") if count]
    with progress() as bar:
        task = bar.add_task("starting servers", total=None)
        rows = measure_growth(
            stored,
            Sizes(rounds=rounds, requests=requests),
            backend=backend,
            postgresql_url=postgresql,
            step=lambda text: bar.update(task, description=text),
        )
    if as_json:
        typer.echo(json.dumps([row.as_json() for row in rows]))
        return
    table = Table("backend", "stored", "sessions", "cpu us", "floor us", "growth", box=box.SIMPLE_HEAD, show_edge=False)
    for row in rows:
        table.add_row(*(str(value) for value in row.as_json().values()))
    Console().print(table)
