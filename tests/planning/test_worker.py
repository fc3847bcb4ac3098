"""Where plans are computed: the same plan in a thread and in a process of its own, which can die without harm."""

import asyncio
import os
import signal
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from app.errors import SessionNotFound
from app.planning import worker as computing
from app.planning.make_plan import make_plan
from app.planning.worker import Computing, PlanFailed, ProcessDied
from app.sessions.model import Counters, EvidenceRows
from app.sessions.ports import PlanningInput
from tests.session_fixtures import MakeRecord

NOW = datetime(2025, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Source:
    """Knows one session, in whatever process it is asked."""

    known: PlanningInput | None = None

    def read(self, session_id: str) -> PlanningInput:
        if self.known is None or session_id != self.known.record.id:
            raise SessionNotFound(f"there is no session {session_id}")
        return self.known


class StoreOf:
    """Only what computing asks of a store."""

    def __init__(self, known: PlanningInput | None = None) -> None:
        self._source = Source(known)

    def planning_source(self) -> Source:
        return self._source

    async def planning_input(self, session_id: str) -> PlanningInput:
        return self._source.read(session_id)


STORE: Any = StoreOf()


def given(make_record: MakeRecord) -> PlanningInput:
    return PlanningInput(make_record(n_items=5, plan_version=0), Counters(0, 0, 0, 0), EvidenceRows(), None, ())


async def test_the_plan_is_the_same_wherever_it_is_computed(
    make_record: MakeRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = make_plan(given(make_record), NOW)
    here = Computing(STORE)
    assert await here.plan(given(make_record), NOW) == wanted
    assert here._worker is None
    monkeypatch.setattr(computing, "OWN_PROCESS_ITEMS", 5)
    apart = Computing(STORE)
    assert await apart.plan(given(make_record), NOW) == wanted
    assert apart._worker is not None
    apart.close()


async def test_the_process_reads_what_is_stored_itself(
    make_record: MakeRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = given(make_record)
    store: Any = StoreOf(stored)
    here = Computing(store)
    wanted = await here.plan_stored(stored.record, NOW)
    assert wanted == make_plan(stored, NOW)
    assert wanted.made_for is stored.record.state
    monkeypatch.setattr(computing, "OWN_PROCESS_ITEMS", 5)
    monkeypatch.setattr(StoreOf, "planning_input", None)  # not in this process
    apart = Computing(store)
    assert await apart.plan_stored(stored.record, NOW) == wanted
    with pytest.raises(SessionNotFound, match="there is no session other"):
        await apart.plan_stored(replace(stored.record, id="other"), NOW)
    assert await apart.plan_stored(stored.record, NOW) == wanted
    apart.close()


async def test_a_process_that_dies_is_replaced(make_record: MakeRecord, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computing, "OWN_PROCESS_ITEMS", 5)
    apart = Computing(STORE)
    wanted = await apart.plan(given(make_record), NOW)
    os.kill(_pid(apart), signal.SIGKILL)
    with pytest.raises(ProcessDied):
        await apart.plan(given(make_record), NOW)
    assert await apart.plan(given(make_record), NOW) == wanted
    second = _pid(apart)
    await asyncio.to_thread(apart.close)
    assert not _is_alive(second)


async def test_what_goes_wrong_with_a_plan_is_told_and_the_process_goes_on(
    make_record: MakeRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(computing, "OWN_PROCESS_ITEMS", 5)
    apart = Computing(STORE)
    wanted = await apart.plan(given(make_record), NOW)
    before = _pid(apart)
    record = make_record(n_items=5, plan_version=0)
    broken = replace(given(make_record), record=replace(record, settings=replace(record.settings, policy="none")))
    with pytest.raises(PlanFailed, match="InvalidProblem"):
        await apart.plan(broken, NOW)
    assert await apart.plan(given(make_record), NOW) == wanted
    assert _pid(apart) == before
    apart.close()


async def test_an_answer_nobody_waits_for_is_not_given_to_the_next(
    make_record: MakeRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(computing, "OWN_PROCESS_ITEMS", 5)
    apart = Computing(STORE)
    first = asyncio.ensure_future(apart.plan(given(make_record), NOW.replace(year=2001)))
    await asyncio.sleep(0.05)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert await apart.plan(given(make_record), NOW) == make_plan(given(make_record), NOW)
    apart.close()


def _pid(apart: Computing) -> int:
    assert apart._worker is not None
    return int(apart._worker.process.pid or 0)


def _is_alive(pid: int) -> bool:
    until = time.monotonic() + 5
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.01)
    return True
