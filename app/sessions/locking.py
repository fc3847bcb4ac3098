"""The lock on a session's row, which comes first in every transaction that changes a session."""

from sqlalchemy import Connection, bindparam, select

from app.database.database import Clock, Timeline
from app.database.tables import sessions
from app.errors import SessionNotFound
from app.sessions.rows import AnyRow

_LOCKED = (
    select(sessions, Timeline().label("timeline"), Clock().label("now"))
    .where(sessions.c.id == bindparam("id"))
    .with_for_update()
)


def locked_session(connection: Connection, session_id: str) -> AnyRow:
    """Returns the session's row, locked until the transaction ends; raises SessionNotFound.

    SQLite has no row locks and needs none: its writer began with BEGIN IMMEDIATE.
    """
    row = connection.execute(_LOCKED, {"id": session_id}).one_or_none()
    if row is None:
        raise not_found(session_id)
    return row


def not_found(session_id: str) -> SessionNotFound:
    """Returns the error for an id that names no session."""
    return SessionNotFound(f"there is no session {session_id}")
