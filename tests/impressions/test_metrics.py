"""What is counted for operators: what a commit has made true, once, however often it was tried or asked for."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError

from app.database.database import migration_engine
from app.errors import Overloaded
from app.telemetry.metrics import FEEDBACK, METRICS, Meter, cell_index
from app.wire.sessions import SessionPatch
from app.wire.vocabulary import State
from tests.examples import a_session, feedback, order, reward
from tests.store import SessionStore

WAITING = cell_index("bestpair_writer_queue_requests")


def counted(meter: Meter, name: str) -> dict[str, float]:
    (metric,) = [metric for metric in METRICS if metric.name == name]
    values = {",".join(values): meter.cells[cell_index(name, *values)] for values in metric.combinations}
    return {label: value for label, value in values.items() if value}


async def test_impressions_and_answers_are_counted_by_what_became_of_them(database_url: str) -> None:
    meter = Meter()
    store = SessionStore(database_url, meter=meter)
    await store.start()
    session_id = await a_session(store)
    shown = await store.issue(session_id, order(3, key="k"))
    assert await store.issue(session_id, order(3, key="k")) == shown
    answers = [reward(shown[0], 1), reward(shown[0], 1), reward(shown[0], 0), feedback("nobody's", reward=1.0)]
    await store.answer(session_id, answers)
    await store.answer(session_id, [])
    await store.change_session(session_id, SessionPatch(state=State.PAUSED))
    best = await store.issue(session_id, order(4))
    await store.answer(session_id, [reward(best[0], 1)])
    await store.close()
    assert counted(meter, "bestpair_impressions_total") == {"explore": 3, "exploit": 4}
    expected = dict.fromkeys(("accepted", "duplicate", "conflict", "not_found", "ignored"), 1)
    assert counted(meter, "bestpair_feedback_total") == expected
    assert set(expected) < set(FEEDBACK)
    assert meter.cells[WAITING] == meter.cells[WAITING + 1] > 0


async def test_a_transaction_that_is_tried_again_counts_once(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    meter = Meter()
    store = SessionStore(sqlite_url, meter=meter)
    await store.start()
    session_id = await a_session(store)
    serve, tries = store._writer._run_batch, 0

    def lose_the_first(connection: Connection, requests: Sequence[Any]) -> Sequence[object]:
        nonlocal tries
        tries += 1
        results = serve(connection, requests)
        if tries == 1:
            raise OperationalError("COMMIT", {}, Exception("gone"), connection_invalidated=True)
        return results

    monkeypatch.setattr(store._writer, "_run_batch", lose_the_first)
    await store.issue(session_id, order(3))
    await store.close()
    assert tries == 2
    assert counted(meter, "bestpair_impressions_total") == {"explore": 3}
    assert counted(meter, "bestpair_commit_failures_total") == {}


async def test_a_transaction_that_fails_counts_as_a_failure_and_nothing_else(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    meter = Meter()
    store = SessionStore(sqlite_url, meter=meter)
    await store.start()
    session_id = await a_session(store)
    serve = store._writer._run_batch

    def fail(connection: Connection, requests: Sequence[Any]) -> Sequence[object]:
        serve(connection, requests)
        raise OperationalError("COMMIT", {}, Exception("disk full"))

    monkeypatch.setattr(store._writer, "_run_batch", fail)
    with pytest.raises(Exception, match="cannot be used"):
        await store.issue(session_id, order(3))
    await store.close()
    assert counted(meter, "bestpair_impressions_total") == {}
    assert counted(meter, "bestpair_commit_failures_total") == {"": 1}


async def test_what_waits_and_what_is_refused_is_counted(sqlite_url: str) -> None:
    meter = Meter()
    store = SessionStore(sqlite_url, queue_limit=5, busy_seconds=30, meter=meter)
    await store.start()
    session_id = await a_session(store)
    with migration_engine(sqlite_url).begin():  # nobody else can write
        first = asyncio.ensure_future(store.issue(session_id, order()))
        await asyncio.sleep(0.1)
        waiting = [asyncio.ensure_future(store.issue(session_id, order())) for _ in range(7)]
        await asyncio.sleep(0.01)
        assert meter.cells[WAITING] - meter.cells[WAITING + 1] == 5
    results = await asyncio.gather(first, *waiting, return_exceptions=True)
    assert sum(isinstance(each, Overloaded) for each in results) == 2
    await store.close()
    assert counted(meter, "bestpair_writer_refused_total") == {"": 2}
    assert meter.cells[WAITING] == meter.cells[WAITING + 1]
