"""Revisions of the tables: check the revision of a database, upgrade it, downgrade it."""

from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from app.database.database import migration_engine
from app.database.faults import DatabaseBehind, as_storage_unavailable

REVISION_TABLE = "bestpair_revision"
"""Not alembic's default name: another application in the same database may use alembic too."""


@cache
def head() -> str:
    """Returns the revision that this code needs."""
    revision = ScriptDirectory.from_config(_config()).get_current_head()
    assert revision is not None  # noqa: S101 - for the type checker: there is at least one revision
    return revision


def is_newer(revision: str | None) -> bool:
    """Returns whether the revision belongs to a newer version of the code; revisions are numbered."""
    return revision is not None and revision > head()


def complaint(revision: str | None) -> str | None:
    """Returns None if the revision is the one this code needs, otherwise what is wrong and what to do."""
    needed = head()
    if revision == needed:
        return None
    if is_newer(revision):
        return (
            f"the database is at revision {revision}, which belongs to a newer version of bestpair; this version needs "
            f"{needed}: start the newer version"
        )
    return f"the database is at revision {revision or 'none'} and this version needs {needed}; run: bestpair migrate"


def revision_of(connection: Connection) -> str | None:
    """Returns the revision of the database, None before the first migration."""
    return MigrationContext.configure(connection, opts={"version_table": REVISION_TABLE}).get_current_revision()


def current(url: str) -> str | None:
    """Returns the revision of the database at `url`, None before the first migration."""
    with as_storage_unavailable(), migration_engine(url).connect() as connection:
        return revision_of(connection)


def migrate(url: str, revision: str = "head") -> None:
    """Upgrades the database's tables to a revision; does nothing if they have it already.

    Raises:
        DatabaseBehind: a newer version of the code has upgraded the database.
    """
    with as_storage_unavailable(), migration_engine(url).begin() as connection:
        stored = revision_of(connection)
        if is_newer(stored):  # alembic's own error would only say that the revision is unknown
            raise DatabaseBehind(str(complaint(stored)))
        command.upgrade(_config(connection), revision)


def downgrade(url: str, revision: str) -> None:
    """Downgrades the database's tables to a revision; "base" removes all tables, with all data."""
    with as_storage_unavailable(), migration_engine(url).begin() as connection:
        command.downgrade(_config(connection), revision)


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(_scripts()).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def _scripts() -> Path:
    """Returns the folder of the revisions: next to this file in an installed wheel, `alembic/` in a checkout."""
    packaged = Path(__file__).with_name("revisions")
    return packaged if packaged.is_dir() else Path(__file__).parents[2] / "alembic"
