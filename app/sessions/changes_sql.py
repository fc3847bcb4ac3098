"""Add, change and delete sessions. The rules of a change are checked under the row's lock."""

import json
from collections.abc import Iterable, Iterator, Mapping

from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from app.access.audit import Action
from app.access.sql import write_audit_entry
from app.database.database import now
from app.database.statements import AnyRow, compact_json
from app.database.tables import impressions, session_items, sessions
from app.errors import InvalidSession, InvalidStateChange
from app.sessions.model import Item, Session
from app.sessions.sql import editable_from_row, locked_session
from app.wire.session_settings import EditableSettings
from app.wire.sessions import SessionPatch
from app.wire.vocabulary import State

_ACTIONS = {State.PAUSED: Action.PAUSE, State.RUNNING: Action.RESUME, State.STOPPED: Action.STOP}
_DELETED_AT_ONCE = 10_000
"""Impressions deleted in one transaction, so that a large session does not block the writer for minutes."""


def insert_session(
    connection: Connection,
    session: Session,
    editable: EditableSettings,
    plan_columns: Mapping[str, object],
    at: float,
    by: str,
) -> None:
    """Adds a session with the columns of its first plan; raises InvalidSession if the id is taken."""
    row = {
        "id": session.id,
        "name": session.name,
        "settings": session.settings.to_text(),
        "editable_settings": compact_json(editable.model_dump(exclude={"name"})),
        "ticket_key": session.ticket_key,
        "state": session.state,
        "budget": session.budget,
        "created_at": at,
        "issued": 0,
        "void": 0,
        "counted": 0,
        "answered_closed": 0,
        "next_sequence": 1,
        "health": "[]",
        **plan_columns,
    }
    try:
        connection.execute(insert(sessions), row)
    except IntegrityError:
        raise InvalidSession("id", f"there is already a session {session.id}") from None
    connection.execute(insert(session_items), {"session_id": session.id, "items": _items_to_text(session.items)})
    details = {"name": session.name, "items": len(session.items)}
    write_audit_entry(connection, at, by, Action.CREATE, session.id, details)


def change_session(connection: Connection, session_id: str, change: SessionPatch, by: str) -> State:
    """Changes state, editable settings or budget, and returns the state; raises SessionNotFound, InvalidStateChange."""
    session = locked_session(connection, session_id)
    at = now(connection)
    new: dict[str, object] = {"updated_at": at}
    if session.state == State.STOPPED and (change.state not in {None, State.STOPPED} or change.budget is not None):
        raise InvalidStateChange(f"session {session_id} is stopped and cannot be changed; create a new one")
    if change.state is not None:
        new["state"] = change.state
    if change.edits:
        editable = {**json.loads(session.editable_settings), "name": session.name, **change.edits}
        new |= {"name": editable.pop("name"), "editable_settings": compact_json(editable)}
    if change.budget is not None:
        if session.budget is None:
            raise InvalidStateChange("the session has no budget: a limit would lower it, and it can only be raised")
        if change.budget < session.budget:  # the same value again is a retry
            raise InvalidStateChange(f"the budget can only be raised: it is {session.budget} already")
        new["budget"] = change.budget
    connection.execute(update(sessions).where(sessions.c.id == session_id), new)
    for action, details in _differences(session, change):
        write_audit_entry(connection, at, by, action, session_id, details)
    return change.state or State(session.state)


def _differences(before: AnyRow, change: SessionPatch) -> Iterator[tuple[Action, dict[str, object]]]:
    """Yields the actions of a change; a retry, or a value that is set already, is none."""
    editable = editable_from_row(before)
    for name, new in change.edits.items():
        old = getattr(editable, name)
        if new != old:
            # Version 0.1.0 cannot read an action that it does not know, and may run on the same database in an upgrade.
            which = {} if name == "name" else {"setting": name}
            yield Action.RENAME, {**which, "from": old, "to": new}
    if change.budget is not None and change.budget != before.budget:
        yield Action.RAISE_BUDGET, {"from": before.budget, "to": change.budget}
    if change.state is not None and change.state != before.state:
        yield _ACTIONS[change.state], {}


def delete_some(connection: Connection, session_id: str, by: str | None) -> bool:
    """Returns whether the session is deleted entirely; otherwise it is stopped, and a part of its rows is deleted.

    `by` is who asked for it, None if the audit entry was added already. Raises SessionNotFound.
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
    connection.execute(delete(sessions).where(sessions.c.id == session_id))  # foreign keys delete the rest
    return True


def _items_to_text(items: Iterable[Item]) -> str:
    return compact_json([[item.id, item.label] for item in items])
