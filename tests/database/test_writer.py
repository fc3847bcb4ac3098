"""The writer alone: batches, limits, errors, the end."""

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from sqlalchemy import Connection, create_engine, event
from sqlalchemy.exc import IntegrityError

from app.database.database import Database
from app.database.writer import Writer
from app.errors import Overloaded, SessionStopped, StorageUnavailable


class Table:
    """Stores numbers, each once: the requests of these tests. A negative one is refused, 13 raises."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []

    def store(self, connection: Connection, requests: Sequence[int]) -> Sequence[object]:
        self.batches.append(list(requests))
        for number in requests:
            if number == 13:
                raise ZeroDivisionError
            if number >= 0:
                connection.exec_driver_sql("INSERT INTO numbers VALUES (?)", (number,))
        return [SessionStopped("refused") if number < 0 else number for number in requests]


@pytest.fixture
def database(sqlite_url: str) -> Iterator[Database]:
    made = Database(sqlite_url, busy_seconds=0.1)
    with made.writer.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE numbers (number INTEGER PRIMARY KEY)")
    yield made
    made.dispose()


@pytest.fixture
def table() -> Table:
    return Table()


Made = Callable[..., Writer[int]]


@pytest.fixture
def make(database: Database, table: Table) -> Iterator[Made]:
    writers: list[Writer[int]] = []

    def make_writer(**changes: Any) -> Writer[int]:
        options: dict[str, Any] = {
            "maintenance": lambda _: None,
            "maintenance_seconds": 60.0,
            "on_outage": lambda: None,
            "capacity": 100,
            "rows_per_commit": 50,
        }
        writer = Writer(database.writer, table.store, **{**options, **changes})
        writers.append(writer)
        writer.start()
        return writer

    yield make_writer
    for writer in writers:
        writer.close()


def stored(database: Database) -> set[int]:
    return database.read(
        lambda connection: {row[0] for row in connection.exec_driver_sql("SELECT number FROM numbers")}
    )


class Blocked:
    """Keeps a writer busy inside a transaction of its own until released."""

    def __init__(self, writer: Writer[int]) -> None:
        self._entered, self._released = threading.Event(), threading.Event()
        self._task = asyncio.ensure_future(writer.run_exclusive(self._work))

    def _work(self, _: Connection) -> None:
        self._entered.set()
        assert self._released.wait(10)

    async def __aenter__(self) -> "Blocked":
        assert await asyncio.to_thread(self._entered.wait, 10)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._released.set()
        await self._task


async def request(writer: Writer[int], number: int, rows: int = 1, drop_if_cancelled: bool = False) -> Any:
    """Returns the result of one request; raises its error, or what `submit` raises."""
    return await writer.submit(number, rows, drop_if_cancelled)


async def ask(writer: Writer[int], *numbers: int, rows: int = 1, drop: bool = False) -> list[asyncio.Task[Any]]:
    """Returns a task for each request, once all of them are in the writer's queue or refused."""
    tasks = [asyncio.ensure_future(request(writer, number, rows, drop)) for number in numbers]
    await asyncio.sleep(0)  # the tasks submit their requests
    await asyncio.sleep(0)  # the event loop passes them to the writer
    return tasks


async def test_what_queued_meanwhile_shares_one_transaction(make: Made, table: Table, database: Database) -> None:
    writer = make()
    async with Blocked(writer):
        tasks = await ask(writer, *range(20, 40))
        assert not any(task.done() for task in tasks)
    assert await asyncio.gather(*tasks) == list(range(20, 40))
    assert table.batches == [list(range(20, 40))]
    assert stored(database) == set(range(20, 40))


async def test_a_transaction_has_a_limited_number_of_rows(make: Made, table: Table) -> None:
    writer = make(rows_per_commit=50)
    async with Blocked(writer):
        tasks = [*await ask(writer, 1, 2, 3, rows=20), *await ask(writer, 4, rows=500), *await ask(writer, 5)]
    await asyncio.gather(*tasks)
    assert table.batches == [[1, 2], [3], [4], [5]]


async def test_a_full_queue_refuses_and_recovers(make: Made, database: Database) -> None:
    writer = make(capacity=3)
    async with Blocked(writer):
        tasks = await ask(writer, 1, 2, 3, 4, 5)
        results = asyncio.gather(*tasks, return_exceptions=True)
    assert [type(result) for result in await results] == [int, int, int, Overloaded, Overloaded]
    assert await request(writer, 6) == 6
    assert stored(database) == {1, 2, 3, 6}


