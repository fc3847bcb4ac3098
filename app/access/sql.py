"""Keys and the audit trail in a database: used by servers, and by commands beside a running server."""

import asyncio
import secrets
from collections.abc import Callable
from types import ModuleType
from typing import TypeVar

from sqlalchemy import Connection, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from app.access import audit_sql as auditing
from app.access.audit import Action, Entry
from app.access.keys import Key, Scope
from app.access.rates import parse_rate
from app.database import migrations
from app.database.database import Database, now
from app.database.faults import DatabaseBehind
from app.database.faults import as_storage_unavailable
from app.database.sqlite_files import FileLock
from app.database.tables import key_changes, keys, sessions
from app.sessions.locking import not_found
from app.sessions.rows import AnyRow, is_storable

Result = TypeVar("Result")

_NUMBER = select(key_changes.c.number)


class SqlAccess:
    """Keys and trail in the database at `url`, on connections of its own.

    It needs no lock on a SQLite file: a transaction that makes or revokes a key takes its turn with the server's.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._database = Database(url)

    async def prepare(self) -> None:
        """Brings an embedded SQLite file to this version's tables if no server uses it; raises DatabaseBehind."""
        await asyncio.to_thread(self._prepare)

    async def close(self) -> None:
        """Lets go of the database."""
        await asyncio.to_thread(self._database.dispose)

    async def add_key(self, key: Key, by: str) -> Key:
        """Stores a new key; returns it with the database's time."""
        return await self._write(lambda connection: _add(connection, key, by))

    async def add_first_key(self, key: Key, by: str) -> Key | None:
        """Stores a key if none was ever made; returns None otherwise. Of several processes at once, one succeeds."""
        return await self._write(lambda connection: _add_first(connection, key, by))

    async def revoke_key(self, key_id: str, by: str) -> Key | None:
        """Returns the key, revoked now or before; None if there is none."""
        return await self._write(lambda connection: _revoke(connection, key_id, by)) if is_storable(key_id) else None

    async def keys(self) -> list[Key]:
        """Returns all keys ever made, oldest first."""
        return await self._read(lambda connection: _read_keys(connection, in_force=False))

    async def keyring(self, known: int) -> tuple[int, list[Key]] | None:
        """Returns the keys in force and their number, another one after every change; None if it is `known`."""
        return await self._read(lambda connection: _read_keyring(connection, known))

    async def audit(self, limit: int, before: int | None) -> list[Entry]:
        """Returns entries of the trail, newest first."""
        return await self._read(lambda connection: auditing.read_trail(connection, limit, before))

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
        lock.acquire()  # a server of another version may be using the file as it is
        try:
            migrations.migrate(self._url)
        finally:
            lock.release()


def _add(connection: Connection, key: Key, by: str) -> Key:
    if key.session_id is not None:
        known = (
            is_storable(key.session_id)
            and connection.execute(select(sessions.c.id).where(sessions.c.id == key.session_id)).one_or_none()
        )
        if not known:
            raise not_found(ascii(key.session_id))
    _note_change(connection)
    return _insert(connection, key, by)


def _add_first(connection: Connection, key: Key, by: str) -> Key | None:
    """Notes the first change, unless there was one; waits for another process that is doing so."""
    first = _dialect(connection).insert(key_changes).values(one=1, number=_another_number())
    unless_there = first.on_conflict_do_nothing(index_elements=["one"]).returning(key_changes.c.number)
    is_first = connection.execute(unless_there).one_or_none() is not None
    return _insert(connection, key, by) if is_first else None


def _insert(connection: Connection, key: Key, by: str) -> Key:
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
    auditing.write_down(connection, at, by, Action.CREATE_KEY, key.session_id, details)
    return _key(stored)


def _revoke(connection: Connection, key_id: str, by: str) -> Key | None:
    this = select(keys).where(keys.c.id == key_id)
    if connection.execute(this).one_or_none() is None:
        return None
    _note_change(connection)  # before the update, since it locks: of two at once, one finds it done
    at = now(connection)
    guarded = update(keys).where(keys.c.id == key_id, keys.c.revoked_at.is_(None)).values(revoked_at=at)
    row = connection.execute(guarded.returning(keys)).one_or_none()
    if row is None:
        return _key(connection.execute(this).one())
    auditing.write_down(connection, at, by, Action.REVOKE_KEY, row.session_id, {"key": row.id, "name": row.name})
    return _key(row)


def _another_number() -> int:
    return secrets.randbelow(2**62) + 1  # 0 means that there was never a key


def _note_change(connection: Connection) -> None:
    """Gives the keys another number; until the transaction ends, others who change keys wait.

    A random one: counted up, the number of a database that went back to an earlier state would come again, and servers
    would go on with the keys they know by it.
    """
    new = {"number": _another_number()}
    first = _dialect(connection).insert(key_changes).values(one=1, **new)
    connection.execute(first.on_conflict_do_update(index_elements=["one"], set_=new))


def _dialect(connection: Connection) -> ModuleType:
    return sqlite if connection.dialect.name == "sqlite" else postgresql


def _read_keyring(connection: Connection, known: int) -> tuple[int, list[Key]] | None:
    number = connection.execute(_NUMBER).scalar_one_or_none() or 0
    return None if number == known else (number, _read_keys(connection, in_force=True))


def _read_keys(connection: Connection, *, in_force: bool) -> list[Key]:
    found = select(keys).order_by(keys.c.created_at, keys.c.id)
    return [_key(row) for row in connection.execute(found.where(keys.c.revoked_at.is_(None)) if in_force else found)]


def _key(row: AnyRow) -> Key:
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
