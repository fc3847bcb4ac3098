"""Contradictions in the deterministic model: a pair that was answered with two different values."""

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, case, func, select, update

from app.database.statements import AnyRow
from app.database.tables import impressions, sessions
from app.engine.problem import Model
from app.health import Health, from_text, to_text
from app.sessions.model import Settings
from app.sessions.sql import locked_session

SAME_VALUE = 1e-9
"""Two values of one entry that differ by at most this are taken as equal: the difference is rounding."""
_CONTRADICTION = "the values are not fixed numbers: they are measured with noise, or they have changed meanwhile"
"""Cause of the health entry; a session gets at most one entry with this cause."""

_DIFFERENT_VALUES = (  # a deterministic session has few impressions: each entry is shown once
    select(
        func.min(impressions.c.i).label("i"),
        func.max(impressions.c.j).label("j"),
        func.min(impressions.c.outcome).label("least"),
        func.max(impressions.c.outcome).label("largest"),
    )
    .where(impressions.c.session_id == bindparam("id"), impressions.c.outcome.is_not(None))
    .group_by(
        case((impressions.c.i < impressions.c.j, impressions.c.i), else_=impressions.c.j),
        case((impressions.c.i < impressions.c.j, impressions.c.j), else_=impressions.c.i),
    )
    .having(func.max(impressions.c.outcome) - func.min(impressions.c.outcome) > SAME_VALUE)
    .limit(1)
)
_SET_HEALTH = update(sessions).where(sessions.c.id == bindparam("session")).values(health=bindparam("new_health"))


def find_contradiction(
    connection: Connection, session_id: str, settings: Settings, stored: Sequence[Health]
) -> Health | None:
    """Returns a health entry if a pair was answered with two different values, and the session has no such entry."""
    if settings.model is not Model.DETERMINISTIC or any(entry.cause == _CONTRADICTION for entry in stored):
        return None
    row: AnyRow | None = connection.execute(_DIFFERENT_VALUES, {"id": session_id}).one_or_none()
    if row is None:
        return None
    problem = f"items number {row.i} and {row.j} got two values, {row.least:.10g} and {row.largest:.10g}"
    advice = 'create the session with "model": "stochastic", or find out why the value changed'
    return Health(problem, _CONTRADICTION, advice)


def add_contradiction(connection: Connection, session_id: str, found: Health) -> tuple[Health, ...]:
    """Adds the entry to the health of the session, if it has no such entry, and returns all; raises SessionNotFound."""
    entries = from_text(locked_session(connection, session_id).health)
    if all(entry.cause != _CONTRADICTION for entry in entries):
        entries = (*entries, found)
        connection.execute(_SET_HEALTH, {"session": session_id, "new_health": to_text(entries)})
    return entries
