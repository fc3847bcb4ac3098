"""`bestpair simulate`: one session with simulated users, in this process or on a running service."""

import asyncio
import json
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.progress import TextColumn

from app.cli.options import (
    AsJson,
    Budget,
    Delta,
    Epsilon,
    InFlight,
    ItemClicks,
    ModelName,
    Rank,
    RelativeEpsilon,
    Seed,
    parse_rank,
    progress,
)
from app.client import AsyncClient, ProblemError
from app.engine.plan import Report
from app.engine.policies import DEFAULT_POLICIES, check_new, policy_named
from app.engine.problem import Model, Problem, SelfPairs
from app.engine.randomness import Purpose, source
from app.results.notes import epsilon_note
from app.settings import InvalidSetting
from app.simulation.population import Population
from app.simulation.population_file import load_population
from app.simulation.remote import AdServers, RemoteOutcome, run_remote
from app.simulation.run import run_session
from app.simulation.users import Impression, Response, Users
from app.wire.best_pair import BestPair
from app.wire.goal import decimal, in_words, requested_goal


def simulate(
    population: Annotated[Path, typer.Option(help="A population file (bestpair population makes them).")],
    policy: Annotated[str | None, typer.Option(help="Default: rplans, or plans in the deterministic model.")] = None,
    model: ModelName = Model.STOCHASTIC,
    rank: Rank = "auto",
    epsilon: Epsilon = None,
    relative_epsilon: RelativeEpsilon = None,
    delta: Delta = 0.05,
    seed: Seed = 0,
    budget: Budget = None,
    self_pairs: Annotated[
        SelfPairs | None, typer.Option(help="Whether one item may be shown twice; default: as the policy needs.")
    ] = None,
    url: Annotated[
        str | None, typer.Option(help="Run the session on this service, e.g. http://127.0.0.1:8000.")
    ] = None,
    key: Annotated[
        str | None, typer.Option(envvar="BESTPAIR_KEY", help="With --url: an access key with the scope admin.")
    ] = None,
    item_clicks: ItemClicks = False,
    in_flight: InFlight = 0,
    clients: Annotated[int, typer.Option(min=1, max=1000, help="With --url: concurrent ad servers.")] = 16,
    per_call: Annotated[int, typer.Option(min=1, max=1000, help="With --url: pairs requested in one call.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Run one session and print the outcome; the last line is one JSON object.

    It runs in this process by default; with --url, on a running service with many concurrent ad servers. Without
    --epsilon and --relative-epsilon, the goal is that of a new session: a relative epsilon of 0.1.
    """
    people = load_population(population)
    chosen = policy_named(policy or DEFAULT_POLICIES[model])
    problem = Problem(
        n_items=people.n_items,
        goal=requested_goal(epsilon, relative_epsilon),
        delta=delta,
        rank=parse_rank(rank),
        model=model,
        self_pairs=self_pairs or (SelfPairs.EXPLORE if chosen.needs_self_pairs else SelfPairs.NEVER),
        budget=budget,
        seed=seed,
        item_clicks=item_clicks,
    )
    check_new(chosen, problem)
    if url is not None:
        ad_servers = AdServers(clients=clients, pairs_per_call=per_call, item_clicks=item_clicks)
        _print(_run_on_service(url, key, people, problem, chosen.name, ad_servers), problem, as_json, url)
        return
    with progress(TextColumn("{task.fields[status]}")) as bar:
        task = bar.add_task(f"{chosen.name} on {people.n_items} items", total=None, status="")
        notes: list[str] = []

        def show(report: Report) -> None:
            notes[:] = _notes(problem, report)
            status = f"{report.samples:,} impressions, gap {report.gap:.3f}, {report.contenders:,} contenders"
            bar.update(task, advance=1, status=f"{report.phase}: {status}")

        outcome = run_session(chosen, problem, people, source(Purpose.USERS, seed), show, in_flight)
    _print({**outcome.as_json(), "notes": notes}, problem, as_json)


def _notes(problem: Problem, report: Report) -> list[str]:
    """Returns the notes about the goal that the service would show in `health`."""
    if problem.model is Model.DETERMINISTIC:
        return []
    return [note.problem for note in epsilon_note(problem.goal, 1.0 - report.interval[0])]


def _run_on_service(
    url: str, key: str | None, people: Population, problem: Problem, policy: str, ad_servers: AdServers
) -> dict[str, Any]:
    """Returns the outcome of a session on a running service."""
    settings: dict[str, object] = {
        "name": f"simulated {policy}",
        "model": problem.model.value,
        "policy": policy,
        "rank": "auto" if problem.rank is None else problem.rank,
        problem.goal.field: problem.goal.epsilon,
        "delta": problem.delta,
        "self_pairs": problem.self_pairs.value,
        "budget": problem.budget,
        "seed": problem.seed,
    }
    users = Users(people, problem.model)

    def respond(impression: Impression, rng: np.random.Generator) -> list[Response]:
        return [users.respond(impression, rng)]

    async def run() -> RemoteOutcome:
        with progress(TextColumn("{task.fields[status]}")) as bar:
            task = bar.add_task(f"{policy} on {url}", total=None, status="")

            def show(best: BestPair) -> None:
                status = f"{best.samples:,} impressions, gap {best.gap:.3f}, {best.contenders:,} contenders"
                bar.update(task, status=f"{best.phase}: {status}")

            rng = source(Purpose.USERS, problem.seed)
            async with AsyncClient(url, api_key=key, timeout_seconds=60) as client:
                return await run_remote(client, settings, people, respond, ad_servers, rng, show)

    try:
        return asyncio.run(run()).as_json(policy)
    except ProblemError as refusal:
        if refusal.status != 401:
            raise
        raise InvalidSetting(
            "--key", "the service requires a key with the scope admin; pass it with this option or in BESTPAIR_KEY"
        ) from None


def _print(outcome: dict[str, Any], problem: Problem, as_json: bool, url: str | None = None) -> None:
    """Prints a summary, and the JSON object as the last line."""
    if not as_json:
        verdict = "certified" if outcome["certified"] else f"{outcome['verdict'].replace('_', ' ')}, not certified"
        typer.echo(
            f"{verdict}: pair {tuple(outcome['pair'])} after {outcome['samples']:,} impressions and {outcome['plans']} "
            f"plans; proven within {outcome['gap']:.4g} of the best, true error {outcome['error']:.4g}"
        )
        goal = in_words(problem.goal, problem.model)
        earned = decimal(round(100 * (1 - outcome["relative_error"]), 2))
        typer.echo(f"goal: {goal}; the pair really earns {earned} % of what the best pair earns")
        for note in outcome["notes"]:
            typer.echo(f"note: {note}")
        if "acknowledged" in outcome:
            typer.echo(f"feedback: {outcome['acknowledged']:,} acknowledged, {outcome['counted']:,} counted")
        if url is not None:
            typer.echo(f"on the dashboard: {url.rstrip('/')}/#/sessions/{outcome['session']}")
    typer.echo(json.dumps(outcome))
