"""One database: its address, its engines (one for the writer, one for readers) and its clock.

All times are the database's: several processes then agree on what is late, whatever their own clocks say.
"""

import os
import sqlite3
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote, quote_plus

from sqlalchemy import URL, Connection, Double, Engine, create_engine, event, make_url, select
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.pool import NullPool
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.expression import FunctionElement

from app.storage.errors import UnsupportedDatabase
from app.storage.faults import as_storage_unavailable

Result = TypeVar("Result")

_READERS = 8
"""Connections for reads: more than the threads asyncio gives to reads on small machines."""
_CONNECT_SECONDS = 5
_CHECKPOINT_PAGES = 4_000
"""Of SQLite's log (16 MB) before it is copied into the file. An impression changes its page three times, issued,
answered and folded; with the usual 1,000 pages most were copied after each. Commits are no less durable."""
_WRITER_OPTIONS = (
    "-c lock_timeout=10s -c idle_in_transaction_session_timeout=3s"
    " -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off"
)
"""A process that was paused inside a transaction holds its locks; it loses them after 3 s, before others give up.

The writer's statements find a few rows by their keys, always. Left to itself the server would plan them while a table
is new and small, by reading it whole, and keep that plan for minutes while the table grows.
"""


SQLITE_NOW = "round((julianday('now') - 2440587.5) * 86400.0, 3)"
POSTGRESQL_NOW = "extract(epoch from clock_timestamp())::double precision"
"""Not now(): that is the start of the transaction, before its locks were granted."""


_making = threading.Lock()
"""Held while a file is made, so that nobody has locked it when its first descriptor is closed."""


class Clock(FunctionElement[float]):
    """Seconds since 1970 by the database's clock at this statement, to the millisecond or better."""

    type = Double()
    inherit_cache = True


@compiles(Clock, "sqlite")
def _sqlite_clock(_element: Clock, _compiler: SQLCompiler, **_: object) -> str:
    return SQLITE_NOW


@compiles(Clock, "postgresql")
def _postgresql_clock(_element: Clock, _compiler: SQLCompiler, **_: object) -> str:
    return POSTGRESQL_NOW


def now(connection: Connection) -> float:
    """Returns the database's time; read it after the locks, so that nothing that waited can be older than it looks."""
    return float(connection.execute(select(Clock())).scalar_one())


class Database:
    """A SQLite file or a PostgreSQL database; engines connect when first used."""

    def __init__(self, url: str, *, busy_seconds: float = 5.0) -> None:
        self.url = parse_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._busy_seconds = busy_seconds
        self.writer = self._engine(begin="BEGIN IMMEDIATE", pool_size=1)
        self._readers = self._engine(begin="BEGIN", pool_size=_READERS)

    @property
    def file(self) -> Path | None:
        """The SQLite file, None for PostgreSQL."""
        return Path(str(self.url.database)) if self.is_sqlite else None

    def read(self, work: Callable[[Connection], Result]) -> Result:
        """Returns what `work` returns; all its statements see one moment of the database.

        A connection may have died while nobody used it; reads are run again on a new one instead of asking first.
        """
        with as_storage_unavailable():
            try:
                return self._read(work)
            except DBAPIError as error:
                if not error.connection_invalidated:
                    raise
            return self._read(work)

    def _read(self, work: Callable[[Connection], Result]) -> Result:
        with self._readers.connect() as connection:
            return work(connection)

    def dispose(self) -> None:
        """Closes idle connections; the next use opens new ones."""
        self.writer.dispose()
        self._readers.dispose()

    def _engine(self, *, begin: str, pool_size: int) -> Engine:
        if self.is_sqlite:
            return _sqlite_engine(self.url, begin, self._busy_seconds, pool={"pool_size": pool_size, "max_overflow": 0})
        writes = begin == "BEGIN IMMEDIATE"
        arguments: dict[str, Any] = {"connect_timeout": _CONNECT_SECONDS}
        if writes:
            arguments["options"] = _WRITER_OPTIONS
        return create_engine(
            self.url,
            connect_args=arguments,
            hide_parameters=True,  # messages would quote tickets and keys
            pool_size=pool_size,
            max_overflow=0,
            pool_timeout=_CONNECT_SECONDS,
            # SQLite's readers see one moment from their first statement on, too.
            isolation_level="READ COMMITTED" if writes else "REPEATABLE READ",
        )


def migration_engine(url: str) -> Engine:
    """Returns an engine for changes of the tables: one connection, closed after use, foreign keys not enforced.

    SQLite changes a table by copying and dropping it; with foreign keys on, the drop would delete what refers to it.
    """
    parsed = parse_url(url)
    if parsed.get_backend_name() == "sqlite":
        return _sqlite_engine(parsed, "BEGIN IMMEDIATE", 30.0, pool={"poolclass": NullPool}, foreign_keys=False)
    return create_engine(
        parsed, poolclass=NullPool, connect_args={"connect_timeout": _CONNECT_SECONDS}, hide_parameters=True
    )


def parse_url(url: str) -> URL:
    """Returns the URL with its driver; raises UnsupportedDatabase with advice."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # what is taken for a port may be the password: none of it is told
        raise UnsupportedDatabase(
            "the database URL cannot be read; write sqlite:///bestpair.db or postgresql://user@host/name, "
            "with special characters of a password as %XX"
        ) from None
    backend = parsed.drivername.partition("+")[0]
    if backend in {"postgres", "postgresql"}:
        return parsed.set(drivername="postgresql+psycopg")
    if backend != "sqlite":
        raise UnsupportedDatabase(f"{backend} is not supported; use sqlite:///file.db or postgresql://user@host/name")
    if not parsed.database or ":memory:" in parsed.database or parsed.query.get("mode") == "memory":
        raise UnsupportedDatabase(
            "SQLite in memory would forget what was acknowledged; name a file: sqlite:///bestpair.db"
        )
    return parsed.set(drivername="sqlite+pysqlite")


def passwords_in(url: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the passwords of the URL and of PGPASSWORD, in every spelling that a message may quote."""
    found = {environment.get("PGPASSWORD")}
    with suppress(ArgumentError, ValueError):  # whatever is wrong with the URL is told elsewhere
        found.add(make_url(url).password)
    return tuple({spelled for password in found if password for spelled in _spellings(password)})


def _spellings(password: str) -> tuple[str, ...]:
    return password, quote(password), quote_plus(password)


def _sqlite_engine(
    url: URL, begin: str, busy_seconds: float, *, pool: dict[str, Any], foreign_keys: bool = True
) -> Engine:
    arguments = {"timeout": busy_seconds, "check_same_thread": False}
    engine = create_engine(url, connect_args=arguments, hide_parameters=True, **pool)

    @event.listens_for(engine, "do_connect")
    def _make_file(*_: object) -> None:
        _make_private(Path(str(url.database)))

    @event.listens_for(engine, "connect")
    def _prepare(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # the driver must not begin transactions by itself: `_begin` does
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")  # acknowledged means on disk
        connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
        connection.execute(f"PRAGMA foreign_keys = {'ON' if foreign_keys else 'OFF'}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def _make_private(file: Path) -> None:
    """Makes the file, if there is none, for its owner alone: SQLite would let everybody on the machine read it.

    It holds tickets and what signs them. One that is there keeps its mode, and SQLite's files beside it get the same.
    It is not even opened: closing any descriptor of a file drops all locks that this process has on it, SQLite's too.
    """
    with _making, suppress(OSError):  # it is there; or whatever else is in the way, connecting comes next and says so
        os.close(os.open(file, os.O_RDONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
