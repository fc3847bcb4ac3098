"""Counting sessions for operators: one cheap read, whatever the number of impressions."""

from typing import Any

from sqlalchemy import JSON, ColumnElement, Connection, Select, cast, func, select

from app.database.tables import sessions
from app.sessions.ports import Census, SessionGroup, SessionProgress

_OUTSTANDING = func.sum(sessions.c.issued - sessions.c.void - sessions.c.counted)


def read_census(connection: Connection, most_named: int) -> Census:
    """Returns the groups of sessions, and how far the newest are, at most so many."""
    verdict = _said(connection, "verdict")
    groups = connection.execute(
        select(sessions.c.state, verdict, func.count(), _OUTSTANDING).group_by(sessions.c.state, verdict)
    )
    return Census(
        tuple(SessionGroup(row[0], row[1], row[2], int(row[3])) for row in groups),
        tuple(
            SessionProgress(row[0], float(row[1]), int(row[2]))
            for row in connection.execute(_progress(connection, most_named))
        )
        if most_named
        else (),
    )


def _progress(connection: Connection, most_named: int) -> Select[*tuple[Any, ...]]:
    newest_first = (sessions.c.created_at.desc(), sessions.c.id.desc())
    columns = (sessions.c.id, _said(connection, "gap"), _said(connection, "samples"))
    return select(*columns).order_by(*newest_first).limit(most_named)


def _said(connection: Connection, name: str) -> ColumnElement[str]:
    """Returns one value of the snapshot, as text: it is JSON in a column of text."""
    if connection.dialect.name == "sqlite":
        return func.json_extract(sessions.c.snapshot, f"$.{name}")
    return cast(sessions.c.snapshot, JSON)[name].as_string()
