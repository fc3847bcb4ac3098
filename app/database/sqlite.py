"""SQLite: connections, the file lock, and a check that the open files were not deleted or replaced.

SQLite keeps writing to a file that was deleted or replaced while it is open, and these writes are lost when the server
ends. A new connection would open (or create) another file under the same name, which does not match the open ones. So
the server then acknowledges no writes and opens no connections until it is restarted.
"""

import fcntl
import os
import sqlite3
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event

from app.database.faults import DatabaseInUse, DatabaseLost, Unwritable

_CHECKPOINT_PAGES = 4_000
"""Length of SQLite's write-ahead log (16 MB) at which it is copied into the file. An impression changes its page three
times: when it is issued, answered and folded. With SQLite's default of 1,000 pages, most pages were copied after each
change. Commits are just as durable."""
_PARTS = ("", "-wal", "-shm")
_FILE_GONE = (
    "the SQLite file was deleted, moved or replaced while the server was running; do not stop the server: a deleted "
    "file exists only as long as the server runs; put the original file back, or copy it out first (docs/operations.md)"
)
_LOG_GONE = (
    "a part of the SQLite database (-wal or -shm) was deleted or replaced while the server was running; "
    "stop the server with SIGTERM and start it again"
)


class SqliteFiles:
    """The files of one database that this process has open: checks that their paths still lead to the same files."""

    def __init__(self, file: Path) -> None:
        self._paths = {part: f"{file}{part}" for part in _PARTS}
        self._lock = threading.Lock()
        self._connections = 0
        self._known: dict[str, tuple[int, int]] = {}  # device and inode of each part

    def opened(self) -> None:
        """Counts a new connection."""
        with self._lock:
            self._connections += 1

    def closed(self) -> None:
        """Counts the end of a connection. SQLite removes -wal and -shm when the last one is closed."""
        with self._lock:
            self._connections -= 1
            if self._connections == 0:
                self._known = {}

    def check(self) -> None:
        """Raises Unwritable if a file is no longer the one that the first check found."""
        with self._lock:
            for part, path in self._paths.items():
                try:
                    status = os.stat(path)
                except FileNotFoundError:
                    inode = None
                else:
                    inode = (status.st_dev, status.st_ino)
                known = self._known.get(part)
                if known is not None and inode != known:
                    raise Unwritable(_LOG_GONE if part else _FILE_GONE)
                if known is None and inode is not None and self._connections:
                    self._known[part] = inode

    def confirm(self, connection: Connection) -> None:
        """Raises Unwritable if the last commit went into a file that was deleted or replaced.

        Earlier commits, which were acknowledged, may still be in the write-ahead log that this connection has open.
        They are copied into the main file first, so that a crash does not lose them.
        """
        try:
            self.check()
        except Unwritable:
            driver: sqlite3.Connection = connection.connection.driver_connection  # type: ignore[assignment]
            with suppress(sqlite3.Error):  # a graceful stop tries again
                driver.execute("PRAGMA wal_checkpoint(FULL)").fetchall()
            raise


_files: dict[Path, SqliteFiles] = {}


def files_of(file: Path) -> SqliteFiles:
    """Returns the files of a database; all engines of the process share one object."""
    return _files.setdefault(file.absolute(), SqliteFiles(file.absolute()))


def check_is_not_lost(file: Path) -> None:
    """Raises DatabaseLost if there is a write-ahead log but no database file: a new file would be empty."""
    log = Path(f"{file}-wal")
    if not file.exists() and log.exists() and log.stat().st_size > 0:
        raise DatabaseLost(
            f"{file} is missing, but {log.name} is there: the file was deleted or moved. Put it back, "
            f"or remove {log.name} to begin with an empty database"
        )


class FileLock:
    """An operating system lock on `<file>.lock`; the system releases it when the process ends, even in a crash."""

    def __init__(self, file: Path) -> None:
        self._path = file.with_name(file.name + ".lock")
        self._descriptor: int | None = None

    def acquire(self) -> None:
        """Takes the lock or raises DatabaseInUse."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        # Private: every user who could open the file could lock it.
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            raise DatabaseInUse(
                f"another server process is using {self._path.with_suffix('')}; "
                "only one process can use a SQLite file: "
                "stop the other one, or use PostgreSQL (postgresql://user@host/name) to run several"
            ) from None
        self._descriptor = descriptor

    def release(self) -> None:
        """Releases the lock. The file is not deleted: otherwise two processes could lock two files of one name."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


_file_creation = threading.Lock()
"""Held while a database file is created: no other thread may connect before the first descriptor is closed, because
closing it drops SQLite's locks."""


def sqlite_engine(
    url: URL, begin: str, busy_seconds: float, *, pool: dict[str, Any], foreign_keys: bool = True
) -> Engine:
    """Returns an engine that sets up its connections, and begins every transaction with the statement `begin`."""
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
