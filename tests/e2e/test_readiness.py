"""/readyz while writes fail, and files or rights that are taken away from a running server."""

import os
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest
from sqlalchemy import make_url

from app.database.postgresql import RIGHTS
from tests.e2e.harness import Server, stored_impressions
from tests.postgres import PostgresServer

ITEMS = [f"ad-{n}" for n in range(6)]
SOON_SECONDS = 30.0


class Caller:
    """One ad server, which shows what it gets."""

    def __init__(self, server: Server) -> None:
        self._url = server.url
        self.session = self._post("/v1/sessions", {"items": ITEMS}).raise_for_status().json()["id"]

    def _post(self, path: str, body: object) -> httpx.Response:
        return httpx.post(self._url + path, json=body, timeout=20)

    def next_pair(self) -> httpx.Response:
        return self._post(f"/v1/sessions/{self.session}/next-pair", {})

    def feedback(self, ticket: str) -> httpx.Response:
        return self._post(f"/v1/sessions/{self.session}/feedback", {"ticket": ticket, "reward": 1})

    def answered(self) -> str:
        """Returns a ticket whose answer was acknowledged."""
        ticket: str = self.next_pair().raise_for_status().json()["ticket"]
        assert self.feedback(ticket).raise_for_status().json() == {"status": "accepted"}
        return ticket

    def wait_until(self, status: int, saying: str = "") -> None:
        """Waits for an answer of /readyz."""
        until = time.monotonic() + SOON_SECONDS
        while (
            answer := httpx.get(f"{self._url}/readyz", timeout=20)
        ).status_code != status or saying not in answer.text:
            assert time.monotonic() < until, answer.text
            time.sleep(0.05)
        if status == 503:
            assert answer.json()["type"] == "/problems/not-ready"
            assert int(answer.headers["retry-after"]) > 0

    def assert_refused(self, answer: httpx.Response) -> None:
        assert (answer.status_code, answer.json()["type"]) == (503, "/problems/storage-unavailable"), answer.text
        assert int(answer.headers["retry-after"]) > 0


def assert_found(url: str, session: str, tickets: list[str]) -> None:
    answered = {row["ticket"] for row in stored_impressions(url, session) if row["outcome"] == 1}
    assert set(tickets) <= answered


def test_a_read_only_postgresql_is_not_ready(
    postgresql_server: PostgresServer, postgresql_url: str, tmp_path: Path
) -> None:
    name = make_url(postgresql_url).database

    def set_read_only(value: str) -> None:
        postgresql_server.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = {value}")
        postgresql_server.execute(
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"  # noqa: S608
        )

    with Server(postgresql_url, tmp_path) as server:
        caller = Caller(server)
        tickets = [caller.answered()]
        try:
            set_read_only("on")
            caller.wait_until(503, "read-only")
            caller.assert_refused(caller.next_pair())
        finally:
            set_read_only("off")
        caller.wait_until(200)
        tickets.append(caller.answered())
        assert_found(postgresql_url, caller.session, tickets)


def test_a_full_disk_is_not_ready(sqlite_url: str, tmp_path: Path) -> None:
    with Server(sqlite_url, tmp_path) as server:
        caller = Caller(server)
        tickets = [caller.answered()]
        server.limit_files(1_000)  # of every file; nobody calls, and it is noticed
        caller.wait_until(503, "the disk is full")
        caller.assert_refused(caller.next_pair())
        server.limit_files(-1)
        caller.wait_until(200)
        tickets.append(caller.answered())
    assert_found(sqlite_url, caller.session, tickets)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small file system")
