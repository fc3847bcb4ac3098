"""`bestpair bench`: what the service costs, measured beside what it could cost at the least."""

import json
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.progress import Progress, TaskID
from rich.table import Table

from app.cli.options import AsJson, chosen, progress, table_of, whole
from experiments.bars import Bar, bar_chart
from experiments.crowding import measure_latency, measure_processes
from experiments.growth import measure_growth
from experiments.optuna_beside import is_installed, measure_optuna
from experiments.planning import measure_planning
from experiments.serving import BACKENDS, PATHS, measure
from experiments.serving_driver import Sizes
from experiments.serving_table import serving_table

bench = typer.Typer(
    name="bench", help="Measure the service: serving, growth, planning, latency, processes.", no_args_is_help=True
)

LANES = ("hot", "plain", "keys")


SINGLE = ("next-pair", "feedback")
Plot = Annotated[Path | None, typer.Option(help="Write a bar chart here, as SVG.", dir_okay=False)]


@bench.callback()
def _bench() -> None:
    """Measure the service beside a floor, in interleaved rounds."""


@bench.command()
def serving(
    rounds: Annotated[int, typer.Option(min=1, help="Interleaved rounds; medians are told.")] = 12,
    requests: Annotated[int, typer.Option(min=100, help="Single calls in a round.")] = 3000,
    clients: Annotated[int, typer.Option(min=1, help="Connections at once.")] = 128,
    postgresql: Annotated[
        str | None, typer.Option(help="URL of a PostgreSQL server; left out, one is started from wheels if installed.")
    ] = None,
    lane: Annotated[
        list[str] | None, typer.Option(help="hot, plain, keys (hot, with a key and a limit); all if left out.")
    ] = None,
    backend: Annotated[list[str] | None, typer.Option(help="sqlite, postgresql; both if left out.")] = None,
    path: Annotated[
        list[str] | None, typer.Option(help=f"{', '.join(PATHS)}; all if left out, with those they need if not.")
    ] = None,
    optuna: Annotated[bool, typer.Option(help="Measure optuna's ask + tell too, where it is installed.")] = True,
    plot: Plot = None,
    as_json: AsJson = False,
) -> None:
    """Server CPU per request beside the floor, a raw ASGI application on the same uvicorn."""
    sizes = Sizes(rounds=rounds, requests=requests, clients=clients)
    with progress() as bar:
        task = bar.add_task("starting servers", total=None)
        rows = measure(
            sizes,
            postgresql_url=postgresql,
            lanes=chosen("lane", lane, LANES),
            backends=chosen("backend", backend, BACKENDS),
            only=chosen("path", path, PATHS),
            step=partial(_tell, bar, task),
        )
        if optuna and is_installed():
            floor_us = sum(row.median("cpu_us") for row in rows if row.lane == "floor" and row.path in SINGLE)
            rows += measure_optuna(sizes, floor_us, postgresql_url=postgresql, step=partial(_tell, bar, task))
    if plot is not None:
        bars = [
            Bar(f"{row.path}, {row.lane} {row.backend}", row.median("cpu_us"), f"{row.median('cpu_us'):.0f}", row.lane)
            for row in rows
            if "batch" not in row.path and row.lane != "optuna"
        ]
        plot.write_text(bar_chart("What a request costs the server", "processor time, microseconds", bars))
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
    plot: Plot = None,
    as_json: AsJson = False,
) -> None:
    """Server CPU per impression when 1e4, 1e5, 1e6 are stored, then with more and more sessions."""
    stored = [(whole("levels", level), 1) for level in levels.split(",")]
    stored += [(stored[-1][0], whole("sessions", count)) for count in sessions.split(",") if count]
    with progress() as bar:
        task = bar.add_task("starting servers", total=None)
        rows = measure_growth(
            stored,
            Sizes(rounds=rounds, requests=requests),
            backend=backend,
            postgresql_url=postgresql,
            step=partial(_tell, bar, task),
        )
    if plot is not None:
        bars = [
            Bar(f"{row.stored:,} stored, {row.sessions:,} sessions", row.cpu_us / row.floor_us, f"{row.growth:.2f}")
            for row in rows
        ]
        subtitle = f"{backend}: processor time of next-pair and feedback over the floor's; the first level is 1"
        plot.write_text(bar_chart("What an impression costs, the more are stored", subtitle, bars))
    _print([row.as_json() for row in rows], as_json)


