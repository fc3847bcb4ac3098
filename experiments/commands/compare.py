"""`bestpair compare`: several policies side by side."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from app.cli.options import AsJson, Budget, Delta, Epsilon, HowAnswered, Rank, Seed, parse_rank, with_a_bar
from app.engine.problem import Model, Problem, SelfPairs
from app.simulation.population_file import load_population
from experiments.compare import collect, fitting_policies, make_tasks, run_tasks
from experiments.comparison_table import comparison_table


def compare(
    population: Annotated[list[Path], typer.Option(help="Population files, one or more.")],
    more: Annotated[list[Path] | None, typer.Argument(hidden=True)] = None,  # so that --population a b c works
    policies: Annotated[str, typer.Option(help="Names with commas between them, or all.")] = "all",
    runs: Annotated[int, typer.Option(min=1, help="Sessions per policy and population.")] = 5,
    model: HowAnswered = Model.STOCHASTIC,
    rank: Rank = "auto",
    epsilon: Epsilon = 0.05,
    delta: Delta = 0.05,
    seed: Seed = 0,
    budget: Budget = None,
    self_pairs: Annotated[SelfPairs, typer.Option(help="May one item be shown twice?")] = SelfPairs.NEVER,
    item_clicks: Annotated[bool, typer.Option("--item-clicks", help="Answers tell which items were clicked.")] = False,
    as_json: AsJson = False,
) -> None:
    """Run several policies on the same populations and seeds and print a table: medians and quartiles.

    Policies that need self pairs or a rank get them (the rank: the population's own, unless --rank states one).
    Policies that do not use a rank get none.
    """
    names = fitting_policies(model) if policies == "all" else [name.strip() for name in policies.split(",")]
    people = {path: load_population(path) for path in [*population, *(more or [])]}
    tasks = []
    for path, members in people.items():
        base = Problem(
            n_items=members.n_items,
            epsilon=epsilon,
            delta=delta,
            rank=parse_rank(rank),
            model=model,
            self_pairs=self_pairs,
            budget=budget,
            seed=seed,
            item_clicks=item_clicks,
        )
        tasks += make_tasks(path, names, base, members.rank, runs)
    results = with_a_bar(run_tasks(tasks), len(tasks))
    order = {task: place for place, task in enumerate(tasks)}
    rows = collect(sorted(results, key=lambda result: order[result[0]]))
    if as_json:
        typer.echo(json.dumps([row.as_json() for row in rows]))
    else:
        Console().print(comparison_table(rows))
