"""What an impression costs when many are stored already, or in many sessions: `bestpair bench growth`.

An impression here is one call of next-pair and one of feedback, with what they cause later (folds, plans). At each
level the floor is measured beside, so that a machine that slows down in the meantime does not pass for growth.
"""

import statistics
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.serving_driver import LARGEST_BATCH, Driver, Sizes, rest, run_together
from experiments.serving_servers import Server, database, floor, postgresql, service


@dataclass(frozen=True)
class Level:
    """The cost at one size of the database."""

    backend: str
    stored: int
    sessions: int
    cpu_us: float
    floor_us: float
    growth: float  # cost over the floor's, relative to the first level

    def as_json(self) -> dict[str, Any]:
        """Returns the row for `--json`."""
        return {
            "backend": self.backend,
            "stored": self.stored,
            "sessions": self.sessions,
            "cpu_us": round(self.cpu_us, 2),
            "floor_us": round(self.floor_us, 2),
            "growth": round(self.growth, 3),
        }


def measure_growth(
    levels: Sequence[tuple[int, int]],
    sizes: Sizes,
    *,
    backend: str,
    postgresql_url: str | None,
    step: Callable[[str], None],
) -> list[Level]:
    """Returns the cost at each (stored impressions, sessions), in this order, on one database that only grows."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bestpair-bench-")))
        url = f"sqlite:///{folder / 'growth.db'}"
        if backend == "postgresql":
            shared = stack.enter_context(postgresql(postgresql_url))
            if shared is None:
                return []
            url = stack.enter_context(database(shared))
        servers = [floor(), service("hot", backend, url)]
        for server in servers:
            stack.callback(server.stop)  # also of one that does not get ready
            server.start(folder)
        return _levels(levels, sizes, servers, step)


def _levels(
    levels: Sequence[tuple[int, int]], sizes: Sizes, servers: list[Server], step: Callable[[str], None]
) -> list[Level]:
    base, ours = (Driver(server, sizes) for server in servers)
    fillers = [ours]
    found: list[Level] = []
    stored = 0
    for wanted, sessions in levels:
        step(f"filling up to {wanted} impressions in {sessions} sessions")
        while len(fillers) < sessions:
            fillers.append(Driver(servers[1], sizes))
        turn = 0
        while stored < wanted:
            stored += fillers[turn % len(fillers)].fill(min(LARGEST_BATCH * 20, wanted - stored))
            turn += 1
        rest([base, ours])
        rounds = []
        for number in range(sizes.rounds):
            step(f"{wanted} impressions, {sessions} sessions: round {number + 1} of {sizes.rounds}")
            below, cost = _impression([base, ours])
            stored += sizes.requests
            rounds.append((cost, below))
        relative = statistics.median(cost / below for cost, below in rounds)
        first = found[0].cpu_us / found[0].floor_us if found else relative
        cpu_us, floor_us = (statistics.median(column) for column in zip(*rounds, strict=True))
        found.append(Level(servers[1].backend, wanted, sessions, cpu_us, floor_us, relative / first))
    return found


def _impression(drivers: Sequence[Driver]) -> list[float]:
    """Returns the processor time of one impression on each server: handed out, answered, counted."""
    asked, told = run_together(drivers, "next-pair"), run_together(drivers, "feedback")
    return [first.cpu_us + second.cpu_us for first, second in zip(asked, told, strict=True)]
