"""The `bestpair` command: parse, call, print."""

import json
import sys
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from app.engine.plan import Report
from app.engine.policies import policy_named
from app.engine.problem import InvalidProblem, Model, Problem, SelfPairs
from app.experiments.compare import collect, fitting_policies, make_tasks, run_tasks
from app.experiments.comparison_table import comparison_table
from app.simulation.mixtures import FAMILIES, mixture
from app.simulation.movielens import Grouping, movielens
from app.simulation.population import InvalidPopulation, Population
from app.simulation.population_file import load_population, save_population
from app.simulation.run import run_session
from app.simulation.synthetic import synthetic

cli = typer.Typer(
    name="bestpair",
    help="Finds the best pair of items to show to a mixed population, and proves it.",
    epilog="A session: make a population (bestpair population), then simulate or compare policies on it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

Seed = Annotated[int, typer.Option(min=0, help="Fixes every random choice.")]
Epsilon = Annotated[float, typer.Option(help="How far from the best the answer may be, 0 to 1.")]
Delta = Annotated[float, typer.Option(help="How often the proof may be wrong, 0 to 1.")]
Rank = Annotated[str, typer.Option(help='"auto", or the number of hidden groups as an assumption.')]
Budget = Annotated[int | None, typer.Option(help="Most impressions to spend; no limit if left out.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON only.")]
HowAnswered = Annotated[Model, typer.Option("--model", help="Coins, or the exact probabilities.")]

SYNTHETIC, MOVIELENS = "synthetic", "movielens"


@cli.command()
def population(
    kind: Annotated[str, typer.Argument(help=f"{', '.join(FAMILIES)}, {SYNTHETIC} or {MOVIELENS}.")],
    out: Annotated[Path, typer.Option(help="The .npz file to write.")],
    items: Annotated[int, typer.Option(help="Number of items, K.")] = 50,
    rank: Annotated[int, typer.Option(help="Number of hidden groups, r.")] = 2,
    seed: Seed = 0,
    folder: Annotated[Path | None, typer.Option(help=f"{MOVIELENS}: folder of the data set (100K or 1M).")] = None,
    grouping: Annotated[Grouping, typer.Option(help=f"{MOVIELENS}: what makes a group of users.")] = Grouping.GENDER,
    threshold: Annotated[float, typer.Option(help=f"{MOVIELENS}: a rating this high is a click.")] = 4.0,
    as_json: AsJson = False,
) -> None:
    """Make a population file: click probabilities to simulate with.

    ads6, ads20: few clicks; pref: many; clus: few favourites a group; trap: the best pair is made of weak items;
    synthetic: the paper's; movielens: from ratings you have.
    """
    rng = np.random.default_rng(seed)
    if kind == MOVIELENS:
        if folder is None:
            raise InvalidPopulation("folder", "say where the data set is: --folder DIR (MovieLens 100K or 1M)")
        made = movielens(folder, items, rank, rng, grouping=grouping, threshold=threshold)
    elif kind == SYNTHETIC:
        made = synthetic(items, rank, rng)
    elif kind in FAMILIES:
        made = mixture(kind, items, rank, rng)
    else:
        kinds = ", ".join([*FAMILIES, SYNTHETIC, MOVIELENS])
        raise InvalidPopulation("kind", f'there is no population called "{kind}"; there are {kinds}')
    save_population(made, out)
    described = _describe(made, out)
    if as_json:
        typer.echo(json.dumps(described))
    else:
        table = Table("", "value", title=str(out))
        for name, value in described.items():
            table.add_row(name, str(value))
        Console().print(table)


def _describe(made: Population, path: Path) -> dict[str, object]:
    """Returns what people ask first about a population."""
    best = made.best_pair()
    return {
        "file": str(path),
        "items": made.n_items,
        "rank": made.rank,
        "best_pair": [best.i, best.j],
        "best_reward": round(1 - best.value, 6),
        "eigenvalues": [round(float(value), 6) for value in made.eigenvalues()[:6]],
    }


@cli.command()
def simulate(
    population: Annotated[Path, typer.Option(help="A population file (bestpair population makes them).")],
    policy: Annotated[str | None, typer.Option(help="Default: lucb, or plans in the deterministic model.")] = None,
    model: HowAnswered = Model.STOCHASTIC,
    rank: Rank = "auto",
    epsilon: Epsilon = 0.05,
    delta: Delta = 0.05,
    seed: Seed = 0,
    budget: Budget = None,
    self_pairs: Annotated[
        SelfPairs | None, typer.Option(help="May one item be shown twice? Default: what the policy needs.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run one session in process and print how it ended; the last line is one JSON object."""
    people = load_population(population)
    chosen = policy_named(policy or _default_policy(model))
    problem = Problem(
        n_items=people.n_items,
        epsilon=epsilon,
        delta=delta,
        rank=_parse_rank(rank),
        model=model,
        self_pairs=self_pairs or (SelfPairs.EXPLORE if chosen.needs_self_pairs else SelfPairs.NEVER),
        budget=budget,
        seed=seed,
    )
    chosen.check(problem)
    with _progress(TextColumn("{task.fields[says]}")) as bar:
        task = bar.add_task(f"{chosen.name} on {people.n_items} items", total=None, says="")

        def show(report: Report) -> None:
            says = f"{report.samples:,} impressions, gap {report.gap:.3f}, {report.contenders:,} contenders"
            bar.update(task, advance=1, says=f"{report.phase}: {says}")

        outcome = run_session(chosen, problem, people, np.random.default_rng([seed, 1]), show)
    if not as_json:
        found = "certified" if outcome.certified else f"{outcome.verdict.replace('_', ' ')}, not certified"
        typer.echo(
            f"{found}: pair {outcome.pair} after {outcome.samples:,} impressions and {outcome.plans} plans; "
            f"proven within {outcome.gap:.4g} of the best, in truth {outcome.error:.4g}"
        )
    typer.echo(json.dumps(outcome.as_json()))


@cli.command()
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
    as_json: AsJson = False,
) -> None:
    """Run several policies on the same populations and seeds and print a table: medians and quartiles.

    Policies that need self pairs or a rank get them (the rank: the population's own, unless --rank states one).
    """
    names = fitting_policies(model) if policies == "all" else [name.strip() for name in policies.split(",")]
    people = {path: load_population(path) for path in [*population, *(more or [])]}
    tasks = []
    for path, members in people.items():
        base = Problem(
            n_items=members.n_items,
            epsilon=epsilon,
            delta=delta,
            rank=_parse_rank(rank),
            model=model,
            self_pairs=self_pairs,
            budget=budget,
            seed=seed,
        )
        tasks += make_tasks(path, names, base, members.rank, runs)
    results = []
    with _progress(BarColumn(), MofNCompleteColumn()) as bar:
        progress = bar.add_task("sessions", total=len(tasks))
        for result in run_tasks(tasks):
            results.append(result)
            bar.update(progress, advance=1)
    order = {task: place for place, task in enumerate(tasks)}
    rows = collect(sorted(results, key=lambda result: order[result[0]]))
    if as_json:
        typer.echo(json.dumps([row.as_json() for row in rows]))
    else:
        Console().print(comparison_table(rows))


def _default_policy(model: Model) -> str:
    return "plans" if model is Model.DETERMINISTIC else "lucb"


def _parse_rank(text: str) -> int | None:
    """Returns the rank, None for "auto"."""
    if text == "auto":
        return None
    try:
        return int(text)
    except ValueError:
        raise InvalidProblem("rank", f'must be "auto" or a whole number, got "{text}"') from None


def _progress(*columns: TextColumn | BarColumn | MofNCompleteColumn) -> Progress:
    """Returns a progress bar on a terminal's error stream, and nothing elsewhere: output stays clean."""
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        *columns,
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )


def main() -> None:
    """Runs the command; a bad setting ends it with one line that says what to change."""
    try:
        cli()
    except (InvalidProblem, InvalidPopulation) as error:
        typer.echo(f"bestpair: {error}", err=True)
        sys.exit(2)
