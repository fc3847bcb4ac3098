"""Several processes on one PostgreSQL: here, several stores."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from sqlalchemy import false, select, text
from sqlalchemy.exc import DBAPIError

from app.database.database import Clock, Database, migration_engine
from app.database.statements import Prepared
from app.impressions import issue_sql
from app.impressions.feedback import FeedbackStatus
from app.impressions.handout_order import Purpose
from app.sessions.model import Counters
from tests.examples import (
    LARGE,
    a_session,
    add_plan,
    execute,
    exported,
    issue,
    let_time_pass,
    order,
    plan,
    record,
    reward,
    snapshot,
)
from tests.store import SessionStore


@asynccontextmanager
async def started(url: str, *, busy_seconds: float = 5.0) -> AsyncIterator[SessionStore]:
    store = SessionStore(url, busy_seconds=busy_seconds)
    await store.start()
    try:
        yield store
    finally:
        await store.close()


async def until_blocked(url: str) -> None:
    """Waits until a transaction in this database waits for a lock."""
    waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    async with asyncio.timeout(9):
        while not await asyncio.to_thread(execute, url, waiting):
            await asyncio.sleep(0.01)


async def test_deadlocks_with_others_are_tried_again(postgresql_url: str) -> None:
    """Another application locks impressions in the wrong order and wins; the store's transaction runs again."""
    async with started(postgresql_url) as store:
        session_id = await a_session(store)
        given = await issue(store, session_id, 2)
        touch = text("UPDATE impressions SET late_at = late_at WHERE sequence = :sequence")
        with migration_engine(postgresql_url).connect() as other, other.begin():
            other.execute(text("SET LOCAL deadlock_timeout = '10s'"))  # so that the server ends the store's transaction
            other.execute(touch, {"sequence": 2})
            answering = asyncio.ensure_future(store.answer(session_id, [reward(one, 1) for one in given]))
            await until_blocked(postgresql_url)
            await asyncio.to_thread(other.execute, touch, {"sequence": 1})
            other.commit()
        assert await answering == [FeedbackStatus.ACCEPTED] * 2


async def test_two_processes_share_a_session(postgresql_url: str) -> None:
    async with started(postgresql_url) as one, started(postgresql_url) as two:
        session_id = await a_session(one, demand=((0, 1, 60), (0, 2, 60), (1, 2, 60)), budget=700)
        won: list[int] = []

        async def ad_server(store: SessionStore, other: SessionStore, number: int) -> None:
            for call in range(4):
                given = await store.issue(session_id, order(2, key=f"{number} {call}"))
                assert await other.issue(session_id, order(2, key=f"{number} {call}")) == given
                rows = [reward(shown, number % 2) for shown in given]
                statuses = await asyncio.gather(store.answer(session_id, rows), other.answer(session_id, rows))
                assert sorted(statuses[0] + statuses[1]) == sorted(
                    [FeedbackStatus.ACCEPTED, FeedbackStatus.DUPLICATE] * 2
                )

        async def planner(store: SessionStore) -> None:
            for _ in range(6):
                await store.fold(session_id)
                version = (await store.session(session_id)).plan_version + 1
                demand = ((0, 1, 20 * version), (1, 2, 20 * version))
                if await add_plan(store, session_id, plan(version, demand), snapshot(str(version)), None):
                    won.append(version)

        await asyncio.gather(
            *(ad_server(*pair, number) for number, pair in enumerate([(one, two), (two, one)] * 10)),
            planner(one),
            planner(two),
        )
        await asyncio.gather(one.fold(session_id), two.fold(session_id))
        assert sorted(won) == list(range(2, len(won) + 2))
        assert await one.counters(session_id) == Counters(issued=160, answered=160, void=0, counted=160)
        rows = await exported(two, session_id, "impression")
        assert [row["sequence"] for row in rows] == list(range(1, 161))
        assert [row["version"] for row in await exported(one, session_id, "plan")] == [1, *sorted(won)]
        assert sum((await two.planning_input(session_id)).evidence.n) == 160
        assert sum((await two.planning_input(session_id)).evidence.s) == 80.0


@pytest.mark.parametrize("work", ["answers", "answers to be decided", "fold"])
async def test_impressions_are_locked_in_issue_order(postgresql_url: str, work: str) -> None:
    """A transaction that waits for the first holds none of the others, so transactions cannot wait in a circle."""
    async with started(postgresql_url) as store:
        session_id = await a_session(store)
        given = await issue(store, session_id, 12)
        if work == "answers to be decided":
            await store.answer(session_id, [reward(one, 1) for one in given])
        if work == "fold":
            let_time_pass(postgresql_url, 310)  # it marks all of them
        with migration_engine(postgresql_url).connect() as other, other.begin():
            other.execute(text("SELECT 1 FROM impressions WHERE sequence = 1 FOR UPDATE"))
            rows = [reward(one, k % 2) for k, one in enumerate(given)][::-1]
            call = store.fold(session_id) if work == "fold" else store.answer(session_id, rows)
            working: asyncio.Future[object] = asyncio.ensure_future(call)
            await until_blocked(postgresql_url)
            assert not working.done()
            free = other.execute(text("SELECT count(*) FROM (SELECT 1 FROM impressions FOR UPDATE SKIP LOCKED) AS f"))
            assert free.scalar_one() == len(given), "its own one included"
        assert await asyncio.wait_for(working, 9)


