"""Many rows with one statement, in the form that costs each driver least; the text is made once per table.

PostgreSQL gets all rows as one JSON parameter: a fifth of the client's work of one parameter per value, and one
statement text whatever the number of rows. SQLite gets VALUES lists in blocks of a power of two rows, so that a dozen
prepared statements serve every size; `executemany` would give up the interpreter lock and win it back for every row.
"""

import json
from collections.abc import Iterator, Sequence

from sqlalchemy import Connection, Dialect, Table

Rows = Sequence[Sequence[object]]

_BLOCK = 256
"""Rows of the largest statement on SQLite, whose statements may have 32,766 parameters."""


class BulkInsert:
    """Inserts rows of the given columns; `conflict` is an ON CONFLICT clause, if wanted."""

    def __init__(self, table: Table, columns: Sequence[str], conflict: str = "") -> None:
        self._rows = _RowSource(table, columns)
        self._into = f"INSERT INTO {table.name} ({', '.join(columns)})"
        self._columns = ", ".join(columns)
        self._conflict = conflict

    def run(self, connection: Connection, rows: Rows) -> None:
        """Inserts all rows."""
        if connection.dialect.name == "sqlite":
            for values, parameters in self._rows.blocks(rows):
                connection.exec_driver_sql(f"{self._into} VALUES {values} {self._conflict}", parameters)
        elif rows:
            source = self._rows.recordset(connection.dialect)
            select = f"SELECT {self._columns} FROM {source}"  # noqa: S608 - names from the tables, no values
            connection.exec_driver_sql(f"{self._into} {select} {self._conflict}", self._rows.as_json(rows))


class BulkUpdate:
    """Sets columns of the rows named by `keys`, if `guard` (SQL on the table) still holds."""

    def __init__(self, table: Table, columns: Sequence[str], keys: Sequence[str], guard: str = "TRUE") -> None:
        self._rows = _RowSource(table, [*columns, *keys])
        self._names = ", ".join([*columns, *keys])
        matches = " AND ".join(f"{table.name}.{key} = given.{key}" for key in keys)
        new = ", ".join(f"{column} = given.{column}" for column in columns)
        self._update = f"UPDATE {table.name} SET {new} FROM"  # noqa: S608 - names from the tables, no values
        self._where = f"WHERE {matches} AND {guard}"

    def run(self, connection: Connection, rows: Rows) -> None:
        """Updates all rows, each given as the new values and then the keys; a key may come once."""
        if connection.dialect.name == "sqlite":
            for values, parameters in self._rows.blocks(rows):
                given = f"WITH given ({self._names}) AS (VALUES {values})"
                connection.exec_driver_sql(f"{given} {self._update} given {self._where}", parameters)
        elif rows:
            source = self._rows.recordset(connection.dialect)
            connection.exec_driver_sql(f"{self._update} {source} {self._where}", self._rows.as_json(rows))


class _RowSource:
    """Rows of some of a table's columns as something to select from."""

    def __init__(self, table: Table, columns: Sequence[str]) -> None:
        self._table = table
        self._names = list(columns)
        self._one = f"({', '.join('?' for _ in columns)})"
        self._recordset: str | None = None

    def blocks(self, rows: Rows) -> Iterator[tuple[str, tuple[object, ...]]]:
        """Yields lists for VALUES and their parameters, for SQLite."""
        start = 0
        while start < len(rows):
            size = min(_BLOCK, 1 << (len(rows) - start).bit_length() - 1)
            block = rows[start : start + size]
            yield ", ".join([self._one] * size), tuple(value for row in block for value in row)
            start += size

    def recordset(self, dialect: Dialect) -> str:
        """Returns the one parameter as a table named `given`, for PostgreSQL."""
        if self._recordset is None:
            types = (self._table.c[name].type.compile(dialect=dialect) for name in self._names)
            columns = ", ".join(f"{name} {kind}" for name, kind in zip(self._names, types, strict=True))
            self._recordset = f"json_to_recordset(%s::json) AS given ({columns})"
        return self._recordset

    def as_json(self, rows: Rows) -> tuple[str]:
        """Returns the rows as that parameter."""
        return (json.dumps([dict(zip(self._names, row, strict=True)) for row in rows]),)