def test_a_full_file_system_is_not_ready(tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none", small], check=True)  # noqa: S607
    try:
        url = f"sqlite:///{small}/bestpair.db"
        with Server(url, tmp_path) as server:
            caller = Caller(server)
            tickets = [caller.answered()]
            with (small / "filler").open("wb", buffering=0) as filler, suppress(OSError):
                while True:
                    filler.write(bytes(1024))
            caller.wait_until(503, "the disk is full")
            (small / "filler").unlink()
            caller.wait_until(200)
            tickets.append(caller.answered())
        assert_found(url, caller.session, tickets)
    finally:
        subprocess.run(["umount", small], check=True)  # noqa: S607


@pytest.mark.parametrize("end", ["-wal", "-shm"])
@pytest.mark.parametrize("killed", [False, True])
def test_a_deleted_part_of_the_database_is_noticed(sqlite_url: str, tmp_path: Path, end: str, *, killed: bool) -> None:
    """From then on nothing is acknowledged, and what was is there after a restart, also after a kill."""
    with Server(sqlite_url, tmp_path) as server:
        caller = Caller(server)
        tickets = [caller.answered() for _ in range(20)]
        (tmp_path / f"bestpair.db{end}").unlink()
        caller.assert_refused(caller.next_pair())  # the first one: it was committed into a file that is gone
        caller.assert_refused(caller.feedback(tickets[0]))
        caller.wait_until(503, "stop the server with SIGTERM and start it again")
        if killed:
            server.kill()
        else:
            server.stop()
        server.start()
        caller.wait_until(200)
        tickets.append(caller.answered())
    assert_found(sqlite_url, caller.session, tickets)


def test_a_file_that_is_moved_away_is_missed_until_it_is_back(sqlite_url: str, tmp_path: Path) -> None:
    file, elsewhere = tmp_path / "bestpair.db", tmp_path / "elsewhere.db"
    with Server(sqlite_url, tmp_path) as server:
        caller = Caller(server)
        tickets = [caller.answered()]
        file.rename(elsewhere)
        caller.assert_refused(caller.next_pair())
        caller.wait_until(503, "put the original file back")
        assert not file.exists(), "no empty database takes its place"
        elsewhere.rename(file)
        caller.wait_until(200)
        tickets.append(caller.answered())
    assert_found(sqlite_url, caller.session, tickets)


def test_a_file_that_is_replaced_is_noticed(sqlite_url: str, tmp_path: Path) -> None:
    file, copy = tmp_path / "bestpair.db", tmp_path / "copy.db"
    with Server(sqlite_url, tmp_path) as server:
        caller = Caller(server)
        copy.write_bytes(file.read_bytes())
        copy.replace(file)
        caller.assert_refused(caller.next_pair())
        caller.wait_until(503, "moved or replaced")


@contextmanager
def role_of(server: PostgresServer, url: str) -> Iterator[tuple[str, Callable[[str], None]]]:
    """Yields the URL for a new user that has the documented rights and no more, and a way to change them."""
    name = f"bestpair_role_{uuid.uuid4().hex[:8]}"
    own = PostgresServer(url)
    own.execute(f"CREATE ROLE {name} LOGIN PASSWORD 'secret'")

    def change(statement: str) -> None:
        own.execute(statement.format(role=name))

    try:
        for table, rights in {**RIGHTS, "bestpair_revision": "SELECT"}.items():
            change(f"GRANT {rights.replace(' ', ', ')} ON {table} TO {{role}}")
        change("GRANT USAGE ON SEQUENCE audit_id_seq TO {role}")
        yield make_url(url).set(username=name, password="secret").render_as_string(hide_password=False), change  # noqa: S106
    finally:
        change("DROP OWNED BY {role}")
        server.execute(f"DROP ROLE {name}")


@pytest.mark.parametrize(
    ("right", "asking"),
    [("UPDATE ON impressions", "feedback"), ("INSERT ON impressions", "next-pair"), ("SELECT ON sessions", "both")],
)
def test_a_revoked_right_is_waited_for(
    postgresql_server: PostgresServer, postgresql_url: str, tmp_path: Path, right: str, asking: str
) -> None:
    with role_of(postgresql_server, postgresql_url) as (url, change), Server(url, tmp_path) as server:
        caller = Caller(server)
        tickets = [caller.answered()]
        ticket = caller.next_pair().json()["ticket"]
        change(f"REVOKE {right} FROM {{role}}")
        for ask in ("feedback", "next-pair") if asking == "both" else (asking,):
            caller.assert_refused(caller.feedback(ticket) if ask == "feedback" else caller.next_pair())
        caller.wait_until(503, "lacks a right")
        assert f"permission denied for table {right.rpartition(' ')[2]}" in server.log.read_text()
        change(f"GRANT {right} TO {{role}}")
        caller.wait_until(200)
        tickets.append(caller.answered())
        assert_found(postgresql_url, caller.session, tickets)


def test_a_right_that_nobody_uses_now_is_missed_too(
    postgresql_server: PostgresServer, postgresql_url: str, tmp_path: Path
) -> None:
    with role_of(postgresql_server, postgresql_url) as (url, change), Server(url, tmp_path) as server:
        caller = Caller(server)
        change("REVOKE DELETE ON idempotency_keys FROM {role}")
        caller.wait_until(503, "lacks a right")
        assert "DELETE on idempotency_keys" in server.log.read_text()
        caller.answered()
        change("GRANT DELETE ON idempotency_keys TO {role}")
        caller.wait_until(200)
