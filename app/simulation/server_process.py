"""A server in a process of its own on loopback: the demo's service, and the servers that benchmarks measure."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

START_SECONDS = 60.0
SERVICE = [sys.executable, "-c", "from app.cli import main; main()"]
"""The `bestpair` command, without the need for an installed script."""


class ServerProcess:
    """One server process. `command` may contain PORT, which is replaced by the port in use."""

    def __init__(self, name: str, command: list[str], environment: dict[str, str], port: int | None = None) -> None:
        self.name = name
        self.port = port or free_port()
        self.headers: dict[str, str] = {}  # sent with every request
        self._command = [part.replace("PORT", str(self.port)) for part in command]
        self._environment = {**os.environ, "OMP_NUM_THREADS": "1", **environment, "BESTPAIR_PORT": str(self.port)}
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, folder: Path) -> None:
        """Start the process, with its log in this folder, and wait until it answers.

        Raises:
            RuntimeError: the process ended, or did not answer within START_SECONDS.
        """
        log = (folder / f"{self.name}.log").open("wb")
        with log:
            self._process = subprocess.Popen(  # noqa: S603 - our own servers
                self._command,
                env=self._environment,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C must reach only this process, which then stops the server
            )
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until:
            if self._process.poll() is not None:
                raise RuntimeError(f"the server {self.name} ended: {Path(log.name).read_text()[-2000:]}")
            try:
                self.call("GET", "/readyz")
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.05)
            else:
                return
        raise RuntimeError(f"the server {self.name} did not get ready")

    def stop(self) -> None:
        """Terminate the process, if it was started, and wait until it has ended."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(60)

    @property
    def pid(self) -> int:
        """The process id."""
        assert self._process is not None  # noqa: S101 - started
        return self._process.pid

    def call(self, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401 - JSON
        """Return the JSON answer to one request."""
        content = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", **self.headers}
        url = f"http://127.0.0.1:{self.port}{path}"
        request = urllib.request.Request(url, content, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310 - http only
            return json.loads(answer.read() or b"null")


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def service_environment(database_url: str, **settings: str) -> dict[str, str]:
    """Return the environment variables of a service on this database with these settings."""
    environment = {f"BESTPAIR_{key.upper()}": value for key, value in settings.items()}
    return {**environment, "BESTPAIR_DATABASE_URL": database_url}
