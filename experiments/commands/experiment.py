"""`bestpair experiment`: measurements that print tables or draw charts."""

import json
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from app.cli.options import AsJson, Delta, Epsilon, InFlight, Seed, Workers, table_of, whole, with_a_bar
from app.engine.policies import policy_named
from app.engine.problem import InvalidProblem, Problem
from app.simulation.mixtures import FAMILIES, mixture
from experiments.certify import INSTANCES, WITH_ITEMS, Instance, Line, Session, growth_of, lines_of, run_sessions
from experiments.commands.budget import budget
from experiments.commands.figures import figures
from experiments.commands.planner import planner
from experiments.comparison_table import short
from experiments.gap_chart import draw, follow
from experiments.result_page import fill

experiment = typer.Typer(no_args_is_help=True, help="Measurements that print tables or draw charts.")


@experiment.callback()
def _group() -> None:
    """Measurements that print tables or draw charts."""


for command in (figures, budget, planner):
    experiment.command()(command)


@experiment.command()
def certify(
    policies: Annotated[
        str, typer.Option(help="Names, with commas; the first is compared with. rplans+items: told the items clicked.")
    ] = "rplans,lucb,successive_elimination",
    items: Annotated[str, typer.Option(help="Numbers of items to include, with commas: 50,200,800.")] = "50,200",
    families: Annotated[str, typer.Option(help="Families to include, with commas.")] = "pref,ads6,ads20,clus",
    epsilons: Annotated[
        str | None, typer.Option(help="Any items and families at these accuracies, two groups: 0.02,0.05,0.1.")
    ] = None,
    runs: Annotated[int, typer.Option(min=1, help="Populations per instance.")] = 5,
    delta: Delta = 0.1,
    seed: Seed = 0,
    item_clicks: Annotated[bool, typer.Option("--item-clicks", help="Answers tell which items were clicked.")] = False,
    in_flight: InFlight = 0,
    workers: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Impressions to certification: random populations of each family, the same ones for every policy."""
    names = [name.strip() for name in policies.split(",")]
    for name in names:
        policy_named(name.removesuffix(WITH_ITEMS))
    chosen = _instances(items, families, epsilons)
    sessions = [
        Session(instance, name, seed + run, delta, item_clicks, in_flight)
        for instance in chosen
        for run in range(runs)
        for name in names
    ]
    results = with_a_bar(run_sessions(sessions, workers), len(sessions))
    lines = lines_of(results, names, chosen)
    if as_json:
        typer.echo(json.dumps([line.as_json() for line in lines]))
    else:
        Console().print(_table(lines, names[0]))
        for growth in growth_of(lines):
            sizes = ", ".join(map(str, growth.sizes))
            where = f"{growth.family} r={growth.rank} eps {growth.epsilon:g}, K = {sizes}"
            typer.echo(f"{where}: {growth.policy} grows like K^{growth.exponent:.2f}")


@experiment.command()
def page(
    file: Annotated[Path, typer.Argument(help="The page, such as docs/results.md.")],
    folder: Annotated[Path | None, typer.Option(help="Where its files are; default: the folder of its name.")] = None,
) -> None:
    """Fill the marked tables of a page from the files that figures, budget and certify wrote."""
    file.write_text(fill(file.read_text(), folder or file.with_suffix("")))


@experiment.command()
def gap(
    out: Annotated[Path, typer.Option(help="The .svg file to write.")],
    policies: Annotated[str, typer.Option(help="Names with commas between them.")] = (
        "rplans,lucb,successive_elimination,naive"
    ),
    family: Annotated[str, typer.Option(help=f"One of {', '.join(FAMILIES)}.")] = "ads6",
    items: Annotated[int, typer.Option(min=2, help="Number of items, K.")] = 200,
    rank: Annotated[int, typer.Option(min=1, help="Number of hidden groups, r.")] = 2,
    epsilon: Epsilon = 0.05,
    delta: Delta = 0.05,
    seed: Seed = 0,
) -> None:
    """Draw the proven gap over impressions, one line a policy, on one population (docs/images/gap.svg)."""
    people = mixture(family, items, rank, np.random.default_rng(seed))
    problem = Problem(n_items=items, epsilon=epsilon, delta=delta, seed=seed)
    names = [name.strip() for name in policies.split(",")]
    lines = [follow(name, problem, people) for name in names]
    out.write_text(draw(lines, problem))
    for line in lines:
        typer.echo(f"{line.policy}: {line.points[-1].samples:,} impressions, gap {line.points[-1].gap:.3f}")


def _instances(items: str, families: str, epsilons: str | None) -> list[Instance]:
    """Returns the instances asked for: of the fixed list, or with these accuracies."""
    sizes = [whole("items", text) for text in items.split(",")]
    kinds = [name.strip() for name in families.split(",")]
    if epsilons is None:
        chosen = [one for one in INSTANCES if one.n_items in sizes and one.family in kinds]
        if not chosen:
            raise InvalidProblem("items", "no instance has these numbers of items and families; try 50, 200 or 800")
        return chosen
    accuracies = [_number("epsilons", text) for text in epsilons.split(",")]
    return [Instance(kind, size, 2, accuracy) for kind in kinds for size in sizes for accuracy in accuracies]


def _number(field: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InvalidProblem(field, f'must be numbers with commas between them, got "{text}"') from None


def _table(lines: list[Line], first: str) -> Table:
    """Returns medians and how many times more than the first policy each other one needs."""
    table = table_of(("policy", "median", "times", "least", "most", "cert.", "wrong", "plans", "own"), left="policy")
    base = {line.instance: line.median for line in lines if line.policy == first}
    for line in lines:
        if line.policy == first:
            table.add_row(line.instance.name, style="bold cyan")
        samples = [outcome.samples for outcome in line.outcomes]
        table.add_row(
            line.policy,
            short(line.median),
            f"{line.median / base[line.instance]:.1f}",
            short(min(samples)),
            short(max(samples)),
            f"{line.certified}/{len(samples)}",
            str(line.wrong),
            str(max(outcome.plans for outcome in line.outcomes)),
            f"{line.bounds['direct']:.0%}",
        )
    table.caption = (
        "times: median over the first policy's; wrong: certified, not within epsilon;\n"
        "own: pairs whose bound is that of their own samples, not of a blank or of items."
    )
    return table
