"""A feed on a real server that is killed and started again: outcomes are stored once, unshown pairs are void."""

import asyncio
import random
import threading
import time
from pathlib import Path

from app.client import AsyncClient, AsyncFeed, Client, Feed, FeedSettings, PairToShow
from tests.e2e.harness import Server, stored_impressions

ITEMS = [f"ad-{n}" for n in range(40)]  # a first plan of hundreds of impressions
SETTINGS = FeedSettings(timeout_seconds=0.05, first_timeout_seconds=30)
KILLS = 2


class Ledger:
    """What ad servers showed, and what came of it."""

    def __init__(self) -> None:
        self.shown: dict[str, float] = {}
        self.fallbacks = 0

    def show(self, pair: PairToShow, rng: random.Random) -> float:
        """Returns the reward."""
        reward = float(rng.random() < 0.3)
        if pair.ticket is None:
            self.fallbacks += 1
        elif pair.purpose == "explore":
            self.shown[pair.ticket] = reward
        return reward


def assert_stored(database_url: str, session: str, ledger: Ledger) -> None:
    """Every outcome reported is stored as it was, and every other impression was given back."""
    rows = stored_impressions(database_url, session)
    outcomes = {row["ticket"]: row["outcome"] for row in rows if row["outcome"] is not None}
    assert outcomes == ledger.shown
    assert len(ledger.shown) > 200, "the load was a load"
    open_tickets = [row["ticket"] for row in rows if row["outcome"] is None and not row["not_shown"]]
    assert open_tickets == []


def test_nothing_is_lost_when_the_server_is_killed_under_a_feed(database_url: str, tmp_path: Path) -> None:
    server = Server(database_url, tmp_path).start()
    ledger, over = Ledger(), threading.Event()
    with Client(server.url, timeout_seconds=5) as client:
        session = client.create_session(ITEMS, epsilon=0.01, policy="naive", seed=1).id

        def serve(feed: Feed, number: int) -> None:
            rng = random.Random(number)
            while not over.is_set():
                pair = feed.next()
                feed.report(pair, reward=ledger.show(pair, rng))
                time.sleep(0.002)

        with Feed(client, session, SETTINGS) as feed:
            callers = [threading.Thread(target=serve, args=(feed, number)) for number in range(3)]
            for caller in callers:
                caller.start()
            for _ in range(KILLS):
                time.sleep(0.7)
                server.kill()
                time.sleep(0.2)
                server.start()
            time.sleep(0.7)
            over.set()
            for caller in callers:
                caller.join()
            server.kill()  # and once more, with outcomes still to be sent
            server.start()
        assert feed.statuses["conflict"] == feed.statuses["not_found"] == 0
    server.stop()
    assert ledger.fallbacks > 0, "there was always something to show"
    assert_stored(database_url, session, ledger)


async def test_asyncio_feed_on_a_real_server(sqlite_url: str, tmp_path: Path) -> None:
    ledger = Ledger()
    with Server(sqlite_url, tmp_path) as server:
        async with AsyncClient(server.url) as client:
            session = (await client.create_session(ITEMS, epsilon=0.01, policy="naive", seed=1)).id
            async with AsyncFeed(client, session, SETTINGS) as feed:

                async def serve(number: int) -> None:
                    rng = random.Random(number)
                    for _ in range(150):
                        pair = await feed.next(timeout_seconds=20)
                        feed.report(pair, reward=ledger.show(pair, rng))

                await asyncio.gather(*map(serve, range(4)))
            counters = (await client.get_session(session)).counters
    assert len(ledger.shown) == counters.answered == 600
    assert_stored(sqlite_url, session, ledger)
