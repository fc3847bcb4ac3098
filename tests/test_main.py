"""The whole service in a process of its own, as `serve` runs it."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from app.client import Client
from app.settings import Settings

ROOT = Path(__file__).parents[1]
START = """
import os
from app.main import serve
from app.settings import Settings
serve(Settings.from_environment(os.environ))
"""


class Service:
    """A running server process on a database file in a directory."""

    def __init__(self, directory: Path, port: int) -> None:
        settings = Settings(port=port, database_url=f"sqlite:///{directory / 'bestpair.db'}")
        self.url = f"http://127.0.0.1:{port}"
        environment = {**os.environ, **settings.as_environment(), "PYTHONPATH": str(ROOT)}
        self._process = subprocess.Popen([sys.executable, "-c", START], cwd=directory, env=environment)

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            try:
                if httpx.get(f"{self.url}/readyz").status_code == 200:
                    return
            except httpx.TransportError:
                pass
            assert self._process.poll() is None, "the server has ended"
            time.sleep(0.1)
        raise AssertionError("the server did not get ready")

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        self._process.send_signal(how)
        return self._process.wait(timeout=20)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    running = Service(tmp_path, free_port())
    try:
        running.wait_until_ready()
        yield running
    finally:
        running.stop(signal.SIGKILL)


def test_a_session_from_creation_to_a_restart(service: Service, tmp_path: Path) -> None:
    with Client(service.url) as client:
        session = client.create_session(["a", "b", "c"], epsilon=0.3, seed=1)
        shown = client.next_pair(session.id, idempotency_key="k")
        assert client.next_pair(session.id, idempotency_key="k") == shown
        assert client.feedback(session.id, shown.ticket, reward=1).status == "accepted"
        assert client.feedback(session.id, shown.ticket, reward=1).status == "duplicate"
        assert client.best_pair(session.id).state == "running"
        assert len(client.estimates(session.id).cells.reward) == 3
        assert client.get_session(session.id).counters.answered == 1
        assert {row["kind"] for row in client.export(session.id)} == {"session", "plan", "impression"}
        table = httpx.get(f"{service.url}/v1/sessions/{session.id}/export?format=csv").text.splitlines()
        assert any(line.startswith("impression,1,1,") for line in table)
        assert client.change_session(session.id, state="paused").state == "paused"
    assert service.stop() == -signal.SIGTERM  # finished in order: only then the server passes the signal on
    again = Service(tmp_path, free_port())
    try:
        again.wait_until_ready()
        with Client(again.url) as client:
            assert client.get_session(session.id).counters.answered == 1
            assert client.next_pair(session.id, idempotency_key="k") == shown
    finally:
        again.stop(signal.SIGKILL)


def test_a_large_body_is_refused_on_the_wire(service: Service) -> None:
    headers = {"Content-Type": "application/json"}
    chunks = (b" " * 100_000 for _ in range(30))
    response = httpx.post(f"{service.url}/v1/sessions", content=chunks, headers=headers)
    assert response.json()["type"] == "/problems/body-too-large"
    assert httpx.post(f"{service.url}/v1/sessions", content=b" " * 3_000_000, headers=headers).status_code == 413
