"""More than the database can take: requests are refused at once, none is lost, and no refusal counts as "no click"."""

import asyncio

import pytest

from app.database.database import migration_engine
from app.errors import Overloaded, StorageUnavailable
from app.impressions.feedback import FeedbackStatus
from app.telemetry.metrics import Meter, cell_index
from app.wire.vocabulary import MissingFeedback
from tests.examples import a_session, execute, order, reward
from tests.store import SessionStore

_QUEUED = cell_index("bestpair_writer_queue_requests")  # the next cell counts what was taken from the queue


async def until_taken(meter: Meter) -> None:
    """Waits until the writer has taken all requests from its queue."""
    await asyncio.sleep(0)  # tasks made just before submit their requests
    await asyncio.sleep(0)  # the event loop passes them to the writer, and counts them
    async with asyncio.timeout(9):
        while meter.cells[_QUEUED] != meter.cells[_QUEUED + 1]:
            await asyncio.sleep(0.001)


async def test_what_does_not_fit_is_refused_at_once_and_the_rest_is_served(sqlite_url: str) -> None:
    meter = Meter()
    store = SessionStore(sqlite_url, queue_limit=5, busy_seconds=30, meter=meter)
    await store.start()
    session_id = await a_session(store)
    with migration_engine(sqlite_url).begin():  # no other connection can write
        first = asyncio.ensure_future(store.issue(session_id, order()))
        await until_taken(meter)  # and waits for the file
        waiting = [asyncio.ensure_future(store.issue(session_id, order())) for _ in range(20)]
        await asyncio.sleep(0)  # each task submits its request
        refused = [each for each in waiting if each.done()]
        assert len(refused) == 15
        assert all(isinstance(each.exception(), Overloaded) for each in refused)
    served = await asyncio.gather(first, *(each for each in waiting if each not in refused))
    assert (await store.counters(session_id)).issued == len(served) == 6
    await store.close()


async def test_rows_count_too(sqlite_url: str) -> None:
    meter = Meter()
    store = SessionStore(sqlite_url, queue_limit=100, busy_seconds=30, meter=meter)
    await store.start()
    session_id = await a_session(store)
    with migration_engine(sqlite_url).begin():
        first = asyncio.ensure_future(store.issue(session_id, order()))
        await until_taken(meter)
        large = [asyncio.ensure_future(store.issue(session_id, order(1000))) for _ in range(10)]
        await asyncio.sleep(0)  # each task submits its request
        assert [each.done() for each in large] == [False] + [True] * 9
        for each in large[1:]:
            with pytest.raises(Overloaded):
                await each
    await asyncio.gather(first, large[0])
    await store.close()


@pytest.mark.parametrize("refused", [False, True])
async def test_refused_feedback_ends_the_period_in_which_missing_feedback_means_no_click(
    database_url: str, *, refused: bool
) -> None:
    """A click that was refused and never sent again must not count as no click."""
    store = SessionStore(database_url, queue_limit=1)
    await store.start()
    session_id = await a_session(
        store, attribution_window_seconds=60.0, missing_feedback=MissingFeedback.NO_CLICK, demand=((0, 1, 9),)
    )
    _, (one, two) = await store.impressions.next_pairs(order(2)._replace(session_id=session_id))
    calls = [store.impressions.feedback(session_id, reward(each, 1)) for each in (one, two)[: 1 + refused]]
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert results[0] is FeedbackStatus.ACCEPTED
    assert not refused or isinstance(results[1], Overloaded)
    before = len(execute(database_url, "SELECT * FROM uptimes"))
    until = asyncio.get_running_loop().time() + 10
    while refused and len(execute(database_url, "SELECT * FROM uptimes")) == before:
        assert asyncio.get_running_loop().time() < until, "the next beat begins another period"
        await asyncio.sleep(0.05)
    periods = execute(database_url, "SELECT began_at, last_beat_at FROM uptimes ORDER BY began_at")
    assert len(periods) == 1 + refused
    execute(database_url, "UPDATE impressions SET issued_at = issued_at - 61")
    execute(
        database_url, "UPDATE uptimes SET began_at = began_at - 61 WHERE began_at = (SELECT min(began_at) FROM uptimes)"
    )
    if refused:  # as if the gap had been in the middle of the window
        execute(database_url, "UPDATE uptimes SET last_beat_at = began_at + 5 WHERE last_beat_at - began_at > 30")
    counters = await store.fold(session_id)
    assert (counters.counted, counters.void) == ((0, 2) if refused else (2, 0))
    await store.close()
    with pytest.raises(StorageUnavailable):
        await store.answer(session_id, [reward(two, 1)])
