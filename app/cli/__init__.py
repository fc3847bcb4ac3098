"""The `bestpair` command: parse, call, print. One file a command."""

import sys
from typing import Annotated

import typer

from app.access.keys import InvalidKey
from app.access.rates import InvalidRate
from app.cli.demo import demo
from app.cli.experiments import ExperimentsNotInstalled, add_experiments
from app.cli.keys import audit, keys
from app.cli.population import population
from app.cli.serve import migrate, serve
from app.cli.simulate import simulate
from app.cli.verify import verify
from app.client import ProblemError, ServiceUnreachable
from app.database.errors import StoreCannotStart
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


for command in (serve, demo, migrate, population, simulate, verify, audit):
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
    """Runs the command; a bad setting ends it with one line that says what to change."""
    try:
        cli()
    except BAD_INPUT as error:
        lines = f"bestpair: {error}{_reason(error)}".split("\n")
        typer.echo("\n".join(map(on_one_line, lines)), err=True)  # some of it may be a server's or a file's words
        sys.exit(2)


def _reason(error: Exception) -> str:
    """Returns what the database driver said, for an operator: callers of the service are not told hosts and files."""
    cause = error.__cause__ if isinstance(error, StorageUnavailable) else None
    said = str(getattr(cause, "orig", None) or "").strip().splitlines()
    return f"\n  BESTPAIR_DATABASE_URL: {said[0]}" if said else ""
