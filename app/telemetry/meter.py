"""The recorder that is handed to whoever has something to count. Cheap: an addition, or three for a histogram."""

from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from app.telemetry.catalogue import BY_NAME, place
from app.telemetry.cells import Cells


class Meter:
    """Counts into this process's cells.

    A cell has one thread that adds to it, because an addition is a read and a write: the metrics of commits (and what
    is committed) belong to the writer's thread, all others to the event loop's.
    """

    def __init__(self, cells: Cells | None = None) -> None:
        self.all = cells or Cells.alone()
        self.cells = self.all.own  # hot paths add to it themselves, at places they looked up once

    def count(self, name: str, *values: str, by: float = 1) -> None:
        """Adds to a counter."""
        self.cells[place(name, *values)] += by

    def observe(self, name: str, value: float) -> None:
        """Adds one value to a histogram."""
        bounds, start = BY_NAME[name].bounds, place(name)
        self.cells[start + bisect_left(bounds, value)] += 1
        self.cells[start + len(bounds) + 1] += value

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Adds the seconds that the block takes to a histogram; a block that fails took time as well."""
        began = perf_counter()
        try:
            yield
        finally:
            self.observe(name, perf_counter() - began)
