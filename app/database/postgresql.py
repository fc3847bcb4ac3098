"""PostgreSQL: how connections and writing transactions are set up, and the rights that a server needs.

docs/operations.md lists the rights for the person who grants them.
"""

from typing import Any

import psycopg
from sqlalchemy import URL, Connection, Engine, create_engine, event

from app.database.statements import execute, text_array

_CONNECT_SECONDS = 5
_BEGIN_WRITING = (
    "BEGIN ISOLATION LEVEL READ COMMITTED;"
    " SET LOCAL lock_timeout = '10s'; SET LOCAL idle_in_transaction_session_timeout = '3s';"
    " SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off;"
    " SELECT set_config('synchronous_commit', 'on', true)"
    " WHERE current_setting('synchronous_commit') IN ('off', 'local')"
)
"""Begins a writing transaction, in one round trip.

The settings are those of the transaction, not of the connection: a pooler in transaction mode (PgBouncer) runs every
transaction on another connection, and refuses settings at connection start.

Timeouts: a process that is paused inside a transaction keeps its locks. The server ends that transaction after 3 s;
other processes wait 10 s for a lock.
Query plans: the writer's statements always find a few rows by their keys. With default settings, PostgreSQL plans them
while a table is new and small, decides to read the whole table, and keeps that plan for minutes while the table grows.
Commit: an acknowledged write must be on disk, even if the role or the database has a weaker default. Stricter settings
are kept.
"""

RIGHTS = {
    "sessions": "SELECT INSERT UPDATE DELETE",
    "session_items": "SELECT INSERT",
    "impressions": "SELECT INSERT UPDATE DELETE",
    "plans": "SELECT INSERT",
    "evidence": "SELECT INSERT UPDATE",
    "idempotency_keys": "SELECT INSERT UPDATE DELETE",
    "certificates": "SELECT INSERT",
    "uptimes": "SELECT INSERT UPDATE",
    "audit": "SELECT INSERT",
    "keys": "SELECT",
    "key_changes": "SELECT",
}
"""The rights that a server needs, by table. Rows that refer to a session are deleted with it by a cascade, which needs
no right."""

_OTHER_RIGHTS = [("bestpair_revision", "SELECT"), ("audit_id_seq", "USAGE")]
_NEEDED = [*((table, right) for table, rights in RIGHTS.items() for right in rights.split()), *_OTHER_RIGHTS]
_TABLES = text_array([table for table, _ in _NEEDED])
_RIGHTS = text_array([right for _, right in _NEEDED])
_MISSING = (
    "SELECT string_agg(needed.kind || ' on ' || needed.name, ', ')"
    " FROM unnest(%s::text[], %s::text[]) AS needed (name, kind) WHERE CASE"
    " WHEN kind = 'USAGE' THEN NOT has_sequence_privilege(name, kind) ELSE NOT has_table_privilege(name, kind) END"
)


def postgresql_engine(url: URL, **options: Any) -> Engine:  # noqa: ANN401 - passed on
    """Returns an engine with these options of `create_engine`; libpq gets all parameters of the URL's query."""
    if "poolclass" not in options:
        options |= {"max_overflow": 0, "pool_timeout": _CONNECT_SECONDS}
    timeout = {} if "connect_timeout" in url.query else {"connect_timeout": _CONNECT_SECONDS}
    engine = create_engine(url, connect_args=timeout, hide_parameters=True, **options)  # errors would quote tickets
    event.listen(engine, "connect", _avoid_prepared_statements_on_a_pooler)
    return engine


def postgresql_writer(url: URL, pool_size: int) -> Engine:
    """Returns an engine whose transactions begin with `_BEGIN_WRITING`."""
    # In autocommit mode the driver begins no transactions: `_begin` does.
    engine = postgresql_engine(url, pool_size=pool_size, isolation_level="AUTOCOMMIT")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        execute(connection, _BEGIN_WRITING, None, prepare=False)  # several statements cannot be prepared

    return engine


def _avoid_prepared_statements_on_a_pooler(connection: psycopg.Connection[Any], _record: object) -> None:
    """Stops the driver from preparing statements if there is a pooler between it and the server.

    A pooler runs the next transaction on another connection, where the statement is not prepared. It is recognised by
    the process id that it reports, which is not that of the server process that runs the query.
    """
    pid = connection.execute("SELECT pg_backend_pid()", prepare=False).fetchone()
    if not connection.autocommit:
        connection.rollback()
    if pid != (connection.info.backend_pid,):
        connection.prepare_threshold = None


def missing_rights(connection: Connection) -> str | None:
    """Returns the rights that the database user lacks, None if it has all."""
    (missing,) = execute(connection, _MISSING, [_TABLES, _RIGHTS]).fetchone()
    return None if missing is None else str(missing)
