"""The `bestpair` command: parse, call, print. One file a command."""

import sys

import typer

from app.cli.compare import compare
from app.cli.population import population
from app.cli.simulate import simulate
from app.engine.problem import InvalidProblem
from app.simulation.population import InvalidPopulation

cli = typer.Typer(
    name="bestpair",
    help="Finds the best pair of items to show to a mixed population, and proves it.",
    epilog="Try it: make a population (bestpair population), then simulate or compare policies on it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (population, simulate, compare):
    cli.command()(command)


def main() -> None:
    """Runs the command; a bad setting ends it with one line that says what to change."""
    try:
        cli()
    except (InvalidProblem, InvalidPopulation) as error:
        typer.echo(f"bestpair: {error}", err=True)
        sys.exit(2)
