"""Event streams: one read of the database for all of them, only the newest state, and how they end."""

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from app.errors import Overloaded, StorageUnavailable
from app.results import streams
from app.results.sql import Live
from app.results.streams import EventStreams
from app.sessions.model import Counters, Snapshot
from app.telemetry.logs import REQUEST_ID

POLL_SECONDS = 0.01
TIMEOUT_SECONDS = 10.0


def live(tag: str, counted: int = 0) -> Live:
    return Live(Snapshot("{}", tag), Counters(counted, counted, 0, counted))


class Database:
    """Sessions by id; counts every read."""

    def __init__(self, **sessions: Live) -> None:
        self.sessions = sessions
        self.reads: list[list[str]] = []
        self.is_down = False

    async def read(self, session_ids: Sequence[str]) -> dict[str, Live]:
        self.reads.append(sorted(session_ids))
        if self.is_down:
            raise StorageUnavailable("the database is down")
        return {one: self.sessions[one] for one in session_ids if one in self.sessions}


async def receive(stream: AsyncIterator[Live | None]) -> Live | None:
    return await asyncio.wait_for(anext(stream), TIMEOUT_SECONDS)


async def test_a_stream_sends_the_state_and_then_every_change() -> None:
    database = Database(a=live("1"))
    events = EventStreams(database.read, POLL_SECONDS)
    stream = events.follow("a", TIMEOUT_SECONDS)
    assert await receive(stream) == live("1")
    database.sessions["a"] = live("1", counted=5)
    assert await receive(stream) == live("1", counted=5)
    database.sessions["a"] = live("2", counted=5)
    assert await receive(stream) == live("2", counted=5)
    await events.stop()


async def test_an_unchanged_state_is_sent_once() -> None:
    database = Database(a=live("1"))
    events = EventStreams(database.read, POLL_SECONDS)
    stream = events.follow("a", idle_seconds=10 * POLL_SECONDS)
    assert await receive(stream) == live("1")
    assert await receive(stream) is None, "a keep-alive and nothing else"
    assert len(database.reads) > 2
    await events.stop()


async def test_many_streams_share_one_read() -> None:
    database = Database(a=live("1"), b=live("2"))
    events = EventStreams(database.read, poll_seconds=60.0)
    followers = [events.follow(name, TIMEOUT_SECONDS) for name in "ab" * 50]
    first = await asyncio.gather(*(receive(stream) for stream in followers))
    assert first == [live("1"), live("2")] * 50
    assert database.reads == [["a", "b"]], "one read for a hundred streams"
    assert events.streams == 100
    await events.stop()


async def test_nothing_is_read_without_streams() -> None:
    database = Database(a=live("1"))
    events = EventStreams(database.read, POLL_SECONDS)
    stream = events.follow("a", TIMEOUT_SECONDS)
    await receive(stream)
    await stream.aclose()  # type: ignore[attr-defined]  # it is a generator
    await asyncio.sleep(5 * POLL_SECONDS)
    reads = len(database.reads)
    await asyncio.sleep(5 * POLL_SECONDS)
    assert (len(database.reads), events.streams) == (reads, 0)
    again = events.follow("a", TIMEOUT_SECONDS)
    assert await receive(again) == live("1"), "the next stream starts the reads again"
    await events.stop()


async def test_a_deleted_session_ends_its_streams_only() -> None:
    database = Database(a=live("1"), b=live("2"))
    events = EventStreams(database.read, POLL_SECONDS)
    deleted, other = events.follow("a", TIMEOUT_SECONDS), events.follow("b", TIMEOUT_SECONDS)
    await asyncio.gather(receive(deleted), receive(other))
    del database.sessions["a"]
    with pytest.raises(StopAsyncIteration):
        await receive(deleted)
    database.sessions["b"] = live("3")
    assert await receive(other) == live("3")
    await events.stop()


async def test_streams_survive_an_outage() -> None:
    database = Database(a=live("1"))
    events = EventStreams(database.read, POLL_SECONDS)
    stream = events.follow("a", 10 * POLL_SECONDS)
    await receive(stream)
    database.is_down = True
    assert await receive(stream) is None
    database.is_down, database.sessions["a"] = False, live("2")
    while (state := await receive(stream)) is None:
        pass
    assert state == live("2")
    await events.stop()


async def test_close_ends_open_streams_and_new_ones() -> None:
    database = Database(a=live("1"))
    events = EventStreams(database.read, POLL_SECONDS)
    stream = events.follow("a", TIMEOUT_SECONDS)
    await receive(stream)
    events.close()
    late = events.follow("a", TIMEOUT_SECONDS)
    for each in (stream, late):
        with pytest.raises(StopAsyncIteration):
            await receive(each)
    await events.stop()


async def test_the_number_of_streams_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MAX_STREAMS", 1)
    events = EventStreams(Database(a=live("1")).read, POLL_SECONDS)
    first = events.follow("a", TIMEOUT_SECONDS)
    await receive(first)
    with pytest.raises(Overloaded):
        events.follow("a", TIMEOUT_SECONDS)
    await events.stop()


async def test_the_shared_read_does_not_use_the_request_id_of_the_first_caller() -> None:
    seen: list[object] = []

    async def read(session_ids: Sequence[str]) -> dict[str, Live]:
        seen.append(REQUEST_ID.get())
        return {one: live("a") for one in session_ids}

    events = EventStreams(read, POLL_SECONDS)
    token = REQUEST_ID.set("first-caller")
    try:
        assert await receive(events.follow("s", 5)) == live("a")
    finally:
        REQUEST_ID.reset(token)
        await events.stop()
    assert set(seen) == {None}
