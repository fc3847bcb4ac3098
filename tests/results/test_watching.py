"""Streams: one read for all of them, the newest news only, and an end."""

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from app.errors import Overloaded, StorageUnavailable
from app.results import watching
from app.results.watching import Watch
from app.sessions.model import Counters, Live, Snapshot
from app.telemetry.logs import REQUEST_ID

POLL_SECONDS = 0.01
PATIENCE_SECONDS = 10.0


def live(tag: str, counted: int = 0) -> Live:
    return Live(Snapshot("{}", tag), Counters(counted, counted, 0, counted))


class Database:
    """Sessions by id, and a note of every read."""

    def __init__(self, **sessions: Live) -> None:
        self.sessions = sessions
        self.reads: list[list[str]] = []
        self.away = False

    async def read(self, session_ids: Sequence[str]) -> dict[str, Live]:
        self.reads.append(sorted(session_ids))
        if self.away:
            raise StorageUnavailable("the database is away")
        return {one: self.sessions[one] for one in session_ids if one in self.sessions}


async def told(stream: AsyncIterator[Live | None]) -> Live | None:
    return await asyncio.wait_for(anext(stream), PATIENCE_SECONDS)


async def test_a_stream_tells_what_is_and_then_what_changes() -> None:
    database = Database(a=live("1"))
    watch = Watch(database.read, POLL_SECONDS)
    stream = watch.follow("a", PATIENCE_SECONDS)
    assert await told(stream) == live("1")
    database.sessions["a"] = live("1", counted=5)
    assert await told(stream) == live("1", counted=5)
    database.sessions["a"] = live("2", counted=5)
    assert await told(stream) == live("2", counted=5)
    await watch.stop()


async def test_what_does_not_change_is_told_once() -> None:
    database = Database(a=live("1"))
    watch = Watch(database.read, POLL_SECONDS)
    stream = watch.follow("a", idle_seconds=10 * POLL_SECONDS)
    assert await told(stream) == live("1")
    assert await told(stream) is None, "a sign of life and nothing else"
    assert len(database.reads) > 2
    await watch.stop()


async def test_many_streams_share_one_read() -> None:
    database = Database(a=live("1"), b=live("2"))
    watch = Watch(database.read, POLL_SECONDS)
    streams = [watch.follow(name, PATIENCE_SECONDS) for name in "ab" * 50]
    first = await asyncio.gather(*(told(stream) for stream in streams))
    assert first == [live("1"), live("2")] * 50
    assert database.reads == [["a", "b"]], "one read for a hundred streams"
    assert watch.streams == 100
    await watch.stop()


async def test_nothing_is_read_when_nobody_listens() -> None:
    database = Database(a=live("1"))
    watch = Watch(database.read, POLL_SECONDS)
    stream = watch.follow("a", PATIENCE_SECONDS)
    await told(stream)
    await stream.aclose()  # type: ignore[attr-defined]  # it is a generator
    await asyncio.sleep(5 * POLL_SECONDS)
    reads = len(database.reads)
    await asyncio.sleep(5 * POLL_SECONDS)
    assert (len(database.reads), watch.streams) == (reads, 0)
    again = watch.follow("a", PATIENCE_SECONDS)
    assert await told(again) == live("1"), "and it begins again with the next stream"
    await watch.stop()


async def test_a_deleted_session_ends_its_streams_only() -> None:
    database = Database(a=live("1"), b=live("2"))
    watch = Watch(database.read, POLL_SECONDS)
    gone, other = watch.follow("a", PATIENCE_SECONDS), watch.follow("b", PATIENCE_SECONDS)
    await asyncio.gather(told(gone), told(other))
    del database.sessions["a"]
    with pytest.raises(StopAsyncIteration):
        await told(gone)
    database.sessions["b"] = live("3")
    assert await told(other) == live("3")
    await watch.stop()


async def test_streams_outlive_an_outage() -> None:
    database = Database(a=live("1"))
    watch = Watch(database.read, POLL_SECONDS)
    stream = watch.follow("a", 10 * POLL_SECONDS)
    await told(stream)
    database.away = True
    assert await told(stream) is None
    database.away, database.sessions["a"] = False, live("2")
    while (news := await told(stream)) is None:
        pass
    assert news == live("2")
    await watch.stop()


async def test_closing_ends_all_streams_and_those_that_come_later() -> None:
    database = Database(a=live("1"))
    watch = Watch(database.read, POLL_SECONDS)
    stream = watch.follow("a", PATIENCE_SECONDS)
    await told(stream)
    watch.close()
    late = watch.follow("a", PATIENCE_SECONDS)
    for each in (stream, late):
        with pytest.raises(StopAsyncIteration):
            await told(each)
    await watch.stop()


async def test_there_is_an_end_to_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "MOST_STREAMS", 1)
    watch = Watch(Database(a=live("1")).read, POLL_SECONDS)
    first = watch.follow("a", PATIENCE_SECONDS)
    await told(first)
    with pytest.raises(Overloaded):
        watch.follow("a", PATIENCE_SECONDS)
    await watch.stop()


async def test_reading_for_all_does_not_bear_the_id_of_the_request_that_began_it() -> None:
    seen: list[object] = []

    async def read(session_ids: Sequence[str]) -> dict[str, Live]:
        seen.append(REQUEST_ID.get())
        return {one: live("a") for one in session_ids}

    watch = Watch(read, POLL_SECONDS)
    token = REQUEST_ID.set("of-one-caller")
    try:
        assert await told(watch.follow("s", 5)) == live("a")
    finally:
        REQUEST_ID.reset(token)
        await watch.stop()
    assert set(seen) == {None}
