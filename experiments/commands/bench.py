"""`bestpair bench`: benchmarks of the service, compared with a minimal server (the floor)."""

import json
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.progress import Progress, TaskID
from rich.table import Table

from app.cli.options import AsJson, ItemClicks, progress
from experiments.bench.driver import Sizes
from experiments.bench.latency import measure_latency
from experiments.bench.optuna_baseline import is_installed, measure_optuna
from experiments.bench.planning import measure_planning
from experiments.bench.scaling import measure_growth, measure_processes
from experiments.bench.serving import ACCESS_TARGET, BACKENDS, PATHS, Row, measure
from experiments.charts import Bar, bar_chart
from experiments.commands.options import new_table, parse_integers, select

bench = typer.Typer(
    name="bench", help="Measure the service: serving, growth, planning, latency, processes.", no_args_is_help=True
)

LANES = ("hot", "plain", "keys")
SINGLE = ("next-pair", "feedback")
SERVING_COLUMNS = ("path", "server", "cpu us", "ratio", "goal", "gain", "keys", "rps", "p50", "p99")
PostgreSQL = Annotated[
    str | None, typer.Option(help="URL of a PostgreSQL server; by default one is started if its wheel is installed.")
]
Plot = Annotated[Path | None, typer.Option(help="Write a bar chart here, as SVG.", dir_okay=False)]


@bench.command()
def serving(
    rounds: Annotated[int, typer.Option(min=1, help="Interleaved rounds; the medians are printed.")] = 12,
    requests: Annotated[int, typer.Option(min=100, help="Single calls per round.")] = 3000,
    clients: Annotated[int, typer.Option(min=1, help="Concurrent connections.")] = 128,
    postgresql: PostgreSQL = None,
    lane: Annotated[
        list[str] | None, typer.Option(help="hot, plain, keys (hot, with a key and a rate limit); default: all.")
    ] = None,
    backend: Annotated[list[str] | None, typer.Option(help="sqlite, postgresql; default: both.")] = None,
    path: Annotated[
        list[str] | None, typer.Option(help=f"{', '.join(PATHS)}; default: all. Paths that it depends on are added.")
    ] = None,
    optuna: Annotated[bool, typer.Option(help="Measure optuna's ask and tell too, if it is installed.")] = True,
    plot: Plot = None,
    as_json: AsJson = False,
) -> None:
    """Measure server CPU per request, compared with the floor: a raw ASGI application on the same uvicorn."""
    sizes = Sizes(rounds=rounds, requests=requests, clients=clients)
    with progress() as bar:
        task = bar.add_task("starting servers", total=None)
        rows = measure(
            sizes,
            postgresql_url=postgresql,
            lanes=select("lane", lane, LANES),
            backends=select("backend", backend, BACKENDS),
            only=select("path", path, PATHS),
            step=partial(_describe, bar, task),
        )
        if optuna and is_installed():
            floor_us = sum(row.median("cpu_us") for row in rows if row.lane == "floor" and row.path in SINGLE)
            rows += measure_optuna(sizes, floor_us, postgresql_url=postgresql, step=partial(_describe, bar, task))
    if plot is not None:
        bars = [
            Bar(f"{row.path}, {row.lane} {row.backend}", row.median("cpu_us"), f"{row.median('cpu_us'):.0f}", row.lane)
            for row in rows
            if "batch" not in row.path and row.lane != "optuna"
        ]
        plot.write_text(bar_chart("Cost of a request on the server", "processor time, microseconds", bars))
    if as_json:
        typer.echo(json.dumps([row.as_json() for row in rows]))
    else:
        Console().print(_serving_table(rows))


@bench.command()
def growth(
    levels: Annotated[
        str, typer.Option(help="Numbers of stored impressions, separated by commas.")
    ] = "10000,100000,1000000",
    sessions: Annotated[
        str, typer.Option(help="Numbers of sessions to measure after that, separated by commas.")
    ] = "100,1000",
    rounds: Annotated[int, typer.Option(min=1, help="Rounds at each level; the medians are printed.")] = 3,
    requests: Annotated[int, typer.Option(min=100, help="Impressions per round.")] = 4000,
    backend: Annotated[str, typer.Option(help="sqlite or postgresql.")] = "sqlite",
    postgresql: PostgreSQL = None,
    plot: Plot = None,
    as_json: AsJson = False,
) -> None:
    """Measure server CPU per impression with 1e4, 1e5, 1e6 stored impressions, then with more sessions."""
    stored = [(level, 1) for level in parse_integers("levels", levels)]
    if sessions:
        stored += [(stored[-1][0], count) for count in parse_integers("sessions", sessions)]
    with progress() as bar:
        task = bar.add_task("starting servers", total=None)
        rows = measure_growth(
            stored,
            Sizes(rounds=rounds, requests=requests),
            backend=backend,
            postgresql_url=postgresql,
            step=partial(_describe, bar, task),
        )
    if plot is not None:
        bars = [
            Bar(f"{row.stored:,} stored, {row.sessions:,} sessions", row.cpu_us / row.floor_us, f"{row.growth:.2f}")
            for row in rows
        ]
        subtitle = f"{backend}: processor time of next-pair and feedback, divided by the floor's; the first level is 1"
        plot.write_text(bar_chart("Cost of an impression by number of stored impressions", subtitle, bars))
    _print([row.as_json() for row in rows], as_json)


