"""Keys and the audit trail in the database, for servers and for commands that run next to a server."""

import asyncio
import json
import secrets
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, TypeVar

from sqlalchemy import Connection, Row, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from app.access.audit import Action, Entry
from app.access.keys import Key, Scope, is_key_id
from app.access.rates import parse_rate
from app.database import migrations
from app.database.database import Database, now
from app.database.faults import DatabaseBehind, as_storage_unavailable
from app.database.sqlite import FileLock
from app.database.tables import audit, key_changes, keys, sessions
from app.errors import SessionNotFound

Result = TypeVar("Result")

_VERSION = select(key_changes.c.number)
_AUDIT_PAGE = (
    select(audit, keys.c.name.label("actor_name"))
    .join_from(audit, keys, keys.c.id == audit.c.actor, isouter=True)
    .order_by(audit.c.id.desc())
)


class AccessStore:
    """Keys and audit trail in the database at `url`, with its own connections.

    Every method raises StorageUnavailable when the database cannot be used. `actor` is written to the audit trail.
    It needs no lock on a SQLite file: its transactions and those of a running server wait for each other.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._database = Database(url)

    async def prepare(self) -> None:
        """Migrates a SQLite file that no server uses to this version's tables; otherwise raises DatabaseBehind."""
        await asyncio.to_thread(self._prepare)

    async def close(self) -> None:
        """Closes the connections."""
        await asyncio.to_thread(self._database.dispose)

    async def add_key(self, key: Key, actor: str) -> Key:
        """Stores a new key; returns it with its creation time. Raises SessionNotFound if its session does not exist."""
        return await self._write(lambda connection: _add(connection, key, actor))

    async def add_first_key(self, key: Key, actor: str) -> Key | None:
        """Stores a key if none was ever made; returns None otherwise. Of several processes at once, one succeeds."""
        return await self._write(lambda connection: _add_first(connection, key, actor))

    async def revoke_key(self, key_id: str, actor: str) -> Key | None:
        """Revokes a key for good; returns it, also if it was revoked before, or None if there is no such key."""
        return await self._write(lambda connection: _revoke(connection, key_id, actor)) if is_key_id(key_id) else None

    async def keys(self) -> list[Key]:
        """Returns all keys ever made, oldest first."""
        return await self._read(lambda connection: _read_keys(connection, active_only=False))

    async def active_keys(self, known_version: int) -> tuple[int, list[Key]] | None:
        """Returns the keys' version and all keys that are not revoked; None if the version is the known one.

        The version is 0 as long as no key was ever made, and a different number after every change.
        """
        return await self._read(lambda connection: _read_active_keys(connection, known_version))

    async def audit(self, limit: int, before: int | None) -> list[Entry]:
        """Returns audit entries, newest first; `before` is the id of the previous page's last entry."""
        return await self._read(lambda connection: _read_audit(connection, limit, before))

    async def _read(self, work: Callable[[Connection], Result]) -> Result:
        return await asyncio.to_thread(self._database.read, work)

    async def _write(self, work: Callable[[Connection], Result]) -> Result:
        return await asyncio.to_thread(self._run, work)

    def _run(self, work: Callable[[Connection], Result]) -> Result:
        with as_storage_unavailable(), self._database.writer.begin() as connection:
            return work(connection)

    def _prepare(self) -> None:
        if self._database.file is not None:
            self._database.file.parent.mkdir(parents=True, exist_ok=True)
        complaint = migrations.complaint(migrations.current(self._url))
        if complaint is None:
            return
        if self._database.file is None:
            raise DatabaseBehind(complaint)
        lock = FileLock(self._database.file)
        lock.acquire()  # a server of another version may be using the file with its tables
        try:
            migrations.migrate(self._url)
        finally:
            lock.release()


def write_audit_entry(
    connection: Connection,
    at: float,
    actor: str,
    action: Action,
    session_id: str | None,
    details: Mapping[str, object] | None = None,
) -> None:
    """Adds an audit entry in the transaction of the change itself, so that one is committed only with the other."""
    row = {
        "at": at,
        "actor": actor,
        "action": action.value,
        "session_id": session_id,
        "details": json.dumps(details or {}, separators=(",", ":"), ensure_ascii=False),
    }
    connection.execute(insert(audit), row)


