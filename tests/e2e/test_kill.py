"""kill -9 in mid-load, again and again: what was acknowledged is there once, and the session goes on."""

import os
import random
import threading
import time
from pathlib import Path

import httpx

from app.client import Client, ProblemError, Retries, ServiceUnreachable
from tests.e2e.harness import Server, reference_evidence, stored_evidence, stored_impressions

KILLS = int(os.environ.get("BESTPAIR_TEST_KILLS", "10"))  # make torture asks for more
CALLERS = 4


class Caller(threading.Thread):
    """An ad server that keeps a ledger: what it was handed, what was acknowledged, under which key."""

    def __init__(self, url: str, session: str, number: int, over: threading.Event) -> None:
        super().__init__(daemon=True)
        self.accepted: dict[str, float] = {}
        self.by_key: dict[str, str] = {}
        self._client = Client(url, retries=Retries(attempts=1), timeout_seconds=2)
        self._session, self._number, self._over = session, number, over
        self._rng = random.Random(number)

    def run(self) -> None:
        calls = 0
        while not self._over.is_set():
            calls += 1
            key = f"caller-{self._number}-{calls}"
            try:
                ticket = self._client.next_pair(self._session, idempotency_key=key).ticket
                self.by_key[key] = ticket
                reward = float(self._rng.random() < 0.3)
                if self._client.feedback(self._session, ticket, reward=reward).status == "accepted":
                    self.accepted[ticket] = reward
            except (ServiceUnreachable, ProblemError, httpx.HTTPError):
                time.sleep(0.02)
        self._client.close()


def test_nothing_acknowledged_is_lost_or_counted_twice(database_url: str, tmp_path: Path) -> None:
    server = Server(database_url, tmp_path).start()
    with Client(server.url) as client:
        session = client.create_session(
            [f"ad-{n}" for n in range(6)], epsilon=0.01, policy="naive", ticket_ttl_seconds=3, seed=1
        ).id
        over = threading.Event()
        callers = [Caller(server.url, session, number, over) for number in range(CALLERS)]
        for caller in callers:
            caller.start()
        moments = random.Random(5)
        for _ in range(KILLS):
            time.sleep(0.4 + 0.8 * moments.random())
            server.kill()
            server.start()
        time.sleep(0.5)
        over.set()
        for caller in callers:
            caller.join(20)
        accepted = {ticket: reward for caller in callers for ticket, reward in caller.accepted.items()}
        by_key = {key: ticket for caller in callers for key, ticket in caller.by_key.items()}
        assert len(accepted) > 100, "the load was a load"
        for key in random.Random(6).sample(sorted(by_key), 20):
            assert client.next_pair(session, idempotency_key=key).ticket == by_key[key], "the same ticket again"
        until = time.monotonic() + 20
        while client.get_session(session).counters.outstanding and time.monotonic() < until:
            time.sleep(0.2)
        counters = client.get_session(session).counters
        assert client.next_pair(session).counts, "the session goes on"
    server.stop()
    impressions = stored_impressions(database_url, session)
    found = {row["ticket"]: row["outcome"] for row in impressions}
    assert {ticket: found.get(ticket) for ticket in accepted} == accepted, "nothing acknowledged is missing"
    # An answer may be on disk although its acknowledgement was lost with the process: those count too, once.
    answered = {row["ticket"]: row["outcome"] for row in impressions if row["outcome"] is not None}
    assert len(answered) - len(accepted) <= KILLS * CALLERS
    assert counters.counted == len(answered)
    assert stored_evidence(database_url, session) == reference_evidence(impressions, answered)
    assert [row["sequence"] for row in impressions] == list(range(1, len(impressions) + 1))
