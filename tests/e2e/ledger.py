"""Ad servers that keep a ledger of what was acknowledged, and its comparison with the database."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import httpx

from app.client import Client, ProblemError, Retries, ServiceUnreachable
from tests.e2e.harness import reference_evidence, stored_evidence, stored_impressions

SETTINGS = {"epsilon": 0.01, "policy": "naive", "ticket_ttl_seconds": 3, "seed": 1}
SETTLE_SECONDS = 30.0
Record = Callable[[str, object], None]
"""pytest's record_property."""


class Caller(threading.Thread):
    """An ad server with a ledger: what it was handed, under which key, what was acknowledged, what was refused."""

    def __init__(
        self, url: str, session: str, number: int, over: threading.Event, *, api_key: str | None = None
    ) -> None:
        super().__init__(daemon=True)
        self.accepted: dict[str, float] = {}
        self.by_key: dict[str, str] = {}
        self.unsure = 0  # calls whose answer got lost: what they asked for may have been done or not
        self.refused: Counter[int] = Counter()
        self._client = Client(url, api_key=api_key, retries=Retries(attempts=1), timeout_seconds=2)
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
            except ProblemError as error:
                self.refused[error.status] += 1
                time.sleep(0.02)
            except (ServiceUnreachable, httpx.HTTPError):
                self.unsure += 1
                time.sleep(0.02)
        self._client.close()


@contextmanager
def calling(urls: Sequence[str], session: str, *, api_key: str | None = None) -> Iterator[list[Caller]]:
    """Yields ad servers, one for each address, that call until the end."""
    over = threading.Event()
    callers = [Caller(url, session, number, over, api_key=api_key) for number, url in enumerate(urls)]
    for caller in callers:
        caller.start()
    try:
        yield callers
    finally:
        over.set()
        for caller in callers:
            caller.join(20)


class Tally(NamedTuple):
    """The ledgers of all callers beside the database."""

    acknowledged: int
    found: int  # of those, with their value
    lost: int
    doubled: int  # counted more often than answered
    plans: int


def compare(database_url: str, client: Client, session: str, callers: Sequence[Caller]) -> Tally:
    """Returns the tally, when all is counted; asserts all that must hold besides."""
    by_key = {key: ticket for caller in callers for key, ticket in caller.by_key.items()}
    for key in random.Random(6).sample(sorted(by_key), 20):
        assert client.next_pair(session, idempotency_key=key).ticket == by_key[key], "the same ticket again"
    until = time.monotonic() + SETTLE_SECONDS
    while client.get_session(session).counters.outstanding and time.monotonic() < until:
        time.sleep(0.2)
    counters = client.get_session(session).counters
    assert counters.outstanding == 0
    assert client.next_pair(session).counts, "the session goes on"
    impressions = stored_impressions(database_url, session)[: counters.issued]
    accepted = {ticket: reward for caller in callers for ticket, reward in caller.accepted.items()}
    answered = {row["ticket"]: row["outcome"] for row in impressions if row["outcome"] is not None}
    found = sum(answered.get(ticket) == reward for ticket, reward in accepted.items())
    # An answer may be on disk although its acknowledgement was lost: those count too, once.
    assert len(answered) - found <= sum(caller.unsure + caller.refused[503] for caller in callers)
    assert stored_evidence(database_url, session) == reference_evidence(impressions, answered)
    assert [row["sequence"] for row in impressions] == list(range(1, len(impressions) + 1))
    plans = [row["version"] for row in client.export(session) if row["kind"] == "plan"]
    assert plans == list(range(1, len(plans) + 1)), "each version was planned once"
    assert {row["plan_version"] for row in impressions} <= set(plans)
    doubled = counters.counted - len(answered)
    return Tally(len(accepted), found, len(accepted) - found, doubled, len(plans))


def check(tally: Tally, record: Record, fault: str, database: str, rounds: int) -> None:
    """Adds a row to the table that pytest prints at its end (tests/conftest.py); asserts that nothing is wrong."""
    row = [fault, database.partition("+")[0], rounds, tally.acknowledged, tally.found, tally.lost, tally.doubled]
    record("fault", row)
    assert tally.acknowledged > 100, "the load was a load"
    assert (tally.lost, tally.doubled) == (0, 0)
