"""A database that goes away and comes back; processes that share one."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from sqlalchemy import Connection, event, make_url

from app.database.database import migration_engine
from app.errors import StorageUnavailable
from app.impressions.feedback import FeedbackStatus
from app.sessions.model import Counters
from tests.examples import a_session, execute, exported, order, reward
from tests.postgres import PostgresServer
from tests.store import SessionStore


@asynccontextmanager
async def started(url: str, *, busy_seconds: float = 5.0) -> AsyncIterator[SessionStore]:
    store = SessionStore(url, busy_seconds=busy_seconds)
    await store.start()
    try:
        yield store
    finally:
        await store.close()


async def until_ready(store: SessionStore, complaint: str | None) -> None:
    """Waits until the store reports this complaint; None: until it is ready."""
    async with asyncio.timeout(30):
        while (found := await store.ready()) != complaint:
            assert complaint is None or found is None, found
            await asyncio.sleep(0.05)


@pytest.fixture
def cut(postgresql_server: PostgresServer, postgresql_url: str) -> Callable[[], None]:
    """Ends all connections to the database, as a restart of the server does."""
    name = make_url(postgresql_url).database

    def terminate() -> None:
        postgresql_server.execute(
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"  # noqa: S608
        )

    return terminate


async def test_cut_connections_are_opened_again_and_no_call_fails(postgresql_url: str, cut: Callable[[], None]) -> None:
    async with started(postgresql_url) as store:
        session_id = await a_session(store)
        (one,) = await store.issue(session_id, order())
        for _ in range(3):
            cut()
            await store.issue(session_id, order())
            cut()
            assert (await store.session(session_id)).id == session_id
        cut()
        assert await store.answer(session_id, [reward(one, 1)]) == [FeedbackStatus.ACCEPTED]
        assert await store.fold(session_id) == Counters(issued=4, answered=1, void=0, counted=1)


async def test_a_database_that_is_down_is_reported_and_used_again_when_it_is_back(
    postgresql_server: PostgresServer, postgresql_url: str, cut: Callable[[], None]
) -> None:
    name = make_url(postgresql_url).database
    async with started(postgresql_url) as store:
        session_id = await a_session(store)
        (one,) = await store.issue(session_id, order())
        postgresql_server.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        cut()
        calls = [store.issue(session_id, order()), store.answer(session_id, [reward(one, 1)]), store.fold(session_id)]
        results = await asyncio.gather(*calls, store.session(session_id), return_exceptions=True)
        assert [type(result) for result in results] == [StorageUnavailable] * 4
        complaint = await store.ready()
        assert complaint is not None
        assert str(name) not in complaint  # nothing of the driver's message
        with pytest.raises(StorageUnavailable):
            await store.export(session_id).__anext__()
        postgresql_server.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        await until_ready(store, None)
        assert await store.answer(session_id, [reward(one, 1)]) == [FeedbackStatus.ACCEPTED]
        await store.issue(session_id, order())
        assert (await store.counters(session_id)).issued == 2
        # The outage separates two periods of uptime; impressions issued after it belong to the second.
        first, second = execute(postgresql_url, "SELECT began_at, last_beat_at FROM uptimes ORDER BY began_at")
        before, after = await exported(store, session_id, "impression")
        assert first.began_at <= before["issued_at"]
        assert first.last_beat_at < second.began_at <= after["issued_at"]


async def test_a_store_cannot_start_without_its_database(postgresql_url: str) -> None:
    nowhere = make_url(postgresql_url).set(database="no_such_database").render_as_string(hide_password=False)
    store = SessionStore(nowhere)
    with pytest.raises(StorageUnavailable):
        await store.start()


async def test_a_locked_file_is_unavailable_and_then_recovers(sqlite_url: str) -> None:
    async with started(sqlite_url, busy_seconds=0.1) as store:
        session_id = await a_session(store)
        (one,) = await store.issue(session_id, order())
        with migration_engine(sqlite_url).begin():  # BEGIN IMMEDIATE: no other connection can write
            with pytest.raises(StorageUnavailable):
                await store.answer(session_id, [reward(one, 1)])
            assert (await store.counters(session_id)).answered == 0  # readers are not disturbed
        assert await store.answer(session_id, [reward(one, 1)]) == [FeedbackStatus.ACCEPTED]


async def test_a_locked_file_is_not_ready(sqlite_url: str) -> None:
    async with started(sqlite_url, busy_seconds=0.1) as store:
        with migration_engine(sqlite_url).begin():
            await until_ready(store, "writes fail: the SQLite file is locked by another process")
        await until_ready(store, None)


async def test_a_read_only_file_is_not_ready(sqlite_url: str) -> None:
    async with started(sqlite_url) as store:
        session_id = await a_session(store)
        mode = "ON"

        @event.listens_for(store._database.writer, "begin")
        def set_mode(connection: Connection) -> None:
            connection.exec_driver_sql(f"PRAGMA query_only = {mode}")

        with pytest.raises(StorageUnavailable):
            await store.issue(session_id, order())
        await until_ready(store, "writes fail: the SQLite file or its folder is read-only")
        mode = "OFF"
        await until_ready(store, None)
        assert await store.issue(session_id, order())


async def test_a_missing_table_is_unavailable_until_it_is_back(postgresql_url: str) -> None:
    """So is a table in a schema that the user may not use: PostgreSQL reports the same error for both."""
    async with started(postgresql_url) as store:
        session_id = await a_session(store)
        execute(postgresql_url, "ALTER TABLE idempotency_keys RENAME TO elsewhere")
        try:
            with pytest.raises(StorageUnavailable):
                await store.issue(session_id, order(key="k"))
            missing = "a table is missing, or the database user may not use its schema; the server's log names it"
            await until_ready(store, f"writes fail: {missing}")
        finally:
            execute(postgresql_url, "ALTER TABLE elsewhere RENAME TO idempotency_keys")
        await until_ready(store, None)
        assert await store.issue(session_id, order(key="k"))
