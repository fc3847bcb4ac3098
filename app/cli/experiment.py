"""`bestpair experiment`: measurements that print tables."""

import json
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn
from rich.table import Table

from app.cli.options import AsJson, Delta, Seed, progress, whole
from app.engine.policies import policy_named
from app.engine.problem import InvalidProblem
from app.experiments.certify import INSTANCES, Line, Session, lines_of, run_sessions

experiment = typer.Typer(no_args_is_help=True, help="Measurements that print tables.")


@experiment.callback()
def _group() -> None:
    """Measurements that print tables."""


@experiment.command()
def certify(
    policies: Annotated[str, typer.Option(help="Names with commas between them; the first is compared with.")] = (
        "rplans,lucb,successive_elimination"
    ),
    items: Annotated[str, typer.Option(help="Numbers of items to include, with commas: 50,200,800.")] = "50,200",
    families: Annotated[str, typer.Option(help="Families to include, with commas.")] = "pref,ads6,ads20,clus",
    runs: Annotated[int, typer.Option(min=1, help="Populations per instance.")] = 5,
    delta: Delta = 0.1,
    seed: Seed = 0,
    item_clicks: Annotated[bool, typer.Option("--item-clicks", help="Answers tell which items were clicked.")] = False,
    as_json: AsJson = False,
) -> None:
    """Impressions to certification: random populations of each family, the same ones for every policy."""
    names = [name.strip() for name in policies.split(",")]
    for name in names:
        policy_named(name)
    sizes = {whole("items", text) for text in items.split(",")}
    chosen = [one for one in INSTANCES if one.n_items in sizes and one.family in families.split(",")]
    if not chosen:
        raise InvalidProblem("items", "no instance has these numbers of items and families; try 50, 200 or 800")
    sessions = [
        Session(instance, name, seed + run, delta, item_clicks)
        for instance in chosen
        for run in range(runs)
        for name in names
    ]
    results = []
    with progress(BarColumn(), MofNCompleteColumn()) as bar:
        task = bar.add_task("sessions", total=len(sessions))
        for result in run_sessions(sessions):
            results.append(result)
            bar.update(task, advance=1)
    lines = lines_of(results, names)
    if as_json:
        typer.echo(json.dumps([line.as_json() for line in lines]))
    else:
        Console().print(_table(lines, names[0]))


def _table(lines: list[Line], first: str) -> Table:
    """Returns medians and how many times more than the first policy each other one needs."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1), show_edge=False)
    for heading in ("policy", "median", "times", "least", "most", "cert.", "wrong", "plans"):
        table.add_column(heading, justify="left" if heading == "policy" else "right", no_wrap=True)
    base = {line.instance: line.median for line in lines if line.policy == first}
    for line in lines:
        if line.policy == first:
            table.add_row(line.instance.name, style="bold cyan")
        samples = [outcome.samples for outcome in line.outcomes]
        table.add_row(
            line.policy,
            f"{line.median:.2e}",
            f"{line.median / base[line.instance]:.1f}",
            f"{min(samples):.1e}",
            f"{max(samples):.1e}",
            f"{line.certified}/{len(samples)}",
            str(line.wrong),
            str(max(outcome.plans for outcome in line.outcomes)),
        )
    table.caption = "times: median over the first policy's; wrong: certified, not within epsilon."
    return table
