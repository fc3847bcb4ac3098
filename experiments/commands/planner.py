"""`bestpair experiment planner`: how many days until certified, before anything is started."""

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from app.cli.options import AsJson, Delta, Epsilon, Seed, Workers, table_of, with_a_bar
from app.engine.problem import Problem
from app.simulation.mixtures import FAMILIES
from experiments.planner import AROUND, Expected, Outlook, outlooks_of, run_trials, trials_for


def planner(
    items: Annotated[int, typer.Option(min=2, help="Number of items, K.")] = 50,
    traffic: Annotated[float, typer.Option(min=1, help="Impressions a day that you can give to it.")] = 10_000,
    click_rate: Annotated[
        float | None, typer.Option(help="Mean click rate of one item, 0.02 for two in a hundred.")
    ] = None,
    family: Annotated[str, typer.Option(help=f"Without a click rate: one of {', '.join(FAMILIES)}.")] = "ads20",
    groups: Annotated[int, typer.Option(min=1, help="Hidden groups of visitors.")] = 2,
    epsilon: Epsilon = 0.05,
    delta: Delta = 0.05,
    runs: Annotated[int, typer.Option(min=1, help="Random populations a line.")] = 5,
    seed: Seed = 0,
    workers: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Days until certified, at your traffic: the default policy on random populations like yours.

    Nothing is interpolated: each line runs whole sessions, at epsilon, twice and half of it, with answers that tell
    whether anything was clicked, and with answers that tell which items were.
    """
    expected = Expected(items, groups, click_rate, family)
    Problem(n_items=items, epsilon=epsilon, delta=delta)  # refuses what cannot be
    expected.draw(seed)
    accuracies = [factor * epsilon for factor in AROUND if factor * epsilon < 1]
    trials = trials_for(expected, accuracies, delta, range(seed, seed + runs), items_too=True)
    results = with_a_bar(run_trials(trials, workers), len(trials))
    lines = outlooks_of(results)
    if as_json:
        typer.echo(json.dumps([line.as_json(traffic) for line in lines]))
        return
    like = f"family {family}" if click_rate is None else f"clicked {click_rate:.2%} of the time on average"
    typer.echo(f"{items} items, {like}; {groups} groups; delta {delta:g}; {traffic:,.0f} impressions a day\n")
    Console().print(_table(lines, traffic))


def _table(lines: list[Outlook], traffic: float) -> Table:
    table = table_of(
        ("epsilon", "best pair earns", "answers tell", "impressions", "days", "from", "to"), left="answers tell"
    )
    for line in lines:
        table.add_row(
            f"{line.epsilon:g}",
            f"{line.best_reward:.2%}",
            "which items" if line.item_clicks else "a click or none",
            f"{line.median:,}",
            *(_days(count / traffic) for count in (line.median, line.least, line.most)),
        )
    uncertain = sum(line.runs - line.certified for line in lines)
    table.caption = (
        f"Medians of {lines[0].runs} random populations; from, to: the easiest and the hardest of them.\n"
        "An epsilon above what the best pair earns proves nothing worth knowing."
        + (f"\n{uncertain} sessions ended without a certificate." if uncertain else "")
    )
    return table


def _days(days: float) -> str:
    return f"{days:.1f}" if days < 10 else f"{days:,.0f}"