async def test_the_error_of_one_request_is_its_result_and_the_others_are_served(
    make: Made, table: Table, database: Database
) -> None:
    writer = make()
    async with Blocked(writer):
        results = asyncio.gather(*await ask(writer, 1, -2, 3), return_exceptions=True)
    assert [type(result) for result in await results] == [int, SessionStopped, int]
    assert (table.batches, stored(database)) == ([[1, -2, 3]], {1, 3})


async def test_a_request_that_breaks_the_transaction_fails_alone(make: Made, database: Database) -> None:
    writer = make()
    assert await request(writer, 3) == 3
    async with Blocked(writer):
        results = asyncio.gather(*await ask(writer, 1, 13, 2, 3), return_exceptions=True)
    assert [type(result) for result in await results] == [int, ZeroDivisionError, int, IntegrityError]
    assert stored(database) == {1, 2, 3}


async def test_a_cancelled_request_is_dropped_only_if_it_may_be(make: Made, database: Database) -> None:
    writer = make()
    async with Blocked(writer):
        tasks = [*await ask(writer, 1, drop=True), *await ask(writer, 2), *await ask(writer, 3, drop=True)]
        tasks[0].cancel()
        tasks[1].cancel()
        await asyncio.wait(tasks[:2], timeout=10)
        assert tasks[0].cancelled()
        assert tasks[1].cancelled()
    assert await tasks[2] == 3
    assert stored(database) == {2, 3}


async def test_closing_finishes_what_waits_and_refuses_the_rest(make: Made, database: Database) -> None:
    writer = make(rows_per_commit=1)
    async with Blocked(writer):
        tasks = await ask(writer, *range(20, 30))
        closing = asyncio.ensure_future(asyncio.to_thread(writer.close))
        async with asyncio.timeout(9):
            while writer._open:
                await asyncio.sleep(0.001)
        with pytest.raises(StorageUnavailable):
            await request(writer, 99)
    await closing
    assert await asyncio.gather(*tasks) == list(range(20, 30))
    assert stored(database) == set(range(20, 30))


async def test_nothing_is_acknowledged_that_was_not_committed(make: Made, database: Database) -> None:
    outages: list[int] = []
    writer = make(on_outage=lambda: outages.append(1))
    other = create_engine(database.url)
    with other.connect() as holder:
        holder.exec_driver_sql("BEGIN IMMEDIATE")  # as if the disk were busy all the time
        with pytest.raises(StorageUnavailable) as caught:
            await request(writer, 1)
        assert "locked" not in caught.value.detail
        holder.exec_driver_sql("ROLLBACK")
    other.dispose()
    assert outages == [1]
    assert stored(database) == set()
    assert await request(writer, 1) == 1


async def test_a_full_disk_is_survived(make: Made, database: Database) -> None:
    def fill(connection: Connection) -> None:
        connection.exec_driver_sql("CREATE TABLE filler (content BLOB)")
        connection.exec_driver_sql("INSERT INTO filler VALUES (zeroblob(10000000))")

    @event.listens_for(database.writer, "begin")
    def limit(connection: Connection) -> None:
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")

    pages = 20
    writer = make()
    with pytest.raises(StorageUnavailable):
        await writer.run_exclusive(fill)
    pages = 1_000_000
    assert await request(writer, 1) == 1
    await writer.run_exclusive(fill)


async def test_maintenance_runs_without_requests_and_may_fail(make: Made) -> None:
    runs: list[int] = []
    four_runs = threading.Event()

    def maintain(_: Connection) -> None:
        runs.append(1)
        if len(runs) == 2:
            raise ZeroDivisionError
        if len(runs) == 4:
            four_runs.set()

    writer = make(maintenance=maintain, maintenance_seconds=0.01)
    assert await asyncio.to_thread(four_runs.wait, 10)
    assert await request(writer, 1) == 1


async def test_results_go_to_the_loop_that_asked(make: Made) -> None:
    writer = make()
    mine = await ask(writer, 1)
    theirs = await asyncio.to_thread(lambda: asyncio.run(request(writer, 2)))
    assert (await mine[0], theirs) == (1, 2)


def test_a_closed_event_loop_does_not_affect_others(make: Made, database: Database) -> None:
    writer = make()

    async def leave() -> None:
        async with Blocked(writer):
            await ask(writer, 1)

    asyncio.run(leave())
    assert asyncio.run(request(writer, 2)) == 2
    assert stored(database) == {1, 2}
