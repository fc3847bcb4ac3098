"""kill -9 in mid-load, again and again: what was acknowledged is there once, and the session goes on."""

import os
import random
import time
from contextlib import ExitStack
from pathlib import Path

from app.client import Client
from tests.e2e.harness import Server
from tests.e2e.ledger import SETTINGS, Record, Tally, calling, check, compare

KILLS = int(os.environ.get("BESTPAIR_TEST_KILLS", "8"))  # make torture asks for more
CALLERS = 4
ITEMS = [f"ad-{n}" for n in range(6)]


def kill_again_and_again(database_url: str, folder: Path, n_servers: int) -> Tally:
    """Returns what the ledgers say; after each kill the server is started anew on its port."""
    with ExitStack() as stack:
        servers = [stack.enter_context(Server(database_url, folder)) for _ in range(n_servers)]
        client = stack.enter_context(Client(servers[0].url))
        session = client.create_session(ITEMS, **SETTINGS).id
        moments = random.Random(5)
        with calling([server.url for server in servers] * (CALLERS // n_servers), session) as callers:
            for _ in range(KILLS):
                time.sleep(0.3 + 0.5 * moments.random())
                server = moments.choice(servers)
                server.kill()
                server.start()
            time.sleep(0.5)
        return compare(database_url, client, session, callers)


def test_nothing_acknowledged_is_lost_or_counted_twice(
    database_url: str, tmp_path: Path, record_property: Record
) -> None:
    tally = kill_again_and_again(database_url, tmp_path, n_servers=1)
    check(tally, record_property, "server killed", database_url.partition(":")[0], KILLS)


def test_one_of_two_servers_is_killed(postgresql_url: str, tmp_path: Path, record_property: Record) -> None:
    tally = kill_again_and_again(postgresql_url, tmp_path, n_servers=2)
    check(tally, record_property, "one of two servers killed", "postgresql", KILLS)
