"""`bestpair experiment`, `bench` and `compare`: commands of the package `experiments`, which is not deployed.

The wheel and the Docker image contain only `app`. An editable install of a checkout (`make install`) finds both. The
package is imported only when one of its commands runs, so it does not slow down the start of `bestpair serve`.
"""

import importlib.util
from pathlib import Path

import typer

COMMANDS = {
    "compare": "Run several policies on the same populations and seeds, and print a table.",
    "experiment": "Measurements that print tables or draw charts.",
    "bench": "Measure the service: serving, growth, planning, latency, processes.",
}
MARKER = "bestpair_commands.py"
"""A file of our package, to distinguish it from another project's package called `experiments`."""


class ExperimentsNotInstalled(Exception):
    """The package `experiments` is not installed, or is another project's."""

    def __init__(self, command: str) -> None:
        super().__init__(
            f"{command} is not part of the installed service; run it from a checkout of the repository: "
            f"make install, then .venv/bin/bestpair {command}"
        )


def add_experiments(cli: typer.Typer) -> None:
    """Add the commands; `bestpair --help` lists them only if the package is installed."""
    hidden = not _is_installed()
    for name, text in COMMANDS.items():
        cli.command(
            name,
            help=text,
            hidden=hidden,
            context_settings={
                "allow_extra_args": True,
                "ignore_unknown_options": True,
                "allow_interspersed_args": False,  # keeps the order of the arguments
                "help_option_names": [],  # --help is passed on to the command in the package
            },
        )(_run)


def _run(context: typer.Context) -> None:
    """Run the command of the same name in the package `experiments`, with the same arguments.

    Raises:
        ExperimentsNotInstalled: there is no such package.
    """
    name = str(context.info_name)
    if not _is_installed():
        raise ExperimentsNotInstalled(name)
    from experiments.bestpair_commands import commands  # noqa: PLC0415 - only if it is installed and used

    typer.main.get_command(commands).main([name, *context.args], prog_name="bestpair")


def _is_installed() -> bool:
    """Return whether our package `experiments` is installed, without importing it: it may be another project's."""
    spec = importlib.util.find_spec("experiments")
    folders = (spec.submodule_search_locations if spec else None) or ()
    return any((Path(folder) / MARKER).is_file() for folder in folders)
