"""One database: its address, its engines (one for the writer, one for readers) and its clock.

All times are the database's: several processes then agree on what is late, whatever their own clocks say.
"""

import logging
import os
import re
import sqlite3
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote, quote_plus

import psycopg
from psycopg.conninfo import make_conninfo
from sqlalchemy import URL, Connection, Double, Engine, Text, create_engine, event, func, make_url, select
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.pool import NullPool
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.expression import FunctionElement

from app.database import driver
from app.database.errors import UnsupportedDatabase
from app.database.faults import as_storage_unavailable
from app.database.sqlite_files import files_of

Result = TypeVar("Result")
_log = logging.getLogger(__name__)

_READERS = 8
"""Connections for reads: more than the threads asyncio gives to reads on small machines."""
_CONNECT_SECONDS = 5
_CHECKPOINT_PAGES = 4_000
"""Of SQLite's log (16 MB) before it is copied into the file. An impression changes its page three times, issued,
answered and folded; with the usual 1,000 pages most were copied after each. Commits are no less durable."""
_BEGIN_WRITING = (
    "BEGIN ISOLATION LEVEL READ COMMITTED;"
    " SET LOCAL lock_timeout = '10s'; SET LOCAL idle_in_transaction_session_timeout = '3s';"
    " SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off;"
    " SELECT set_config('synchronous_commit', 'on', true)"
    " WHERE current_setting('synchronous_commit') IN ('off', 'local')"
)
"""How a writing transaction begins on PostgreSQL, in one round trip.

Settings belong to the transaction, not to the connection: a pooler in transaction mode (PgBouncer) gives every
transaction another connection, and refuses settings at connection start.

Timeouts: a process that was paused inside a transaction holds its locks; it loses them after 3 s, before others give
up. Plans: the writer's statements always find a few rows by their keys. Left to itself the server would plan them while
a table is new and small, by reading it whole, and keep that plan for minutes while the table grows. Commit:
acknowledged means on disk, whatever the role's or the database's default is; stricter settings are left alone.
"""


SQLITE_NOW = "round((julianday('now') - 2440587.5) * 86400.0, 3)"
POSTGRESQL_NOW = "extract(epoch from clock_timestamp())::double precision"
"""Not now(): that is the start of the transaction, before its locks were granted."""


_SEVERAL_HOSTS = re.compile(r"(postgres(?:ql)?(?:\+\w+)?://(?:[^/?#]*@)?)([^/?#@]*,[^/?#@]*)((?:[/?#].*)?)")
_ADDRESS = re.compile(r"\[?(?P<host>(?<=\[)[^\]]*(?=\])|[^\[\]:]*)\]?(?::(?P<port>\d+))?")
_TO_BE_WRITTEN = {"target_session_attrs": "read-write"}

_DURABILITY = select(func.current_setting("synchronous_commit"), func.current_setting("fsync"))

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


class Timeline(FunctionElement[str]):
    """Which history of the database this is: PostgreSQL begins another one whenever a standby takes over.

    What was read in one and is written in another may rest on rows that were lost. SQLite has one history.
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

    def log_weak_durability(self) -> None:
        """Logs settings of PostgreSQL by which an acknowledged answer would not be on disk."""
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
            return _postgresql_writer(self.url, pool_size)
        # SQLite's readers see one moment from their first statement on, too.
        return _postgresql_engine(self.url, pool_size=pool_size, isolation_level="REPEATABLE READ")


def _postgresql_engine(url: URL, **options: Any) -> Engine:  # noqa: ANN401 - passed on
    """Returns an engine; everything in the URL's query goes to libpq for every engine alike."""
    if "poolclass" not in options:
        options |= {"max_overflow": 0, "pool_timeout": _CONNECT_SECONDS}
    timeout = {} if "connect_timeout" in url.query else {"connect_timeout": _CONNECT_SECONDS}
    engine = create_engine(url, connect_args=timeout, hide_parameters=True, **options)  # messages would quote tickets
    event.listen(engine, "connect", _avoid_prepared_statements_on_a_pooler)
    return engine


def _postgresql_writer(url: URL, pool_size: int) -> Engine:
    # The driver must not begin transactions by itself: `_begin` does.
    engine = _postgresql_engine(url, pool_size=pool_size, isolation_level="AUTOCOMMIT")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        driver.run(connection, _BEGIN_WRITING, None, prepare=False)  # several statements cannot be prepared

    return engine


def _avoid_prepared_statements_on_a_pooler(connection: psycopg.Connection[Any], _record: object) -> None:
    """Stops the driver from preparing statements if a pooler sits in between.

    A pooler gives the next transaction another connection, which does not know the statement. It shows itself by the
    process id that it reports, which is not the one of the server process that answers.
    """
    pid = connection.execute("SELECT pg_backend_pid()", prepare=False).fetchone()
    if not connection.autocommit:
        connection.rollback()
    if pid != (connection.info.backend_pid,):
        connection.prepare_threshold = None


