"""Keys on real servers: known within a second, refused within a second, asked for where they must be."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from app.simulation.mixtures import mixture
from app.simulation.population_file import save_population
from tests.e2e.harness import Server

COMMAND = [sys.executable, "-c", "from app.cli import main; main()"]


def bestpair(url: str, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "BESTPAIR_DATABASE_URL": url, **variables}
    return subprocess.run([*COMMAND, *words], env=environment, capture_output=True, text=True, check=False, timeout=60)


def make_key(url: str, *scopes: str, name: str = "test") -> str:
    words = [word for scope in scopes for word in ("--scope", scope)]
    made = bestpair(url, "keys", "create", "--name", name, *words)
    assert made.returncode == 0, made.stderr
    return made.stdout.strip()


def soon(fact: Callable[[], bool]) -> None:
    """Waits until the fact is true: a second (tests/access/test_keys.py), and more if the machine is busy."""
    until = time.monotonic() + 20.0
    while not fact():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_keys_come_and_go_while_servers_run(database_url: str, tmp_path: Path) -> None:
    count = 1 if database_url.startswith("sqlite") else 2
    servers = [Server(database_url, tmp_path).start() for _ in range(count)]
    try:

        def status(server: Server, key: str | None = None) -> int:
            headers = {} if key is None else {"Authorization": f"Bearer {key}"}
            return httpx.get(f"{server.url}/v1/sessions", headers=headers, timeout=20).status_code

        assert [status(server) for server in servers] == [200] * count, "on loopback, without a key ever made"
        key = make_key(database_url, "read")
        soon(lambda: all(status(server) == 401 for server in servers))
        assert [status(server, key) for server in servers] == [200] * count
        assert httpx.get(f"{servers[0].url}/readyz").status_code == 200
        for server in servers:
            made = httpx.post(f"{server.url}/v1/sessions", json={}, headers={"Authorization": f"Bearer {key}"})
            assert made.status_code == 403
        assert bestpair(database_url, "keys", "revoke", key[:15]).returncode == 0
        soon(lambda: all(status(server, key) == 401 for server in servers))
        assert [status(server) for server in servers] == [401] * count, "access without a key stays closed"
    finally:
        for server in servers:
            server.stop()
    assert key[16:] not in "".join(server.log.read_text() for server in servers)


def test_another_address_is_refused_until_there_is_a_key(sqlite_url: str) -> None:
    refused = bestpair(sqlite_url, "serve", BESTPAIR_HOST="0.0.0.0", BESTPAIR_PORT="0")  # noqa: S104
    assert refused.returncode == 2
    assert refused.stderr.startswith("bestpair: BESTPAIR_HOST: 0.0.0.0 can be reached from other machines")
    assert "bestpair keys create --name NAME --scope admin" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1


@pytest.mark.parametrize("how", ["a key", "BESTPAIR_OPEN_ACCESS"])
def test_another_address_with_a_key_or_on_purpose(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setenv("BESTPAIR_HOST", "0.0.0.0")  # noqa: S104 - for a moment, and the second needs no more than loopback
    if how == "a key":
        headers = {"Authorization": f"Bearer {make_key(sqlite_url, 'admin')}"}
    else:
        headers = {}
        monkeypatch.setenv("BESTPAIR_OPEN_ACCESS", "1")
    with Server(sqlite_url, tmp_path) as server:
        made = httpx.post(f"{server.url}/v1/sessions", json={"items": ["a", "b"]}, headers=headers)
        assert made.status_code == 201
        without = httpx.get(f"{server.url}/v1/sessions")
        assert without.status_code == (401 if headers else 200)
        trail = bestpair(sqlite_url, "audit", "--json").stdout.splitlines()
        who = json.loads(trail[0])["actor"]
        assert who == (headers["Authorization"][7:22] if headers else "open access")


def test_a_simulation_drives_a_service_with_a_key(sqlite_url: str, tmp_path: Path) -> None:
    import numpy as np  # noqa: PLC0415 - for this one

    save_population(mixture("ads20", 6, 2, np.random.default_rng(1)), tmp_path / "p.json")
    key = make_key(sqlite_url, "admin")
    with Server(sqlite_url, tmp_path) as server:
        words = [
            "simulate",
            "--population",
            str(tmp_path / "p.json"),
            "--url",
            server.url,
            "--epsilon",
            "0.4",
            "--json",
        ]
        assert "--key: the service requires a key with the scope admin" in bestpair(sqlite_url, *words).stderr
        ran = bestpair(sqlite_url, *words, BESTPAIR_KEY=key)
        assert ran.returncode == 0, ran.stderr
        assert json.loads(ran.stdout.splitlines()[-1])["acknowledged"] > 0
        assert key not in ran.stdout + ran.stderr


def test_hostile_keys_on_the_wire(sqlite_url: str, tmp_path: Path) -> None:
    key = make_key(sqlite_url, "admin")
    with Server(sqlite_url, tmp_path) as server, httpx.Client(base_url=server.url) as client:
        bearer = f"Bearer {key}".encode()
        assert client.get("/v1/sessions", headers=[(b"Authorization", bearer)]).status_code == 200
        for headers in (
            [(b"Authorization", bearer), (b"Authorization", bearer)],
            [(b"Authorization", b"Bearer x"), (b"authorization", bearer)],
            [(b"Authorization", bearer + b"\xff")],
            [(b"Authorization", "Bearer ünï".encode())],
            [(b"Authorization", b"Bearer " + b"x" * 20_000)],
            [(b"Proxy-Authorization", bearer)],
            [(b"X-Api-Key", key.encode())],
            [(b"Cookie", b"key=" + key.encode())],
        ):
            assert client.get("/v1/sessions", headers=headers).status_code == 401
            assert client.post("/v1/sessions/x/next-pair", headers=headers).status_code == 401
        for path in (
            f"/v1/sessions?key={key}", f"/v1/sessions?access_token={key}", "/v1/sessions?", "/v1/audit", "/v1/access",
            "/v1/sessions/x/best-pair", "/v1/sessions/%78/best-pair", "/v1/sessions/x/best%2Dpair", "/v1/%73essions",
        ):  # fmt: skip
            assert client.get(path).status_code == 401, path
        for path in (
            "//v1/sessions", "/v1//sessions", "/v1/sessions/", "/v1/./sessions", "/V1/sessions", "/v1/sessions;x",
            "/static/../v1/sessions", "/livez/../v1/sessions", "/%2e%2e/v1/sessions", "/v1/sessions/x/best-pair/",
        ):  # fmt: skip
            answer = client.send(httpx.Request("GET", httpx.URL(server.url).copy_with(raw_path=path.encode())))
            assert answer.status_code in {401, 404}, path
            assert "sessions" not in answer.json()
        for method in ("HEAD", "OPTIONS", "PUT", "TRACE", "get", "FOO"):
            answer = client.request(method, "/v1/sessions")
            assert answer.status_code in {400, 401, 405}, method
        assert key[16:] not in server.log.read_text()
