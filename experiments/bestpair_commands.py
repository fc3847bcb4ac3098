"""The commands of this package: `bestpair compare`, `bestpair experiment` and `bestpair bench`.

`app.cli.experiments` recognises the package by the name of this file, and imports it when one of the commands runs.
"""

import typer

from experiments.commands.bench import bench
from experiments.commands.compare import compare
from experiments.commands.experiment import experiment

commands = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
commands.command()(compare)
commands.add_typer(experiment, name="experiment")
commands.add_typer(bench)
