"""The census cache: the database is read at most every few seconds, and a failed read gives no old numbers."""

import asyncio

import pytest

from app.errors import StorageUnavailable
from app.results import census
from app.results.census import FRESH_SECONDS, MAX_NAMED, CensusCache
from app.results.sql import Census, SessionGroup

SOME = Census((SessionGroup("running", "not_yet", 2, 7),))


class Database:
    """Counts reads; `error` makes them fail, and `now` is the clock of the cache."""

    def __init__(self) -> None:
        self.requests: list[int] = []  # how many sessions were to be named
        self.error: Exception | None = None
        self.now = 100.0

    async def census(self, max_named: int) -> Census:
        self.requests.append(max_named)
        await asyncio.sleep(0)
        if self.error is not None:
            raise self.error
        return SOME


async def test_many_callers_share_a_read_every_few_seconds() -> None:
    database = Database()
    cache = CensusCache(database.census, clock=lambda: database.now)
    assert await asyncio.gather(*(cache.take() for _ in range(20))) == [SOME] * 20
    database.now += FRESH_SECONDS - 0.1
    assert await cache.take() == SOME
    assert database.requests == [0]
    database.now += 0.1
    await cache.take()
    assert len(database.requests) == 2


@pytest.mark.parametrize(
    "error", [StorageUnavailable("the database is down"), TimeoutError(), RuntimeError("a defect")]
)
async def test_a_failed_read_gives_no_census_instead_of_an_old_one(error: Exception) -> None:
    database = Database()
    cache = CensusCache(database.census, clock=lambda: database.now)
    assert await cache.take() == SOME
    database.error = error
    database.now += FRESH_SECONDS
    assert await cache.take() is None
    database.error = None
    database.now += FRESH_SECONDS
    assert await cache.take() == SOME


async def test_a_read_that_hangs_gives_no_census(monkeypatch: pytest.MonkeyPatch) -> None:
    async def hang(_: int) -> Census:
        await asyncio.Event().wait()
        return SOME

    monkeypatch.setattr(census, "READ_TIMEOUT_SECONDS", 0.01)
    assert await CensusCache(hang).take() is None


async def test_sessions_are_named_on_request_only() -> None:
    database = Database()
    await CensusCache(database.census, by_session=True).take()
    assert database.requests == [MAX_NAMED]
