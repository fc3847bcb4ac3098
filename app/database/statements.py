"""Statements for the hot paths: run directly by the driver, compiled once, or with many rows in one statement.

Without SQLAlchemy's execution, a statement costs half as much. Many rows are sent in the form that is cheapest for each
driver. PostgreSQL gets each column as one array literal: this takes the client a tenth of the work of one parameter per
value, and one statement text serves any number of rows. SQLite gets VALUES lists in blocks of a power of two rows, so
that a dozen prepared statements serve every size; `executemany` would release and take the interpreter lock for every
row.
"""

import json
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    Boolean,
    ColumnElement,
    Connection,
    Dialect,
    Integer,
    Numeric,
    Row,
    Select,
    Table,
    Text,
    Update,
    bindparam,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.expression import ColumnClause, FunctionElement
from sqlalchemy.types import TypeEngine

Parameters = Sequence[object] | Mapping[str, object]
AnyRow = Row[*tuple[Any, ...]]


def is_storable(text: str) -> bool:
    """Returns whether a database can store the text: no NUL and no half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def compact_json(value: object) -> str:
    """Returns the value as JSON text without spaces."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def execute(connection: Connection, statement: str, parameters: Parameters | None, **options: bool) -> Any:  # noqa: ANN401 - the driver's own cursor
    """Returns the driver's cursor after the statement; errors are those that the engine would raise."""
    driver = connection.connection.driver_connection
    assert driver is not None  # noqa: S101 - a connection in use has one
    try:
        return driver.execute(statement, parameters, **options)
    except Exception as error:
        raise _as_engine_error(connection, statement, error) from error


def _as_engine_error(connection: Connection, statement: str, error: Exception) -> BaseException:
    """Returns the error that SQLAlchemy's engine would raise; a connection that has died is not used again."""
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


ParameterValue = Iterable[str | int] | str | float
_Compiled = tuple[str, list[str] | None, dict[str, Any]]


class IsOneOf(ColumnElement[bool]):
    """Whether a column's value is in a list that is passed as one parameter: one statement text serves every length."""

    inherit_cache = False

    def __init__(self, column: ColumnClause[Any] | ColumnElement[Any], parameter: str) -> None:
        self.column = column
        self.json_list = bindparam(parameter, type_=Text())
        self.array = bindparam(parameter, type_=ARRAY(column.type))


