"""One session against a running service: many concurrent ad servers, and a ledger of what was acknowledged."""

import asyncio
import heapq
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from app.client import AsyncClient, ProblemError, ServiceUnreachable
from app.simulation.delivery import Responder
from app.simulation.impressions import Answer, Impression
from app.simulation.population import Population
from app.wire.best_pair import BestPair
from app.wire.serving import Feedback

POLL_SECONDS = 0.1
SETTLE_SECONDS = 20.0
"""How long to wait at the end for the last fold to count what was acknowledged."""

MOST_WAITING = 2000
"""Answers on their way per ad server before it stops asking for more pairs."""


@dataclass(frozen=True)
class AdServers:
    """How the simulated ad servers behave."""

    clients: int = 16
    pairs_per_call: int = 20
    item_clicks: bool = False
    longest_seconds: float = 600.0


@dataclass
class Ledger:
    """What the service acknowledged, to be compared with what it counted."""

    accepted: dict[str, float] = field(default_factory=dict)  # ticket -> reward
    statuses: Counter[str] = field(default_factory=Counter)
    handed_out: list[str] = field(default_factory=list)  # tickets that count, in the order they came

    def note(self, answer: Answer, status: str) -> None:
        """Writes down one acknowledgement."""
        self.statuses[status] += 1
        if status == "accepted":
            self.accepted[answer.ticket] = answer.reward


@dataclass(frozen=True)
class RemoteOutcome:
    """How a session on a service ended."""

    session: str
    best: BestPair
    error: float
    seconds: float
    counts: dict[str, int]
    ledger: Ledger

    def as_json(self, policy: str) -> dict[str, Any]:
        """Returns the outcome for `--json`, with the names that a session in process has too."""
        return {
            "policy": policy,
            "certified": self.best.certified,
            "verdict": self.best.verdict,
            "samples": self.best.samples,
            "pair": [self.best.i, self.best.j],
            "error": self.error,
            "gap": self.best.gap,
            "plans": self.best.plan_version,
            "seconds": self.seconds,
            "phase": self.best.phase,
            "assumptions": self.best.assumptions,
            "notes": [entry.problem for entry in self.best.health if not entry.suspends],
            "session": self.session,
            "acknowledged": len(self.ledger.accepted),
            **self.counts,
            "statuses": dict(self.ledger.statuses),
        }


async def run_remote(
    client: AsyncClient,
    settings: dict[str, object],
    population: Population,
    responder: Responder,
    servers: AdServers,
    rng: np.random.Generator,
    on_progress: Callable[[BestPair], None] = lambda _: None,
) -> RemoteOutcome:
    """Returns how a new session with these settings ended; every ad server has its own random source."""
    began = time.perf_counter()
    kind = {"feedback": "items"} if servers.item_clicks else {}
    items = [f"item-{number}" for number in range(population.n_items)]
    session = await client.create_session(items, **{**settings, **kind})
    ledger, done = Ledger(), asyncio.Event()
    fleet = [
        _AdServer(client, session.id, items, responder, servers, source, ledger, done)
        for source in rng.spawn(servers.clients)
    ]
    running = [asyncio.create_task(one.run()) for one in fleet]
    best = await _watch(client, session.id, running, servers.longest_seconds, on_progress)
    done.set()
    await asyncio.gather(*running)
    counts = await _settled_counts(client, session.id, len(ledger.accepted))
    error = float(population.error(best.i, best.j))
    return RemoteOutcome(session.id, best, error, time.perf_counter() - began, counts, ledger)


async def _watch(
    client: AsyncClient,
    session: str,
    running: list[asyncio.Task[None]],
    longest_seconds: float,
    on_progress: Callable[[BestPair], None],
) -> BestPair:
    """Returns the answer once there is a verdict, the time is up, or an ad server failed."""
    until = time.perf_counter() + longest_seconds
    while True:
        best = await client.best_pair(session)
        on_progress(best)
        failed = any(task.done() and task.exception() for task in running)
        if best.verdict != "not_yet" or time.perf_counter() > until or failed:
            return best
        await asyncio.sleep(POLL_SECONDS)


async def _settled_counts(client: AsyncClient, session: str, acknowledged: int) -> dict[str, int]:
    """Returns the counters after the last fold: all that was acknowledged, or nothing moves any more."""
    until = time.perf_counter() + SETTLE_SECONDS
    while True:
        counts = (await client.get_session(session)).counters
        if counts.counted >= acknowledged or time.perf_counter() > until:
            return counts.model_dump()
        await asyncio.sleep(POLL_SECONDS)


class _AdServer:
    """One ad server: asks for pairs, shows them, sends what its users did when the news arrives."""

    def __init__(
        self,
        client: AsyncClient,
        session: str,
        items: list[str],
        responder: Responder,
        behaviour: AdServers,
        rng: np.random.Generator,
        ledger: Ledger,
        done: asyncio.Event,
    ) -> None:
        self._client, self._session, self._items = client, session, items
        self._responder, self._behaviour, self._rng = responder, behaviour, rng
        self._ledger, self._done = ledger, done
        self._waiting: list[tuple[float, int, Answer]] = []  # a heap by arrival
        self._number = 0

    async def run(self) -> None:
        """Serves until told that there is a verdict, then sends what is still on its way."""
        while not self._done.is_set():
            if len(self._waiting) < MOST_WAITING:
                await self._show()
            else:
                await asyncio.sleep(POLL_SECONDS)
            await self._send(time.time())
        await self._send(float("inf"))

    async def _show(self) -> None:
        pairs = await self._client.next_pairs(self._session, self._behaviour.pairs_per_call)
        now = time.time()
        exploits = 0
        for pair in pairs:
            if pair.purpose == "exploit":
                exploits += 1
                continue  # its answer would be ignored
            self._ledger.handed_out.append(pair.ticket)
            for answer in self._responder.respond(Impression(pair.ticket, pair.i, pair.j, now), self._rng):
                self._number += 1
                heapq.heappush(self._waiting, (answer.arrives_at, self._number, answer))
        if exploits == len(pairs):
            await asyncio.sleep(POLL_SECONDS)  # nothing to learn until the next plan

    async def _send(self, now: float) -> None:
        due: list[Answer] = []
        while self._waiting and self._waiting[0][0] <= now:
            due.append(heapq.heappop(self._waiting)[2])
            if len(due) == self._behaviour.pairs_per_call:
                await self._post(due)
                due = []
        if due:
            await self._post(due)

    async def _post(self, answers: list[Answer]) -> None:
        rows = [self._feedback(answer) for answer in answers]
        results = await self._client.feedbacks(self._session, rows)
        for answer, result in zip(answers, results, strict=True):
            self._ledger.note(answer, result.status)

    def _feedback(self, answer: Answer) -> Feedback:
        if self._behaviour.item_clicks and answer.clicked is not None:
            return Feedback(ticket=answer.ticket, clicked=[self._items[item] for item in set(answer.clicked)])
        return Feedback(ticket=answer.ticket, reward=answer.reward)


__all__ = ["AdServers", "Ledger", "ProblemError", "RemoteOutcome", "ServiceUnreachable", "run_remote"]
