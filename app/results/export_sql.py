"""Exports: a session, its plans and its impressions as rows, read in small parts.

Each part is read in a separate transaction: an export of millions of rows must not keep one open. The evidence of a
certificate cannot change between parts, because an impression up to the watermark never changes.
"""

import json
from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, bindparam, select

from app.database.store import Store
from app.database.tables import impressions, plans, sessions
from app.sessions.model import Counters
from app.sessions.sql import (
    COUNTER_COLUMNS,
    SESSION_COLUMNS,
    SessionCache,
    editable_from_row,
    one_row,
    session_from_row,
)

Exported = dict[str, Any]

_IMPRESSIONS_AT_ONCE = 2_000
_PLANS_AT_ONCE = 20
"""The plan of a large session may be megabytes."""

_SESSION = select(
    *SESSION_COLUMNS,
    *COUNTER_COLUMNS,
    *(sessions.c[name] for name in ("editable_settings", "health", "next_sequence", "digest", "first_chained")),
).where(sessions.c.id == bindparam("id"))
_PLANS = (
    select(*(column for column in plans.c if column is not plans.c.session_id))
    .where(plans.c.session_id == bindparam("id"), plans.c.version > bindparam("after"))
    .order_by(plans.c.version)
    .limit(_PLANS_AT_ONCE)
)
_IMPRESSION_COLUMNS = [
    column.label("epoch") if column is impressions.c.old_epoch else column
    for column in impressions.c
    if column is not impressions.c.session_id
]
_IMPRESSIONS = (
    select(*_IMPRESSION_COLUMNS)
    .where(
        impressions.c.session_id == bindparam("id"),
        impressions.c.sequence > bindparam("after"),
        impressions.c.sequence < bindparam("end"),
    )
    .order_by(impressions.c.sequence)
    .limit(_IMPRESSIONS_AT_ONCE)
)


async def export_session(store: Store, session_id: str, cache: SessionCache) -> AsyncIterator[Exported]:
    """Yields the session, its plans and its impressions as plain rows (`kind` says which); raises SessionNotFound."""
    session, end = await store.read(_session, session_id, cache)
    yield session
    version = 0
    while rows := await store.read(_plans, session_id, version):
        for row in rows:
            yield row
        version = rows[-1]["version"]
    sequence = 0
    while rows := await store.read(_impressions, session_id, sequence, end):
        for row in rows:
            yield row
        sequence = rows[-1]["sequence"]


def _session(connection: Connection, session_id: str, cache: SessionCache) -> tuple[Exported, int]:
    """Returns the session as a row, and the sequence at which the export ends.

    The key that signs tickets is not exported.
    """
    row = one_row(connection, _SESSION, session_id)
    session = session_from_row(connection, row, cache)
    exported = {
        "kind": "session",
        "id": session.id,
        **dict(editable_from_row(row)),
        "state": str(session.state),
        "budget": session.budget,
        "plan_version": session.plan_version,
        "watermark": session.watermark,
        "digest": row.digest,
        "first_chained": row.first_chained,
        "created_at": session.created_at,
        "updated_at": session.updated_at,
        "counters": asdict(Counters.from_row(row)),
        "health": json.loads(row.health),
        "settings": session.settings.to_plain(),
        "items": [asdict(item) for item in session.items],
    }
    return exported, row.next_sequence


def _plans(connection: Connection, session_id: str, after: int) -> list[Exported]:
    """Returns the next plans after a version."""
    return [
        {
            "kind": "plan",
            **row,
            "demand": json.loads(row["demand"]),
            "handout": json.loads(row["handout"]),
            "known": json.loads(row["known"] or "null"),
            "report": json.loads(row["report"]),
        }
        for row in connection.execute(_PLANS, {"id": session_id, "after": after}).mappings()
    ]


def _impressions(connection: Connection, session_id: str, after: int, end: int) -> list[Exported]:
    """Returns the next impressions after a sequence and before `end`."""
    rows = connection.execute(_IMPRESSIONS, {"id": session_id, "after": after, "end": end})
    return [{"kind": "impression", **row} for row in rows.mappings()]
