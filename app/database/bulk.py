"""Many rows with one statement, in the form that costs each driver least; the text is made once per table.

PostgreSQL gets a column as one array literal: a tenth of the client's work of one parameter per value, and one
statement text whatever the number of rows. SQLite gets VALUES lists in blocks of a power of two rows, so that a dozen
prepared statements serve every size; `executemany` would give up the interpreter lock and win it back for every row.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from sqlalchemy import Boolean, Connection, Dialect, Integer, Numeric, Table
from sqlalchemy.types import TypeEngine

from app.database import driver

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
                driver.run(connection, f"{self._into} VALUES {values} {self._conflict}", parameters)
        elif rows:
            source = self._rows.unnested(connection.dialect)
            select = f"SELECT {self._columns} FROM {source}"  # noqa: S608 - names from the tables, no values
            driver.run(connection, f"{self._into} {select} {self._conflict}", self._rows.arrays(rows))


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
                driver.run(connection, f"{given} {self._update} given {self._where}", parameters)
        elif rows:
            source = self._rows.unnested(connection.dialect)
            driver.run(connection, f"{self._update} {source} {self._where}", self._rows.arrays(rows))


class _RowSource:
    """Rows of some of a table's columns as something to select from."""

    def __init__(self, table: Table, columns: Sequence[str]) -> None:
        self._table = table
        self._names = list(columns)
        self._one = f"({', '.join('?' for _ in columns)})"
        self._writers = [_writer(table.c[name].type) for name in columns]
        self._unnested: str | None = None

    def blocks(self, rows: Rows) -> Iterator[tuple[str, tuple[object, ...]]]:
        """Yields lists for VALUES and their parameters, for SQLite."""
        start = 0
        while start < len(rows):
            size = min(_BLOCK, 1 << (len(rows) - start).bit_length() - 1)
            block = rows[start : start + size]
            yield ", ".join([self._one] * size), tuple(value for row in block for value in row)
            start += size

    def unnested(self, dialect: Dialect) -> str:
        """Returns the parameters, an array for each column, as a table named `given`, for PostgreSQL."""
        if self._unnested is None:
            types = [self._table.c[name].type.compile(dialect=dialect) for name in self._names]
            arrays = ", ".join(f"%s::{kind}[]" for kind in types)
            self._unnested = f"unnest({arrays}) AS given ({', '.join(self._names)})"
        return self._unnested

    def arrays(self, rows: Rows) -> list[str]:
        """Returns the rows as those parameters."""
        columns = zip(*rows, strict=True)
        return [
            "{" + ",".join(write(value) for value in column) + "}"
            for write, column in zip(self._writers, columns, strict=True)
        ]


def text_array(values: Sequence[str]) -> str:
    """Returns texts as an array literal; the driver's own way of adapting lists takes thirty times as long."""
    if not values:
        return "{}"
    joined = "\0".join(values)  # no text that can be stored holds this character
    if "\\" in joined or '"' in joined:
        joined = joined.replace("\\", "\\\\").replace('"', '\\"')
    return '{"' + joined.replace("\0", '","') + '"}'


def number_array(values: Iterable[float]) -> str:
    """Returns numbers as an array literal."""
    return "{" + ",".join(map(repr, values)) + "}"


def _number(value: object) -> str:
    return "NULL" if value is None else repr(value)


def _truth(value: object) -> str:
    return "NULL" if value is None else "t" if value else "f"


def _text(value: object) -> str:
    """Returns a text as an array literal has it: in quotes, which it may hold itself."""
    if value is None:
        return "NULL"
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _writer(kind: TypeEngine[object]) -> Callable[[object], str]:
    if isinstance(kind, Boolean):
        return _truth
    return _number if isinstance(kind, Numeric | Integer) else _text