async def test_sessions_are_locked_before_impressions(postgresql_url: str) -> None:
    async with started(postgresql_url) as store:
        session_id = await a_session(store)
        given = await issue(store, session_id, 12)
        with migration_engine(postgresql_url).connect() as other, other.begin():
            other.execute(text("SELECT 1 FROM sessions FOR UPDATE"))
            # In one transaction, orders and answers: the order comes first, and waits.
            calls = asyncio.gather(
                store.answer(session_id, [reward(one, 1) for one in given]), store.issue(session_id, order())
            )
            await until_blocked(postgresql_url)
            free = other.execute(text("SELECT count(*) FROM (SELECT 1 FROM impressions FOR UPDATE SKIP LOCKED) AS f"))
            assert free.scalar_one() == len(given)
        await asyncio.wait_for(calls, 9)


async def test_a_paused_process_loses_its_locks(postgresql_url: str) -> None:
    """A process that was stopped inside a transaction loses its locks before the others give up."""
    async with started(postgresql_url) as store:
        session_id = await a_session(store)
        with Database(postgresql_url).writer.connect() as paused:
            paused.execute(text("SELECT 1 FROM sessions FOR UPDATE"))
            assert await asyncio.wait_for(store.issue(session_id, order()), 9)
            with pytest.raises(DBAPIError):
                paused.execute(text("SELECT 1"))


async def test_two_processes_keep_one_budget(postgresql_url: str) -> None:
    async with started(postgresql_url) as one, started(postgresql_url) as two:
        session_id = await a_session(one, demand=LARGE, budget=101)
        given = await asyncio.gather(*(store.issue(session_id, order(5)) for _ in range(20) for store in (one, two)))
        assert sum(shown.counts for few in given for shown in few) == 101
        assert (await two.counters(session_id)).issued == 101


async def test_a_session_created_again_with_its_old_id_is_a_new_one(postgresql_url: str) -> None:
    """What a process has cached of a session must not be used for another one with the same id."""
    async with started(postgresql_url) as one, started(postgresql_url) as two:
        first = record(n_items=3)
        await one.create_session(first, plan(), snapshot(), None)
        await one.issue(first.id, order(3))
        await two.delete_session(first.id)
        second = replace(record(n_items=5), id=first.id, ticket_key=b"another")
        await two.create_session(second, plan(demand=((3, 4, 9),)), snapshot(), None)
        given = await one.issue(first.id, order(9))
        assert {(min(shown.i, shown.j), max(shown.i, shown.j)) for shown in given} == {(3, 4)}
        assert len((await one.session(first.id)).items) == 5


async def test_time_is_read_after_waiting_for_locks(postgresql_url: str) -> None:
    """A transaction that waited for a lock must not use the time at which the wait began."""
    async with started(postgresql_url) as store:
        session_id = await a_session(store)
        (first,) = await store.issue(session_id, order())
        with migration_engine(postgresql_url).connect() as other, other.begin():
            other.execute(text("SELECT 1 FROM sessions FOR UPDATE"))
            other.execute(text("SELECT 1 FROM impressions FOR UPDATE"))
            waiting = asyncio.gather(store.answer(session_id, [reward(first, 1)]), store.issue(session_id, order()))
            await until_blocked(postgresql_url)
            released = other.execute(text("SELECT extract(epoch from clock_timestamp())")).scalar_one()
        await waiting
        one, two = await exported(store, session_id, "impression")
        assert one["answered_at"] >= released
        assert two["issued_at"] >= released


async def test_feedback_does_not_wait_for_a_locked_session(postgresql_url: str) -> None:
    async with started(postgresql_url) as store:
        session_id = await a_session(store)
        (first,) = await store.issue(session_id, order())
        with migration_engine(postgresql_url).connect() as other, other.begin():
            other.execute(text("SELECT 1 FROM sessions FOR UPDATE"))
            answering = store.answer(session_id, [reward(first, 1)])
            assert await asyncio.wait_for(answering, 5) == [FeedbackStatus.ACCEPTED]


async def test_a_session_resumed_between_two_reads_is_not_explored_without_its_lock(
    store: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two statements another process may resume a session: what was read without the lock may be stale."""
    session_id = await a_session(store)
    none = Prepared(select(issue_sql._LOCKED, Clock().label("now")).where(false()))
    monkeypatch.setattr(issue_sql, "_LOCKED_STATES", none)
    assert {one.purpose for one in await store.issue(session_id, order(3))} == {Purpose.EXPLOIT}
    assert (await store.counters(session_id)).issued == 0
