"""`bestpair serve` and `bestpair migrate`: the service and its database."""

import os
from dataclasses import replace
from typing import Annotated

import typer

from app.main import migrate as run_migrations
from app.main import serve as run_server
from app.settings import Settings


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on (BESTPAIR_HOST).")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on (BESTPAIR_PORT).")] = None,
) -> None:
    """Run the service. Settings: BESTPAIR_HOST, _PORT, _DATABASE_URL, _WORKERS; options take precedence."""
    settings = Settings.from_environment(os.environ)
    given = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
    run_server(replace(settings, **given))  # type: ignore[arg-type]  # each option has its field's type


def migrate() -> None:
    """Migrate the database (BESTPAIR_DATABASE_URL) to the schema of this version."""
    settings = Settings.from_environment(os.environ)
    run_migrations(settings)
    typer.echo("the database is at the latest revision")
