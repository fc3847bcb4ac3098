"""Statements given straight to the driver: hot paths have no use for the rest of what an engine does for each."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

Parameters = Sequence[object] | Mapping[str, object]


def run(connection: Connection, statement: str, given: Parameters | None, **options: bool) -> Any:  # noqa: ANN401 - the driver's own cursor
    """Returns the driver's cursor after the statement; errors are those that the engine would raise."""
    driver = connection.connection.driver_connection
    assert driver is not None  # noqa: S101 - a connection in use has one
    try:
        return driver.execute(statement, given, **options)
    except Exception as error:
        raise _as_engine_error(connection, statement, error) from error


def _as_engine_error(connection: Connection, statement: str, error: Exception) -> BaseException:
    """Returns the error as the engine would tell it; a connection that has died is not used again."""
    dialect = connection.dialect
    base = dialect.loaded_dbapi.Error
    if not isinstance(error, base):
        return error
    died = dialect.is_disconnect(error, connection.connection.dbapi_connection, None)
    if died:
        connection.invalidate(error)
    return DBAPIError.instance(
        statement, None, error, base, hide_parameters=True, connection_invalidated=died, dialect=dialect
    )
