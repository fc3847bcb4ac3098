"""A database: its URL, its engines (one for the writer, one for readers) and its clock.

All times come from the database's clock, so that processes on several machines agree on what is late.
"""

import logging
import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Double, Engine, Text, create_engine, event, func, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.pool import NullPool
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.expression import FunctionElement

from app.database.faults import as_storage_unavailable
from app.database.postgresql import postgresql_engine, postgresql_writer
from app.database.sqlite_files import files_of
from app.database.url import parse_url

Result = TypeVar("Result")
_log = logging.getLogger(__name__)

_READERS = 8
"""Connections for reads: more than the threads that asyncio uses for reads on a small machine."""
_CHECKPOINT_PAGES = 4_000
"""Length of SQLite's write-ahead log (16 MB) at which it is copied into the file. An impression changes its page three
times: when it is issued, answered and folded. With SQLite's default of 1,000 pages, most pages were copied after each
change. Commits are just as durable."""
SQLITE_NOW = "round((julianday('now') - 2440587.5) * 86400.0, 3)"
POSTGRESQL_NOW = "extract(epoch from clock_timestamp())::double precision"
"""Not now(), which is the start of the transaction: before it got its locks."""


_DURABILITY = select(func.current_setting("synchronous_commit"), func.current_setting("fsync"))

_file_creation = threading.Lock()
"""Held while a database file is created: no other thread may connect before the first descriptor is closed, because
closing it drops SQLite's locks."""


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


class Timeline(FunctionElement[str]):
    """The timeline of the database: PostgreSQL begins a new one whenever a standby takes over.

    A value that was computed from rows of one timeline must not be written in another: those rows may be lost. SQLite
    has a single timeline.
    """

    type = Text()
    inherit_cache = True


@compiles(Timeline, "sqlite")
def _sqlite_timeline(_element: Timeline, _compiler: SQLCompiler, **_: object) -> str:
    return "''"


@compiles(Timeline, "postgresql")
def _postgresql_timeline(_element: Timeline, _compiler: SQLCompiler, **_: object) -> str:
    return "CASE WHEN pg_is_in_recovery() THEN '' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END"


def now(connection: Connection) -> float:
    """Returns the database's time. Call it after the rows are locked: waiting for a lock must not make it too early."""
    return float(connection.execute(select(Clock())).scalar_one())


class Database:
    """A SQLite file or a PostgreSQL database; its engines connect on first use."""

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
        """Returns the result of `work`; all its statements see the same moment of the database.

        A connection may have died while it was idle. Connections are not tested before each read; instead, a read that
        finds its connection dead runs again on a new one.
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

    def log_weak_durability(self) -> None:
        """Logs a warning if PostgreSQL's settings allow that acknowledged feedback is not on disk."""
        if self.is_sqlite:
            return
        commit, fsync = self.read(lambda connection: tuple(connection.execute(_DURABILITY).one()))
        if commit in {"off", "local"}:
            _log.warning("synchronous_commit_raised", extra={"setting": commit, "used": "on"})
        if fsync == "off":
            _log.warning("fsync_is_off", extra={"advice": "a crash of the database's machine loses answers; set it on"})

    def dispose(self) -> None:
        """Closes idle connections; the next use opens new ones."""
        self.writer.dispose()
        self._readers.dispose()

    def _engine(self, *, begin: str, pool_size: int) -> Engine:
        if self.is_sqlite:
            return _sqlite_engine(self.url, begin, self._busy_seconds, pool={"pool_size": pool_size, "max_overflow": 0})
        if begin == "BEGIN IMMEDIATE":
            return postgresql_writer(self.url, pool_size)
        # As on SQLite, all statements of a read see the moment of the first one.
        return postgresql_engine(self.url, pool_size=pool_size, isolation_level="REPEATABLE READ")


def migration_engine(url: str) -> Engine:
    """Returns an engine for schema changes: connections are closed after use, and foreign keys are not enforced.

    SQLite changes a table by copying and dropping it. With foreign keys on, the drop would delete all rows that refer
    to it.
    """
    parsed = parse_url(url)
    if parsed.get_backend_name() == "sqlite":
        return _sqlite_engine(parsed, "BEGIN IMMEDIATE", 30.0, pool={"poolclass": NullPool}, foreign_keys=False)
    return postgresql_engine(parsed, poolclass=NullPool)


def _sqlite_engine(
    url: URL, begin: str, busy_seconds: float, *, pool: dict[str, Any], foreign_keys: bool = True
) -> Engine:
    arguments = {"timeout": busy_seconds, "check_same_thread": False}
    engine = create_engine(url, connect_args=arguments, hide_parameters=True, **pool)
    files = files_of(Path(str(url.database)))

    @event.listens_for(engine, "do_connect")
    def _prepare_file(*_: object) -> None:
        files.check()  # first: a file that was deleted while in use must not be created again
        _create_private_file(Path(str(url.database)))

    @event.listens_for(engine, "connect")
    def _prepare(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # the driver begins no transactions: `_begin` does
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")  # acknowledged means on disk
        connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
        connection.execute(f"PRAGMA foreign_keys = {'ON' if foreign_keys else 'OFF'}")
        files.opened()

    @event.listens_for(engine, "close")
    def _note_close(_connection: sqlite3.Connection, _record: object) -> None:
        files.closed()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def _create_private_file(file: Path) -> None:
    """Creates the file, if there is none, readable by its owner only: it contains tickets and the keys that sign them.

    SQLite would create a file that every user of the machine can read. An existing file keeps its mode, and SQLite
    gives its -wal and -shm files the same one. An existing file is not even opened: closing a descriptor of a file
    drops all locks that this process has on it, also SQLite's.
    """
    with _file_creation, suppress(OSError):  # the file exists; any other error is raised again by the connect
        os.close(os.open(file, os.O_RDONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
