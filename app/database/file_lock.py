"""The lock that keeps a second server process off a SQLite file."""

import fcntl
import os
from pathlib import Path

from app.database.errors import DatabaseInUse


class FileLock:
    """An operating system lock on `<file>.lock`; it is gone when its process is, however that ended."""

    def __init__(self, file: Path) -> None:
        self._path = file.with_name(file.name + ".lock")
        self._descriptor: int | None = None

    def acquire(self) -> None:
        """Takes the lock or raises DatabaseInUse."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)  # who can open it can lock it
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            raise DatabaseInUse(
                f"another server process is using {self._path.with_suffix('')}; a SQLite file serves one process: "
                "stop the other one, or use PostgreSQL (postgresql://user@host/name) to run several"
            ) from None
        self._descriptor = descriptor

    def release(self) -> None:
        """Gives the lock back. The file stays: removing it would let two processes lock two files of one name."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
