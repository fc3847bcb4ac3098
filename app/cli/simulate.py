"""`bestpair simulate`: one session."""

import json
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.progress import TextColumn

from app.cli.options import AsJson, Budget, Delta, Epsilon, HowAnswered, Rank, Seed, parse_rank, progress
from app.engine.plan import Report
from app.engine.policies import policy_named
from app.engine.problem import Model, Problem, SelfPairs
from app.simulation.population_file import load_population
from app.simulation.run import run_session

DEFAULT_POLICY = {Model.STOCHASTIC: "lucb", Model.DETERMINISTIC: "plans"}


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
    chosen = policy_named(policy or DEFAULT_POLICY[model])
    problem = Problem(
        n_items=people.n_items,
        epsilon=epsilon,
        delta=delta,
        rank=parse_rank(rank),
        model=model,
        self_pairs=self_pairs or (SelfPairs.EXPLORE if chosen.needs_self_pairs else SelfPairs.NEVER),
        budget=budget,
        seed=seed,
    )
    chosen.check(problem)
    with progress(TextColumn("{task.fields[says]}")) as bar:
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
