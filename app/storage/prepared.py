"""Statements of the hot paths, compiled once: half the work of running them as expressions each time."""

import json
from collections.abc import Iterable
from typing import Any

from sqlalchemy import ColumnElement, Connection, CursorResult, Dialect, Select, Text, bindparam
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.expression import ColumnClause

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
        self._compiled: dict[str, _Compiled] = {}

    def run(self, connection: Connection, **given: Iterable[str | int] | str | float) -> CursorResult[*tuple[Any, ...]]:
        """Returns the rows for these parameters."""
        text, order, fixed = self._for(connection.dialect)
        if order is None:
            return connection.exec_driver_sql(text, {**fixed, **given})
        values = {**fixed, **{name: _for_sqlite(value) for name, value in given.items()}}
        return connection.exec_driver_sql(text, tuple(values[name] for name in order))

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
