"""Runs the revisions, on the connection that `app.database.migrations` hands over or on that of `-x url=...`."""

from alembic import context
from sqlalchemy import Connection

from app.database.database import migration_engine
from app.database.migrations import REVISION_TABLE
from app.database.tables import metadata

_LOCK = 0x62657374  # any fixed number: two `bestpair migrate` at once take turns


def _run(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
    context.configure(
        connection=connection,
        target_metadata=metadata,
        version_table=REVISION_TABLE,
        render_as_batch=True,  # SQLite changes a table by copying it
        transactional_ddl=True,  # also on SQLite: a revision happens entirely or not at all
    )
    with context.begin_transaction():
        context.run_migrations()


handed_over = context.config.attributes.get("connection")
if handed_over is not None:
    _run(handed_over)
else:
    with migration_engine(context.get_x_argument(as_dictionary=True)["url"]).begin() as own:
        _run(own)
