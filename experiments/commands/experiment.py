"""`bestpair experiment`: certify, planner, waiting, gap and page. budget and figures are in `fixed_budget`."""

import json
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from app.cli.options import AsJson, Delta, Epsilon, InFlight, ItemClicks, RelativeEpsilon, Seed
from app.engine.policies import policy_named
from app.engine.problem import Goal, InvalidProblem, Problem
from app.simulation.mixtures import FAMILIES, mixture
from app.wire.goal import requested_goal
from experiments.certify import INSTANCES, WITH_ITEMS, Instance, Line, Session, growth_of, lines_of, run_sessions
from experiments.commands.fixed_budget import budget, figures
from experiments.commands.forecast_model import forecast_model
from experiments.commands.options import (
    Workers,
    new_table,
    parse_integers,
    parse_names,
    parse_numbers,
    select,
    short,
    with_progress,
)
from experiments.gap import draw, follow
from experiments.planner import Estimate, Expected, estimates_of, goals_around, run_trials, trials_for
from experiments.results_page import fill
from experiments.waiting import TABLE_GOAL, WAYS, Setting, Spread, Trial
from experiments.waiting import Line as WaitingLine
from experiments.waiting import lines_of as waiting_lines_of
from experiments.waiting import run_trials as run_waiting_trials

experiment = typer.Typer(no_args_is_help=True, help="Measurements that print tables or draw charts.")
experiment.command()(figures)
experiment.command()(budget)
experiment.command()(forecast_model)


