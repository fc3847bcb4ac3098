"""A database that goes away and comes back; processes that share one."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from sqlalchemy import make_url

from app.sessions.errors import StorageUnavailable
from app.sessions.model import Counters, FeedbackStatus
from app.storage.database import migration_engine
from app.storage.store import SqlStore
from tests.examples import a_session, execute, exported, order, reward
from tests.postgres import PostgresServer


@asynccontextmanager
async def started(url: str, *, busy_seconds: float = 5.0) -> AsyncIterator[SqlStore]:
    store = SqlStore(url, busy_seconds=busy_seconds)
    await store.start()
    try:
        yield store
    finally:
        await store.close()


@pytest.fixture
def cut(postgresql_server: PostgresServer, postgresql_url: str) -> Callable[[], None]:
    """Ends all connections to the database, as a restart of the server does."""
    name = make_url(postgresql_url).database

    def terminate() -> None:
        postgresql_server.execute(
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"  # noqa: S608
        )

    return terminate


async def test_cut_connections_are_opened_again_without_anyone_noticing(
    postgresql_url: str, cut: Callable[[], None]
) -> None:
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


async def test_a_database_that_is_away_is_said_to_be_and_found_again(
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
        assert str(name) not in complaint  # nothing of the driver's words
        with pytest.raises(StorageUnavailable):
            await store.export(session_id).__anext__()
        postgresql_server.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        async with asyncio.timeout(20):
            while await store.ready() is not None:
                await asyncio.sleep(0.05)
        assert await store.answer(session_id, [reward(one, 1)]) == [FeedbackStatus.ACCEPTED]
        await store.issue(session_id, order())
        assert (await store.counters(session_id)).issued == 2
        # The outage parts two stretches of uptime; what is issued after it lies in the second one.
        first, second = execute(postgresql_url, "SELECT began_at, last_beat_at FROM uptimes ORDER BY began_at")
        before, after = await exported(store, session_id, "impression")
        assert first.began_at <= before["issued_at"]
        assert first.last_beat_at < second.began_at <= after["issued_at"]


async def test_a_store_cannot_start_without_its_database(postgresql_url: str) -> None:
    nowhere = make_url(postgresql_url).set(database="no_such_database").render_as_string(hide_password=False)
    store = SqlStore(nowhere)
    with pytest.raises(StorageUnavailable):
        await store.start()


async def test_a_locked_file_is_unavailable_and_then_recovers(sqlite_url: str) -> None:
    async with started(sqlite_url, busy_seconds=0.1) as store:
        session_id = await a_session(store)
        (one,) = await store.issue(session_id, order())
        with migration_engine(sqlite_url).begin():  # BEGIN IMMEDIATE: nobody else can write
            with pytest.raises(StorageUnavailable):
                await store.answer(session_id, [reward(one, 1)])
            assert (await store.counters(session_id)).answered == 0  # readers are not disturbed
        assert await store.answer(session_id, [reward(one, 1)]) == [FeedbackStatus.ACCEPTED]