@bench.command()
def planning(
    items: Annotated[str, typer.Option(help="Numbers of items, with commas.")] = "200,800,2000,5000",
    plans: Annotated[int, typer.Option(min=1, help="Most plans of a session; fewer if it is certified.")] = 12,
    family: Annotated[str, typer.Option(help="Family of the simulated population.")] = "ads20",
    policy: Annotated[str, typer.Option(help="Policy that plans.")] = "rplans",
    item_clicks: Annotated[bool, typer.Option("--item-clicks", help="Answers tell which items were clicked.")] = False,
    as_json: AsJson = False,
) -> None:
    """Processor seconds and peak memory of one plan by number of items, early and late in a session."""
    sizes = [whole("items", text) for text in items.split(",")]
    with progress() as bar:
        task = bar.add_task("starting", total=None)
        rows = measure_planning(
            sizes, family=family, policy=policy, plans=plans, item_clicks=item_clicks, step=partial(_tell, bar, task)
        )
    if as_json:
        typer.echo(json.dumps([row.as_json() for row in rows]))
        return
    headings = ("items", "plans", "samples", "early s", "late s", "slowest s", "goal s", "peak MB", "stored kB")
    table = table_of(headings, left="")
    for row in rows:
        colour = {None: "", True: "[green]", False: "[red]"}[row.is_within_targets]
        goal = row.as_json()["target_s"]
        table.add_row(
            f"{row.n_items}",
            f"{len(row.seconds)}",
            f"{row.samples}",
            f"{row.early:.2f}",
            f"{row.late:.2f}",
            f"{colour}{max(row.seconds):.2f}",
            "" if goal is None else f"{goal:g}",
            f"{row.peak_mb:.0f}",
            f"{row.memory_kb:.0f}",
        )
    Console().print(table)


@bench.command()
def latency(
    items: Annotated[int, typer.Option(min=2, help="Items of the session that is planned for.")] = 800,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds without and with plans; medians are told.")] = 3,
    requests: Annotated[int, typer.Option(min=100, help="Calls in a round.")] = 4000,
    clients: Annotated[int, typer.Option(min=1, help="Connections at once.")] = 32,
    as_json: AsJson = False,
) -> None:
    """What callers feel of plans: p99 while plans of a large session are computed, beside p99 without."""
    with progress() as bar:
        task = bar.add_task("starting", total=None)
        rows = measure_latency(items, Sizes(rounds, requests, clients), partial(_tell, bar, task))
    _print([row.as_json() for row in rows], as_json)


@bench.command()
def processes(
    counts: Annotated[str, typer.Option(help="Numbers of server processes, with commas.")] = "1,2",
    rounds: Annotated[int, typer.Option(min=1, help="Interleaved rounds; medians are told.")] = 3,
    requests: Annotated[int, typer.Option(min=100, help="Impressions in a round.")] = 4000,
    postgresql: Annotated[str | None, typer.Option(help="URL of a PostgreSQL server.")] = None,
    as_json: AsJson = False,
) -> None:
    """Impressions per second by number of server processes on one PostgreSQL, one session."""
    numbers = [whole("counts", text) for text in counts.split(",")]
    with progress() as bar:
        task = bar.add_task("starting", total=None)
        rows = measure_processes(
            numbers, Sizes(rounds, requests), postgresql_url=postgresql, step=partial(_tell, bar, task)
        )
    _print(rows, as_json)


def _print(rows: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(rows))
        return
    table = Table(*(rows[0] if rows else ()), box=box.SIMPLE_HEAD, show_edge=False)
    for row in rows:
        table.add_row(*(str(value) for value in row.values()))
    Console().print(table)


def _tell(bar: Progress, task: TaskID, text: str) -> None:
    bar.update(task, description=text)
