"""Where a server's processes count: an array of numbers for each, in memory that outlives them.

With several processes the arrays lie side by side in one small file that all of them map. Adding to it is a plain
store to memory, nothing is lost when a process is killed, and whichever process is asked sees them all. A process locks
its array; the system lets go of the lock when it dies, and the process that replaces it goes on counting from there.
So no count vanishes, and none is there twice.
"""

import fcntl
import mmap
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from app.telemetry.catalogue import CELLS, METRICS, Kind, place

_BYTES = 8 * CELLS
_SPARE = 2
"""Arrays beyond one for each process: one that ends may overlap with the one that replaces it."""


class NoArrayFree(Exception):
    """More processes want to count than the file has arrays for."""


class Cells:
    """All arrays of a server, and this process's own."""

    def __init__(self, memory: mmap.mmap, own: int, keep_open: int | None = None) -> None:
        every = memoryview(memory).cast("d")
        self._arrays = [every[start : start + CELLS] for start in range(0, len(every), CELLS)]
        self._keep_open = keep_open  # closing it would let go of the lock
        self.own = self._arrays[own]
        self._clear_backlogs()
        self.own[place("bestpair_worker_starts_total")] += 1

    @classmethod
    def alone(cls) -> "Cells":
        """Returns an array for a process that nobody shares counts with."""
        return cls(mmap.mmap(-1, _BYTES), 0)

    @classmethod
    def shared(cls, path: Path) -> "Cells":
        """Returns the arrays in this file, with one that no living process holds as this process's own."""
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        size = os.fstat(file).st_size
        for number in range(size // _BYTES):
            try:
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, number)
            except OSError:
                continue
            return cls(mmap.mmap(file, size), number, file)
        os.close(file)
        raise NoArrayFree(f"{size // _BYTES} processes count already")

    def totals(self) -> Sequence[float]:
        """Returns the sums over all processes, those that have ended included."""
        return [sum(column) for column in zip(*self._arrays, strict=True)]

    def _clear_backlogs(self) -> None:
        """Forgets what a process that died still had waiting: its callers are gone."""
        for metric in METRICS:
            if metric.kind is Kind.BACKLOG:
                start = place(metric.name)
                for cell in range(start, start + metric.width):
                    self.own[cell] = 0.0


@contextmanager
def shared_file(processes: int) -> Iterator[Path]:
    """Yields an empty file for so many processes to count in; it goes when the server ends."""
    number, name = tempfile.mkstemp(prefix="bestpair-", suffix=".counts")
    try:
        os.truncate(number, _BYTES * (processes + _SPARE))
        os.close(number)
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)
