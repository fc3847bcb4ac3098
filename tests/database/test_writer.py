"""The writer by itself: groups, limits, errors, the end."""

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
    """What the wishes of these tests are: numbers to be stored, each once. A negative one is refused, 13 breaks."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []

    def store(self, connection: Connection, wishes: Sequence[int]) -> Sequence[object]:
        self.batches.append(list(wishes))
        for wish in wishes:
            if wish == 13:
                raise ZeroDivisionError
            if wish >= 0:
                connection.exec_driver_sql("INSERT INTO numbers VALUES (?)", (wish,))
        return [SessionStopped("refused") if wish < 0 else wish for wish in wishes]


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
            "idle_task": lambda _: None,
            "idle_seconds": 60.0,
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
        self._task = asyncio.ensure_future(writer.alone(self._work))

    def _work(self, _: Connection) -> None:
        self._entered.set()
        assert self._released.wait(10)

    async def __aenter__(self) -> "Blocked":
        while not self._entered.is_set():
            await asyncio.sleep(0.001)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._released.set()
        await self._task


def ask(writer: Writer[int], *wishes: int, rows: int = 1, lapses: bool = False) -> list[asyncio.Task[Any]]:
    return [asyncio.ensure_future(writer.together(wish, rows=rows, lapses=lapses)) for wish in wishes]


async def test_what_queued_meanwhile_shares_one_transaction(make: Made, table: Table, database: Database) -> None:
    writer = make()
    async with Blocked(writer):
        tasks = ask(writer, *range(20, 40))
        await asyncio.sleep(0.01)
        assert not any(task.done() for task in tasks)
    assert await asyncio.gather(*tasks) == list(range(20, 40))
    assert table.batches == [list(range(20, 40))]
    assert stored(database) == set(range(20, 40))


async def test_a_transaction_has_at_most_so_many_rows(make: Made, table: Table) -> None:
    writer = make(rows_per_commit=50)
    async with Blocked(writer):
        tasks = ask(writer, 1, 2, 3, rows=20) + ask(writer, 4, rows=500) + ask(writer, 5)
        await asyncio.sleep(0.01)
    await asyncio.gather(*tasks)
    assert table.batches == [[1, 2], [3], [4], [5]]


async def test_a_full_queue_refuses_and_recovers(make: Made, database: Database) -> None:
    writer = make(capacity=3)
    async with Blocked(writer):
        tasks = ask(writer, 1, 2, 3, 4, 5)
        results = asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0.01)
    assert [type(result) for result in await results] == [int, int, int, Overloaded, Overloaded]
    assert await writer.together(6, rows=1, lapses=False) == 6
    assert stored(database) == {1, 2, 3, 6}


async def test_a_refused_wish_is_an_answer_among_others(make: Made, table: Table, database: Database) -> None:
    writer = make()
    async with Blocked(writer):
        results = asyncio.gather(*ask(writer, 1, -2, 3), return_exceptions=True)
        await asyncio.sleep(0.01)
    assert [type(result) for result in await results] == [int, SessionStopped, int]
    assert (table.batches, stored(database)) == ([[1, -2, 3]], {1, 3})


async def test_a_wish_that_breaks_the_transaction_breaks_only_its_own(make: Made, database: Database) -> None:
    writer = make()
    assert await writer.together(3, rows=1, lapses=False) == 3
    async with Blocked(writer):
        results = asyncio.gather(*ask(writer, 1, 13, 2, 3), return_exceptions=True)
        await asyncio.sleep(0.01)
    assert [type(result) for result in await results] == [int, ZeroDivisionError, int, IntegrityError]
    assert stored(database) == {1, 2, 3}


async def test_a_caller_that_left_is_not_served_if_that_is_pointless(make: Made, database: Database) -> None:
    writer = make()
    async with Blocked(writer):
        tasks = ask(writer, 1, lapses=True) + ask(writer, 2, lapses=False) + ask(writer, 3, lapses=True)
        await asyncio.sleep(0.01)
        tasks[0].cancel()
        tasks[1].cancel()
        await asyncio.sleep(0.01)
    assert await tasks[2] == 3
    assert stored(database) == {2, 3}


async def test_closing_finishes_what_waits_and_refuses_the_rest(make: Made, database: Database) -> None:
    writer = make(rows_per_commit=1)
    async with Blocked(writer):
        tasks = ask(writer, *range(20, 30))
        await asyncio.sleep(0.01)
        closing = asyncio.ensure_future(asyncio.to_thread(writer.close))
        await asyncio.sleep(0.05)
        with pytest.raises(StorageUnavailable):
            await writer.together(99, rows=1, lapses=False)
    await closing
    assert await asyncio.gather(*tasks) == list(range(20, 30))
    assert stored(database) == set(range(20, 30))


async def test_nothing_is_acknowledged_that_was_not_committed(make: Made, database: Database) -> None:
    outages: list[int] = []
    writer = make(on_outage=lambda: outages.append(1))
    other = create_engine(database.url)
    with other.connect() as holder:
        holder.exec_driver_sql("BEGIN IMMEDIATE")  # as if the disk were busy for ever
        with pytest.raises(StorageUnavailable) as caught:
            await writer.together(1, rows=1, lapses=False)
        assert "locked" not in caught.value.detail
        holder.exec_driver_sql("ROLLBACK")
    other.dispose()
    assert outages == [1]
    assert stored(database) == set()
    assert await writer.together(1, rows=1, lapses=False) == 1


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
        await writer.alone(fill)
    pages = 1_000_000
    assert await writer.together(1, rows=1, lapses=False) == 1
    await writer.alone(fill)


async def test_the_idle_task_runs_while_nobody_calls_and_its_failure_is_survived(make: Made) -> None:
    runs: list[int] = []

    def idle(_: Connection) -> None:
        runs.append(1)
        if len(runs) == 2:
            raise ZeroDivisionError

    writer = make(idle_task=idle, idle_seconds=0.01)
    while len(runs) < 4:
        await asyncio.sleep(0.005)
    assert await writer.together(1, rows=1, lapses=False) == 1


async def test_results_go_to_the_loop_that_asked(make: Made) -> None:
    writer = make()
    mine = ask(writer, 1)
    theirs = await asyncio.to_thread(lambda: asyncio.run(writer.together(2, rows=1, lapses=False)))
    assert (await mine[0], theirs) == (1, 2)


def test_a_closed_loop_harms_no_other(make: Made, database: Database) -> None:
    writer = make()

    async def leave() -> None:
        async with Blocked(writer):
            ask(writer, 1)
            await asyncio.sleep(0.01)

    asyncio.run(leave())
    assert asyncio.run(writer.together(2, rows=1, lapses=False)) == 2
    assert stored(database) == {1, 2}
