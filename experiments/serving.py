"""What a request costs the server, next to the floor: `bestpair bench serving`.

Machines are shared and noisy: every figure is taken side by side with the floor's, in many short rounds, and the median
of the rounds' ratios is told, with how far it may be off. Processor time is the server process's own, with all that it
did for the requests: in the rounds of feedback also folding and planning, until all that was answered has been counted.
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from experiments.serving_driver import Driver, Sizes, rest, run_together
from experiments.serving_rows import Row
from experiments.serving_servers import Server, database, floor, postgresql, service, with_key

BACKENDS = ("sqlite", "postgresql")
PATHS = ("next-pair", "feedback", "best-pair", "next-pair/batch", "feedback/batch")
STORED = 100_000
"""Impressions of the session before anything is measured: a young one is planned for every few thousand, at the same
cost however its callers call. `bench growth` measures at other sizes."""
GENEROUS = "999999999/second"
"""A rate that is counted and never used up."""


def measure(
    sizes: Sizes,
    *,
    postgresql_url: str | None,
    lanes: Sequence[str],
    step: Callable[[str], None],
    backends: Sequence[str] = BACKENDS,
    only: Sequence[str] = PATHS,
) -> list[Row]:
    """Returns all rows of these lanes, databases and paths; `step` is told what is measured next."""
    paths = _with_what_they_need(only)
    with _running(postgresql_url, lanes, backends) as servers:
        rows = {(path, server.kind, server.backend): Row(path, server.kind, server.backend)
                for path in paths for server in servers}  # fmt: skip
        drivers = [Driver(server, sizes) for server in servers]
        for driver in drivers:
            step(f"storing {STORED} impressions: {driver.server.kind} {driver.server.backend}")
            driver.fill(STORED)
        for number in range(sizes.rounds + 1):  # the first one only warms up
            if number == 1:
                rest(drivers)
            for path in paths:
                step(f"round {number} of {sizes.rounds}: {path}")
                for driver, measured in zip(drivers, run_together(drivers, path), strict=True):
                    if number:
                        rows[path, driver.server.kind, driver.server.backend].rounds.append(measured)
    _compare(rows)
    return list(rows.values())


def _with_what_they_need(only: Sequence[str]) -> list[str]:
    """Returns the paths in order, with those that they answer, and single calls beside batches."""
    needed = {*only, *(path.removesuffix("/batch") for path in only)}
    needed |= {path.replace("feedback", "next-pair") for path in needed}
    return [path for path in PATHS if path in needed]


def _compare(rows: dict[tuple[str, str, str], Row]) -> None:
    for (path, name, backend), row in rows.items():
        row.floor_us = rows[path, "floor", "-"].cpu_us
        single = path.removesuffix("/batch")
        if name == "keys" and (path, "hot", backend) in rows:
            row.without_keys_us = rows[path, "hot", backend].cpu_us
        if single != path and name != "floor":
            row.single_us = rows[single, name, backend].cpu_us


@contextmanager
def _running(postgresql_url: str | None, lanes: Sequence[str], backends: Sequence[str]) -> Iterator[list[Server]]:
    """Yields the floor and the service on each database, in each lane, all started."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bestpair-bench-")))
        shared = stack.enter_context(postgresql(postgresql_url)) if "postgresql" in backends else None
        servers = [floor()]
        for lane in lanes:
            databases = [("sqlite", f"sqlite:///{folder / f'{lane}.db'}")] if "sqlite" in backends else []
            if shared is not None:
                databases.append(("postgresql", stack.enter_context(database(shared))))
            for backend, url in databases:
                if lane == "keys":
                    servers.append(with_key(service(lane, backend, url, hot_lane="1", rate_limit=GENEROUS), url))
                else:
                    servers.append(service(lane, backend, url, hot_lane=str(int(lane == "hot"))))
        for server in servers:
            stack.callback(server.stop)  # also of one that does not get ready
            server.start(folder)
        yield servers
