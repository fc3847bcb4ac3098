"""The demo: the service on a temporary database, and a simulated shop that sends it visitors at a steady rate.

The shop has 24 ads and three groups of visitors, which the service does not know. Of single ads, the second and third
best have a moderate click rate in all groups. The best *pair* consists of the first and the fourth: each is clicked by
the group that the other does not reach.

The session has the default goal, and feedback names the clicked ads. The ads are offers on the shop's own page, which
one visitor in eight clicks. With a tenth of these click rates, like those of banner ads, a session takes 30 times the
impressions, and the best pair consists of the two best ads: hardly anybody would click both of any two.
"""

import asyncio
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.client import AsyncClient, AsyncFeed, FeedSettings
from app.simulation.population import Population
from app.simulation.server_process import SERVICE, ServerProcess, service_environment
from app.simulation.users import Impression, Users
from app.wire.best_pair import BestPair
from app.wire.sessions import ItemIn, Session

TICK_SECONDS = 0.02
POLL_SECONDS = 0.25
CATCH_UP_SECONDS = 1.0
"""Visitors who were not served while the machine was busy are served later, at most those of this many seconds."""

SHARES = (0.46, 0.40, 0.14)
"""Of runners, commuters and parents among the visitors."""

# (label, click probability of a runner, of a commuter, of a parent). Chosen by hand: favourites of each group, some ads
# with a moderate rate in all groups, and a tail that is rarely clicked.
_ADS = (
    ("Trail running shoes", 0.60, 0.04, 0.06),
    ("Carbon race shoes", 0.34, 0.02, 0.02),
    ("GPS sports watch", 0.27, 0.08, 0.05),
    ("Compression socks", 0.16, 0.03, 0.02),
    ("Energy gels, box of 24", 0.13, 0.01, 0.01),
    ("Noise-cancelling headphones", 0.03, 0.58, 0.07),
    ("Folding bike", 0.08, 0.27, 0.06),
    ("Laptop backpack", 0.06, 0.28, 0.08),
    ("Thermos mug", 0.07, 0.17, 0.09),
    ("Umbrella, storm-proof", 0.03, 0.12, 0.07),
    ("Balance bike for kids", 0.02, 0.03, 0.38),
    ("Rain suit for kids", 0.02, 0.02, 0.26),
    ("Lunch boxes, set of 3", 0.03, 0.07, 0.21),
    ("Board game of the year", 0.06, 0.09, 0.24),
    ("Winter sale: 30 % off", 0.27, 0.28, 0.30),
    ("Gift card", 0.25, 0.27, 0.26),
    ("Free shipping weekend", 0.18, 0.19, 0.21),
    ("Members get 10 % back", 0.12, 0.13, 0.12),
    ("Our newsletter", 0.02, 0.03, 0.03),
    ("Garden gloves", 0.02, 0.02, 0.05),
    ("Desk lamp", 0.03, 0.08, 0.04),
    ("Scented candle", 0.02, 0.04, 0.05),
    ("Printer paper", 0.01, 0.03, 0.02),
    ("Phone case", 0.05, 0.09, 0.06),
)


@dataclass(frozen=True)
class Shop:
    """The ads (an id and a label each) and the visitors who see them."""

    ads: tuple[tuple[str, str], ...]
    population: Population


def shop() -> Shop:
    """Returns the shop of the demo; it is always the same."""
    ads = tuple((f"ad-{number:02d}", label) for number, (label, *_) in enumerate(_ADS, start=1))
    clicks = np.array([rates for _, *rates in _ADS]).T  # (3, K)
    return Shop(ads, Population.mixture(SHARES, clicks))


@dataclass(frozen=True)
class Visitors:
    """The rate of visitors, and the seed of their clicks and of the session."""

    per_second: float
    seed: int = 1


@contextmanager
def temporary_service(port: int) -> Iterator[ServerProcess]:
    """Yields the service on a temporary database, started; stops it and deletes the database at the end."""
    with tempfile.TemporaryDirectory(prefix="bestpair-demo-") as folder:
        url = f"sqlite:///{Path(folder) / 'demo.db'}"
        environment = service_environment(url, host="127.0.0.1", workers="1")
        server = ServerProcess("demo", [*SERVICE, "serve"], environment, port)
        try:
            server.start(Path(folder))
            yield server
        finally:
            server.stop()


async def open_session(client: AsyncClient, shop: Shop, visitors: Visitors) -> Session:
    """Creates a session with the shop's ads, the default goal and feedback by item."""
    ads = [ItemIn(id=ad_id, label=label) for ad_id, label in shop.ads]
    name = "Homepage, two slots (simulated shop)"
    return await client.create_session(ads, name=name, feedback="items", seed=visitors.seed)


async def run_shop(
    client: AsyncClient,
    session_id: str,
    shop: Shop,
    visitors: Visitors,
    stop: asyncio.Event,
    on_progress: Callable[[BestPair], None],
) -> BestPair:
    """Sends visitors until there is a verdict or `stop` is set; returns the best pair at that time."""
    closed = asyncio.Event()
    async with AsyncFeed(client, session_id, FeedSettings(first_timeout_seconds=60)) as feed:
        serving = asyncio.create_task(_serve_visitors(feed, shop, visitors, closed))
        try:
            best = await client.best_pair(session_id)
            while best.verdict == "not_yet" and not stop.is_set() and not serving.done():
                await asyncio.sleep(POLL_SECONDS)
                best = await client.best_pair(session_id)
                on_progress(best)
        finally:
            closed.set()
            await serving
    return best


async def _serve_visitors(feed: AsyncFeed, shop: Shop, visitors: Visitors, closed: asyncio.Event) -> None:
    """Shows pairs to visitors at the given rate and reports their clicks, until `closed` is set."""
    users, rng = Users(shop.population), np.random.default_rng(visitors.seed)
    places = {ad_id: place for place, (ad_id, _) in enumerate(shop.ads)}
    served, began = 0, time.monotonic()
    while not closed.is_set():
        elapsed = time.monotonic() - began
        due = int(elapsed * visitors.per_second) - served
        most = int(CATCH_UP_SECONDS * visitors.per_second)
        served += max(0, due - most)  # those above it are dropped
        for _ in range(min(due, most)):
            pair = await feed.next()
            i, j = (places[item] for item in pair.items)
            response = users.respond(Impression(pair.ticket or "", i, j, elapsed), rng)
            feed.report(pair, clicked=[shop.ads[item][0] for item in response.clicked or ()])
            served += 1
        await asyncio.sleep(TICK_SECONDS)
