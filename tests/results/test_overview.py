import asyncio

import pytest

from app.errors import StorageUnavailable
from app.results import overview
from app.results.overview import FRESH_SECONDS, MOST_NAMED, Overview
from app.sessions.ports import Census, SessionGroup

SOME = Census((SessionGroup("running", "not_yet", 2, 7),))


class Database:
    def __init__(self) -> None:
        self.asked: list[int] = []
        self.error: Exception | None = None
        self.now = 100.0

    async def census(self, most_named: int) -> Census:
        self.asked.append(most_named)
        await asyncio.sleep(0)
        if self.error is not None:
            raise self.error
        return SOME


async def test_the_database_is_asked_every_few_seconds_however_many_look() -> None:
    database = Database()
    taker = Overview(database.census, clock=lambda: database.now)
    assert await asyncio.gather(*(taker.take() for _ in range(20))) == [SOME] * 20
    database.now += FRESH_SECONDS - 0.1
    assert await taker.take() == SOME
    assert database.asked == [0]
    database.now += 0.1
    await taker.take()
    assert len(database.asked) == 2


@pytest.mark.parametrize("error", [StorageUnavailable("away"), TimeoutError(), RuntimeError("a defect")])
async def test_without_an_answer_there_is_no_census_not_an_old_one(error: Exception) -> None:
    database = Database()
    taker = Overview(database.census, clock=lambda: database.now)
    assert await taker.take() == SOME
    database.error = error
    database.now += FRESH_SECONDS
    assert await taker.take() is None
    database.error = None
    database.now += FRESH_SECONDS
    assert await taker.take() == SOME


async def test_a_database_that_hangs_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    async def hang(_: int) -> Census:
        await asyncio.Event().wait()
        return SOME

    monkeypatch.setattr(overview, "PATIENCE_SECONDS", 0.01)
    assert await Overview(hang).take() is None


async def test_sessions_are_named_only_if_asked_for() -> None:
    database = Database()
    await Overview(database.census, by_session=True).take()
    assert database.asked == [MOST_NAMED]
