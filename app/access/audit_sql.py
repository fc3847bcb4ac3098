"""The audit trail in the database: added to in the transaction of the change itself, and read page by page."""

import json
from collections.abc import Mapping

from sqlalchemy import Connection, insert, select

from app.access.audit import Action, Entry
from app.database.tables import audit, keys
from app.sessions.rows import compact

_PAGE = (
    select(audit, keys.c.name.label("actor_name"))
    .join_from(audit, keys, keys.c.id == audit.c.actor, isouter=True)
    .order_by(audit.c.id.desc())
)


def write_down(
    connection: Connection,
    at: float,
    actor: str,
    action: Action,
    session_id: str | None,
    details: Mapping[str, object] | None = None,
) -> None:
    """Adds an entry to the trail; it is there if and only if the transaction is committed."""
    row = {
        "at": at,
        "actor": actor,
        "action": action.value,
        "session_id": session_id,
        "details": compact(details or {}),
    }
    connection.execute(insert(audit), row)


def read_trail(connection: Connection, limit: int, before: int | None) -> list[Entry]:
    """Returns entries, newest first."""
    page = _PAGE.limit(limit) if before is None else _PAGE.where(audit.c.id < before).limit(limit)
    return [
        Entry(
            id=row.id,
            at=row.at,
            actor=row.actor,
            actor_name=row.actor_name,
            action=Action(row.action),
            session_id=row.session_id,
            details=json.loads(row.details),
        )
        for row in connection.execute(page)
    ]
