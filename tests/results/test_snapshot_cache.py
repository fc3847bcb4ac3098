"""Snapshots at hand: fresh within a second, one read for a crowd, nothing old after a change."""

import asyncio

import pytest

from app.errors import SessionNotFound
from app.results.snapshot_cache import FRESH_SECONDS, MOST_KEPT, STALE_SECONDS, SnapshotCache
from app.sessions.model import Snapshot


class Stored:
    """A store whose reads take until they are let go, and a clock that moves when told."""

    def __init__(self) -> None:
        self.says = "one"
        self.reads = 0
        self.now = 0.0
        self.may_end = asyncio.Event()
        self.may_end.set()
        self.cache = SnapshotCache(self.read, lambda: self.now)

    async def read(self, session_id: str) -> Snapshot:
        self.reads += 1
        said = self.says
        await self.may_end.wait()
        if said == "gone":
            raise SessionNotFound(session_id)
        return Snapshot(said, '"tag"')

    async def asked(self) -> str:
        return (self.cache.kept("s") or await self.cache.read("s")).body


async def test_a_crowd_shares_one_read() -> None:
    stored = Stored()
    stored.may_end.clear()
    crowd = asyncio.gather(*(stored.asked() for _ in range(20)))
    await asyncio.sleep(0)
    stored.may_end.set()
    assert await crowd == ["one"] * 20
    assert (stored.reads, await stored.asked(), stored.reads) == (1, "one", 1)


async def test_what_another_process_changed_is_seen_within_a_second() -> None:
    stored = Stored()
    await stored.asked()
    stored.says = "two"
    stored.now = FRESH_SECONDS - 0.01
    assert (await stored.asked(), stored.reads) == ("one", 1)
    stored.now = FRESH_SECONDS
    assert await stored.asked() == "one", "nobody waits for the read that this begins"
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert (await stored.asked(), stored.reads) == ("two", 2)


async def test_nothing_stale_is_given_out_and_the_age_is_that_of_the_read() -> None:
    stored = Stored()
    stored.may_end.clear()
    slow = asyncio.ensure_future(stored.asked())
    while not stored.reads:
        await asyncio.sleep(0)
    stored.now = STALE_SECONDS
    stored.may_end.set()
    await slow
    assert stored.cache.kept("s") is None
    assert STALE_SECONDS < 1.0


async def test_a_change_is_seen_at_once_even_by_reads_under_way() -> None:
    stored = Stored()
    stored.may_end.clear()
    early = asyncio.ensure_future(stored.asked())
    while not stored.reads:
        await asyncio.sleep(0)
    stored.says = "two"
    stored.cache.forget("s")
    stored.may_end.set()
    await early
    assert await stored.asked() == "two"


async def test_an_error_is_told_to_who_asked_and_not_kept() -> None:
    stored = Stored()
    stored.says = "gone"
    with pytest.raises(SessionNotFound):
        await stored.asked()
    stored.says = "one"
    assert await stored.asked() == "one"
    stored.says, stored.now = "gone", FRESH_SECONDS
    assert await stored.asked() == "one"
    await asyncio.sleep(0)
    stored.now = STALE_SECONDS
    with pytest.raises(SessionNotFound):
        await stored.asked()


async def test_a_caller_that_leaves_takes_nothing_with_it() -> None:
    stored = Stored()
    stored.may_end.clear()
    leaver, stayer = asyncio.ensure_future(stored.asked()), asyncio.ensure_future(stored.asked())
    await asyncio.sleep(0)
    leaver.cancel()
    await asyncio.sleep(0)
    stored.may_end.set()
    assert await stayer == "one"


async def test_only_so_many_are_kept() -> None:
    stored = Stored()
    for number in range(MOST_KEPT + 1):
        await stored.cache.read(str(number))
    assert stored.cache.kept("0") is None
    assert stored.cache.kept(str(MOST_KEPT)) is not None
