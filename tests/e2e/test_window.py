"""An attribution window: nothing counts before it closes, silence counts as said, late clicks do not."""

import os
import signal
import time
from pathlib import Path

from app.client import Client
from tests.e2e.harness import Server, stored_impressions

WINDOW = 2.0


def wait_for_counts(client: Client, session: str, closed: int) -> dict[str, int]:
    """Returns the counters once so many impressions are counted or void."""
    until = time.monotonic() + 15
    while True:
        counters = client.get_session(session).counters
        if counters.counted + counters.void >= closed or time.monotonic() > until:
            return counters.model_dump()
        time.sleep(0.1)


def test_window(database_url: str, tmp_path: Path) -> None:
    with Server(database_url, tmp_path) as server, Client(server.url) as client:
        session = client.create_session(["a", "b", "c"], attribution_window_seconds=WINDOW).id
        pairs = client.next_pairs(session, 10)
        began = time.monotonic()
        for pair in pairs[:3]:
            assert client.feedback(session, pair.ticket, reward=1).status == "accepted"
        time.sleep(WINDOW / 2)
        counters = client.get_session(session).counters
        assert time.monotonic() - began < WINDOW
        assert (counters.answered, counters.counted) == (3, 0), "nothing counts before its window closes"
        counts = wait_for_counts(client, session, 10)
        assert (counts["counted"], counts["void"]) == (10, 0), "silence is a non-click"
        late = client.feedback(session, pairs[5].ticket, reward=1)
        assert late.status == "late"
        assert client.feedback(session, pairs[5].ticket, reward=1).status == "duplicate"
        assert client.get_session(session).counters.counted == 10
        (row,) = [one for one in stored_impressions(database_url, session) if one["ticket"] == pairs[5].ticket]
        assert (row["outcome"], row["late_outcome"]) == (None, 1.0), "stored, not counted"


def test_silence_can_be_void(database_url: str, tmp_path: Path) -> None:
    with Server(database_url, tmp_path) as server, Client(server.url) as client:
        settings = {"attribution_window_seconds": 1, "missing_feedback": "void"}
        session = client.create_session(["a", "b", "c"], **settings).id
        pairs = client.next_pairs(session, 4)
        client.feedback(session, pairs[0].ticket, reward=0)
        counts = wait_for_counts(client, session, 4)
        assert (counts["counted"], counts["void"]) == (1, 3)


def test_outage_in_the_window_voids(database_url: str, tmp_path: Path) -> None:
    with Server(database_url, tmp_path) as server, Client(server.url) as client:
        session = client.create_session(["a", "b", "c"], attribution_window_seconds=WINDOW).id
        pairs = client.next_pairs(session, 6)
        client.feedback(session, pairs[0].ticket, reward=1)
        server.kill()
        time.sleep(WINDOW)
        server.start()
        counts = wait_for_counts(client, session, 6)
        assert (counts["counted"], counts["void"]) == (0, 6), "nobody was there to take an answer"
        client.next_pairs(session, 5)
        counts = wait_for_counts(client, session, 11)
        assert (counts["counted"], counts["void"]) == (5, 6), "the session goes on"


def test_pause_in_the_window_voids(sqlite_url: str, tmp_path: Path) -> None:
    with Server(sqlite_url, tmp_path) as server, Client(server.url, timeout_seconds=20) as client:
        session = client.create_session(["a", "b", "c"], attribution_window_seconds=1).id
        client.next_pairs(session, 6)
        time.sleep(0.3)
        os.kill(server.process.pid, signal.SIGSTOP)
        time.sleep(4.5)
        os.kill(server.process.pid, signal.SIGCONT)
        counts = wait_for_counts(client, session, 6)
        assert (counts["counted"], counts["void"]) == (0, 6), "it slept: silence proves nothing"
