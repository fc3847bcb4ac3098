"""Access stores on SQLite files for tests; the file has the sessions s0 and s1, to which keys can be bound."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import insert

from app.access.key_cache import KeyCache
from app.access.keys import Scope, new_key
from app.access.sql import AccessStore
from app.database import migrations
from app.database.database import migration_engine
from app.database.tables import sessions


@contextmanager
def access_store(directory: Path) -> Iterator[AccessStore]:
    """Opens a store on a new file in the directory, with all tables and no keys."""
    file = directory / "access.db"
    file.write_bytes(_migrated_file())
    store = AccessStore(f"sqlite:///{file}")
    try:
        yield store
    finally:
        store._database.dispose()  # not `close`, which would need an event loop


@cache
def _migrated_file() -> bytes:
    """Returns the content of a new database file; made once, because migrations take 0.1 s."""
    with TemporaryDirectory() as directory:
        file = Path(directory) / "access.db"
        url = f"sqlite:///{file}"
        migrations.migrate(url)
        with migration_engine(url).begin() as connection:
            connection.execute(insert(sessions), [_session_row("s0"), _session_row("s1")])
        return file.read_bytes()


def _session_row(session_id: str) -> dict[str, Any]:
    """Returns a row of which only the id matters; all other columns are empty."""
    required = [column for column in sessions.c if not column.nullable and column.server_default is None]
    return {column.name: column.type.python_type() for column in required} | {"id": session_id}


async def cache_with_key(store: AccessStore, *scopes: Scope, **options: Any) -> tuple[KeyCache, str]:
    """Returns a cache that has read a new key with these scopes, and the key as its owner sends it."""
    secret, key = new_key("test", scopes, **options)
    await store.add_key(key, "test")
    cache = KeyCache(store)
    await cache.refresh()
    return cache, secret
