"""The demo: the service on a temporary database, and a simulated shop that sends it visitors at a steady pace."""

import asyncio
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.client import AsyncClient, AsyncFeed, FeedSettings
from app.simulation.impressions import Impression
from app.simulation.server_process import SERVICE, ServerProcess, service_environment
from app.simulation.shop import Shop
from app.simulation.users import Users
from app.wire.best_pair import BestPair
from app.wire.sessions import ItemIn

TICK_SECONDS = 0.02
POLL_SECONDS = 0.25
CATCH_UP_SECONDS = 1.0
"""Visitors who could not be served while the machine was busy are served later, but no more than so many seconds."""


@dataclass(frozen=True)
class Visit:
    """What the demo asks for and how busy the shop is."""

    visitors_per_second: float
    epsilon: float = 0.05
    delta: float = 0.05
    seed: int = 1


@contextmanager
def temporary_service(port: int) -> Iterator[ServerProcess]:
    """Yields the service on a database that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="bestpair-demo-") as folder:
        url = f"sqlite:///{Path(folder) / 'demo.db'}"
        environment = service_environment(url, host="127.0.0.1", workers="1")
        server = ServerProcess("demo", [*SERVICE, "serve"], environment, port)
        try:
            server.start(Path(folder))
            yield server
        finally:
            server.stop()


async def open_session(client: AsyncClient, shop: Shop, visit: Visit) -> str:
    """Returns the id of the shop's session."""
    ads = [ItemIn(id=ad_id, label=label) for ad_id, label in shop.ads]
    name = "Homepage, two slots (simulated shop)"
    created = await client.create_session(ads, name=name, epsilon=visit.epsilon, delta=visit.delta, seed=visit.seed)
    return created.id


async def run_shop(
    client: AsyncClient,
    session_id: str,
    shop: Shop,
    visit: Visit,
    stop: asyncio.Event,
    on_progress: Callable[[BestPair], None],
) -> BestPair:
    """Returns the answer once there is a verdict, or what is known when told to stop."""
    closed = asyncio.Event()
    async with AsyncFeed(client, session_id, FeedSettings(first_timeout_seconds=60)) as feed:
        visitors = asyncio.create_task(_serve_visitors(feed, shop, visit, closed))
        try:
            best = await client.best_pair(session_id)
            while best.verdict == "not_yet" and not stop.is_set() and not visitors.done():
                await asyncio.sleep(POLL_SECONDS)
                best = await client.best_pair(session_id)
                on_progress(best)
        finally:
            closed.set()
            await visitors
    return best


async def _serve_visitors(feed: AsyncFeed, shop: Shop, visit: Visit, closed: asyncio.Event) -> None:
    """Shows pairs to visitors as they come, until the shop closes."""
    users, rng = Users(shop.population), np.random.default_rng(visit.seed)
    places = {ad_id: place for place, (ad_id, _) in enumerate(shop.ads)}
    served, began = 0, time.monotonic()
    while not closed.is_set():
        elapsed = time.monotonic() - began
        due = int(elapsed * visit.visitors_per_second) - served
        most = int(CATCH_UP_SECONDS * visit.visitors_per_second)
        served += max(0, due - most)  # they have gone away
        for _ in range(min(due, most)):
            pair = await feed.next()
            i, j = (places[item] for item in pair.items)
            answer = users.respond(Impression(pair.ticket or "", i, j, elapsed), rng)
            feed.report(pair, reward=answer.reward)
            served += 1
        await asyncio.sleep(TICK_SECONDS)
