"""What is sent to a server in the serving benchmark, and what comes of it; all servers get theirs in turn."""

import json
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.experiments.serving_floor import BATCH
from app.experiments.serving_load import Done, Work, connected, drive
from app.experiments.serving_rows import Measured
from app.experiments.serving_servers import Server

LARGEST_BATCH = 1000
ITEMS = 20
"""Items of the measured session: planning for so few is a small part of the cost."""
SETTLE_SECONDS = 30.0
IN_BATCHES = 5
"""Impressions of a round in batches, for each one of single calls: a round has costs of its own (connections, a plan),
which must not be mistaken for those of its impressions."""
SLICES = 6
"""Of a round, for each server in turn: a shared machine may be twice as fast a second later."""


@dataclass(frozen=True)
class Sizes:
    """How much to measure."""

    rounds: int = 12
    requests: int = 3000  # single calls in a round
    clients: int = 128

    @property
    def batches(self) -> int:
        """Batches in a round: few enough to take no longer than the single calls, many more than there are clients."""
        return max(1, IN_BATCHES * self.requests // BATCH)


def run_together(drivers: Sequence["Driver"], path: str) -> list[Measured]:
    """Returns what one round of a path costs each of the servers, in slices that take turns.

    Only the time of a server's own slices counts; but where answers are stored, all until they have been counted.
    """
    works = [driver.work(path) for driver in drivers]
    counts = [-(-len(work.requests) // SLICES) for work in works]
    used = [0.0] * len(drivers)
    stores = path.startswith("feedback")
    with connected(works) as load:
        began = [driver.server.cpu_seconds() for driver in drivers]
        for number in range(SLICES):
            for k in range(len(drivers)) if number % 2 else reversed(range(len(drivers))):
                before = drivers[k].server.cpu_seconds()
                load.send(k, counts[k])
                used[k] += drivers[k].server.cpu_seconds() - before
        for k, driver in enumerate(drivers):
            if stores:
                driver.settle(path)
                used[k] = driver.server.cpu_seconds() - began[k]
        dones = load.finish()
    return [driver.measured(path, done, cpu) for driver, done, cpu in zip(drivers, dones, used, strict=True)]


class Driver:
    """Sends each path's load to one server; feedback answers what next-pair handed out before."""

    def __init__(self, server: Server, sizes: Sizes, session: str | None = None) -> None:
        self.server, self._sizes = server, sizes
        self._session = "fixed"
        self._etag = '"none"'
        self._tickets: list[str] = ["tAAAAAAAAAAAAAAAAAAAAAAAA"] * (sizes.batches * BATCH)
        self._rng = random.Random(1)  # noqa: S311 - made-up clicks
        self._is_floor = server.name == "floor"
        self._more = "".join(f"{name}: {value}\r\n" for name, value in server.headers.items())
        if not self._is_floor:
            self._session = session or new_session(server)

    def work(self, path: str) -> Work:
        """Returns one round's load of a path."""
        requests = tuple(self._requests(path))
        keeps = path.startswith("next-pair") and not self._is_floor
        return Work(self.server.port, requests, self._sizes.clients, keep_bodies=keeps)

    def settle(self, path: str) -> None:
        """Waits until the server has done what a path leaves for later: answers are counted after they are stored."""
        if path.startswith("feedback") and not self._is_floor:
            self._wait_until_counted()

    def measured(self, path: str, done: Done, cpu_seconds: float) -> Measured:
        """Returns what a round cost; raises if anything but success came back, which would be cheap, and flatter."""
        wanted = 304 if path == "best-pair" else 200
        count = len(done.latencies)
        if done.statuses != {wanted: count}:
            raise RuntimeError(f"{path}: wanted {wanted} only, got {dict(done.statuses)}")
        if done.bodies:
            self._tickets = [one["ticket"] for body in done.bodies for one in _impressions(body)]
        return Measured(
            cpu_us=1e6 * cpu_seconds / count,
            rps=count / done.seconds,
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
