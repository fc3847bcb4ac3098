"""Heartbeats and checks: clock steps and lost rows are noticed, and pauses and rollbacks are not taken for them."""

import time
from collections.abc import Iterator

import pytest

from app.database.database import Database, migration_engine, now
from app.database.heartbeat import Heartbeat
from app.database.migrations import migrate
from app.database.watch import DatabaseWatch
from tests.examples import a_session, execute, issue, reward
from tests.store import SessionStore


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
    return database.read(heartbeat.has_lost_beats)


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
    beat(database, heartbeat)  # as a fold does, before the next check
    assert is_missing(database, heartbeat)
    heartbeat.forget_loss()
    assert not is_missing(database, heartbeat)


def test_a_pause_of_the_process_is_not_a_clock_step(database: Database) -> None:
    """The process was asleep: both clocks have moved. The database's clock was set: only that one has."""
    monotonic = [100.0]
    watch = DatabaseWatch(Heartbeat(), monotonic=lambda: monotonic[0])
    assert not clock_was_set(database, watch)
    monotonic[0] -= 3600.0  # as if the database's clock had gained an hour
    assert clock_was_set(database, watch)
    monotonic[0] += 3600.0
    assert not clock_was_set(database, watch), "a long pause of this process"


def test_a_reply_that_comes_late_is_no_step(database: Database) -> None:
    replies = iter([100.0, 100.0, 104.0, 104.0, 104.0])  # asked, and answered: the second reply took 4 s
    began = time.monotonic()
    watch = DatabaseWatch(Heartbeat(), monotonic=lambda: next(replies) + time.monotonic() - began)
    assert not clock_was_set(database, watch)
    assert not clock_was_set(database, watch)
    assert not clock_was_set(database, watch)


def test_a_check_that_was_rolled_back_is_repeated(database: Database, sqlite_url: str) -> None:
    heartbeat = Heartbeat()
    monotonic = [100.0]
    watch = DatabaseWatch(heartbeat, monotonic=lambda: monotonic[0])
    beat(database, heartbeat)
    clock_was_set(database, watch)
    execute(sqlite_url, "DELETE FROM uptimes")
    monotonic[0] -= 3600.0
    for _ in range(2):
        with database.writer.connect() as connection:
            transaction = connection.begin()
            assert watch.check(connection)[1]
            assert heartbeat.has_lost_beats(connection)
            transaction.rollback()


def clock_was_set(database: Database, watch: DatabaseWatch) -> bool:
    """Returns what one committed check says of the clock."""
    with database.writer.connect() as connection:
        transaction = connection.begin()
        _, was_set = watch.check(connection)
        transaction.commit()
        watch.committed(connection)
    return was_set


async def test_a_lost_answer_is_noticed_and_a_deleted_session_is_not_a_loss(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.database.store.BEAT_SECONDS", 3600.0)  # only the test checks
    store = SessionStore(database_url)
    await store.start()
    try:
        session, other = await a_session(store), await a_session(store)
        for each in (session, other):
            (one,) = await issue(store, each, 1)
            await store.answer(each, [reward(one, 1)])
        await store.delete_session(other)
        watch = store.watch
        with migration_engine(database_url).begin() as connection:
            assert not watch._is_receipt_missing(connection)
        (one,) = await issue(store, session, 1)
        await store.answer(session, [reward(one, 1)])
        execute(database_url, "UPDATE impressions SET outcome = NULL")
        with migration_engine(database_url).begin() as connection:
            assert watch._is_receipt_missing(connection)
        watch._monotonic = lambda: time.monotonic() + 1.0
        await issue(store, session, 1)  # what is written a moment later does not hide the loss
        with migration_engine(database_url).begin() as connection:
            assert watch._is_receipt_missing(connection)
        execute(database_url, "DELETE FROM impressions")
        with migration_engine(database_url).begin() as connection:
            assert watch._is_receipt_missing(connection)
    finally:
        await store.close()
