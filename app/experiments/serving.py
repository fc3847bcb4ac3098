"""What a request costs the server, next to the floor: `bestpair bench serving`.

Machines are shared and noisy: every figure is taken side by side with the floor's, in interleaved rounds, and the
median of the rounds is told. Processor time is the server process's own, with everything it did for the requests: in
the rounds of feedback also folding and planning, until all that was answered has been counted.
"""

import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.experiments.serving_floor import BATCH
from app.experiments.serving_load import Done, Work, drive
from app.experiments.serving_servers import Server, database, floor, postgresql, service, with_key

LARGEST_BATCH = 1000
ITEMS = 20
"""Items of the measured session: planning for so few is a small part of the cost."""
SETTLE_SECONDS = 30.0
IN_BATCHES = 5
"""Impressions of a round in batches, for each one of single calls: a round has costs of its own (connections, a plan),
which must not be mistaken for those of its impressions."""

PATHS = ("next-pair", "feedback", "best-pair", "next-pair/batch", "feedback/batch")
TARGETS = {
    ("next-pair", "sqlite"): 0.40,
    ("next-pair", "postgresql"): 0.60,
    ("feedback", "sqlite"): 0.25,
    ("feedback", "postgresql"): 0.35,
    ("best-pair", "sqlite"): 0.8,
    ("best-pair", "postgresql"): 0.8,
}
"""The least share of the floor's cost in ours, with the hot lane."""
ACCESS_TARGET = 1.15
"""The cost with keys and rate limits, at most so many times that without."""
GENEROUS = "999999999/second"
"""A rate that is counted and never used up."""
BATCH_TARGET = 8.0
"""Impressions per processor second of a batch of 100, at least so many times those of single calls."""


