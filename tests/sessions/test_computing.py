"""Where plans are computed: the same plan in a thread and in a process of its own, which can die without harm."""

import asyncio
import os
import signal
import time
from concurrent.futures.process import BrokenProcessPool
from datetime import UTC, datetime

import pytest

from app.sessions import computing
from app.sessions.computing import Computing
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
    assert here._pool is None
    monkeypatch.setattr(computing, "OWN_PROCESS_ITEMS", 5)
    apart = Computing()
    assert await apart.plan(given(make_record), NOW) == wanted
    assert apart._pool is not None
    apart.close()


async def test_a_process_that_dies_is_replaced(make_record: MakeRecord, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computing, "OWN_PROCESS_ITEMS", 5)
    apart = Computing()
    wanted = await apart.plan(given(make_record), NOW)
    (worker,) = _workers(apart)
    os.kill(worker, signal.SIGKILL)
    with pytest.raises(BrokenProcessPool):
        await apart.plan(given(make_record), NOW)
    assert await apart.plan(given(make_record), NOW) == wanted
    (second,) = _workers(apart)
    await asyncio.to_thread(apart.close)
    assert not _is_alive(second)


def _workers(apart: Computing) -> list[int]:
    assert apart._pool is not None
    return list(apart._pool._processes or {})


def _is_alive(pid: int) -> bool:
    until = time.monotonic() + 5
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.01)
    return True
