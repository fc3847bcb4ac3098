"""Watch over SQLite's files: one that is deleted or replaced while it is open still takes writes, which are then lost.

SQLite keeps writing to the file that it opened, and the disk forgets that file when the server ends. A new connection
would open (or create) another file under the same name, which does not fit those that are open. So acknowledging,
and opening connections, both stop until the server is restarted.
"""

import os
import sqlite3
import threading
from contextlib import suppress
from pathlib import Path

from sqlalchemy import Connection

from app.database.errors import DatabaseLost
from app.database.faults import Unwritable

_PARTS = ("", "-wal", "-shm")
_FILE_GONE = (
    "the SQLite file was deleted, moved or replaced while the server was running; do not stop the server: a deleted "
    "file exists only as long as it runs; put the original file back, or copy it out first (docs/operations.md)"
)
_LOG_GONE = (
    "a part of the SQLite database (-wal or -shm) was deleted or replaced while the server was running; "
    "stop the server with SIGTERM and start it again"
)


class SqliteFiles:
    """The files that this process has open for one database: the same under their names, or writes are refused."""

    def __init__(self, file: Path) -> None:
        self._paths = {part: f"{file}{part}" for part in _PARTS}
        self._lock = threading.Lock()
        self._connections = 0
        self._known: dict[str, tuple[int, int]] = {}

    def opened(self) -> None:
        """Takes note of a new connection."""
        with self._lock:
            self._connections += 1

    def closed(self) -> None:
        """Takes note of a connection's end; the last one to close removes -wal and -shm."""
        with self._lock:
            self._connections -= 1
            if self._connections == 0:
                self._known = {}

    def check(self) -> None:
        """Raises Unwritable if a file is not the one that was there after the first commit."""
        with self._lock:
            for part, path in self._paths.items():
                try:
                    status = os.stat(path)
                except FileNotFoundError:
                    found = None
                else:
                    found = (status.st_dev, status.st_ino)
                known = self._known.get(part)
                if known is not None and found != known:
                    raise Unwritable(_LOG_GONE if part else _FILE_GONE)
                if known is None and found is not None and self._connections:
                    self._known[part] = found

    def confirm(self, connection: Connection) -> None:
        """Raises Unwritable if what was just committed is in a file that has no name any more.

        What was acknowledged before is in the log that this connection has open: it is copied into the main file,
        so that even a crash does not lose it.
        """
        try:
            self.check()
        except Unwritable:
            driver: sqlite3.Connection = connection.connection.driver_connection  # type: ignore[assignment]
            with suppress(sqlite3.Error):  # a graceful stop tries it again
                driver.execute("PRAGMA wal_checkpoint(FULL)").fetchall()
            raise


_watched: dict[Path, SqliteFiles] = {}


def files_of(file: Path) -> SqliteFiles:
    """Returns the watch over a database's files; all engines of the process share it."""
    return _watched.setdefault(file.absolute(), SqliteFiles(file.absolute()))


def check_is_not_lost(file: Path) -> None:
    """Raises DatabaseLost if there is a write-ahead log without its file: a new file would be empty."""
    log = Path(f"{file}-wal")
    if not file.exists() and log.exists() and log.stat().st_size > 0:
        raise DatabaseLost(
            f"{file} is missing, but {log.name} is there: the file was deleted or moved. Put it back, "
            f"or remove {log.name} to begin with an empty database"
        )
