"""How the service scales: `bestpair bench growth` and `bestpair bench processes`.

Growth is the cost of an impression with many stored impressions or sessions; processes is the throughput of several
server processes. An impression is one call of next-pair and one of feedback, with the folds and plans that they cause
later. The floor is measured at each level too, so that a slower machine is not mistaken for growth.
"""

import statistics
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.bench.driver import LARGEST_BATCH, Driver, Sizes, measure_idle, run_round
from experiments.bench.servers import Server, database, floor, postgresql, service


@dataclass(frozen=True)
class Level:
    """The cost at one size of the database."""

    backend: str
    stored: int
    sessions: int
    cpu_us: float
    floor_us: float
    growth: float  # cost divided by the floor's, relative to the first level

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
    """Returns the cost at each (stored impressions, sessions), on one database that is filled in this order."""
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
            stack.callback(server.stop)  # also if it does not get ready
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
        measure_idle([base, ours])
        rounds = []
        for number in range(sizes.rounds):
            step(f"{wanted} impressions, {sessions} sessions: round {number + 1} of {sizes.rounds}")
            floor_cost, cost = _impression([base, ours])
            stored += sizes.requests
            rounds.append((cost, floor_cost))
        relative = statistics.median(cost / floor_cost for cost, floor_cost in rounds)
        first = found[0].cpu_us / found[0].floor_us if found else relative
        cpu_us, floor_us = (statistics.median(column) for column in zip(*rounds, strict=True))
        found.append(Level(servers[1].backend, wanted, sessions, cpu_us, floor_us, relative / first))
    return found


def _impression(drivers: Sequence[Driver]) -> list[float]:
    """Returns the processor time of one impression on each server: next-pair and feedback, until it is counted."""
    next_pair, feedback = run_round(drivers, "next-pair"), run_round(drivers, "feedback")
    return [first.cpu_us + second.cpu_us for first, second in zip(next_pair, feedback, strict=True)]


def measure_processes(
    counts: Sequence[int], sizes: Sizes, *, postgresql_url: str | None, step: Callable[[str], None]
) -> list[dict[str, Any]]:
    """Returns impressions per second (next-pair, then feedback) by number of server processes on one PostgreSQL.

    Returns an empty list if there is no PostgreSQL.
    """
    rps: dict[int, list[float]] = {count: [] for count in counts}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bestpair-bench-")))
        shared = stack.enter_context(postgresql(postgresql_url))
        if shared is None:
            return []
        drivers = {}
        for count in counts:
            server = service(
                f"{count}-workers", "postgresql", stack.enter_context(database(shared)), workers=str(count)
            )
            stack.callback(server.stop)
            server.start(folder)
            drivers[count] = Driver(server, sizes)
            step(f"storing {sizes.stored_before} impressions: {count} processes")
            drivers[count].fill(sizes.stored_before)
        for number in range(sizes.rounds + 1):
            for count, driver in drivers.items():
                step(f"round {number} of {sizes.rounds}: {count} processes")
                next_pair, feedback = (run_round([driver], path)[0] for path in ("next-pair", "feedback"))
                if number:
                    rps[count].append(1 / (1 / next_pair.rps + 1 / feedback.rps))
    return [{"processes": count, "rps": round(statistics.median(found), 1)} for count, found in rps.items()]
