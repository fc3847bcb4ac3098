"""Statements of the hot paths, compiled once: half the work of running them as expressions each time."""

import json
from collections import namedtuple
from collections.abc import Callable, Iterable
from typing import Any

from sqlalchemy import ColumnElement, Connection, Dialect, Select, Text, bindparam
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.expression import ColumnClause

from app.storage import driver

_Compiled = tuple[str, list[str] | None, dict[str, Any]]


class IsOneOf(ColumnElement[bool]):
    """Whether a column is in a list that is passed as one parameter: one statement text for every length."""

    inherit_cache = False

    def __init__(self, column: ColumnClause[Any] | ColumnElement[Any], parameter: str) -> None:
        self.column = column
        self.given = bindparam(parameter, type_=Text())
        self.given_array = bindparam(parameter, type_=ARRAY(column.type))


@compiles(IsOneOf, "sqlite")
def _sqlite(element: IsOneOf, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 - passed on
    column, given = compiler.process(element.column, **options), compiler.process(element.given, **options)
    return f"{column} IN (SELECT value FROM json_each({given}))"  # noqa: S608 - made of compiled parts


@compiles(IsOneOf, "postgresql")
def _postgresql(element: IsOneOf, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 - passed on
    return f"{compiler.process(element.column, **options)} = ANY({compiler.process(element.given_array, **options)})"


class Prepared:
    """A select whose text is kept for each kind of database. Lists are given to `IsOneOf`.

    Rows come as the driver gives them: a boolean of SQLite is 0 or 1.
    """

    def __init__(self, statement: Select[*tuple[Any, ...]]) -> None:
        self._statement = statement
        columns = namedtuple("columns", statement.selected_columns.keys())  # type: ignore[misc]
        self._named: Callable[[tuple[Any, ...]], Any] = columns._make
        self._compiled: dict[str, _Compiled] = {}

    def rows(self, connection: Connection, **given: Iterable[str | int] | str | float) -> list[tuple[Any, ...]]:
        """Returns the rows for these parameters, as plain tuples."""
        text, order, fixed = self._for(connection.dialect)
        if order is None:
            found = driver.run(connection, text, {**fixed, **given})
        else:
            values = {**fixed, **{name: _for_sqlite(value) for name, value in given.items()}}
            found = driver.run(connection, text, [values[name] for name in order])
        return found.fetchall()

    def named(self, connection: Connection, **given: Iterable[str | int] | str | float) -> list[Any]:
        """Returns the rows with their columns by name."""
        return [self._named(row) for row in self.rows(connection, **given)]

    def _for(self, dialect: Dialect) -> _Compiled:
        found = self._compiled.get(dialect.name)
        if found is None:
            compiled = self._statement.compile(dialect=dialect)
            assert isinstance(compiled, SQLCompiler)  # noqa: S101 - tells the type checker
            order = list(compiled.positiontup or []) if compiled.positional else None
            found = self._compiled[dialect.name] = str(compiled), order, dict(compiled.params)
        return found


def _for_sqlite(value: Iterable[str | int] | str | float) -> str | float:
    return value if isinstance(value, str | int | float) else json.dumps(list(value))
