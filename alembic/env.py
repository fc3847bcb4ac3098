"""Runs the revisions, on the connection that `app.database.migrations` passes, or on a new one to `-x url=...`."""

from alembic import context
from sqlalchemy import Connection

from app.database.database import migration_engine
from app.database.migrations import REVISION_TABLE
from app.database.tables import metadata

_LOCK = 0x62657374  # any fixed number: if `bestpair migrate` runs twice at once, one waits for the other


def _run(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
    context.configure(
        connection=connection,
        target_metadata=metadata,
        version_table=REVISION_TABLE,
        render_as_batch=True,  # SQLite changes a table by copying it
        transactional_ddl=True,  # also on SQLite: a revision is applied completely or not at all
    )
    with context.begin_transaction():
        context.run_migrations()


passed = context.config.attributes.get("connection")
if passed is not None:
    _run(passed)
else:
    with migration_engine(context.get_x_argument(as_dictionary=True)["url"]).begin() as new:
        _run(new)
