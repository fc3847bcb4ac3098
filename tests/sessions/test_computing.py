"""Where plans are computed: the same plan in a thread and in a process of its own, which can die without harm."""

import asyncio
import os
import signal
import time
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from app.sessions import computing
from app.sessions.computing import Computing, PlanFailed, ProcessDied
from app.sessions.model import Counters, EvidenceRows
from app.sessions.planning import make_plan
from app.sessions.ports import PlanningInput
from tests.sessions.conftest import MakeRecord

NOW = datetime(2025, 1, 1, tzinfo=UTC)


def given(make_record: MakeRecord) -> PlanningInput:
    return PlanningInput(make_record(n_items=5, plan_version=0), Counters(0, 0, 0, 0), EvidenceRows(), None, ())


async def test_the_plan_is_the_same_wherever_it_is_computed(
    make_record: MakeRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = make_plan(given(make_record), NOW)
    here = Computing()
    assert await here.plan(given(make_record), NOW) == wanted
    assert here._worker is None
    monkeypatch.setattr(computing, "OWN_PROCESS_ITEMS", 5)
    apart = Computing()
    assert await apart.plan(given(make_record), NOW) == wanted
    assert apart._worker is not None
    apart.close()


async def test_a_process_that_dies_is_replaced(make_record: MakeRecord, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computing, "OWN_PROCESS_ITEMS", 5)
    apart = Computing()
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
    apart = Computing()
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
    apart = Computing()
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
