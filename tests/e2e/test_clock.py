"""The clock is set while the service runs: at most what was open then is void, and everybody can see it."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.client import Client
from app.database.migrations import migrate
from tests.e2e.harness import Server
from tests.examples import execute

WINDOW = 2.0
DAYS_30 = 30 * 86_400.0
HOUR = 3_600.0

SETTABLE_CLOCK = """
import app.database.database as database
step = "(SELECT seconds FROM test_clock)"
database.SQLITE_NOW = f"({database.SQLITE_NOW} + {step})"
database.POSTGRESQL_NOW = f"({database.POSTGRESQL_NOW} + {step})"
"""
"""The database's clock as the statements of the service read it, plus what the test has written into a table."""


@dataclass
class World:
    """A server on a database whose clock the test sets."""

    url: str
    server: Server
    client: Client

    def set_clock(self, seconds: float) -> None:
        execute(self.url, "UPDATE test_clock SET seconds = :seconds", {"seconds": seconds})

    def log(self) -> str:
        return self.server.log.read_text()

    def wait_for_log(self, event: str) -> None:
        until = time.monotonic() + 20
        while event not in self.log():
            assert time.monotonic() < until, self.log()
            time.sleep(0.1)

    def wait_for(self, session: str, *, counted: int, void: int) -> None:
        until = time.monotonic() + 30
        while True:
            counters = self.client.get_session(session).counters
            if (counters.counted, counters.void) == (counted, void):
                return
            assert time.monotonic() < until, f"{counters} instead of {counted} counted, {void} void\n{self.log()}"
            time.sleep(0.1)

    def wait_for_note(self, session: str, words: str) -> None:
        until = time.monotonic() + 10
        while True:
            best = self.client.best_pair(session)
            if any(words in entry.problem for entry in best.health):
                assert best.verdict == "not_yet", "a note does not suspend"
                return
            assert time.monotonic() < until, f"no note with {words!r}: {best.health}\n{self.log()}"
            time.sleep(0.1)

    def show(self, session: str, count: int, answers: int) -> None:
        for pair in self.client.next_pairs(session, count)[:answers]:
            assert self.client.feedback(session, pair.ticket, reward=1).status == "accepted"


@pytest.fixture
def world(database_url: str, tmp_path: Path) -> Iterator[World]:
    migrate(database_url)
    execute(database_url, "CREATE TABLE test_clock (seconds DOUBLE PRECISION)")
    execute(database_url, "INSERT INTO test_clock VALUES (0)")
    try:
        with Server(database_url, tmp_path, before=SETTABLE_CLOCK) as server, Client(server.url) as client:
            yield World(database_url, server, client)
    finally:
        execute(database_url, "DROP TABLE test_clock")


def test_thirty_days_ahead_for_three_seconds(world: World) -> None:
    session = world.client.create_session(["a", "b", "c"], attribution_window_seconds=WINDOW).id
    world.show(session, 5, answers=2)
    world.set_clock(DAYS_30)
    world.wait_for(session, counted=0, void=5)
    world.wait_for_note(session, "the database's clock was set forward by 30 days")
    world.show(session, 6, answers=3)
    time.sleep(0.5)  # less than their window
    world.set_clock(0)
    world.wait_for(session, counted=0, void=11)
    world.show(session, 10, answers=4)
    world.wait_for(session, counted=10, void=11)
    world.wait_for_note(session, "the database's clock was set back by 30 days")
    assert "clock_set_forward" in world.log()
    assert "clock_set_back" in world.log()


def test_thirty_days_ahead_without_a_window(world: World) -> None:
    """What is open keeps its chance to be answered: only a lifetime without an answer gives it up."""
    session = world.client.create_session(["a", "b", "c"], ticket_ttl_seconds=4, policy="naive", epsilon=0.01).id
    slow = world.client.next_pairs(session, 6)
    world.set_clock(DAYS_30)
    world.wait_for_log("clock_set_forward")
    assert {world.client.feedback(session, pair.ticket, reward=0).status for pair in slow[:3]} == {"accepted"}
    in_the_future = world.client.next_pairs(session, 6)
    world.set_clock(0)
    world.wait_for_log("clock_set_back")
    assert {world.client.feedback(session, pair.ticket, reward=0).status for pair in in_the_future[:3]} == {"accepted"}
    world.wait_for(session, counted=6, void=6)
    world.wait_for_note(session, "the database's clock was set back by 30 days")


def test_one_hour_back(world: World) -> None:
    session = world.client.create_session(["a", "b", "c"], attribution_window_seconds=WINDOW).id
    world.show(session, 4, answers=2)
    world.wait_for(session, counted=4, void=0)
    world.show(session, 6, answers=3)
    world.set_clock(-HOUR)
    world.wait_for(session, counted=4, void=6)
    world.show(session, 8, answers=4)
    world.wait_for(session, counted=12, void=6)
    world.wait_for_note(session, "the database's clock was set back by 60 minutes")


def test_back_while_the_service_is_down(world: World) -> None:
    session = world.client.create_session(["a", "b", "c"], attribution_window_seconds=WINDOW).id
    world.show(session, 6, answers=3)
    world.server.kill()
    world.set_clock(-HOUR)
    world.server.start()
    world.wait_for(session, counted=0, void=6)
    world.show(session, 8, answers=4)
    world.wait_for(session, counted=8, void=6)


def test_keys_of_retries_survive_a_clock_that_is_ahead_for_a_moment(world: World) -> None:
    session = world.client.create_session(["a", "b", "c"]).id
    first = world.client.next_pair(session, idempotency_key="one")
    world.set_clock(DAYS_30)
    world.wait_for_log("clock_set_forward")
    world.set_clock(0)
    assert world.client.next_pair(session, idempotency_key="one").ticket == first.ticket
