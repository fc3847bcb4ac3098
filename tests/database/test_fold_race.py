"""A silent impression is given up at the moment its answer arrives: the answer is counted, or it is late.

The interleavings are forced with a second connection to PostgreSQL; SQLite has one writer and no such race.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest
from sqlalchemy import Connection, text

from app.counting import sql as counting
from app.database.database import migration_engine
from app.impressions.feedback import FeedbackStatus
from app.sessions.model import Counters
from app.wire.vocabulary import MissingFeedback
from tests.examples import a_session, execute, exported, issue, let_time_pass, reward
from tests.store import SessionStore

SOON = 0.4
"""Seconds after which a statement that waits for a lock would have ended without the lock."""


@pytest.fixture
async def store(postgresql_url: str) -> AsyncIterator[SessionStore]:
    store = SessionStore(postgresql_url)
    await store.start()
    yield store
    await store.close()


@pytest.fixture
def other(postgresql_url: str) -> Iterator[Connection]:
    """A transaction of another process."""
    with migration_engine(postgresql_url).connect() as connection:
        connection.begin()
        yield connection
        connection.rollback()


async def expired(store: SessionStore, url: str) -> str:
    """Returns a session with three impressions whose time is over; the second one has an answer."""
    session_id = await a_session(store, ticket_ttl_seconds=60.0)
    given = await issue(store, session_id, 3)
    await store.answer(session_id, [reward(given[1], 1)])
    let_time_pass(url, 100)
    return session_id


def accept(other: Connection, session_id: str, sequence: int) -> None:
    """Stores an answer that arrived in time, in a transaction that is not committed yet."""
    answer = "UPDATE impressions SET outcome = 1, answered_at = issued_at + 59"
    row = {"id": session_id, "sequence": sequence}
    other.execute(text(f"{answer} WHERE session_id = :id AND sequence = :sequence AND NOT given_up"), row)


async def waits(task: "asyncio.Task[object]") -> bool:
    await asyncio.sleep(SOON)
    return not task.done()


@pytest.mark.parametrize("sequence", [1, 3])
async def test_an_answer_that_commits_first_is_counted(
    store: SessionStore, other: Connection, postgresql_url: str, sequence: int
) -> None:
    session_id = await expired(store, postgresql_url)
    accept(other, session_id, sequence)
    fold = asyncio.create_task(store.fold(session_id))
    assert await waits(fold), "it has read the row as silent, and waits for the row"
    other.commit()
    assert await fold == Counters(issued=3, answered=2, void=1, counted=2)
    assert sum((await store.planning_input(session_id)).evidence.n) == 2


async def test_without_the_check_that_answer_would_be_lost(
    store: SessionStore, other: Connection, postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mutant: the fold stores what it read before it marked."""
    marking = counting._give_up
    monkeypatch.setattr(counting, "_give_up", lambda *given: marking(*given) or True)
    session_id = await expired(store, postgresql_url)
    accept(other, session_id, 1)
    fold = asyncio.create_task(store.fold(session_id))
    assert await waits(fold)
    other.commit()
    assert (await fold).counted == 1, "accepted, and left out"


async def test_an_answer_that_comes_second_is_late(store: SessionStore, other: Connection) -> None:
    session_id = await a_session(store, ticket_ttl_seconds=60.0)
    given = await issue(store, session_id, 2)
    counting._GIVE_UP.run(other, id=session_id, sequences=[1, 2], silence_is_void=True)
    answers = [
        asyncio.create_task(store.answer(session_id, [reward(given[0], 1)])),
        asyncio.create_task(store.answer(session_id, [reward(given[1], 1), reward(given[1], 1)])),
    ]
    assert await waits(answers[0])
    other.commit()
    assert [await answer for answer in answers] == [
        [FeedbackStatus.LATE],
        [FeedbackStatus.LATE, FeedbackStatus.DUPLICATE],
    ]
    assert {row["outcome"] for row in await exported(store, session_id, "impression")} == {None}


async def test_a_fold_after_an_outage_locks_in_issue_order(
    store: SessionStore, other: Connection, postgresql_url: str
) -> None:
    """As feedback does; otherwise each could wait for the other. The first row is answered, the second is silent."""
    silence = MissingFeedback.NO_CLICK
    session_id = await a_session(store, missing_feedback=silence, attribution_window_seconds=60.0)
    given = await issue(store, session_id, 2)
    await store.answer(session_id, [reward(given[0], 1)])
    let_time_pass(postgresql_url, 100)
    execute(postgresql_url, "UPDATE uptimes SET last_beat_at = began_at + 30")
    lock = text("SELECT 1 FROM impressions WHERE session_id = :id AND sequence = :sequence FOR UPDATE")
    other.execute(text("SET LOCAL lock_timeout = '300ms'"))
    other.execute(lock, {"id": session_id, "sequence": 1})
    fold = asyncio.create_task(store.fold(session_id))
    assert await waits(fold)
    other.execute(lock, {"id": session_id, "sequence": 2})
    other.commit()
    assert await fold == Counters(issued=2, answered=1, void=2, counted=0)


async def test_many_answers_at_the_last_moment_are_late_or_counted(store: SessionStore, postgresql_url: str) -> None:
    """Feedback and folds of two processes, while the time of all impressions ends."""
    second = SessionStore(postgresql_url)
    await second.start()
    try:
        for _ in range(5):
            session_id = await a_session(store, ticket_ttl_seconds=60.0, demand=((0, 1, 500),))
            given = await issue(store, session_id, 200)
            execute(
                postgresql_url,
                "UPDATE impressions SET issued_at = issued_at - 59.8 + sequence / 2000.0 WHERE session_id = :id",
                {"id": session_id},
            )
            statuses: list[FeedbackStatus] = []

            async def answer(place: int, session_id: str = session_id, given: list = given) -> None:  # type: ignore[type-arg]
                await asyncio.sleep(place / 500)
                rows = [reward(one, 1) for one in given[place : place + 10]]
                statuses.extend(await (store, second)[place % 20 // 10].answer(session_id, rows))  # noqa: B023

            async def fold(session_id: str = session_id) -> None:
                for number in range(20):
                    await asyncio.sleep(0.02)
                    await (store, second)[number % 2].fold(session_id)

            await asyncio.gather(*(answer(place) for place in range(0, 200, 10)), fold())
            await asyncio.sleep(0.3)
            counters = await store.fold(session_id)
            accepted = statuses.count(FeedbackStatus.ACCEPTED)
            assert len(statuses) == 200
            assert counters == Counters(issued=200, answered=accepted, void=200 - accepted, counted=accepted)
    finally:
        await second.close()
