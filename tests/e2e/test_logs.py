"""No secret in any line of a real server, and no line that a caller has forged: serving, refusing, failing, dying."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from sqlalchemy import create_engine, make_url, text

from tests.e2e.harness import Server
from tests.postgres import PostgresServer

PASSWORD = "correct-horse"  # noqa: S105 - planted, to be looked for
KEY = "order-of-mrs-smith"
BEARER = "bp-planted-key"
FORGED = '" level=error event="forged"'
"""In names control characters are refused already; tests/telemetry tries those."""
STRANGE = "%0a2026-01-01T00:00:00Z%20error%20forged%1b[2J%E2%80%A8"


class Caller:
    """Calls a session with secrets in every place where one may stand, and remembers the tickets it got."""

    def __init__(self, server: Server) -> None:
        self.secrets = [PASSWORD, KEY, BEARER]
        self._http = httpx.Client(
            base_url=server.url, timeout=30, headers={"Authorization": f"Bearer {BEARER}", "X-Request-ID": "asked-1"}
        )
        items = [{"id": f"a{FORGED}", "label": FORGED}, "b", "c"]
        made = self._http.post("/v1/sessions", json={"items": items, "name": f"shop {PASSWORD}{FORGED}"})
        assert made.status_code == 201, made.text
        self.path = f"/v1/sessions/{made.json()['id']}"

    def __enter__(self) -> "Caller":
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def serve(self) -> list[int]:
        """Returns the statuses of what an ad server does all day; some of it goes wrong."""
        statuses = []
        for number in range(3):
            shown = self._http.post(f"{self.path}/next-pair", headers={"Idempotency-Key": f"{KEY}-{number}"})
            ticket = shown.json().get("ticket", "t0123456789aAbCdEfGhIjKlMnOpQrStUvWx")
            self.secrets.append(ticket)
            answer = {"ticket": ticket, "reward": 1}
            rows = [answer, {"ticket": ticket, "reward": 0}, {"ticket": ticket, "reward": "x"}]
            for sent in (
                self._http.post(f"{self.path}/feedback", json=answer),
                self._http.post(f"{self.path}/feedback", json={**answer, "reward": 0}),
                self._http.post(f"{self.path}/feedback/batch", json=rows),
                self._http.get(f"/v1/sessions/{ticket}/{STRANGE}"),
                self._http.patch(self.path, json={"name": f"{ticket}{FORGED}"}),
            ):
                statuses.append(sent.status_code)
            statuses.append(shown.status_code)
        return statuses


@contextmanager
def renamed(url: str, table: str, column: str) -> Iterator[None]:
    """Takes a column away, so that statements with their values fail in a way nobody expects."""
    engine = create_engine(url)
    try:
        with engine.begin() as connection:
            connection.execute(text(f"ALTER TABLE {table} RENAME {column} TO gone"))
        yield
    finally:
        with engine.begin() as connection:
            connection.execute(text(f"ALTER TABLE {table} RENAME gone TO {column}"))
        engine.dispose()


@contextmanager
def closed(server: PostgresServer, url: str) -> Iterator[None]:
    """Lets nobody connect to the database."""
    name = make_url(url).database
    server.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
    server.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")  # noqa: S608
    try:
        yield
    finally:
        server.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")


@pytest.mark.parametrize(("form", "place"), [("json", "the URL"), ("console", "the URL"), ("json", "PGPASSWORD")])
def test_lines_hold_no_secrets_and_cannot_be_forged(
    form: str, place: str, postgresql_server: PostgresServer, postgresql_url: str, tmp_path: Path
) -> None:
    url, variables = postgresql_url, {"BESTPAIR_LOG_FORMAT": form, "BESTPAIR_LOG_LEVEL": "debug"}
    if place == "the URL":
        url = make_url(url).set(password=PASSWORD).render_as_string(hide_password=False)
    else:
        variables[place] = PASSWORD
    server = Server(url, tmp_path, variables=variables).start()
    try:
        with Caller(server) as caller:
            assert {200, 404, 409} <= set(caller.serve())
            with renamed(postgresql_url, "impressions", "ticket"):
                assert 500 in caller.serve()
            with closed(postgresql_server, postgresql_url):
                assert 503 in caller.serve()
        os.kill(server.process.pid, signal.SIGABRT if form == "json" else signal.SIGTERM)
        server.process.wait(30)
    finally:
        server.stop()
    output = server.log.read_text()
    for secret in caller.secrets:
        assert secret not in output
    for expected in ("session_created", "session_changed", "unexpected_fault", "database_unavailable", "asked-1"):
        assert expected in output
    lines = output.split("\n")[:-1]
    assert all(line.isprintable() for line in lines)
    if form == "json":
        assert all(json.loads(line)["event"] for line in lines)
    else:
        assert all(line.startswith(("20", "  | ")) for line in lines)
    assert not [line for line in lines if line.startswith("2026-01-01T00")]
    faults = [line for line in lines if "unexpected_fault" in line]
    assert 1 <= len(faults) < 12, "a flood of the same fault is one line a second"


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://u:{PASSWORD}@127.0.0.1:1/db",
        f"postgresql://u:{PASSWORD}@127.0.0.1:port/db",
        f"mysql://u:{PASSWORD}@h/db",
        f"postgresql://u:{PASSWORD}",
    ],
)
def test_a_server_that_cannot_start_does_not_say_the_password(url: str) -> None:
    variables = {**os.environ, "BESTPAIR_DATABASE_URL": url, "BESTPAIR_PORT": "0"}
    command = [sys.executable, "-c", "from app.cli import main; main()", "serve"]
    ran = subprocess.run(command, env=variables, capture_output=True, text=True, check=False, timeout=120)
    assert ran.returncode == 2, ran.stderr
    assert PASSWORD not in ran.stdout + ran.stderr
