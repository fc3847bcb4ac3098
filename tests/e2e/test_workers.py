"""Several server processes on a slow machine: they come up, and are replaced only if they are dead or hang."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from starlette.types import Receive, Scope, Send
from uvicorn import Config

from app.web import workers
from app.web.workers import Worker
from tests.e2e.harness import Server

SLOW = """
import sys, time
if any("spawn_main" in each for each in sys.orig_argv):
    time.sleep(12)
"""
"""Loaded by every Python before anything else: a server process then starts as slowly as on a very busy machine."""


def wait_for(happens: Callable[[], bool], seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_processes_that_start_slowly_come_up(postgresql_url: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(SLOW)
    search = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    server = Server(postgresql_url, tmp_path, workers=2, variables={"PYTHONPATH": search})

    def is_ready() -> bool:
        try:
            return httpx.get(f"{server.url}/readyz", timeout=2).status_code == 200
        except httpx.TransportError:
            return False

    try:
        server.start(wait=False)
        wait_for(is_ready, seconds=120)
        assert "died" not in server.log.read_text(), "none was replaced"
    finally:
        server.stop()


def test_a_supervisor_of_slow_processes_can_be_stopped(postgresql_url: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(SLOW.replace("12", "60"))
    search = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    server = Server(postgresql_url, tmp_path, workers=2, variables={"PYTHONPATH": search})
    server.start(wait=False)
    wait_for(lambda: "Started parent process" in server.log.read_text())
    assert server.stop() == 0


async def application(_scope: Scope, _receive: Receive, _send: Send) -> None:
    """Served by the process below; nobody calls it."""


def test_a_process_is_given_up_when_it_is_silent_or_dead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "MOST_MISSED_PINGS", 10)
    config = Config("tests.e2e.test_workers:application", lifespan="off", log_config=None)
    worker = Worker(config, [])
    worker.start()
    try:
        for _ in range(50):
            assert worker.is_alive(), "it starts"
        wait_for(lambda: worker.is_alive() and worker._has_responded)
        assert worker.pid is not None
        os.kill(worker.pid, signal.SIGSTOP)
        checks = [worker.is_alive() for _ in range(30)]
        assert checks[8]
        assert not checks[-1]
        os.kill(worker.pid, signal.SIGCONT)
        wait_for(worker.is_alive)
        os.kill(worker.pid, signal.SIGKILL)
        wait_for(lambda: not worker.is_alive())
    finally:
        worker.kill()
        worker.join()