@compiles(IsOneOf, "sqlite")
def _sqlite(element: IsOneOf, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 - passed on
    column, json_list = compiler.process(element.column, **options), compiler.process(element.json_list, **options)
    return f"{column} IN (SELECT value FROM json_each({json_list}))"  # noqa: S608 - made of compiled parts


@compiles(IsOneOf, "postgresql")
def _postgresql(element: IsOneOf, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 - passed on
    return f"{compiler.process(element.column, **options)} = ANY({compiler.process(element.array, **options)})"


class AsJsonList(FunctionElement[str]):
    """All values of a column as one JSON text, in any order: reading one row per value costs several times as much."""

    type = Text()
    inherit_cache = True


@compiles(AsJsonList, "sqlite")
def _sqlite_list(element: AsJsonList, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 - passed on
    return f"json_group_array({compiler.process(element.clauses, **options)})"


@compiles(AsJsonList, "postgresql")
def _postgresql_list(element: AsJsonList, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 - passed on
    return f"coalesce(json_agg({compiler.process(element.clauses, **options)})::text, '[]')"


class Prepared:
    """A statement that is compiled once for each kind of database. Its list parameters are those of `IsOneOf`.

    Rows are returned as the driver makes them: a boolean of SQLite is 0 or 1.
    """

    def __init__(self, statement: Select[*tuple[Any, ...]] | Update) -> None:
        self.statement = statement
        names = statement.selected_columns.keys() if isinstance(statement, Select) else []
        columns = namedtuple("columns", names)  # type: ignore[misc] # names known at run time only
        self._named: Callable[[tuple[Any, ...]], Any] = columns._make
        self._compiled: dict[str, _Compiled] = {}

    def run(self, connection: Connection, **parameters: ParameterValue) -> Any:  # noqa: ANN401 - the driver's own cursor
        """Returns the driver's cursor after the statement with these parameters."""
        text, order, fixed = self._compile(connection.dialect)
        if order is None:
            return execute(connection, text, {**fixed, **parameters})
        values = {**fixed, **{name: _for_sqlite(value) for name, value in parameters.items()}}
        return execute(connection, text, [values[name] for name in order])

    def rows(self, connection: Connection, **parameters: ParameterValue) -> list[tuple[Any, ...]]:
        """Returns the rows for these parameters, as tuples."""
        return self.run(connection, **parameters).fetchall()

    def named(self, connection: Connection, **parameters: ParameterValue) -> list[Any]:
        """Returns the rows for these parameters, as named tuples."""
        return [self._named(row) for row in self.rows(connection, **parameters)]

    def _compile(self, dialect: Dialect) -> _Compiled:
        cached = self._compiled.get(dialect.name)
        if cached is None:
            compiled = self.statement.compile(dialect=dialect)
            assert isinstance(compiled, SQLCompiler)  # noqa: S101 - for the type checker
            order = list(compiled.positiontup or []) if compiled.positional else None
            cached = self._compiled[dialect.name] = str(compiled), order, dict(compiled.params)
        return cached


def _for_sqlite(value: ParameterValue) -> str | float:
    return value if isinstance(value, str | int | float) else json.dumps(list(value))


Rows = Sequence[Sequence[object]]

_BLOCK = 256
"""Rows of the largest statement on SQLite, which allows 32,766 parameters in a statement."""


class BulkInsert:
    """Inserts rows with values for `columns`; `conflict` is an optional ON CONFLICT clause."""

    def __init__(self, table: Table, columns: Sequence[str], conflict: str = "") -> None:
        self._rows = _RowSource(table, columns)
        self._into = f"INSERT INTO {table.name} ({', '.join(columns)})"
        self._columns = ", ".join(columns)
        self._conflict = conflict

    def run(self, connection: Connection, rows: Rows) -> None:
        """Inserts all rows."""
        if connection.dialect.name == "sqlite":
            for values, parameters in self._rows.blocks(rows):
                execute(connection, f"{self._into} VALUES {values} {self._conflict}", parameters)
        elif rows:
            source = self._rows.unnested(connection.dialect)
            select = f"SELECT {self._columns} FROM {source}"  # noqa: S608 - names from the tables, no values
            execute(connection, f"{self._into} {select} {self._conflict}", self._rows.arrays(rows))


class BulkUpdate:
    """Sets `columns` of the rows that are identified by `keys`, if `guard` (an SQL condition on the row) is true."""

    def __init__(self, table: Table, columns: Sequence[str], keys: Sequence[str], guard: str = "TRUE") -> None:
        self._rows = _RowSource(table, [*columns, *keys])
        self._names = ", ".join([*columns, *keys])
        matches = " AND ".join(f"{table.name}.{key} = given.{key}" for key in keys)
        new = ", ".join(f"{column} = given.{column}" for column in columns)
        self._update = f"UPDATE {table.name} SET {new} FROM"  # noqa: S608 - names from the tables, no values
        self._where = f"WHERE {matches} AND {guard}"

    def run(self, connection: Connection, rows: Rows) -> None:
        """Updates all rows, each passed as its new values followed by its keys; no key may occur twice."""
        if connection.dialect.name == "sqlite":
            for values, parameters in self._rows.blocks(rows):
                source = f"WITH given ({self._names}) AS (VALUES {values})"
                execute(connection, f"{source} {self._update} given {self._where}", parameters)
        elif rows:
            source = self._rows.unnested(connection.dialect)
            execute(connection, f"{self._update} {source} {self._where}", self._rows.arrays(rows))


class _RowSource:
    """Rows with values for some columns of a table, in a form that a statement can select from."""

    def __init__(self, table: Table, columns: Sequence[str]) -> None:
        self._table = table
        self._names = list(columns)
        self._placeholders = f"({', '.join('?' for _ in columns)})"
        self._to_literal = [_literal_of(table.c[name].type) for name in columns]
        self._unnested: str | None = None

    def blocks(self, rows: Rows) -> Iterator[tuple[str, tuple[object, ...]]]:
        """Yields placeholders for a VALUES list, and their parameters, for SQLite."""
        start = 0
        while start < len(rows):
            size = min(_BLOCK, 1 << (len(rows) - start).bit_length() - 1)
            block = rows[start : start + size]
            yield ", ".join([self._placeholders] * size), tuple(value for row in block for value in row)
            start += size

    def unnested(self, dialect: Dialect) -> str:
        """Returns SQL for a table named `given`, made from one array parameter for each column, for PostgreSQL."""
        if self._unnested is None:
            types = [self._table.c[name].type.compile(dialect=dialect) for name in self._names]
            arrays = ", ".join(f"%s::{kind}[]" for kind in types)
            self._unnested = f"unnest({arrays}) AS given ({', '.join(self._names)})"
        return self._unnested

    def arrays(self, rows: Rows) -> list[str]:
        """Returns the rows as array literals, one for each column: the parameters of `unnested`."""
        columns = zip(*rows, strict=True)
        return [
            "{" + ",".join(to_literal(value) for value in column) + "}"
            for to_literal, column in zip(self._to_literal, columns, strict=True)
        ]


def text_array(values: Sequence[str]) -> str:
    """Returns texts as an array literal; the driver's own conversion of lists takes thirty times as long."""
    if not values:
        return "{}"
    joined = "\0".join(values)  # a text that can be stored does not contain this character
    if "\\" in joined or '"' in joined:
        joined = joined.replace("\\", "\\\\").replace('"', '\\"')
    return '{"' + joined.replace("\0", '","') + '"}'


def number_array(values: Iterable[float]) -> str:
    """Returns numbers as an array literal."""
    return "{" + ",".join(map(repr, values)) + "}"


def _number(value: object) -> str:
    return "NULL" if value is None else repr(value)


def _boolean(value: object) -> str:
    return "NULL" if value is None else "t" if value else "f"


def _text(value: object) -> str:
    """Returns a text as an element of an array literal: in quotes, with quotes and backslashes escaped."""
    if value is None:
        return "NULL"
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _literal_of(kind: TypeEngine[object]) -> Callable[[object], str]:
    """Returns the function that writes values of this column type as elements of an array literal."""
    if isinstance(kind, Boolean):
        return _boolean
    return _number if isinstance(kind, Numeric | Integer) else _text
