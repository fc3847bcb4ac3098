"""Real server processes for tests: started, killed and stopped by their process id, on loopback only."""

import os
import resource
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import sqlalchemy as sa

START_SECONDS = 120.0  # the machine may be busy


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """One `bestpair serve` process (with its workers) on its own port."""

    def __init__(
        self,
        database_url: str,
        folder: Path,
        *,
        workers: int = 1,
        port: int | None = None,
        variables: dict[str, str] | None = None,
        before: str = "",
    ) -> None:
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / f"server-{self.port}.log"
        self._environment = {
            **os.environ,
            "BESTPAIR_DATABASE_URL": database_url,
            "BESTPAIR_PORT": str(self.port),
            "BESTPAIR_WORKERS": str(workers),
            **(variables or {}),
        }
        self._folder = folder
        self._program = f"{before}\nfrom app.cli import main; main()"  # `before`: what a test puts in place of a part
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, *, wait: bool = True) -> "Server":
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-c", self._program, "serve"],
                env=self._environment,
                cwd=self._folder,
                stdout=log,
                stderr=log,
                start_new_session=True,  # its workers end with it
            )
        if wait:
            try:
                self._wait_until_ready()
            except BaseException:
                self.kill()  # nobody else would
                raise
        return self

    def _wait_until_ready(self) -> None:
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until:
            assert self.process.poll() is None, f"the server ended: {self.log.read_text()}"
            try:
                if httpx.get(f"{self.url}/readyz", timeout=2).status_code == 200:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.05)
        raise AssertionError(f"not ready in time: {self.log.read_text()}")

    @property
    def process(self) -> subprocess.Popen[bytes]:
        assert self._process is not None
        return self._process

    def kill(self) -> None:
        """Ends the process and its workers at once: kill -9, no goodbye."""
        with suppress(ProcessLookupError):  # all have ended
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(10)

    def pause(self) -> None:
        """Stops the process in its tracks, in the middle of whatever it is at."""
        os.killpg(self.process.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.killpg(self.process.pid, signal.SIGCONT)

    def limit_files(self, size: int) -> None:
        """Lets no file of the process grow beyond this size: to its writes the disk is full."""
        _, most = resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (size, most))

    def stop(self) -> int:
        """Asks the server to stop, waits, and returns its exit code; kills it if it will not."""
        if self._process is None or self._process.poll() is not None:
            return 0
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def __enter__(self) -> "Server":
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()


def stored_evidence(database_url: str, session_id: str) -> dict[tuple[int, int, int], tuple[int, float]]:
    """Returns what counts as it stands in the database: (i, j, version) -> (n, s)."""
    statement = "SELECT i, j, version, n, s FROM evidence WHERE session_id = :id AND n > 0"
    rows = _query(database_url, statement, id=session_id)
    return {(row["i"], row["j"], row["version"]): (row["n"], row["s"]) for row in rows}


def stored_impressions(database_url: str, session_id: str) -> list[dict[str, Any]]:
    """Returns all impressions of a session, in issue order."""
    statement = "SELECT * FROM impressions WHERE session_id = :id ORDER BY sequence"
    return _query(database_url, statement, id=session_id)


def _query(database_url: str, statement: str, **values: object) -> list[dict[str, Any]]:
    engine = sa.create_engine(database_url.replace("postgresql://", "postgresql+psycopg://", 1), poolclass=sa.NullPool)
    with engine.connect() as connection:
        return [dict(row) for row in connection.execute(sa.text(statement), values).mappings()]


def reference_evidence(
    impressions: list[dict[str, Any]], accepted: dict[str, float]
) -> dict[tuple[int, int, int], tuple[int, float]]:
    """Returns what must have been counted when everything is final: each acknowledged answer once, in issue order."""
    n: Counter[tuple[int, int, int]] = Counter()
    s: Counter[tuple[int, int, int]] = Counter()
    for row in impressions:
        if row["ticket"] in accepted:
            key = (min(row["i"], row["j"]), max(row["i"], row["j"]), row["plan_version"])
            n[key] += 1
            s[key] += 1.0 - accepted[row["ticket"]]  # type: ignore[assignment]
    return {key: (count, float(s[key])) for key, count in n.items()}