def migration_engine(url: str) -> Engine:
    """Returns an engine for changes of the tables: one connection, closed after use, foreign keys not enforced.

    SQLite changes a table by copying and dropping it; with foreign keys on, the drop would delete what refers to it.
    """
    parsed = parse_url(url)
    if parsed.get_backend_name() == "sqlite":
        return _sqlite_engine(parsed, "BEGIN IMMEDIATE", 30.0, pool={"poolclass": NullPool}, foreign_keys=False)
    return _postgresql_engine(parsed, poolclass=NullPool)


def parse_url(url: str) -> URL:
    """Returns the URL with its driver; raises UnsupportedDatabase with advice."""
    try:
        parsed = _make_url(url)
    except (ArgumentError, ValueError):  # what is taken for a port may be the password: none of it is told
        raise UnsupportedDatabase(
            "the database URL cannot be read; write sqlite:///bestpair.db or postgresql://user@host/name, "
            "with special characters of a password as %XX"
        ) from None
    backend = parsed.drivername.partition("+")[0]
    if backend in {"postgres", "postgresql"}:
        _check_parameters(parsed)
        return parsed.set(drivername="postgresql+psycopg")
    if backend != "sqlite":
        raise UnsupportedDatabase(f"{backend} is not supported; use sqlite:///file.db or postgresql://user@host/name")
    if not parsed.database or ":memory:" in parsed.database or parsed.query.get("mode") == "memory":
        raise UnsupportedDatabase(
            "SQLite in memory would forget what was acknowledged; name a file: sqlite:///bestpair.db"
        )
    return parsed.set(drivername="sqlite+pysqlite")


def _check_parameters(url: URL) -> None:
    """Raises UnsupportedDatabase if the URL's query has a parameter that libpq does not know."""
    for name in url.query:
        try:
            make_conninfo(**{name: ""})
        except psycopg.ProgrammingError:
            raise UnsupportedDatabase(
                f"the database URL has a parameter that PostgreSQL's client does not know: {name!a}; "
                "a setting of the server is given as options=-c%20NAME%3DVALUE"
            ) from None


def _make_url(url: str) -> URL:
    """Returns the parsed URL, also of libpq's form with several hosts (`postgresql://one:5432,two:5432/name`).

    Of several hosts, libpq takes the first that answers; only the one that can be written to is of use here.
    """
    several = _SEVERAL_HOSTS.fullmatch(url)
    if several is None:
        return make_url(url)
    start, hosts, rest = several.groups()
    addresses = [_ADDRESS.fullmatch(host) for host in hosts.split(",")]
    if None in addresses:
        raise ValueError
    given = {name: ",".join(one[name] or "" for one in addresses if one) for name in ("host", "port")}
    parsed = make_url(start + rest).update_query_dict(given)
    return parsed if "target_session_attrs" in parsed.query else parsed.update_query_dict(_TO_BE_WRITTEN)


def passwords_in(url: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the passwords of the URL and of PGPASSWORD, in every spelling that a message may quote."""
    found = {environment.get("PGPASSWORD")}
    with suppress(ArgumentError, ValueError):  # what is wrong with the URL is reported elsewhere
        parsed = _make_url(url)
        found |= {parsed.password, *parsed.normalized_query.get("password", ())}
    return tuple({spelled for password in found if password for spelled in _spellings(password)})


def _spellings(password: str) -> tuple[str, ...]:
    return password, quote(password), quote_plus(password)


def _sqlite_engine(
    url: URL, begin: str, busy_seconds: float, *, pool: dict[str, Any], foreign_keys: bool = True
) -> Engine:
    arguments = {"timeout": busy_seconds, "check_same_thread": False}
    engine = create_engine(url, connect_args=arguments, hide_parameters=True, **pool)
    files = files_of(Path(str(url.database)))

    @event.listens_for(engine, "do_connect")
    def _make_file(*_: object) -> None:
        files.check()  # first: in place of a file that was deleted none is made
        _make_private(Path(str(url.database)))

    @event.listens_for(engine, "connect")
    def _prepare(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # the driver must not begin transactions by itself: `_begin` does
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")  # acknowledged means on disk
        connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
        connection.execute(f"PRAGMA foreign_keys = {'ON' if foreign_keys else 'OFF'}")
        files.opened()

    @event.listens_for(engine, "close")
    def _note_end(_connection: sqlite3.Connection, _record: object) -> None:
        files.closed()

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
