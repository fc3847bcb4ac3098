"""Where plans are computed: in a thread or in a separate process, with the same result; and a process that dies."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from app.counting.rules import EvidenceRows
from app.errors import SessionNotFound
from app.planning import worker
from app.planning.make_plan import make_plan
from app.planning.plan import PlanningInput
from app.planning.worker import PlanFailed, PlanWorker, ProcessDied
from app.sessions.model import Counters
from tests.examples import plan, record, snapshot
from tests.session_fixtures import MakeRecord
from tests.store import SessionStore

NOW = datetime(2025, 1, 1, tzinfo=UTC)
N_ITEMS = 5


@pytest.fixture
def given(make_record: MakeRecord) -> PlanningInput:
    session = make_record(n_items=N_ITEMS, plan_version=0)
    return PlanningInput(session, Counters(0, 0, 0, 0), EvidenceRows(), None, ())


@pytest.fixture
async def in_thread(store: SessionStore) -> AsyncIterator[PlanWorker]:
    """A worker for which the sessions of these tests are small."""
    made = PlanWorker(store, store.cache)
    yield made
    made.close()


@pytest.fixture
async def in_process(store: SessionStore, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[PlanWorker]:
    """A worker for which the sessions of these tests are large."""
    monkeypatch.setattr(worker, "OWN_PROCESS_ITEMS", N_ITEMS)
    made = PlanWorker(store, store.cache)
    yield made
    made.close()


async def test_a_small_plan_is_computed_in_a_thread(in_thread: PlanWorker, given: PlanningInput) -> None:
    assert await in_thread.first_plan(given, NOW) == make_plan(given, NOW)
    assert in_thread._process is None


async def test_a_large_plan_is_computed_in_a_process_with_the_same_result(
    in_process: PlanWorker, given: PlanningInput
) -> None:
    assert await in_process.first_plan(given, NOW) == make_plan(given, NOW)
    assert in_process._process is not None


async def test_a_small_stored_session_is_read_and_planned_here(store: SessionStore, in_thread: PlanWorker) -> None:
    session = await store.create_session(record(n_items=N_ITEMS), plan(), snapshot(), None)
    planned = await in_thread.plan_stored(session, NOW)
    assert planned == make_plan(await store.planning_input(session.id), NOW)
    assert planned is not None
    assert (planned.plan.version, planned.plan.follows) == (2, session.plan_id)
    assert planned.made_for is session.state


async def test_the_process_reads_a_large_stored_session_from_the_database(
    store: SessionStore, in_process: PlanWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = await store.create_session(record(n_items=N_ITEMS), plan(), snapshot(), None)
    expected = make_plan(await store.planning_input(session.id), NOW)
    monkeypatch.setattr(store, "read", None)  # not in this process
    assert await in_process.plan_stored(session, NOW) == expected
    with pytest.raises(SessionNotFound, match="there is no session other"):
        await in_process.plan_stored(replace(session, id="other"), NOW)
    assert await in_process.plan_stored(session, NOW) == expected


async def test_a_process_that_dies_is_replaced(in_process: PlanWorker, given: PlanningInput) -> None:
    expected = await in_process.first_plan(given, NOW)
    os.kill(_pid(in_process), signal.SIGKILL)
    with pytest.raises(ProcessDied):
        await in_process.first_plan(given, NOW)
    assert await in_process.first_plan(given, NOW) == expected
    second = _pid(in_process)
    await asyncio.to_thread(in_process.close)
    assert not _is_alive(second)


async def test_an_error_in_a_plan_is_raised_and_the_process_continues(
    in_process: PlanWorker, given: PlanningInput
) -> None:
    expected = await in_process.first_plan(given, NOW)
    before = _pid(in_process)
    unknown_policy = replace(given.session, settings=given.session.settings.model_copy(update={"policy": "none"}))
    with pytest.raises(PlanFailed, match="InvalidProblem"):
        await in_process.first_plan(replace(given, session=unknown_policy), NOW)
    assert await in_process.first_plan(given, NOW) == expected
    assert _pid(in_process) == before


async def test_the_plan_of_a_cancelled_caller_is_not_given_to_the_next_one(
    in_process: PlanWorker, given: PlanningInput
) -> None:
    first = asyncio.ensure_future(in_process.first_plan(given, NOW.replace(year=2001)))
    await asyncio.sleep(0.05)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert await in_process.first_plan(given, NOW) == make_plan(given, NOW)


def _pid(in_process: PlanWorker) -> int:
    assert in_process._process is not None
    return int(in_process._process.process.pid or 0)


def _is_alive(pid: int) -> bool:
    until = time.monotonic() + 5
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.01)
    return True
