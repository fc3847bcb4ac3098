"""What a database should not do is noticed, and what only looks like it is not."""

from collections.abc import Iterator

import pytest

from app.storage.database import Database, migration_engine, now
from app.storage.database_watch import DatabaseWatch
from app.storage.migrations import migrate
from app.storage.shelf import Shelf
from app.storage.store import SqlStore
from app.storage.uptimes import Heartbeat
from tests.examples import a_session, execute, issue, reward


@pytest.fixture
def database(sqlite_url: str) -> Iterator[Database]:
    migrate(sqlite_url)
    made = Database(sqlite_url)
    yield made
    made.dispose()


def beat(database: Database, heartbeat: Heartbeat, *, fails: bool = False) -> None:
    with database.writer.connect() as connection:
        transaction = connection.begin()
        heartbeat.beat(connection, now(connection))
        if fails:
            transaction.rollback()
            return
        transaction.commit()
        heartbeat.committed(connection)


def is_missing(database: Database, heartbeat: Heartbeat) -> bool:
    return database.read(heartbeat.is_missing_from)


def test_a_beat_that_was_rolled_back_is_not_missed(database: Database) -> None:
    heartbeat = Heartbeat()
    beat(database, heartbeat)
    for _ in range(3):
        beat(database, heartbeat, fails=True)
        assert not is_missing(database, heartbeat)
    beat(database, heartbeat)
    assert not is_missing(database, heartbeat)


@pytest.mark.parametrize("lost", ["UPDATE uptimes SET beats = beats - 1", "DELETE FROM uptimes"])
def test_a_beat_that_was_on_disk_is_missed(database: Database, sqlite_url: str, lost: str) -> None:
    heartbeat = Heartbeat()
    beat(database, heartbeat)
    beat(database, heartbeat)
    execute(sqlite_url, lost)
    assert is_missing(database, heartbeat)
    beat(database, heartbeat)
    assert not is_missing(database, heartbeat), "it is said once"


def test_a_step_forward_and_a_pause_are_told_apart(database: Database) -> None:
    """The process was asleep: both clocks have moved. The database's clock was set: only that one has."""
    monotonic = [100.0]
    watch = DatabaseWatch(Heartbeat(), Shelf(), monotonic=lambda: monotonic[0])
    with database.writer.begin() as connection:
        assert not watch.look(connection)
        monotonic[0] -= 3600.0  # as if the database's clock had gained an hour
        assert watch.look(connection)
        monotonic[0] += 3600.0
        assert not watch.look(connection), "a long pause of this process"


async def test_a_lost_answer_is_noticed_and_a_deleted_session_is_not_a_loss(database_url: str) -> None:
    store = SqlStore(database_url)
    await store.start()
    try:
        session, other = await a_session(store), await a_session(store)
        for each in (session, other):
            (one,) = await issue(store, each, 1)
            await store.answer(each, [reward(one, 1)])
        await store.delete_session(other)
        watch = store._watch
        with migration_engine(database_url).begin() as connection:
            assert not watch._is_confirmed_missing(connection)
        (one,) = await issue(store, session, 1)
        await store.answer(session, [reward(one, 1)])
        execute(database_url, "UPDATE impressions SET outcome = NULL")
        with migration_engine(database_url).begin() as connection:
            assert watch._is_confirmed_missing(connection)
        execute(database_url, "DELETE FROM impressions")
        with migration_engine(database_url).begin() as connection:
            assert watch._is_confirmed_missing(connection)
    finally:
        await store.close()