@dataclass(frozen=True)
class Sizes:
    """How much to measure."""

    rounds: int = 3
    requests: int = 6000  # single calls in a round
    clients: int = 128

    @property
    def batches(self) -> int:
        """Batches in a round: few enough to take no longer than the single calls, many more than there are clients."""
        return max(1, IN_BATCHES * self.requests // BATCH)


@dataclass(frozen=True)
class Measured:
    """One path of one server in one round."""

    cpu_us: float  # per request
    rps: float
    p50_ms: float
    p99_ms: float


@dataclass
class Row:
    """One path of one server over all rounds; medians."""

    path: str
    lane: str  # "floor", "hot", "plain", "keys" (hot, with a key and a rate limit) or "optuna"
    backend: str
    rounds: list[Measured] = field(default_factory=list)
    floor_us: list[float] = field(default_factory=list)
    single_us: float | None = None
    without_keys_us: list[float] = field(default_factory=list)

    def median(self, name: str) -> float:
        """Returns the median of one figure."""
        return statistics.median(getattr(measured, name) for measured in self.rounds)

    @property
    def ratio(self) -> float:
        """The floor's cost as a share of this one's: the median over rounds, each with the floor beside it."""
        return statistics.median(
            below / measured.cpu_us for below, measured in zip(self.floor_us, self.rounds, strict=True)
        )

    @property
    def access_cost(self) -> float | None:
        """This cost as a multiple of that without keys and limits, round by round beside it; None where it has none."""
        if not self.without_keys_us:
            return None
        return statistics.median(
            measured.cpu_us / below for below, measured in zip(self.without_keys_us, self.rounds, strict=True)
        )

    @property
    def batch_gain(self) -> float | None:
        """Impressions per processor second, times those of single calls; None for what is no batch."""
        return None if self.single_us is None else BATCH * self.single_us / self.median("cpu_us")

    @property
    def target(self) -> float | None:
        """The least ratio that is aimed for (a batch: the least gain); None where there is none."""
        if self.lane != "hot":
            return None
        return BATCH_TARGET if self.single_us is not None else TARGETS.get((self.path, self.backend))

    def as_json(self) -> dict[str, Any]:
        """Returns the row for `--json`."""
        figures = {name: round(self.median(name), 3) for name in ("cpu_us", "rps", "p50_ms", "p99_ms")}
        gain = self.batch_gain
        return {
            "path": self.path,
            "backend": self.backend,
            "lane": self.lane,
            **figures,
            "ratio": round(self.ratio, 4),
            "floor_us": round(statistics.median(self.floor_us), 3),
            "batch_gain": None if gain is None else round(gain, 2),
            "target": self.target,
            "access_cost": None if self.access_cost is None else round(self.access_cost, 4),
            "cpu_us_by_round": [round(measured.cpu_us, 2) for measured in self.rounds],
        }


def measure(
    sizes: Sizes, *, postgresql_url: str | None, lanes: Sequence[str], step: Callable[[str], None]
) -> list[Row]:
    """Returns all rows; `step` is told what is measured next."""
    with _running(postgresql_url, lanes) as servers:
        rows = {(path, server.name, server.backend): Row(path, server.name, server.backend)
                for path in PATHS for server in servers}  # fmt: skip
        drivers = [Driver(server, sizes) for server in servers]
        for number in range(sizes.rounds + 1):  # the first one only warms up
            for path in PATHS:
                # The floor is not always first: a machine may get slower or faster within a round.
                for driver in drivers if number % 2 else reversed(drivers):
                    step(f"round {number} of {sizes.rounds}: {path}, {driver.server.name} {driver.server.backend}")
                    measured = driver.run(path)
                    if number:
                        rows[path, driver.server.name, driver.server.backend].rounds.append(measured)
    _compare(rows)
    return list(rows.values())


def _compare(rows: dict[tuple[str, str, str], Row]) -> None:
    for (path, name, backend), row in rows.items():
        row.floor_us = [measured.cpu_us for measured in rows[path, "floor", "-"].rounds]
        single = path.removesuffix("/batch")
        if name == "keys" and (path, "hot", backend) in rows:
            row.without_keys_us = [measured.cpu_us for measured in rows[path, "hot", backend].rounds]
        if single != path and name != "floor":
            row.single_us = rows[single, name, backend].median("cpu_us")


@contextmanager
def _running(postgresql_url: str | None, lanes: Sequence[str]) -> Iterator[list[Server]]:
    """Yields the floor and the service on each database, in each lane, all started."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bestpair-bench-")))
        shared = stack.enter_context(postgresql(postgresql_url))
        servers = [floor()]
        for lane in lanes:
            databases = [("sqlite", f"sqlite:///{folder / f'{lane}.db'}")]
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


class Driver:
    """Sends each path's load to one server; feedback answers what next-pair handed out before."""

    def __init__(self, server: Server, sizes: Sizes) -> None:
        self.server, self._sizes = server, sizes
        self._session = "fixed"
        self._etag = '"none"'
        self._tickets: list[str] = ["tAAAAAAAAAAAAAAAAAAAAAAAA"] * (sizes.batches * BATCH)
        self._rng = random.Random(1)  # noqa: S311 - made-up clicks
        self._is_floor = server.name == "floor"
        self._more = "".join(f"{name}: {value}\r\n" for name, value in server.headers.items())
        if not self._is_floor:
            self._session = new_session(server)

    def run(self, path: str) -> Measured:
        """Returns what one round of a path costs."""
        requests = self._requests(path)
        keeps = path.startswith("next-pair") and not self._is_floor
        work = Work(self.server.port, tuple(requests), self._sizes.clients, keep_bodies=keeps)
        before = self.server.cpu_seconds()
        done = drive(work)
        if path.startswith("feedback") and not self._is_floor:
            self._wait_until_counted()
        used = self.server.cpu_seconds() - before
        _check(path, done, len(requests))
        if keeps:
            self._tickets = [one["ticket"] for body in done.bodies for one in _impressions(body)]
        return Measured(
            cpu_us=1e6 * used / len(requests),
            rps=len(requests) / done.seconds,
            p50_ms=done.percentile_ms(0.5),
            p99_ms=done.percentile_ms(0.99),
        )

    def fill(self, count: int) -> int:
        """Stores so many impressions and their answers, unmeasured, in large batches; returns how many."""
        calls = max(1, count // LARGEST_BATCH)
        asked = [self._post("next-pair/batch", {"count": min(count, LARGEST_BATCH)})] * calls
        done = drive(Work(self.server.port, tuple(asked), min(calls, 8), keep_bodies=True))
        tickets = [one["ticket"] for body in done.bodies for one in _impressions(body)]
        answers = [{"ticket": ticket, "reward": int(self._rng.random() < 0.3)} for ticket in tickets]
        told = [
            self._post("feedback/batch", answers[start : start + LARGEST_BATCH])
            for start in range(0, len(answers), LARGEST_BATCH)
        ]
        drive(Work(self.server.port, tuple(told), min(calls, 8)))
        self._wait_until_counted()
        return len(tickets)

    def _requests(self, path: str) -> list[bytes]:
        n, batches = self._sizes.requests, self._sizes.batches
        if path == "best-pair":
            if not self._is_floor:
                self._etag = self.server.etag(f"/v1/sessions/{self._session}/best-pair")
            return [self._get(path)] * n
        if path == "next-pair":
            return [self._post(path, {})] * n
        if path == "next-pair/batch":
            return [self._post(path, {"count": BATCH})] * batches
        answers = [{"ticket": ticket, "reward": int(self._rng.random() < 0.3)} for ticket in self._tickets]
        if path == "feedback":
            return [self._post(path, answer) for answer in answers[:n]]
        return [self._post(path, answers[k : k + BATCH]) for k in range(0, batches * BATCH, BATCH)]

    def _post(self, path: str, body: object) -> bytes:
        content = json.dumps(body).encode()
        head = f"POST /v1/sessions/{self._session}/{path} HTTP/1.1\r\nHost: localhost\r\n{self._more}"
        return f"{head}Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n".encode() + content

    def _get(self, path: str) -> bytes:
        head = f"GET /v1/sessions/{self._session}/{path} HTTP/1.1\r\nHost: localhost\r\n{self._more}"
        return f"{head}If-None-Match: {self._etag}\r\n\r\n".encode()

    def _wait_until_counted(self) -> None:
        until = time.monotonic() + SETTLE_SECONDS
        while self.server.outstanding(self._session):
            if time.monotonic() > until:
                raise RuntimeError("answers were not counted in time")
            time.sleep(0.2)


def new_session(server: Server, n_items: int = ITEMS, budget: int | None = None) -> str:
    """Returns the id of a session that never certifies, so that every impression is stored and counted.

    All pairs are alike to the callers here, and epsilon is small.
    """
    items = [f"item-{k}" for k in range(n_items)]
    settings = {"epsilon": 0.001, "delta": 0.01, "seed": 1, "budget": budget}
    made = server.call("POST", "/v1/sessions", {"items": items, **settings})
    return str(made["id"])


def _impressions(body: bytes) -> list[dict[str, Any]]:
    content = json.loads(body)
    return content if isinstance(content, list) else [content]


def _check(path: str, done: Done, n_requests: int) -> None:
    """Raises if anything but success came back: a refusal is cheap, and would flatter."""
    wanted = 304 if path == "best-pair" else 200
    if done.statuses != {wanted: n_requests}:
        raise RuntimeError(f"{path}: wanted {n_requests} times {wanted}, got {dict(done.statuses)}")
