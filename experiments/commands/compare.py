"""`bestpair compare`: several policies on the same populations and seeds, as a table or JSON."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from app.cli.options import (
    AsJson,
    Budget,
    Delta,
    Epsilon,
    ItemClicks,
    ModelName,
    Rank,
    RelativeEpsilon,
    Seed,
    parse_rank,
)
from app.engine.problem import Model, Problem, SelfPairs
from app.simulation.population_file import load_population
from app.wire.goal import in_words, requested_goal
from experiments.commands.options import new_table, parse_names, short, with_progress
from experiments.compare import Row, collect, make_tasks, policies_for, run_tasks

COLUMNS = ("policy", "cert.", "wrong", "samples", "quartiles", "error", "worst", "gap", "plans")


def compare(
    population: Annotated[list[Path], typer.Option(help="Population files, one or more.")],
    more: Annotated[list[Path] | None, typer.Argument(hidden=True)] = None,  # so that --population a b c works
    policies: Annotated[str, typer.Option(help="Names separated by commas, or all.")] = "all",
    runs: Annotated[int, typer.Option(min=1, help="Sessions per policy and population.")] = 5,
    model: ModelName = Model.STOCHASTIC,
    rank: Rank = "auto",
    epsilon: Epsilon = None,
    relative_epsilon: RelativeEpsilon = None,
    delta: Delta = 0.05,
    seed: Seed = 0,
    budget: Budget = None,
    self_pairs: Annotated[SelfPairs, typer.Option(help="Whether one item may be shown twice.")] = SelfPairs.NEVER,
    item_clicks: ItemClicks = False,
    as_json: AsJson = False,
) -> None:
    """Run several policies on the same populations and seeds and print a table of medians and quartiles.

    Policies that need self pairs or a rank get them (the rank of the population, unless --rank is given). Policies
    that do not use a rank get none. Without --epsilon and --relative-epsilon, the goal is a relative epsilon of 0.1;
    "all" leaves out policies that need an absolute goal if it is relative.
    """
    goal = requested_goal(epsilon, relative_epsilon)
    names = policies_for(model, goal) if policies == "all" else parse_names(policies)
    tasks = []
    for path in [*population, *(more or [])]:
        people = load_population(path)
        problem = Problem(
            n_items=people.n_items,
            goal=goal,
            delta=delta,
            rank=parse_rank(rank),
            model=model,
            self_pairs=self_pairs,
            budget=budget,
            seed=seed,
            item_clicks=item_clicks,
        )
        tasks += make_tasks(path, names, problem, people.rank, runs)
    results = with_progress(run_tasks(tasks), len(tasks))
    order = {task: place for place, task in enumerate(tasks)}
    rows = collect(sorted(results, key=lambda result: order[result[0]]))
    if as_json:
        typer.echo(json.dumps([row.as_json() for row in rows]))
    else:
        Console().print(_table(rows, in_words(goal, model)))


def _table(rows: list[Row], goal: str) -> Table:
    """Returns medians over sessions, the quartiles of the samples and the largest error, in 80 columns."""
    table = new_table(COLUMNS, left=("policy",), padding=0)
    previous = None
    for row in rows:
        if row.population != previous:
            table.add_row(Path(row.population).name, style="bold cyan")
            previous = row.population
        table.add_row(*_cells(row))
    table.caption = f"Medians; wrong: certified, but not {goal}."
    return table


def _cells(row: Row) -> list[str]:
    low, samples, high = row.quartiles("samples")
    error, gap, plans = (row.quartiles(name)[1] for name in ("error", "gap", "plans"))
    return [
        row.policy,
        f"{row.certified}/{len(row.outcomes)}",
        str(row.failures),
        short(samples),
        f"{short(low)}-{short(high)}",
        f"{error:.3f}",
        f"{max(outcome.error for outcome in row.outcomes):.3f}",
        f"{gap:.2f}",
        f"{plans:.0f}",
    ]
