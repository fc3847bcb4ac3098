"""Sessions on a real server, driven until they are certified; their certificates and exports come over HTTP.

The database is an old one: one of its sessions was created before impressions had digests, and is continued.
"""

import json
import random
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import numpy as np

from app.client import Client, Feedback
from app.wire.best_pair import BestPair
from app.wire.serving import Impression
from tests.database.freeze import FOLDER
from tests.e2e.harness import Server

LONGEST_SECONDS = 60.0
SMALL_PLANS = {"while_waiting": "exploit"}
"""Each plan is shown once: many plans, few impressions, so that bets are needed for the proof."""

Document = dict[str, Any]
Answer = Callable[[Impression], Feedback | None]


class Certified(NamedTuple):
    """A certificate and the export of its session."""

    certificate: Document
    rows: list[Document]


class Visitors:
    """Half of them like the first item, half the second; they hardly ever click another.

    Answers are lost with probability `lost`. Those who like the first item click the third with probability `third`.
    """

    def __init__(self, seed: int, *, lost: float = 0.0, third: float = 0.02) -> None:
        self._rng, self._lost, self._third = random.Random(seed), lost, third

    def clicked(self, pair: Impression) -> list[str]:
        rates = [{0: 0.8, 2: self._third}, {1: 0.8}][self._rng.randrange(2)]
        places = sorted(zip((pair.i, pair.j), pair.items, strict=True))  # which item is shown first is not seeded
        return [item for place, item in places if self._rng.random() < rates.get(place, 0.02)]

    def reward(self, pair: Impression) -> Feedback | None:
        is_lost = self._rng.random() < self._lost
        return None if is_lost else Feedback(ticket=pair.ticket, reward=float(bool(self.clicked(pair))))

    def items(self, pair: Impression) -> Feedback | None:
        is_lost = self._rng.random() < self._lost
        return None if is_lost else Feedback(ticket=pair.ticket, clicked=self.clicked(pair))

    def clicks_only(self, pair: Impression) -> Feedback | None:
        clicked = self.clicked(pair)
        return Feedback(ticket=pair.ticket, clicked=clicked) if clicked else None


def exact(pair: Impression) -> Feedback:
    """Answer with the reward of the pair, for two groups of visitors."""
    unclicked = np.array([[0.2, 0.95], [0.9, 0.3]] + [[0.9 - 0.05 * item, 0.8 + 0.02 * item] for item in range(4)])
    return Feedback(ticket=pair.ticket, reward=1 - float(np.mean(unclicked[pair.i] * unclicked[pair.j])))


def names(K: int) -> list[str]:
    """Return ids that JSON may escape."""
    return [f"größe-{number}" for number in range(K)]


def drive(client: Client, session: str, answer: Answer, until: Callable[[BestPair], bool]) -> BestPair:
    """Show pairs and answer until the best pair is as wanted."""
    end = time.monotonic() + LONGEST_SECONDS
    while not until(best := client.best_pair(session)):
        assert time.monotonic() < end, best
        send(client, session, [answer(pair) for pair in client.next_pairs(session, 100) if pair.counts])
        time.sleep(0.05)
    return best


def send(client: Client, session: str, feedback: list[Feedback | None]) -> None:
    """Send the answers that are not lost."""
    if answers := [one for one in feedback if one is not None]:
        client.feedbacks(session, answers)


def is_certified(best: BestPair) -> bool:
    return best.certified


def download(server: Server, session: str) -> Certified:
    """Return the certificate and the export as they come over HTTP."""
    address = f"{server.url}/v1/sessions/{session}"
    certificate = json.loads(httpx.get(f"{address}/certificate", timeout=30).content)
    lines = httpx.get(f"{address}/export", timeout=60).text.splitlines()
    return Certified(certificate, [json.loads(line) for line in lines])


def simple(client: Client, K: int, answer: Answer, **settings: Any) -> str:
    """Drive one session to its certificate and return its id."""
    goal = {} if "relative_epsilon" in settings else {"epsilon": 0.1}
    session = client.create_session(names(K), **{**goal, "delta": 0.1, "seed": 7, **settings}).id
    drive(client, session, answer, is_certified)
    return session


def old_database(folder: Path) -> str:
    """Return the address of a database of an old revision, with one session."""
    file = folder / "old.sqlite3"
    connection = sqlite3.connect(file)
    connection.executescript((FOLDER / "0002.sql").read_text())
    connection.close()
    return f"sqlite:///{file}"


def upgraded(client: Client) -> str:
    """Drive the session of the old database."""
    session = next(one.id for one in client.list_sessions().sessions if one.name == "frozen")
    drive(client, session, Visitors(9).reward, is_certified)
    return session


def raised_budget(client: Client) -> str:
    """Drive a session until its budget is spent, raise it, and go on; so small a budget rules a guess out."""
    settings = {"epsilon": 0.1, "delta": 0.1, "seed": 7, "feedback": "items", "budget": 150, **SMALL_PLANS}
    session, answer = client.create_session(names(6), **settings).id, Visitors(5).items
    drive(client, session, answer, lambda best: best.verdict == "exhausted")
    client.change_session(session, budget=100_000)
    drive(client, session, answer, is_certified)
    return session


def killed(client: Client, server: Server) -> str:
    """Drive a session halfway, kill the server while answers are awaited, start it and go on."""
    settings = {"epsilon": 0.1, "delta": 0.1, "seed": 7, "feedback": "items", "attribution_window_seconds": 1.0}
    session, answer = client.create_session(names(6), **settings).id, Visitors(6).clicks_only
    drive(client, session, answer, lambda best: best.plan_version > 1)
    feedback = [answer(pair) for pair in client.next_pairs(session, 60)]
    send(client, session, feedback[:30])
    server.kill()
    server.start()
    drive(client, session, answer, is_certified)
    return session


SCENARIOS: dict[str, Callable[[Client], str]] = {
    "pairs": lambda client: simple(client, 20, Visitors(1).reward, **SMALL_PLANS),
    "items": lambda client: simple(client, 6, Visitors(2, third=0.6).items, feedback="items", **SMALL_PLANS),
    "relative pairs": lambda client: simple(client, 20, Visitors(11).reward, relative_epsilon=0.15, **SMALL_PLANS),
    "relative items": lambda client: simple(
        client, 6, Visitors(12, third=0.6).items, feedback="items", relative_epsilon=0.1, **SMALL_PLANS
    ),
    "window": lambda client: simple(
        client, 6, Visitors(3).clicks_only, feedback="items", attribution_window_seconds=1.0
    ),
    "lucb": lambda client: simple(client, 6, Visitors(4).reward, policy="lucb", epsilon=0.2),
    "deterministic": lambda client: simple(client, 6, exact, model="deterministic", rank=2),
    "exact": lambda client: simple(client, 6, exact, model="deterministic", relative_epsilon=0.1),
    "budget": raised_budget,
    "upgraded": upgraded,
    "two": lambda client: simple(client, 2, Visitors(10).reward),
    "lost": lambda client: simple(client, 6, Visitors(8, lost=0.03).items, feedback="items", ticket_ttl_seconds=1.0),
}


def run_all(server: Server) -> dict[str, Certified]:
    """Run all sessions and return what was downloaded: all at once, then the one with the kill."""
    with Client(server.url, timeout_seconds=30) as client:
        with ThreadPoolExecutor(len(SCENARIOS)) as pool:
            running = {name: pool.submit(scenario, client) for name, scenario in SCENARIOS.items()}
        sessions = {name: future.result() for name, future in running.items()} | {"killed": killed(client, server)}
        return {name: download(server, session) for name, session in sessions.items()}