@bench.command()
def planning(
    items: Annotated[str, typer.Option(help="Numbers of items, separated by commas.")] = "200,800,2000,5000",
    plans: Annotated[int, typer.Option(min=1, help="Maximum number of plans of a session.")] = 12,
    family: Annotated[str, typer.Option(help="Family of the simulated population.")] = "ads20",
    policy: Annotated[str, typer.Option(help="Policy to measure.")] = "rplans",
    item_clicks: ItemClicks = False,
    as_json: AsJson = False,
) -> None:
    """Measure processor seconds and peak memory of one plan by number of items, early and late in a session."""
    sizes = parse_integers("items", items)
    with progress() as bar:
        task = bar.add_task("starting", total=None)
        rows = measure_planning(
            sizes,
            family=family,
            policy=policy,
            plans=plans,
            item_clicks=item_clicks,
            step=partial(_describe, bar, task),
        )
    if as_json:
        typer.echo(json.dumps([row.as_json() for row in rows]))
        return
    headings = ("items", "plans", "samples", "early s", "late s", "slowest s", "goal s", "peak MB", "stored kB")
    table = new_table(headings)
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
    items: Annotated[int, typer.Option(min=2, help="Items of the session for which plans are computed.")] = 800,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds without and with plans; the medians are printed.")] = 3,
    requests: Annotated[int, typer.Option(min=100, help="Calls per round.")] = 4000,
    clients: Annotated[int, typer.Option(min=1, help="Concurrent connections.")] = 32,
    as_json: AsJson = False,
) -> None:
    """Measure p99 latency while plans of a large session are computed, and without plans."""
    with progress() as bar:
        task = bar.add_task("starting", total=None)
        rows = measure_latency(items, Sizes(rounds, requests, clients), partial(_describe, bar, task))
    _print([row.as_json() for row in rows], as_json)


@bench.command()
def processes(
    counts: Annotated[str, typer.Option(help="Numbers of server processes, separated by commas.")] = "1,2",
    rounds: Annotated[int, typer.Option(min=1, help="Interleaved rounds; the medians are printed.")] = 3,
    requests: Annotated[int, typer.Option(min=100, help="Impressions per round.")] = 4000,
    postgresql: PostgreSQL = None,
    as_json: AsJson = False,
) -> None:
    """Measure impressions per second by number of server processes on one PostgreSQL, one session."""
    numbers = parse_integers("counts", counts)
    with progress() as bar:
        task = bar.add_task("starting", total=None)
        rows = measure_processes(
            numbers, Sizes(rounds, requests), postgresql_url=postgresql, step=partial(_describe, bar, task)
        )
    _print(rows, as_json)


def _serving_table(rows: list[Row]) -> Table:
    """Returns medians over rounds; a ratio or gain below its target is red."""
    table = new_table(SERVING_COLUMNS, left=("path", "server"))
    for row in rows:
        table.add_row(*_cells(row))
    table.caption = (
        "ratio: floor / cost; gain of a batch over single calls; keys: added cost of keys and rate limits.\n"
        "A difference from the goal of more than the value after ± is significant (95%)."
    )
    return table


def _cells(row: Row) -> list[str]:
    gain, target = row.batch_gain, row.target
    judged = gain or row.ratio
    colour = "" if target is None else "[green]" if judged.median >= target else "[red]"
    return [
        row.path,
        row.lane if row.lane == "floor" else f"{row.lane} {row.backend}",
        f"{row.median('cpu_us'):.1f}",
        f"{'' if gain else colour}{row.ratio.median:.2f}±{row.ratio.notch:.2f}",
        "" if target is None else f"{target:g}",
        "" if gain is None else f"{colour}{gain.median:.1f}±{gain.notch:.1f}",
        _access(row),
        f"{row.median('rps'):.0f}",
        f"{row.median('p50_ms'):.1f}",
        f"{row.median('p99_ms'):.1f}",
    ]


def _access(row: Row) -> str:
    """Returns the added cost of keys and limits in percent; red above the target."""
    cost = row.access_cost
    if cost is None:
        return ""
    colour = "[green]" if cost.median <= ACCESS_TARGET else "[red]"
    return f"{colour}{100 * (cost.median - 1):+.0f}±{100 * cost.notch:.0f}%"


def _print(rows: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(rows))
        return
    table = Table(*(rows[0] if rows else ()), box=box.SIMPLE_HEAD, show_edge=False)
    for row in rows:
        table.add_row(*(str(value) for value in row.values()))
    Console().print(table)


def _describe(bar: Progress, task: TaskID, text: str) -> None:
    bar.update(task, description=text)
