"""Requests of the serving benchmark, sent to several servers in turn, and the processor time that they cost."""

import json
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from experiments.bench.bare_server import BATCH
from experiments.bench.load import Done, Work, connected, drive
from experiments.bench.servers import Server

LARGEST_BATCH = 1000
ITEMS = 20
"""Items of the measured session: planning for 20 items is a small part of the cost."""
SETTLE_SECONDS = 30.0
SETTLE_STEP_SECONDS = 0.05
IDLE_SECONDS = 2.0
IN_BATCHES = 5
"""Impressions in a round of batches, as a multiple of a round of single calls: a round has fixed costs (connections, a
plan), which must be small compared with those of its impressions."""
SLICES = 6
"""Parts of a round, in which the servers take turns: a shared machine may be twice as fast a second later."""


@dataclass(frozen=True)
class Measured:
    """One path of one server in one round."""

    cpu_us: float  # per request
    rps: float
    p50_ms: float
    p99_ms: float


@dataclass(frozen=True)
class Sizes:
    """The size of a benchmark."""

    rounds: int = 12
    requests: int = 3000  # single calls in a round
    clients: int = 128

    @property
    def batches(self) -> int:
        """Batches in a round: few enough to take no longer than the single calls, but more than the clients."""
        return max(1, IN_BATCHES * self.requests // BATCH)

    @property
    def stored_before(self) -> int:
        """Impressions to store before rounds of single calls: then a plan is not out before the end of a round."""
        return 5 * self.requests


def run_round(drivers: Sequence["Driver"], path: str) -> list[Measured]:
    """Runs one round of a path on all servers, which take turns in slices, and returns the cost for each server.

    The processor time of a server during its own slices counts. For feedback, the time until all feedback is counted
    is added, without the time that an idle server uses: that depends on the duration, not on the requests.
    """
    works = [driver.work(path) for driver in drivers]
    counts = [-(-len(work.requests) // SLICES) for work in works]
    meters = [_Meter(driver.server) for driver in drivers]
    with connected(works) as load:
        for number in range(SLICES):
            for k in range(len(drivers)) if number % 2 else reversed(range(len(drivers))):
                with meters[k].slice():
                    load.send(k, counts[k])
        if path.startswith("feedback"):
            _settle(drivers, meters)
        dones = load.finish()
    return [
        driver.measured(path, done, meter.cpu_seconds)
        for driver, done, meter in zip(drivers, dones, meters, strict=True)
    ]


def measure_idle(drivers: Sequence["Driver"]) -> None:
    """Measures the share of a processor that each server uses without requests, and stores it in the server."""
    meters = [_Meter(driver.server) for driver in drivers]
    time.sleep(IDLE_SECONDS)
    for driver, meter in zip(drivers, meters, strict=True):
        driver.server.idle_share = meter.since_began() / IDLE_SECONDS


def _settle(drivers: Sequence["Driver"], meters: Sequence["_Meter"]) -> None:
    """Waits until all feedback is counted, and reads the meter of each server at that time."""
    waiting = dict(zip(drivers, meters, strict=True))
    until = time.monotonic() + SETTLE_SECONDS
    while waiting:
        for driver in [each for each in waiting if each.has_settled]:
            waiting.pop(driver).settle()
        if time.monotonic() > until:
            raise RuntimeError("feedback was not counted in time")
        time.sleep(SETTLE_STEP_SECONDS)


class _Meter:
    """The processor time of one server in a round."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._began, self._cpu_before = time.monotonic(), server.cpu_seconds()
        self._slices = 0.0  # seconds
        self.cpu_seconds = 0.0

    @contextmanager
    def slice(self) -> Iterator[None]:
        """Adds the processor time used in the block."""
        began, before = time.monotonic(), self._server.cpu_seconds()
        yield
        self.cpu_seconds += self._server.cpu_seconds() - before
        self._slices += time.monotonic() - began

    def settle(self) -> None:
        """Adds the processor time used outside of the slices, without that of an idle server."""
        outside = time.monotonic() - self._began - self._slices
        self.cpu_seconds += max(0.0, self.since_began() - self.cpu_seconds - outside * self._server.idle_share)

    def since_began(self) -> float:
        """Returns the processor time since the start of the round."""
        return self._server.cpu_seconds() - self._cpu_before


class Driver:
    """Makes the requests of each path for one server; feedback uses the tickets of the last round of next-pair."""

    def __init__(self, server: Server, sizes: Sizes, session: str | None = None) -> None:
        self.server, self._sizes = server, sizes
        self._session = "fixed"
        self._etag = '"none"'
        self._tickets: list[str] = ["tAAAAAAAAAAAAAAAAAAAAAAAA"] * (sizes.batches * BATCH)
        self._rng = random.Random(1)  # noqa: S311 - simulated clicks
        self._is_floor = server.kind == "floor"
        self._headers = "".join(f"{name}: {value}\r\n" for name, value in server.headers.items())
        if not self._is_floor:
            self._session = session or new_session(server)

    def work(self, path: str) -> Work:
        """Returns the requests of one round of a path."""
        requests = tuple(self._requests(path))
        keeps = path.startswith("next-pair") and not self._is_floor
        return Work(self.server.port, requests, self._sizes.clients, keep_bodies=keeps)

    @property
    def has_settled(self) -> bool:
        """Whether the server has counted all feedback, which happens after it has stored it."""
        return self._is_floor or not self.server.outstanding(self._session)

    def measured(self, path: str, done: Done, cpu_seconds: float) -> Measured:
        """Returns the cost of a round; raises RuntimeError if a request failed, since failures would look cheap."""
        wanted = 304 if path == "best-pair" else 200
        count = len(done.latencies)
        if done.statuses != {wanted: count}:
            raise RuntimeError(f"{path}: wanted {wanted} only, got {dict(done.statuses)}")
        if done.bodies:
            self._tickets = _explored(done)
            if len(self._tickets) < count * (BATCH if path.endswith("/batch") else 1):
                raise RuntimeError(f"{path}: the plan was out, so some impressions were not stored; fill more before")
        return Measured(
            cpu_us=1e6 * cpu_seconds / count,
            rps=count / done.seconds,
            p50_ms=done.percentile_ms(0.5),
            p99_ms=done.percentile_ms(0.99),
        )

    def fill(self, count: int) -> int:
        """Stores at least `count` impressions with feedback, in large batches, without measuring; returns the number.

        A new session has small plans, and a plan is handed out a few times only. So each step asks for as many
        impressions as are stored, and the plans grow with them.
        """
        stored, until = 0, time.monotonic() + SETTLE_SECONDS
        while stored < count and not self._is_floor:
            step = self._store(min(count - stored, max(stored, LARGEST_BATCH)))
            stored += step
            if step:
                until = time.monotonic() + SETTLE_SECONDS
            elif time.monotonic() > until:
                raise RuntimeError("there was no new plan in time")
            else:
                time.sleep(SETTLE_STEP_SECONDS)
        return stored

    def _store(self, count: int) -> int:
        """Asks for about `count` impressions and answers those that explore; returns their number."""
        calls = max(1, count // LARGEST_BATCH)
        requests = [self._post("next-pair/batch", {"count": min(count, LARGEST_BATCH)})] * calls
        done = drive(Work(self.server.port, tuple(requests), min(calls, 8), keep_bodies=True))
        tickets = _explored(done)
        feedback = [{"ticket": ticket, "reward": int(self._rng.random() < 0.3)} for ticket in tickets]
        sent = [
            self._post("feedback/batch", feedback[start : start + LARGEST_BATCH])
            for start in range(0, len(feedback), LARGEST_BATCH)
        ]
        if sent:
            drive(Work(self.server.port, tuple(sent), min(calls, 8)))
        _settle([self], [_Meter(self.server)])
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
        feedback = [{"ticket": ticket, "reward": int(self._rng.random() < 0.3)} for ticket in self._tickets]
        if path == "feedback":
            return [self._post(path, one) for one in feedback[:n]]
        return [self._post(path, feedback[k : k + BATCH]) for k in range(0, batches * BATCH, BATCH)]

    def _post(self, path: str, body: object) -> bytes:
        content = json.dumps(body).encode()
        head = f"POST /v1/sessions/{self._session}/{path} HTTP/1.1\r\nHost: localhost\r\n{self._headers}"
        return f"{head}Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n".encode() + content

    def _get(self, path: str) -> bytes:
        head = f"GET /v1/sessions/{self._session}/{path} HTTP/1.1\r\nHost: localhost\r\n{self._headers}"
        return f"{head}If-None-Match: {self._etag}\r\n\r\n".encode()


def new_session(server: Server, n_items: int = ITEMS, budget: int | None = None) -> str:
    """Creates a session that never certifies, so that every impression is stored and counted; returns its id.

    All pairs have the same click rate here, and epsilon is small.
    """
    items = [f"item-{k}" for k in range(n_items)]
    settings = {"epsilon": 0.001, "delta": 0.01, "seed": 1, "budget": budget}
    made = server.call("POST", "/v1/sessions", {"items": items, **settings})
    return str(made["id"])


def _explored(done: Done) -> list[str]:
    """Returns the tickets of the impressions that explore, and so are stored."""
    return [one["ticket"] for body in done.bodies for one in _impressions(body) if one["purpose"] == "explore"]


def _impressions(body: bytes) -> list[dict[str, Any]]:
    content = json.loads(body)
    return content if isinstance(content, list) else [content]
