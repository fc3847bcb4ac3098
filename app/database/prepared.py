"""Statements of the hot paths, compiled once: half the work of running them as expressions each time."""

import json
from collections import namedtuple
from collections.abc import Callable, Iterable
from typing import Any

from sqlalchemy import ColumnElement, Connection, Dialect, Select, Text, Update, bindparam
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.expression import ColumnClause, FunctionElement

from app.database import driver

Given = Iterable[str | int] | str | float
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


class AsJsonList(FunctionElement[str]):
    """All values of a column as one text, in no certain order: a row each costs the drivers several times as much."""

    type = Text()
    inherit_cache = True


@compiles(AsJsonList, "sqlite")
def _sqlite_list(element: AsJsonList, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 - passed on
    return f"json_group_array({compiler.process(element.clauses, **options)})"


@compiles(AsJsonList, "postgresql")
def _postgresql_list(element: AsJsonList, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 - passed on
    return f"coalesce(json_agg({compiler.process(element.clauses, **options)})::text, '[]')"


class Prepared:
    """A statement whose text is kept for each kind of database. Lists are given to `IsOneOf`.

    Rows come as the driver gives them: a boolean of SQLite is 0 or 1.
    """

    def __init__(self, statement: Select[*tuple[Any, ...]] | Update) -> None:
        self.statement = statement
        names = statement.selected_columns.keys() if isinstance(statement, Select) else []
        columns = namedtuple("columns", names)  # type: ignore[misc] # names at run time
        self._named: Callable[[tuple[Any, ...]], Any] = columns._make
        self._compiled: dict[str, _Compiled] = {}

    def run(self, connection: Connection, **given: Given) -> Any:  # noqa: ANN401 - the driver's own cursor
        """Returns the driver's cursor after the statement with these parameters."""
        text, order, fixed = self._for(connection.dialect)
        if order is None:
            return driver.run(connection, text, {**fixed, **given})
        values = {**fixed, **{name: _for_sqlite(value) for name, value in given.items()}}
        return driver.run(connection, text, [values[name] for name in order])

    def rows(self, connection: Connection, **given: Given) -> list[tuple[Any, ...]]:
        """Returns the rows for these parameters, as plain tuples."""
        return self.run(connection, **given).fetchall()

    def named(self, connection: Connection, **given: Given) -> list[Any]:
        """Returns the rows with their columns by name."""
        return [self._named(row) for row in self.rows(connection, **given)]

    def _for(self, dialect: Dialect) -> _Compiled:
        found = self._compiled.get(dialect.name)
        if found is None:
            compiled = self.statement.compile(dialect=dialect)
            assert isinstance(compiled, SQLCompiler)  # noqa: S101 - tells the type checker
            order = list(compiled.positiontup or []) if compiled.positional else None
            found = self._compiled[dialect.name] = str(compiled), order, dict(compiled.params)
        return found


def _for_sqlite(value: Given) -> str | float:
    return value if isinstance(value, str | int | float) else json.dumps(list(value))