def _read_audit(connection: Connection, limit: int, before: int | None) -> list[Entry]:
    page = _AUDIT_PAGE.limit(limit) if before is None else _AUDIT_PAGE.where(audit.c.id < before).limit(limit)
    return [
        Entry(
            id=row.id,
            at=row.at,
            actor=row.actor,
            actor_name=row.actor_name,
            action=row.action,
            session_id=row.session_id,
            details=json.loads(row.details),
        )
        for row in connection.execute(page)
    ]


def _add(connection: Connection, key: Key, actor: str) -> Key:
    if key.session_id is not None and not _session_exists(connection, key.session_id):
        raise SessionNotFound(f"there is no session {key.session_id!a}")
    _change_version(connection)
    return _insert(connection, key, actor)


def _session_exists(connection: Connection, session_id: str) -> bool:
    if not session_id.isascii() or "\0" in session_id:  # no session has such an id, and PostgreSQL would fail on a NUL
        return False
    return connection.execute(select(sessions.c.id).where(sessions.c.id == session_id)).one_or_none() is not None


def _add_first(connection: Connection, key: Key, actor: str) -> Key | None:
    """Adds the key if there is no version yet; waits for another process that is adding one."""
    first = _dialect(connection).insert(key_changes).values(one=1, number=_new_version())
    unless_there = first.on_conflict_do_nothing(index_elements=["one"]).returning(key_changes.c.number)
    is_first = connection.execute(unless_there).one_or_none() is not None
    return _insert(connection, key, actor) if is_first else None


def _insert(connection: Connection, key: Key, actor: str) -> Key:
    at = now(connection)
    row = {
        "id": key.id,
        "name": key.name,
        "digest": key.digest,
        "ending": key.ending,
        "scopes": " ".join(sorted(key.scopes)),
        "session_id": key.session_id,
        "rate": None if key.rate is None else str(key.rate),
        "created_at": at,
    }
    stored = connection.execute(insert(keys).returning(keys), row).one()
    details = {"key": key.id, "name": key.name, "scopes": sorted(key.scopes)}
    write_audit_entry(connection, at, actor, Action.CREATE_KEY, key.session_id, details)
    return _from_row(stored)


def _revoke(connection: Connection, key_id: str, actor: str) -> Key | None:
    this = select(keys).where(keys.c.id == key_id)
    if connection.execute(this).one_or_none() is None:
        return None
    _change_version(connection)  # before the update, because it locks: of two at once, the second finds it revoked
    at = now(connection)
    guarded = update(keys).where(keys.c.id == key_id, keys.c.revoked_at.is_(None)).values(revoked_at=at)
    row = connection.execute(guarded.returning(keys)).one_or_none()
    if row is None:
        return _from_row(connection.execute(this).one())
    write_audit_entry(connection, at, actor, Action.REVOKE_KEY, row.session_id, {"key": row.id, "name": row.name})
    return _from_row(row)


def _new_version() -> int:
    return secrets.randbelow(2**62) + 1  # 0 means that no key was ever made


def _change_version(connection: Connection) -> None:
    """Sets another version; until the transaction ends, other transactions that change keys wait.

    A random number: a counter would repeat its numbers after the database was restored from a backup, and servers would
    keep the keys that they know by the same number.
    """
    new = {"number": _new_version()}
    first = _dialect(connection).insert(key_changes).values(one=1, **new)
    connection.execute(first.on_conflict_do_update(index_elements=["one"], set_=new))


def _dialect(connection: Connection) -> ModuleType:
    return sqlite if connection.dialect.name == "sqlite" else postgresql


def _read_active_keys(connection: Connection, known_version: int) -> tuple[int, list[Key]] | None:
    version = connection.execute(_VERSION).scalar_one_or_none() or 0
    return None if version == known_version else (version, _read_keys(connection, active_only=True))


def _read_keys(connection: Connection, *, active_only: bool) -> list[Key]:
    found = select(keys).order_by(keys.c.created_at, keys.c.id)
    if active_only:
        found = found.where(keys.c.revoked_at.is_(None))
    return [_from_row(row) for row in connection.execute(found)]


def _from_row(row: Row[*tuple[Any, ...]]) -> Key:
    return Key(
        id=row.id,
        name=row.name,
        digest=row.digest,
        ending=row.ending,
        scopes=frozenset(map(Scope, row.scopes.split())),
        session_id=row.session_id,
        rate=None if row.rate is None else parse_rate(row.rate),
        created_at=row.created_at,
        revoked_at=row.revoked_at,
    )
