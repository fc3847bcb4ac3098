"""The `bestpair` command. Each module parses the options of a command, runs it and prints the result."""

import sys
from typing import Annotated

import typer

from app.access.keys import InvalidKey
from app.access.rates import InvalidRate
from app.cli.demo import demo
from app.cli.experiments import ExperimentsNotInstalled, add_experiments
from app.cli.forecast import forecast
from app.cli.keys import audit, keys
from app.cli.population import population
from app.cli.serve import migrate, serve
from app.cli.simulate import simulate
from app.cli.verify import verify
from app.client import ProblemError, ServiceUnreachable
from app.database.faults import StoreCannotStart
from app.engine.problem import InvalidProblem
from app.errors import SessionNotFound, StorageUnavailable
from app.results.certificates import package_version
from app.settings import InvalidSetting
from app.simulation.population import InvalidPopulation
from app.telemetry.log_format import on_one_line

cli = typer.Typer(
    name="bestpair",
    help="Finds the best pair of items to show to a mixed population, and proves it.",
    epilog="Try it: bestpair demo. Or make a population (bestpair population) and use it (bestpair simulate).",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@cli.callback(invoke_without_command=True)
def _version(show: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False) -> None:
    if show:
        typer.echo(f"bestpair {package_version()}")
        raise typer.Exit


for command in (serve, demo, migrate, population, forecast, simulate, verify, audit):
    cli.command()(command)
cli.add_typer(keys)
add_experiments(cli)

BAD_INPUT = (
    InvalidProblem,
    InvalidPopulation,
    InvalidSetting,
    InvalidKey,
    InvalidRate,
    SessionNotFound,
    StoreCannotStart,
    StorageUnavailable,
    ProblemError,
    ServiceUnreachable,
    ExperimentsNotInstalled,
)


def main() -> None:
    """Runs the command; invalid input ends it with exit code 2 and one line that says what to change."""
    try:
        cli()
    except BAD_INPUT as error:
        lines = f"bestpair: {error}{_reason(error)}".split("\n")
        typer.echo("\n".join(map(on_one_line, lines)), err=True)  # parts of it may come from a server or a file
        sys.exit(2)


def _reason(error: Exception) -> str:
    """Returns the message of the database driver, for an operator; responses of the service do not contain it."""
    cause = error.__cause__ if isinstance(error, StorageUnavailable) else None
    message = str(getattr(cause, "orig", None) or "").strip().splitlines()
    return f"\n  BESTPAIR_DATABASE_URL: {message[0]}" if message else ""
