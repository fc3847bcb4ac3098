"""A database: its URL, its engines (one for the writer, one for readers) and its clock.

All times come from the database's clock, so that processes on several machines agree on what is late.
"""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection, Double, Engine, Text, func, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.pool import NullPool
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.expression import FunctionElement

from app.database.faults import as_storage_unavailable
from app.database.postgresql import postgresql_engine, postgresql_writer
from app.database.sqlite import sqlite_engine
from app.database.url import parse_url

Result = TypeVar("Result")
_log = logging.getLogger(__name__)

_READERS = 8
"""Connections for reads: more than the threads that asyncio uses for reads on a small machine."""
SQLITE_NOW = "round((julianday('now') - 2440587.5) * 86400.0, 3)"
POSTGRESQL_NOW = "extract(epoch from clock_timestamp())::double precision"
"""Not now(): that is the start of the transaction, before it got its locks."""


_DURABILITY = select(func.current_setting("synchronous_commit"), func.current_setting("fsync"))


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
    """Returns the database's time.

    Call it after the rows are locked: a time that was read before the wait for a lock would be too early.
    """
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
        """Returns the result of `work`; all its statements see the same state of the database.

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
            _log.warning(
                "fsync_is_off", extra={"advice": "set fsync = on: a crash of the database's machine loses answers"}
            )

    def dispose(self) -> None:
        """Closes idle connections; the next use opens new ones."""
        self.writer.dispose()
        self._readers.dispose()

    def _engine(self, *, begin: str, pool_size: int) -> Engine:
        if self.is_sqlite:
            return sqlite_engine(self.url, begin, self._busy_seconds, pool={"pool_size": pool_size, "max_overflow": 0})
        if begin == "BEGIN IMMEDIATE":
            return postgresql_writer(self.url, pool_size)
        # As on SQLite, all statements of a read see the state at the time of the first one.
        return postgresql_engine(self.url, pool_size=pool_size, isolation_level="REPEATABLE READ")


def migration_engine(url: str) -> Engine:
    """Returns an engine for schema changes: connections are closed after use, and foreign keys are not enforced.

    SQLite changes a table by copying and dropping it. With foreign keys on, the drop would delete all rows that refer
    to it.
    """
    parsed = parse_url(url)
    if parsed.get_backend_name() == "sqlite":
        return sqlite_engine(parsed, "BEGIN IMMEDIATE", 30.0, pool={"poolclass": NullPool}, foreign_keys=False)
    return postgresql_engine(parsed, poolclass=NullPool)
