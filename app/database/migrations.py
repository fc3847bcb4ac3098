"""The tables' revisions: bring a database to this version of the code, or back."""

from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from app.database.database import migration_engine
from app.database.errors import DatabaseBehind
from app.database.faults import as_storage_unavailable

REVISION_TABLE = "bestpair_revision"
"""Not alembic's usual name: the database may be shared with another application that uses alembic."""


@cache
def head() -> str:
    """Returns the revision that this code needs."""
    revision = ScriptDirectory.from_config(_config()).get_current_head()
    assert revision is not None  # noqa: S101 - there is at least the first revision; this tells the type checker
    return revision


def is_newer(revision: str | None) -> bool:
    """Returns whether a newer version of the code has been at the database: revisions are numbered."""
    return revision is not None and revision > head()


def complaint(revision: str | None) -> str | None:
    """Returns None if the revision is the one this code needs, otherwise what to do."""
    needed = head()
    if revision == needed:
        return None
    if is_newer(revision):
        return f"the database is at revision {revision}, of a newer version than this one ({needed}); start that one"
    return f"the database is at revision {revision or 'none'} and this version needs {needed}; run: bestpair migrate"


def revision_of(connection: Connection) -> str | None:
    """Returns the revision the database is at, None before the first one."""
    return MigrationContext.configure(connection, opts={"version_table": REVISION_TABLE}).get_current_revision()


def current(url: str) -> str | None:
    """Returns the revision of the database at `url`, None before the first one."""
    with as_storage_unavailable(), migration_engine(url).connect() as connection:
        return revision_of(connection)


def migrate(url: str, revision: str = "head") -> None:
    """Brings the database's tables up to a revision; does nothing if they are there.

    Raises:
        DatabaseBehind: a newer version of the code has been at the database.
    """
    with as_storage_unavailable(), migration_engine(url).begin() as connection:
        found = revision_of(connection)
        if is_newer(found):  # alembic would only say that it does not know the revision
            raise DatabaseBehind(str(complaint(found)))
        command.upgrade(_config(connection), revision)


def downgrade(url: str, revision: str) -> None:
    """Takes the database's tables back to a revision; "base" removes them all, with all data."""
    with as_storage_unavailable(), migration_engine(url).begin() as connection:
        command.downgrade(_config(connection), revision)


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(_scripts()).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def _scripts() -> Path:
    """Returns where the revisions are: beside this file in an installed wheel, in `alembic/` in a checkout."""
    packaged = Path(__file__).with_name("revisions")
    return packaged if packaged.is_dir() else Path(__file__).parents[2] / "alembic"