@experiment.command()
def certify(
    policies: Annotated[
        str,
        typer.Option(help="Names separated by commas; the first is the reference. rplans+items: with clicked items."),
    ] = "rplans,lucb,successive_elimination",
    items: Annotated[str, typer.Option(help="Numbers of items, separated by commas: 50,200,800.")] = "50,200",
    families: Annotated[str, typer.Option(help="Families, separated by commas.")] = "pref,ads6,ads20,clus",
    epsilons: Annotated[
        str | None, typer.Option(help="Use these absolute goals, with any items and families and two groups: 0.02,0.1.")
    ] = None,
    relative_epsilons: Annotated[
        str | None, typer.Option(help="Use these relative goals, with any items and families and two groups: 0.1,0.2.")
    ] = None,
    runs: Annotated[int, typer.Option(min=1, help="Populations per instance.")] = 5,
    delta: Delta = 0.1,
    seed: Seed = 0,
    item_clicks: ItemClicks = False,
    in_flight: InFlight = 0,
    workers: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Measure impressions to certification on random populations of each family, the same ones for every policy."""
    names = parse_names(policies)
    for name in names:
        policy_named(name.removesuffix(WITH_ITEMS))
    instances = _instances(items, families, epsilons, relative_epsilons)
    sessions = [
        Session(instance, name, seed + run, delta, item_clicks, in_flight)
        for instance in instances
        for run in range(runs)
        for name in names
    ]
    results = with_progress(run_sessions(sessions, workers), len(sessions))
    lines = lines_of(results, names, instances)
    if as_json:
        typer.echo(json.dumps([line.as_json() for line in lines]))
        return
    Console().print(_certify_table(lines, names[0]))
    for growth in growth_of(lines):
        sizes = ", ".join(map(str, growth.sizes))
        goal = f"{growth.goal.field} {growth.goal.epsilon:g}"
        instance = f"{growth.family} r={growth.rank} {goal}, K = {sizes}"
        typer.echo(f"{instance}: {growth.policy} grows like K^{growth.exponent:.2f}")


@experiment.command()
def planner(
    items: Annotated[int, typer.Option(min=2, help="Number of items, K.")] = 50,
    traffic: Annotated[float, typer.Option(min=1, help="Impressions per day.")] = 10_000,
    click_rate: Annotated[float | None, typer.Option(help="Mean click rate of one item, e.g. 0.02.")] = None,
    family: Annotated[str, typer.Option(help=f"Without a click rate: one of {', '.join(FAMILIES)}.")] = "ads20",
    groups: Annotated[int, typer.Option(min=1, help="Hidden groups of visitors.")] = 2,
    epsilon: Epsilon = None,
    relative_epsilon: RelativeEpsilon = None,
    delta: Delta = 0.05,
    runs: Annotated[int, typer.Option(min=1, help="Random populations per line.")] = 5,
    seed: Seed = 0,
    workers: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Estimate the days until certified at your traffic, with the default policy on random populations like yours.

    Each line is measured with whole sessions: at the given epsilon (a relative one of 0.1 if none is given), twice and
    half of it, with feedback that says whether anything was clicked, and with feedback that names the clicked items.
    """
    goal = requested_goal(epsilon, relative_epsilon)
    expected = Expected(items, groups, click_rate, family)
    Problem(n_items=items, goal=goal, delta=delta)  # raises InvalidProblem before anything runs
    expected.draw(seed)
    trials = trials_for(expected, goals_around(goal), delta, range(seed, seed + runs))
    lines = estimates_of(with_progress(run_trials(trials, workers), len(trials)))
    if as_json:
        typer.echo(json.dumps([line.as_json(traffic) for line in lines]))
        return
    kind = f"family {family}" if click_rate is None else f"clicked {click_rate:.2%} of the time on average"
    typer.echo(f"{items} items, {kind}; {groups} groups; delta {delta:g}; {traffic:,.0f} impressions per day\n")
    Console().print(_planner_table(lines, traffic))


@experiment.command()
def waiting(
    feedback: Annotated[str, typer.Option(help="Kinds of feedback, separated by commas.")] = "pairs,items",
    rates: Annotated[str, typer.Option(help="Impressions per second, separated by commas.")] = "50,500",
    lifetimes: Annotated[str, typer.Option(help="ticket_ttl_seconds, separated by commas.")] = "60,300",
    losses: Annotated[str, typer.Option(help="Parts of the answers that are lost.")] = "0,0.001,0.01,0.05",
    runs: Annotated[int, typer.Option(min=1, help="Populations per line.")] = 5,
    epsilon: Epsilon = None,
    relative_epsilon: RelativeEpsilon = None,
    delta: Delta = 0.1,
    seed: Seed = 0,
    workers: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Measure what late and lost answers cost until certification, by how impressions are counted.

    Sessions run in simulated time: 20 items of `ads6`, answers after 5 s (median), 99.9 % of them within a minute.
    "prefix per pair" is the rule of version 0.1.0; "explore" and "exploit" are the values of `while_waiting`. Without
    --epsilon and --relative-epsilon, epsilon is 0.1.
    """
    goal = requested_goal(epsilon, relative_epsilon, TABLE_GOAL)
    settings = [
        Setting(select("feedback", [kind], ("pairs", "items"))[0], rate, lifetime, lost, goal, delta)
        for kind in parse_names(feedback)
        for rate in parse_numbers("rates", rates)
        for lifetime in parse_numbers("lifetimes", lifetimes)
        for lost in parse_numbers("losses", losses)
    ]
    trials = [Trial(setting, way, seed + run) for run in range(runs) for setting in settings for way in WAYS]
    lines = waiting_lines_of(with_progress(run_waiting_trials(trials, workers), len(trials)))
    if as_json:
        typer.echo(json.dumps([line.as_json() for line in lines], indent=1))
        return
    Console().print(_waiting_table(lines))


@experiment.command()
def gap(
    out: Annotated[Path, typer.Option(help="The .svg file to write.")],
    policies: Annotated[str, typer.Option(help="Names separated by commas.")] = (
        "rplans,lucb,successive_elimination,naive"
    ),
    family: Annotated[str, typer.Option(help=f"One of {', '.join(FAMILIES)}.")] = "ads6",
    items: Annotated[int, typer.Option(min=2, help="Number of items, K.")] = 200,
    rank: Annotated[int, typer.Option(min=1, help="Number of hidden groups, r.")] = 2,
    epsilon: Epsilon = None,
    relative_epsilon: RelativeEpsilon = None,
    delta: Delta = 0.05,
    seed: Seed = 0,
) -> None:
    """Draw the proven gap over impressions, one line per policy, on one population (docs/images/gap.svg).

    With --relative-epsilon, the gap is a part of the best reward. Without both options, epsilon is 0.05.
    """
    goal = requested_goal(epsilon, relative_epsilon, Goal(0.05))
    people = mixture(family, items, rank, np.random.default_rng(seed))
    problem = Problem(n_items=items, goal=goal, delta=delta, seed=seed)
    lines = [follow(name, problem, people) for name in parse_names(policies)]
    out.write_text(draw(lines, problem))
    for line in lines:
        typer.echo(f"{line.policy}: {line.points[-1].samples:,} impressions, gap {line.points[-1].gap:.3f}")


@experiment.command()
def page(
    file: Annotated[Path, typer.Argument(help="The page, such as docs/results.md.")],
    folder: Annotated[Path | None, typer.Option(help="Folder of the results; default: named like the page.")] = None,
) -> None:
    """Update the marked tables of a page from the files that figures, budget and certify wrote."""
    file.write_text(fill(file.read_text(), folder or file.with_suffix("")))


def _instances(items: str, families: str, epsilons: str | None, relative_epsilons: str | None) -> list[Instance]:
    """Returns the requested instances: from the fixed list, or with the given goals, which may be of both kinds."""
    sizes, kinds = parse_integers("items", items), parse_names(families)
    if epsilons is None and relative_epsilons is None:
        found = [one for one in INSTANCES if one.n_items in sizes and one.family in kinds]
        if not found:
            raise InvalidProblem("items", "no instance has these numbers of items and families; try 50, 200 or 800")
        return found
    goals = [Goal(one) for one in parse_numbers("epsilons", epsilons)] if epsilons else []
    if relative_epsilons:
        goals += [Goal(one, relative=True) for one in parse_numbers("relative_epsilons", relative_epsilons)]
    return [Instance(kind, size, 2, goal) for kind in kinds for size in sizes for goal in goals]


def _certify_table(lines: list[Line], first: str) -> Table:
    """Returns medians, also as a multiple of the first policy's."""
    headings = ("policy", "median", "times", "least", "most", "cert.", "wrong", "plans", "own")
    table = new_table(headings, left=("policy",))
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
        "times: multiple of the first policy's median; wrong: certified, but short of the goal;\n"
        "own: pairs whose lower bound comes from their own samples, not from shared ones."
    )
    return table


def _planner_table(lines: list[Estimate], traffic: float) -> Table:
    headings = (lines[0].goal.field, "best pair earns", "feedback", "impressions", "days", "from", "to")
    table = new_table(headings, left=("feedback",))
    for line in lines:
        table.add_row(
            f"{line.goal.epsilon:g}",
            f"{line.best_reward:.2%}",
            "which items" if line.item_clicks else "click or no click",
            f"{line.median:,}",
            *(_days(count / traffic) for count in (line.median, line.least, line.most)),
        )
    uncertified = sum(line.runs - line.certified for line in lines)
    table.caption = (
        f"Medians of {lines[0].runs} random populations; from, to: the easiest and the hardest of them."
        + (
            ""
            if lines[0].goal.relative
            else "\nAn epsilon above what the best pair earns is useless: every pair is within it."
        )
        + (f"\n{uncertified} sessions ended without a certificate." if uncertified else "")
    )
    return table


def _waiting_table(lines: list[WaitingLine]) -> Table:
    table = new_table(("", "shown", "times", "seconds", "times ", "cert."), left=("",))
    for line in lines:
        if line.way == WAYS[0]:
            one = line.setting
            name = f"{one.feedback} {one.per_second:g}/s {one.ttl_seconds:g} s {one.lost:.1%}"
            table.add_row(name, style="bold cyan")
        table.add_row(
            line.way.name,
            short(line.impressions.median),
            _ratio(line.impressions_ratio),
            f"{line.seconds.median:,.0f}",
            _ratio(line.seconds_ratio),
            f"{line.certified}/{line.runs}",
        )
    table.caption = (
        f"Medians of {lines[0].runs} populations; wrong certificates: {sum(line.wrong for line in lines)}.\n"
        "shown: impressions that explore; times: ratio to a prefix per pair, seed by\n"
        "seed, and quartiles. Headings: traffic, ticket_ttl_seconds, lost answers."
    )
    return table


def _ratio(ratio: Spread) -> str:
    return f"{ratio.median:.2f} ({ratio.low:.2f}-{ratio.high:.2f})"


def _days(days: float) -> str:
    return f"{days:.1f}" if days < 10 else f"{days:,.0f}"
