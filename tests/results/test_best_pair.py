"""Snapshots: at most a second old, one read for many callers, dropped after a change; and when they are rewritten."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, cast

import pytest

from app.database.store import Store
from app.errors import SessionNotFound
from app.results.best_pair import CACHED_SNAPSHOTS, FRESH_SECONDS, STALE_SECONDS, Snapshots
from app.results.sql import read_snapshot, set_snapshot
from app.sessions.model import Snapshot
from app.sessions.sql import SessionCache
from app.wire.sessions import SessionPatch
from app.wire.vocabulary import State
from tests.examples import a_session, add_plan, plan, snapshot
from tests.store import SessionStore


class StubStore:
    """A store of one snapshot, whose reads end when `may_end` is set; `now` is the clock of the cache."""

    def __init__(self) -> None:
        self.body = "one"
        self.reads = 0
        self.now = 0.0
        self.may_end = asyncio.Event()
        self.may_end.set()
        self.snapshots = Snapshots(cast("Store", self), SessionCache(), monotonic=lambda: self.now)

    async def read(self, work: Callable[..., object], session_id: str) -> Snapshot:
        assert work is read_snapshot
        self.reads += 1
        body = self.body
        await self.may_end.wait()
        if body == "deleted":
            raise SessionNotFound(session_id)
        return Snapshot(body, '"tag"')

    async def body_read(self) -> str:
        return (self.snapshots.cached("s") or await self.snapshots.read("s")).body


async def test_many_callers_share_one_read() -> None:
    stub = StubStore()
    stub.may_end.clear()
    callers = asyncio.gather(*(stub.body_read() for _ in range(20)))
    await asyncio.sleep(0)
    stub.may_end.set()
    assert await callers == ["one"] * 20
    assert (stub.reads, await stub.body_read(), stub.reads) == (1, "one", 1)


async def test_a_change_by_another_process_is_seen_within_a_second() -> None:
    stub = StubStore()
    await stub.body_read()
    stub.body = "two"
    stub.now = FRESH_SECONDS - 0.01
    assert (await stub.body_read(), stub.reads) == ("one", 1)
    stub.now = FRESH_SECONDS
    assert await stub.body_read() == "one", "this call starts a read and does not wait for it"
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert (await stub.body_read(), stub.reads) == ("two", 2)


async def test_a_stale_snapshot_is_not_used_and_its_age_counts_from_the_start_of_the_read() -> None:
    stub = StubStore()
    stub.may_end.clear()
    slow = asyncio.ensure_future(stub.body_read())
    while not stub.reads:
        await asyncio.sleep(0)
    stub.now = STALE_SECONDS
    stub.may_end.set()
    await slow
    assert stub.snapshots.cached("s") is None
    assert STALE_SECONDS < 1.0


async def test_forget_also_drops_the_result_of_a_running_read() -> None:
    stub = StubStore()
    stub.may_end.clear()
    early = asyncio.ensure_future(stub.body_read())
    while not stub.reads:
        await asyncio.sleep(0)
    stub.body = "two"
    stub.snapshots.forget("s")
    stub.may_end.set()
    await early
    assert await stub.body_read() == "two"


async def test_an_error_is_raised_to_its_caller_and_not_cached() -> None:
    stub = StubStore()
    stub.body = "deleted"
    with pytest.raises(SessionNotFound):
        await stub.body_read()
    stub.body = "one"
    assert await stub.body_read() == "one"
    stub.body, stub.now = "deleted", FRESH_SECONDS
    assert await stub.body_read() == "one"
    await asyncio.sleep(0)
    stub.now = STALE_SECONDS
    with pytest.raises(SessionNotFound):
        await stub.body_read()


async def test_a_cancelled_caller_does_not_cancel_the_shared_read() -> None:
    stub = StubStore()
    stub.may_end.clear()
    cancelled, other = asyncio.ensure_future(stub.body_read()), asyncio.ensure_future(stub.body_read())
    await asyncio.sleep(0)
    cancelled.cancel()
    await asyncio.sleep(0)
    stub.may_end.set()
    assert await other == "one"


async def test_the_number_of_cached_snapshots_is_limited() -> None:
    stub = StubStore()
    for number in range(CACHED_SNAPSHOTS + 1):
        await stub.snapshots.read(str(number))
    assert stub.snapshots.cached("0") is None
    assert stub.snapshots.cached(str(CACHED_SNAPSHOTS)) is not None


@pytest.fixture
def snapshots(store: SessionStore) -> Snapshots:
    return Snapshots(store, store.cache)


def content(found: Snapshot) -> dict[str, Any]:
    return dict(json.loads(found.body))


async def test_refresh_writes_the_snapshot_of_the_current_state(store: SessionStore, snapshots: Snapshots) -> None:
    session_id = await a_session(store)
    await snapshots.read(session_id)
    await store.change_session(session_id, SessionPatch(state=State.PAUSED))
    await snapshots.refresh(session_id)
    assert snapshots.cached(session_id) is None, "the old one is dropped from the cache"
    stored = await snapshots.read(session_id)
    assert content(stored)["state"] == "paused"
    assert content(stored)["pair"] == ["ad-0", "ad-1"]


async def test_refresh_writes_nothing_if_nothing_changed(store: SessionStore, snapshots: Snapshots) -> None:
    session_id = await a_session(store)
    await snapshots.refresh(session_id)
    first = await snapshots.read(session_id)
    await snapshots.refresh(session_id)
    assert snapshots.cached(session_id) == first, "still cached"
    assert await store.snapshot(session_id) == first, "with the same time in the body"


async def test_refresh_reads_again_if_a_plan_overtakes_it(
    store: SessionStore, snapshots: Snapshots, monkeypatch: pytest.MonkeyPatch
) -> None:
    session_id = await a_session(store)
    write, writes = store.write, []

    async def write_after_a_plan(work: Callable[..., Any], *given: Any, **named: Any) -> Any:
        if work is set_snapshot:
            writes.append(given[1])
            if len(writes) == 1:
                monkeypatch.setattr(store, "write", write)
                assert await add_plan(store, session_id, plan(2, pair=(1, 2)), snapshot("second"), None)
                monkeypatch.setattr(store, "write", write_after_a_plan)
        return await write(work, *given, **named)

    monkeypatch.setattr(store, "write", write_after_a_plan)
    await snapshots.refresh(session_id)
    assert writes == [1, 2], "the versions of the plans that the snapshots were made for"
    assert content(await store.snapshot(session_id))["pair"] == ["ad-1", "ad-2"]
