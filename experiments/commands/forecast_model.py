"""`bestpair experiment forecast-model`: makes the model of `bestpair forecast` from simulations, and checks it."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from app.cli.options import AsJson, Seed
from app.engine.problem import InvalidProblem
from app.forecast.model import Model
from app.results.certificates import package_version
from experiments.commands.options import Workers, new_table, with_progress
from experiments.forecast_model import (
    FACTORS,
    Expectations,
    Point,
    Score,
    design,
    fit,
    fit_expectations,
    held_out,
    run_settings,
    score,
)

MODEL = Path("app/forecast/model.json")
POINTS = Path("docs/results/forecast.json")
FITTED, CHECKED = 200, 60
SIZES = (5, 30, 100, 300, 1000, 2001)


def forecast_model(
    output: Annotated[Path, typer.Option(help="The model: the file to write, or with --check to read.")] = MODEL,
    points: Annotated[
        Path | None, typer.Option(help=f"The sessions: a file to write, such as {POINTS}; to read, with --refit.")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Write no model: judge it on held-out populations.")] = False,
    refit: Annotated[bool, typer.Option("--refit", help="Run nothing: fit to the sessions in --points.")] = False,
    populations: Annotated[
        int | None, typer.Option(min=1, help=f"Random populations, two sessions each; {FITTED}, or {CHECKED} to check.")
    ] = None,
    seed: Seed = 0,
    workers: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Fit the model of `bestpair forecast` to simulated sessions; it takes less than half an hour on one core.

    The table shows how often a forecast is within a factor of 2 and 3 of what a session needed, on the sessions that
    the model was fitted to, or with --check on others.
    """
    if check:
        stored = _read(output, "output")
        expected = Expectations(stored["best_click_rate"], stored["best_reward"])
        settings = held_out(expected, populations or CHECKED, seed)
        found = with_progress(run_settings(settings, workers), len(settings))
    else:
        expected = fit_expectations(seed)
        if refit:
            found = [Point.from_json(row) for row in _read(points or POINTS, "points")]
        else:
            settings = design(expected, populations or FITTED, seed)
            found = with_progress(run_settings(settings, workers), len(settings))
        stored = fit(found, expected, {"version": package_version(), "sessions": len(found), "seed": seed})
        output.write_text(json.dumps(stored, indent=1) + "\n")
    if points is not None and not refit:
        points.write_text("[\n" + ",\n".join(json.dumps(point.as_json()) for point in found) + "\n]\n")
    _print(found, Model.from_json(stored), as_json)


def _read(file: Path, option: str) -> Any:  # noqa: ANN401 - JSON
    try:
        return json.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise InvalidProblem(option, f"cannot read {file}: {error}") from None


def _print(points: list[Point], model: Model, as_json: bool) -> None:
    groups = [
        (kind, best_known, score([point for point in points if point.feedback == kind], model, best_known=best_known))
        for kind in ("pair", "items")
        for best_known in (False, True)
    ]
    if as_json:
        rows = [{"feedback": kind, "best_known": known, **one._asdict()} for kind, known, one in groups]
        typer.echo(json.dumps({"scores": rows, "seconds": _seconds(points)}))
        return
    Console().print(_table(groups))
    for sizes, (pair, items) in _seconds(points).items():
        typer.echo(f"{sizes} items: {pair:.1f} s a session with feedback by pair, {items:.1f} s by item")
    uncertified = sum(not point.certified for point in points)
    if uncertified:
        typer.echo(f"{uncertified} sessions ended without a certificate")


def _table(groups: list[tuple[str, bool, Score]]) -> Table:
    within = [f"within {factor:g}x" for factor in FACTORS]
    table = new_table(
        ("feedback", "best item", "sessions", *within, "in range", "needed"), left=("feedback", "best item")
    )
    for kind, known, one in groups:
        shares = [f"{share:.0%}" for share in (*one.within, one.in_range)]
        table.add_row(kind, "known" if known else "unknown", str(one.sessions), *shares, f"{one.bias:.2f}")
    table.caption = "needed: median of needed impressions / forecast. Goals: 80 % within 2x, 95 % within 3x."
    return table


def _seconds(points: list[Point]) -> dict[str, tuple[float, float]]:
    """Returns the mean seconds of a session by number of items, for both kinds of feedback."""
    found = {}
    for low, high in pairwise(SIZES):
        own = [point for point in points if low <= point.items < high]
        if own:
            kinds = [[one.seconds for one in own if one.feedback == kind] for kind in ("pair", "items")]
            pair, items = (round(sum(some) / max(len(some), 1), 2) for some in kinds)
            found[f"{low} to {high - 1}"] = (pair, items)
    return found
