"""`bestpair demo` as a newcomer runs it."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.e2e.harness import free_port

BUSY = ("--visitors", "2500")  # a test need not take a minute


@contextmanager
def demo(folder: Path, *words: str, **variables: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-u", "-c", "from app.cli import main; main()", "demo", *words]
    others = {"BESTPAIR_WORKERS": "3", "BESTPAIR_DATABASE_URL": "sqlite:///x"}
    environment = {**os.environ, "TMPDIR": str(folder), **others, **variables}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, cwd=folder
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def lines_until(process: subprocess.Popen[str], start: str) -> list[str]:
    """Returns the lines up to one that begins like this."""
    assert process.stdout is not None
    found: list[str] = []
    while not (found and found[-1].startswith(start)):
        line = process.stdout.readline()
        assert line, f"ended with {process.wait(10)}: {found}"
        found.append(line.rstrip())
    return found


def address(lines: list[str]) -> str:
    found = re.search(r"Dashboard: (http://\S+)/ ", " ".join(lines))
    assert found, lines
    return found.group(1)


def assert_gone(url: str) -> None:
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", int(url.rsplit(":", 1)[1]))) != 0, "the service has ended too"


def test_certifies_serves_on_and_ends_cleanly(tmp_path: Path) -> None:
    port = free_port()
    with demo(tmp_path, *BUSY, BESTPAIR_PORT=str(port)) as process:
        lines = lines_until(process, "The service keeps running")
        url = address(lines)
        assert url == f"http://127.0.0.1:{port}"
        assert any(line.startswith("Certified after") for line in lines), lines
        assert "  It earns at least 90 % of what the best pair earns, 95 % sure." in lines
        assert any(line.startswith("  The truth, known only in a simulation: it") for line in lines), lines
        (session,) = httpx.get(f"{url}/v1/sessions").json()["sessions"]
        assert session["best_pair"]["verdict"] == "certified"
        assert (session["relative_epsilon"], session["epsilon"], session["feedback"]) == (0.1, None, "items")
        assert session["name"].startswith("Homepage")
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
        assert process.stdout is not None
        assert process.stdout.read().splitlines() == ["The demo has ended; its database is deleted."]
    assert_gone(url)
    assert list(tmp_path.iterdir()) == []


def test_can_be_ended_in_the_middle(tmp_path: Path) -> None:
    with demo(tmp_path, "--visitors", "50") as process:
        url = address(lines_until(process, "A simulated shop"))
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    assert_gone(url)
    assert list(tmp_path.iterdir()) == []


def test_exit_when_certified(tmp_path: Path) -> None:
    with demo(tmp_path, "--exit-when-certified", *BUSY) as process:
        lines_until(process, "Certified after")
        assert process.wait(60) == 0
    assert list(tmp_path.iterdir()) == []


def test_a_port_that_is_taken_is_refused_with_advice(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with demo(tmp_path, "--port", str(taken.getsockname()[1])) as process:
            assert process.wait(60) == 2
            assert process.stdout is not None
            assert "--port" in process.stdout.read()
