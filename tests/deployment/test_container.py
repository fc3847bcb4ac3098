"""What the image relies on, without Docker: a first key at the first start, an early end, a refusal to migrate back."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from app.database.migrations import REVISION_TABLE, head
from tests.e2e.harness import Server
from tests.examples import execute

BESTPAIR = [sys.executable, "-m", "app"]
AS_IMAGE = {"BESTPAIR_HOST": "0.0.0.0", "BESTPAIR_FIRST_KEY": "print"}  # noqa: S104 - for a moment, and with a key
KEY = re.compile(r"^    (bp_[0-9a-f]{12}_[\w-]{43})$", re.MULTILINE)
FIRST_IN_NAMESPACE = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child"]


def bestpair(url: str, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "BESTPAIR_DATABASE_URL": url, **variables}
    return subprocess.run([*BESTPAIR, *words], env=environment, capture_output=True, text=True, check=False, timeout=60)


def has_handler(process: int) -> bool:
    """Returns whether the process handles SIGTERM itself."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except FileNotFoundError:
        return False
    return bool(int(status.split("SigCgt:")[1].split()[0], 16) & 1 << (signal.SIGTERM - 1))


def status(server: Server, key: str | None) -> int:
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    return httpx.get(f"{server.url}/v1/sessions", headers=headers, timeout=20).status_code


def test_the_first_start_prints_a_key_once_and_the_service_asks_for_it(sqlite_url: str, tmp_path: Path) -> None:
    server = Server(sqlite_url, tmp_path, variables={**AS_IMAGE, "BESTPAIR_LOG_LEVEL": "debug"})
    with server:
        (key,) = KEY.findall(server.log.read_text())
        assert [status(server, None), status(server, key)] == [401, 200]
    printed = server.log.read_text()
    assert printed.count(key) == 1
    assert f"bestpair keys revoke {key[:15]}" in printed
    server.log.unlink()
    with server:
        assert status(server, key) == 200
        assert bestpair(sqlite_url, "keys", "revoke", key[:15]).returncode == 0
    with server:
        assert status(server, key) == 401
    assert "bp_" not in server.log.read_text(), "not at a second start, and not after a revocation"


def test_of_several_first_starts_one_prints_a_key(empty_postgresql_url: str) -> None:
    def start(_: int) -> str:
        ran = bestpair(empty_postgresql_url, "migrate", **AS_IMAGE)
        assert (ran.returncode, ran.stderr) == (0, "")
        return ran.stdout

    with ThreadPoolExecutor() as several:
        printed = "".join(several.map(start, range(3)))
    assert len(KEY.findall(printed)) == 1
    assert len(bestpair(empty_postgresql_url, "keys", "list").stdout.splitlines()) == 1


@pytest.mark.parametrize(
    "variables",
    [{}, {"BESTPAIR_HOST": "0.0.0.0"}, {"BESTPAIR_FIRST_KEY": "print"}, {**AS_IMAGE, "BESTPAIR_OPEN_ACCESS": "1"}],  # noqa: S104
)
def test_no_key_is_made_unless_it_is_asked_for_and_needed(sqlite_url: str, variables: dict[str, str]) -> None:
    ran = bestpair(sqlite_url, "migrate", **variables)
    assert (ran.returncode, ran.stdout) == (0, "the database is at the latest revision\n")
    assert bestpair(sqlite_url, "keys", "list").stdout == ""


def test_migrating_a_database_of_a_newer_version_is_refused_in_one_line(database_url: str) -> None:
    bestpair(database_url, "migrate")
    execute(database_url, f"UPDATE {REVISION_TABLE} SET version_num = '9999'")  # noqa: S608
    try:
        ran = bestpair(database_url, "migrate")
    finally:
        execute(database_url, f"UPDATE {REVISION_TABLE} SET version_num = '{head()}'")  # noqa: S608
    assert ran.returncode == 2
    (line,) = ran.stderr.splitlines()
    assert line.startswith("bestpair: the database is at revision 9999, which belongs to a newer version of bestpair")


@pytest.mark.parametrize("first", [True, False], ids=["first process", "any process"])
def test_sigterm_right_after_the_start_ends_the_process(sqlite_url: str, tmp_path: Path, *, first: bool) -> None:
    """The kernel ignores SIGTERM to the first process of a container, unless that process has a handler."""
    around = FIRST_IN_NAMESPACE if first else []
    if first and (shutil.which("unshare") is None or subprocess.run([*around, "true"], check=False).returncode):
        pytest.skip("no process namespace can be made here")
    environment = {**os.environ, "BESTPAIR_DATABASE_URL": sqlite_url, "BESTPAIR_PORT": "0"}
    log = tmp_path / "log"
    with log.open("wb") as output:
        started = subprocess.Popen([*around, *BESTPAIR, "serve"], env=environment, stderr=output)
    try:
        process = child_of(started.pid) if first else started.pid
        wait_for_handler(process)
        os.kill(process, signal.SIGTERM)
        assert started.wait(5) == (128 + signal.SIGTERM if first else -signal.SIGTERM)
    finally:
        started.kill()
        started.wait()
    assert log.read_text() == "", "it ended before the server had started"


def child_of(parent: int) -> int:
    until = time.monotonic() + 20
    while time.monotonic() < until:
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        if children:
            return int(children[0])
        time.sleep(0.002)
    raise AssertionError("nothing was started")


def wait_for_handler(process: int) -> None:
    until = time.monotonic() + 30
    while not has_handler(process):
        assert time.monotonic() < until
        time.sleep(0.002)
