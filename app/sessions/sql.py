"""Creating, changing and deleting sessions."""

from collections.abc import Iterator
from dataclasses import replace

from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from app.access.audit import Action
from app.access.sql import write_audit_entry
from app.database.database import now
from app.database.tables import impressions, plans, session_items, sessions
from app.errors import InvalidSession, InvalidStateChange
from app.planning.sql import add_certificate
from app.sessions.locking import locked_session
from app.sessions.model import PlanRecord, SessionChange, SessionRecord, Snapshot, State
from app.sessions.ports import CertificateRecord
from app.sessions.rows import (
    AnyRow,
    FixedParts,
    best_pair,
    items_from_text,
    items_to_text,
    plan_row,
    session_record,
    settings_from_text,
    settings_to_text,
)

_ACTIONS = {State.PAUSED: Action.PAUSE, State.RUNNING: Action.RESUME, State.STOPPED: Action.STOP}
_DELETED_AT_ONCE = 10_000
"""Impressions deleted in one transaction, so that a large session does not keep the writer from others for minutes."""


def create_session(
    connection: Connection,
    record: SessionRecord,
    plan: PlanRecord,
    snapshot: Snapshot,
    certificate: CertificateRecord | None,
    by: str,
) -> SessionRecord:
    """Returns the session with its plan and the database's times; raises InvalidSession if the id is taken."""
    at = now(connection)
    best_i, best_j = best_pair(plan)
    first = plan_row(record.id, plan, plan.demand, at)
    row = {
        "id": record.id,
        "name": record.name,
        "settings": settings_to_text(record.settings),
        "ticket_key": record.ticket_key,
        "state": record.state,
        "budget": record.budget,
        "plan_version": plan.version,
        "plan_id": first["id"],
        "epoch": record.epoch,
        "created_at": at,
        "updated_at": at,
        "issued": 0,
        "void": 0,
        "counted": 0,
        "answered_closed": 0,
        "next_sequence": 1,
        "cursor": 0,
        "handout_total": plan.demand.total,
        "snapshot": snapshot.body,
        "etag": snapshot.etag,
        "health": "[]",
        "best_i": best_i,
        "best_j": best_j,
    }
    try:
        connection.execute(insert(sessions), row)
    except IntegrityError:
        raise InvalidSession("id", f"there is a session {record.id} already") from None
    connection.execute(insert(session_items), {"session_id": record.id, "items": items_to_text(record.items)})
    connection.execute(insert(plans), first)
    add_certificate(connection, record.id, certificate, at)
    write_audit_entry(connection, at, by, Action.CREATE, record.id, {"name": record.name, "items": len(record.items)})
    return replace(record, plan_version=plan.version, plan_id=str(first["id"]), created_at=at, updated_at=at)


def change_session(connection: Connection, session_id: str, change: SessionChange, by: str) -> SessionRecord:
    """Returns the session after the change; raises SessionNotFound, InvalidStateChange."""
    session = locked_session(connection, session_id)
    at = now(connection)
    new: dict[str, object] = {"updated_at": at}
    if session.state == State.STOPPED and (change.state not in {None, State.STOPPED} or change.budget is not None):
        raise InvalidStateChange(f"session {session_id} is stopped for good; create a new one")
    if change.state is not None:
        new["state"] = change.state
    if change.name is not None:
        new["name"] = change.name
    if change.budget is not None:
        if session.budget is None:
            raise InvalidStateChange("the session has no budget: a limit would lower it, and it can only be raised")
        if change.budget < session.budget:  # the same again is a retry
            raise InvalidStateChange(f"the budget can only be raised: it is {session.budget} already")
        new["budget"] = change.budget
    connection.execute(update(sessions).where(sessions.c.id == session_id), new)
    for action, details in _differences(session, change):
        write_audit_entry(connection, at, by, action, session_id, details)
    items = connection.execute(select(session_items.c["items"]).where(session_items.c.session_id == session_id))
    fixed = FixedParts(
        items_from_text(items.scalar_one()), settings_from_text(session.settings), bytes(session.ticket_key)
    )
    return session_record(locked_session(connection, session_id), fixed)


def _differences(before: AnyRow, change: SessionChange) -> Iterator[tuple[Action, dict[str, object]]]:
    """Yields what a change really changes: a retry, or asking for what is so already, changes nothing."""
    if change.name is not None and change.name != before.name:
        yield Action.RENAME, {"from": before.name, "to": change.name}
    if change.budget is not None and change.budget != before.budget:
        yield Action.RAISE_BUDGET, {"from": before.budget, "to": change.budget}
    if change.state is not None and change.state != before.state:
        yield _ACTIONS[change.state], {}


def delete_some(connection: Connection, session_id: str, by: str | None) -> bool:
    """Returns whether the session is deleted entirely; otherwise it is stopped, and a part of it is gone.

    `by` is who asked for it, None if that was written down already. Raises SessionNotFound.
    """
    session = locked_session(connection, session_id)
    if by is not None:
        write_audit_entry(connection, now(connection), by, Action.DELETE, session_id, {"name": session.name})
    mine = impressions.c.session_id == session_id
    first = connection.execute(select(func.min(impressions.c.sequence)).where(mine)).scalar_one()
    last = connection.execute(select(func.max(impressions.c.sequence)).where(mine)).scalar_one()
    if first is not None and last - first >= _DELETED_AT_ONCE:
        connection.execute(update(sessions).where(sessions.c.id == session_id).values(state=State.STOPPED.value))
        connection.execute(delete(impressions).where(mine, impressions.c.sequence < first + _DELETED_AT_ONCE))
        return False
    connection.execute(delete(sessions).where(sessions.c.id == session_id))  # all that refers to it goes with it
    return True
