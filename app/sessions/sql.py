"""Sessions in the database: read, lock, add, change, delete. The rules of a change are checked under the row's lock."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, Select, bindparam, delete, func, insert, select, tuple_, update
from sqlalchemy.exc import IntegrityError

from app.access.audit import Action
from app.access.sql import write_audit_entry
from app.database.database import Clock, Timeline, now
from app.database.statements import AnyRow, compact_json, is_storable
from app.database.tables import impressions, session_items, sessions
from app.errors import InvalidSession, InvalidStateChange, SessionNotFound
from app.sessions.cache import SessionCache
from app.sessions.model import Counters, FixedParts, Item, Session, SessionView, Settings, Snapshot
from app.wire.session_settings import EditableSettings
from app.wire.sessions import SessionPatch
from app.wire.vocabulary import State

SESSION_COLUMNS = [
    sessions.c[name]
    for name in ("id", "name", "state", "budget", "plan_version", "plan_id", "epoch", "created_at", "updated_at")
]
"""The part of a session that changes; `FixedParts` is the rest."""

_ANSWERED_OPEN = (
    select(func.count())
    .select_from(impressions)
    .where(
        impressions.c.session_id == sessions.c.id,
        impressions.c.epoch.is_(None),
        impressions.c["counts"],
        impressions.c.outcome.is_not(None),
    )
    .correlate(sessions)
    .scalar_subquery()
)
COUNTER_COLUMNS = [
    sessions.c.issued,
    (sessions.c.answered_closed + _ANSWERED_OPEN).label("answered"),
    sessions.c.void,
    sessions.c.counted,
]
"""The columns of `Counters`; they cost as much as there are open impressions."""

_LOCKED = (
    select(sessions, Timeline().label("timeline"), Clock().label("now"))
    .where(sessions.c.id == bindparam("id"))
    .with_for_update()
)
_SESSION = select(*SESSION_COLUMNS).where(sessions.c.id == bindparam("id"))
_VIEWS = select(*SESSION_COLUMNS, *COUNTER_COLUMNS, sessions.c.snapshot, sessions.c.etag, sessions.c.editable_settings)
_VIEW = _VIEWS.where(sessions.c.id == bindparam("id"))
_NEWEST = _VIEWS.order_by(sessions.c.created_at.desc(), sessions.c.id.desc()).limit(bindparam("limit"))
_OLDER = _NEWEST.where(
    tuple_(sessions.c.created_at, sessions.c.id) < tuple_(bindparam("created_at"), bindparam("before"))
)
_FIXED = (
    select(session_items.c["items"], sessions.c.settings, sessions.c.ticket_key)
    .join_from(sessions, session_items)
    .where(sessions.c.id == bindparam("id"))
)
_ACTIONS = {State.PAUSED: Action.PAUSE, State.RUNNING: Action.RESUME, State.STOPPED: Action.STOP}
_DELETED_AT_ONCE = 10_000
"""Impressions deleted in one transaction, so that a large session does not block the writer for minutes."""


def not_found(session_id: str) -> SessionNotFound:
    """Returns the error for an id that no session has."""
    return SessionNotFound(f"there is no session {session_id}")


def one_row(connection: Connection, statement: Select[*tuple[Any, ...]], session_id: str) -> AnyRow:
    """Returns the row that the statement finds for this session; raises SessionNotFound if there is none."""
    if not is_storable(session_id):  # the database would report an error instead of finding nothing
        raise not_found(ascii(session_id))
    row = connection.execute(statement, {"id": session_id}).one_or_none()
    if row is None:
        raise not_found(session_id)
    return row


def locked_session(connection: Connection, session_id: str) -> AnyRow:
    """Returns the session's row, locked until the transaction ends; raises SessionNotFound.

    This lock comes first in every transaction that changes a session. SQLite has no row locks and needs none: its
    writer began with BEGIN IMMEDIATE.
    """
    return one_row(connection, _LOCKED, session_id)


def fixed_parts(connection: Connection, session_id: str, created_at: float, cache: SessionCache) -> FixedParts:
    """Returns the fixed parts of a session that this transaction has seen."""

    def read() -> FixedParts:
        row = connection.execute(_FIXED, {"id": session_id}).one()
        return FixedParts(_items_from_text(row[0]), Settings.from_text(row[1]), bytes(row[2]))

    return cache.get((session_id, created_at), read)


def session_from_row(connection: Connection, row: AnyRow, cache: SessionCache) -> Session:
    """Returns the session of a row that has `SESSION_COLUMNS`."""
    return Session.from_row(row, fixed_parts(connection, row.id, row.created_at, cache))


def read_session(connection: Connection, session_id: str, cache: SessionCache) -> Session:
    """Returns the session; raises SessionNotFound."""
    return session_from_row(connection, one_row(connection, _SESSION, session_id), cache)


def read_view(connection: Connection, session_id: str, cache: SessionCache) -> SessionView:
    """Returns the session with its counters and snapshot; raises SessionNotFound."""
    return _view(connection, one_row(connection, _VIEW, session_id), cache)


def read_views(connection: Connection, limit: int, before: str | None, cache: SessionCache) -> list[SessionView]:
    """Returns sessions, newest first; `before` is the last id of the previous page.

    Raises SessionNotFound if `before` was deleted.
    """
    given: dict[str, object] = {"limit": limit}
    if before is None:
        rows = connection.execute(_NEWEST, given)
    else:
        given |= {"before": before, "created_at": one_row(connection, _SESSION, before).created_at}
        rows = connection.execute(_OLDER, given)
    return [_view(connection, row, cache) for row in rows.all()]


def _view(connection: Connection, row: AnyRow, cache: SessionCache) -> SessionView:
    session = session_from_row(connection, row, cache)
    return SessionView(session, Counters.from_row(row), Snapshot(row.snapshot, row.etag), editable_from_row(row))


def editable_from_row(row: AnyRow) -> EditableSettings:
    """Returns the editable settings of a row that has the columns `name` and `editable_settings`.

    One that is not stored has its default; one of a newer version is ignored.
    """
    return EditableSettings.model_construct(**json.loads(row.editable_settings), name=row.name)


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
        "epoch": session.epoch,
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


def change_session(connection: Connection, session_id: str, change: SessionPatch, by: str) -> None:
    """Changes state, editable settings or budget; raises SessionNotFound, InvalidStateChange."""
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


def _differences(before: AnyRow, change: SessionPatch) -> Iterator[tuple[Action, dict[str, object]]]:
    """Yields the actions of a change; a retry, or a value that is set already, is none."""
    editable = editable_from_row(before)
    for name, new in change.edits.items():
        old = getattr(editable, name)
        if new != old:
            which = {} if name == "name" else {"setting": name}
            yield Action.RENAME if name == "name" else Action.EDIT, {**which, "from": old, "to": new}
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


def _items_from_text(text: str) -> tuple[Item, ...]:
    return tuple(Item(id_, label) for id_, label in json.loads(text))
