"""Assumptions that do not hold, through the service: the session is suspended, says why, and goes on showing pairs."""

import json
import random
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from app.client import Client, ProblemError
from app.results.findings import LATE_CAUSE
from app.verification.replay import replay
from app.verification.verify import check_replay, verify
from app.wire.best_pair import BestPair
from app.wire.serving import Feedback, Impression
from tests.e2e.harness import Server

ITEMS = ["ad-0", "ad-1", "ad-2", "ad-3"]
LIKED = {"ad-0": 0.7, "ad-1": 0.6}
LONGEST_SECONDS = 60.0

Answer = Callable[[Impression], Feedback | None]


@contextmanager
def client_of(database_url: str, folder: Path) -> Iterator[Client]:
    with Server(database_url, folder) as server, Client(server.url, timeout_seconds=30) as client:
        yield client


class Crowd:
    """Users who like some items, and an ad server that may not tell all."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)

    def clicked(self, pair: Impression) -> list[str]:
        return [item for item in pair.items if self._rng.random() < LIKED.get(item, 0.07)]

    def tell_all(self, pair: Impression) -> Feedback:
        return Feedback(ticket=pair.ticket, reward=float(bool(self.clicked(pair))))

    def tell_clicks_only(self, pair: Impression) -> Feedback | None:
        return Feedback(ticket=pair.ticket, reward=1.0) if self.clicked(pair) else None

    def tell_first_click(self, pair: Impression) -> Feedback:
        """All items are liked alike, but the first click leads away."""
        liked = [item for item in pair.items if self._rng.random() < 0.6]
        return Feedback(ticket=pair.ticket, clicked=liked[:1])


def drive(client: Client, session: str, answer: Answer, until: Callable[[BestPair], bool]) -> BestPair:
    """Shows pairs and answers until best-pair says so."""
    end = time.monotonic() + LONGEST_SECONDS
    while not until(best := client.best_pair(session)):
        assert time.monotonic() < end, best
        answers = [answer(pair) for pair in client.next_pairs(session, 200) if pair.counts]
        if sent := [one for one in answers if one is not None]:  # none while the best pair is shown
            client.feedbacks(session, sent)
        time.sleep(0.1)
    return best


def is_suspended(best: BestPair) -> bool:
    return best.verdict == "suspended"


def log_of(client: Client, session: str) -> list[dict[str, Any]]:
    return list(client.export(session))


def test_only_clicks_are_reported(database_url: str, tmp_path: Path) -> None:
    with client_of(database_url, tmp_path) as client:
        # A small epsilon: if all answers are clicks, a larger one is reached before the first silence is given up.
        session = client.create_session(ITEMS, epsilon=0.001, ticket_ttl_seconds=1, seed=1).id
        best = drive(client, session, Crowd(1).tell_clicks_only, is_suspended)
        assert not best.certified
        assert best.health[0].suspends
        assert all(entry.suspends or entry.kind == "only_clicks_so_far" for entry in best.health)
        assert "report every impression" in best.health[0].advice
        with pytest.raises(ProblemError, match="see health in best-pair") as refused:
            client.certificate(session)
        assert refused.value.status == 404
        end = time.monotonic() + LONGEST_SECONDS
        while client.next_pair(session).purpose != "explore":
            assert time.monotonic() < end, "exploration goes on, with the next plan if this one is out"
            time.sleep(0.1)
        client.change_session(session, state="paused")
        assert client.best_pair(session).verdict == "suspended", "a change of state does not wash it off"
        again = replay(log_of(client, session))
        assert again.differing == [], "the log alone gives the same plans, findings and all"
        assert sum(again.evidence.unanswered) > 30


def test_clicks_that_come_after_the_time_to_live(database_url: str, tmp_path: Path) -> None:
    """One click in three takes longer than ticket_ttl_seconds; other answers come at once."""
    with client_of(database_url, tmp_path) as client:
        session = client.create_session(ITEMS, epsilon=0.001, ticket_ttl_seconds=1, seed=1).id
        crowd, slow = Crowd(3), deque[tuple[float, Feedback]]()

        def tell(pair: Impression) -> Feedback | None:
            answer = crowd.tell_all(pair)
            if answer.reward and random.Random(pair.ticket).random() < 1 / 3:
                slow.append((time.monotonic() + 1.5, answer))
                return None
            return answer

        def is_noticed(best: BestPair) -> bool:
            due = []
            while slow and slow[0][0] <= time.monotonic():
                due.append(slow.popleft()[1])
            if due:
                assert {each.status for each in client.feedbacks(session, due)} == {"late"}
            return any(entry.cause == LATE_CAUSE for entry in best.health)

        best = drive(client, session, tell, is_noticed)
        assert best.verdict == "suspended"
        assert replay(log_of(client, session)).differing == []


def test_clicks_that_hide_the_other_slot(sqlite_url: str, tmp_path: Path) -> None:
    with client_of(sqlite_url, tmp_path) as client:
        session = client.create_session(ITEMS, feedback="items", epsilon=0.02, seed=1).id
        best = drive(client, session, Crowd(2).tell_first_click, is_suspended)
        assert any('"feedback": "pair"' in entry.advice for entry in best.health), best.health


def test_items_are_asked_for_by_name(sqlite_url: str, tmp_path: Path) -> None:
    """A reward alone would be taken for "no item was clicked"."""
    with client_of(sqlite_url, tmp_path) as client:
        session = client.create_session(ITEMS, feedback="items").id
        ticket = client.next_pair(session).ticket
        for reward in (0, 1):
            with pytest.raises(ProblemError, match="send a list of ids") as refused:
                client.feedback(session, ticket, reward=reward)
            assert refused.value.status == 422
        assert client.feedback(session, ticket, clicked=[]).status == "accepted"


def test_doubt_after_the_verdict(database_url: str, tmp_path: Path) -> None:
    """Answers that were out when it was certified say something else."""
    with client_of(database_url, tmp_path) as client:
        settings: dict[str, Any] = {"policy": "lucb", "epsilon": 0.1, "delta": 0.1, "budget": 20_000, "seed": 1}
        session, out = certified_with_many_out(client, settings)
        certificate = json.loads(client.certificate(session))
        assert len(verify(certificate, log_of(client, session))) > 10
        client.feedbacks(session, [Feedback(ticket=pair.ticket, reward=0.0) for pair in out])
        assert client.best_pair(session).verdict == "certified", "nothing looks at them yet"
        client.change_session(session, budget=30_000)
        best = client.best_pair(session)
        assert (best.verdict, best.certified) == ("suspended", False)
        assert "since" in best.health[0].problem
        assert json.loads(client.certificate(session)) == certificate, "what was written stays"
        log = log_of(client, session)
        assert all(check.holds for check in [*verify(certificate, log), check_replay(certificate, log)])
        assert replay(log).planned[-1].snapshot.etag


def certified_with_many_out(client: Client, settings: dict[str, Any]) -> tuple[str, list[Impression]]:
    """Returns a certified session, and 500 impressions or more of it that count and are not answered yet.

    How many are out depends on the last plan, which is handed out a few times only. So this takes several sessions.
    """
    for seed in range(20):
        session = client.create_session(ITEMS, **settings).id
        out = [pair for pair in certify_with_some_out(client, session, Crowd(seed)) if pair.counts]
        if len(out) >= 500:
            return session, out
    raise AssertionError("the last plan of every session was small")


def certify_with_some_out(client: Client, session: str, crowd: Crowd) -> list[Impression]:
    """Returns impressions that were handed out before the verdict and are not answered yet."""
    for more in range(1, 200):
        shown, out = client.next_pairs(session, 100), client.next_pairs(session, 1000)
        client.feedbacks(session, [crowd.tell_all(pair) for pair in shown])
        client.change_session(session, budget=20_000 + more)  # folds and plans at once
        if client.best_pair(session).certified:
            return out
        client.feedbacks(session, [Feedback(ticket=pair.ticket, not_shown=True) for pair in out])
    raise AssertionError(client.best_pair(session))
