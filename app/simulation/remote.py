"""One session on a running service: many concurrent simulated ad servers, and a ledger of acknowledged feedback."""

import asyncio
import heapq
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from app.client import AsyncClient
from app.simulation.population import Population
from app.simulation.run import relative_error
from app.simulation.users import Impression, Response
from app.wire.best_pair import BestPair
from app.wire.serving import Feedback

POLL_SECONDS = 0.1
SETTLE_SECONDS = 20.0
"""The longest wait at the end for the last fold to count the acknowledged feedback."""

MOST_WAITING = 2000
"""Responses of one ad server that have not arrived yet; at this number it stops asking for pairs."""

Respond = Callable[[Impression, np.random.Generator], list[Response]]
"""Returns the responses to an impression: usually one, but feedback may also get lost or arrive twice."""


@dataclass(frozen=True)
class AdServers:
    """The number of simulated ad servers and how they call the service."""

    clients: int = 16
    pairs_per_call: int = 20
    item_clicks: bool = False
    longest_seconds: float = 600.0


@dataclass
class Ledger:
    """The feedback that the service acknowledged, to compare with what it counted."""

    accepted: dict[str, float] = field(default_factory=dict)  # ticket -> reward
    statuses: Counter[str] = field(default_factory=Counter)
    handed_out: list[str] = field(default_factory=list)  # tickets that count, in the order of arrival

    def note(self, response: Response, status: str) -> None:
        """Records one acknowledgement."""
        self.statuses[status] += 1
        if status == "accepted":
            self.accepted[response.ticket] = response.reward


@dataclass(frozen=True)
class RemoteOutcome:
    """How a session on a service ended."""

    session: str
    best: BestPair
    error: float
    best_reward: float  # of the true best pair
    seconds: float
    counts: dict[str, int]
    ledger: Ledger

    def as_json(self, policy: str) -> dict[str, Any]:
        """Returns the outcome for `--json`, with the same keys as a session in process has."""
        return {
            "policy": policy,
            "certified": self.best.certified,
            "verdict": self.best.verdict,
            "samples": self.best.samples,
            "pair": [self.best.i, self.best.j],
            "error": self.error,
            "best_reward": self.best_reward,
            "gap": self.best.gap,
            "relative_gap": self.best.relative_gap,
            "epsilon": self.best.epsilon,
            "relative_epsilon": self.best.relative_epsilon,
            "relative_error": relative_error(self.error, self.best_reward),
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
    respond: Respond,
    servers: AdServers,
    rng: np.random.Generator,
    on_progress: Callable[[BestPair], None] = lambda _: None,
) -> RemoteOutcome:
    """Runs a new session with these settings and returns how it ended; every ad server has its own random source."""
    began = time.perf_counter()
    kind = {"feedback": "items"} if servers.item_clicks else {}
    items = [f"item-{number}" for number in range(population.n_items)]
    session = await client.create_session(items, **{**settings, **kind})
    ledger, done = Ledger(), asyncio.Event()
    fleet = [
        _AdServer(client, session.id, items, respond, servers, source, ledger, done)
        for source in rng.spawn(servers.clients)
    ]
    running = [asyncio.create_task(one.run()) for one in fleet]
    best = await _watch(client, session.id, running, servers.longest_seconds, on_progress)
    done.set()
    await asyncio.gather(*running)
    counts = await _settled_counts(client, session.id, len(ledger.accepted))
    error, best_reward = float(population.error(best.i, best.j)), 1.0 - population.best_pair().value
    return RemoteOutcome(session.id, best, error, best_reward, time.perf_counter() - began, counts, ledger)


async def _watch(
    client: AsyncClient,
    session: str,
    running: list[asyncio.Task[None]],
    longest_seconds: float,
    on_progress: Callable[[BestPair], None],
) -> BestPair:
    """Polls until there is a verdict, the time is up, or an ad server failed; returns the best pair."""
    until = time.perf_counter() + longest_seconds
    while True:
        best = await client.best_pair(session)
        on_progress(best)
        failed = any(task.done() and task.exception() for task in running)
        if best.verdict != "not_yet" or time.perf_counter() > until or failed:
            return best
        await asyncio.sleep(POLL_SECONDS)


async def _settled_counts(client: AsyncClient, session: str, acknowledged: int) -> dict[str, int]:
    """Returns the counters once all acknowledged feedback is counted, or SETTLE_SECONDS have passed."""
    until = time.perf_counter() + SETTLE_SECONDS
    while True:
        counts = (await client.get_session(session)).counters
        if counts.counted >= acknowledged or time.perf_counter() > until:
            return counts.model_dump()
        await asyncio.sleep(POLL_SECONDS)


class _AdServer:
    """One ad server: asks for pairs, shows them, and sends the feedback when the responses arrive."""

    def __init__(
        self,
        client: AsyncClient,
        session: str,
        items: list[str],
        respond: Respond,
        behaviour: AdServers,
        rng: np.random.Generator,
        ledger: Ledger,
        done: asyncio.Event,
    ) -> None:
        self._client, self._session, self._items = client, session, items
        self._respond, self._behaviour, self._rng = respond, behaviour, rng
        self._ledger, self._done = ledger, done
        self._waiting: list[tuple[float, int, Response]] = []  # a heap by arrival
        self._number = 0

    async def run(self) -> None:
        """Serves until `done` is set, then sends all remaining feedback."""
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
                continue  # its feedback would be ignored
            self._ledger.handed_out.append(pair.ticket)
            for response in self._respond(Impression(pair.ticket, pair.i, pair.j, now), self._rng):
                self._number += 1
                heapq.heappush(self._waiting, (response.arrives_at, self._number, response))
        if exploits == len(pairs):
            await asyncio.sleep(POLL_SECONDS)  # nothing to learn until the next plan

    async def _send(self, now: float) -> None:
        due: list[Response] = []
        while self._waiting and self._waiting[0][0] <= now:
            due.append(heapq.heappop(self._waiting)[2])
            if len(due) == self._behaviour.pairs_per_call:
                await self._post(due)
                due = []
        if due:
            await self._post(due)

    async def _post(self, responses: list[Response]) -> None:
        rows = [self._feedback(response) for response in responses]
        results = await self._client.feedbacks(self._session, rows)
        for response, result in zip(responses, results, strict=True):
            self._ledger.note(response, result.status)

    def _feedback(self, response: Response) -> Feedback:
        if self._behaviour.item_clicks and response.clicked is not None:
            return Feedback(ticket=response.ticket, clicked=[self._items[item] for item in set(response.clicked)])
        return Feedback(ticket=response.ticket, reward=response.reward)
