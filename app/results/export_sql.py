"""Exports: a session, its plans and its impressions as plain rows, read in short pieces.

Each piece is a transaction of its own: an export of millions of rows must not hold a view of the database open. What a
certificate rests on cannot change between pieces, because an impression that has an epoch never changes its outcome.
"""

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, bindparam, select

from app.database.tables import impressions, plans, sessions
from app.results.sql import read_counters
from app.sessions.cache import Shelf
from app.sessions.locking import not_found
from app.sessions.rows import RECORD_COLUMNS, session_record

Exported = dict[str, Any]
Read = Callable[[Connection], list[Exported]]

_IMPRESSIONS_AT_ONCE = 2_000
_PLANS_AT_ONCE = 20
"""The plan of a large session may be megabytes."""

_SESSION = select(*RECORD_COLUMNS, sessions.c.health, sessions.c.next_sequence).where(sessions.c.id == bindparam("id"))
_PLANS = (
    select(*(column for column in plans.c if column is not plans.c.session_id))
    .where(plans.c.session_id == bindparam("id"), plans.c.version > bindparam("after"))
    .order_by(plans.c.version)
    .limit(_PLANS_AT_ONCE)
)
_IMPRESSIONS = (
    select(*(column for column in impressions.c if column is not impressions.c.session_id))
    .where(
        impressions.c.session_id == bindparam("id"),
        impressions.c.sequence > bindparam("after"),
        impressions.c.sequence < bindparam("end"),
    )
    .order_by(impressions.c.sequence)
    .limit(_IMPRESSIONS_AT_ONCE)
)


def exported_session(connection: Connection, session_id: str, shelf: Shelf) -> tuple[Exported, int]:
    """Returns the session as a row, and the sequence at which the export ends; raises SessionNotFound.

    The key that signs tickets is not exported.
    """
    row = connection.execute(_SESSION, {"id": session_id}).one_or_none()
    if row is None:
        raise not_found(session_id)
    record = session_record(row, shelf.fixed(connection, row.id, row.created_at))
    exported = {
        "kind": "session",
        "id": record.id,
        "name": record.name,
        "state": str(record.state),
        "budget": record.budget,
        "plan_version": record.plan_version,
        "epoch": record.epoch,
        "created_at": record.created_at,
        "updated_at": record.updated_at,
        "counters": asdict(read_counters(connection, session_id)),
        "health": json.loads(row.health),
        "settings": json.loads(json.dumps(asdict(record.settings))),
        "items": [asdict(item) for item in record.items],
    }
    return exported, row.next_sequence


def exported_plans(connection: Connection, session_id: str, after: int) -> list[Exported]:
    """Returns some of the plans after a version, as rows."""
    return [
        {
            "kind": "plan",
            **row,
            "demand": json.loads(row["demand"]),
            "handout": json.loads(row["handout"]),
            "report": json.loads(row["report"]),
        }
        for row in connection.execute(_PLANS, {"id": session_id, "after": after}).mappings()
    ]


def exported_impressions(connection: Connection, session_id: str, after: int, end: int) -> list[Exported]:
    """Returns some of the impressions after a sequence and before another, as rows."""
    rows = connection.execute(_IMPRESSIONS, {"id": session_id, "after": after, "end": end})
    return [{"kind": "impression", **row} for row in rows.mappings()]


def plans_after(session_id: str, version: int) -> Read:
    """Returns the reading of some plans after a version."""
    return lambda connection: exported_plans(connection, session_id, version)


def impressions_between(session_id: str, sequence: int, end: int) -> Read:
    """Returns the reading of some impressions after a place and up to another."""
    return lambda connection: exported_impressions(connection, session_id, sequence, end)
