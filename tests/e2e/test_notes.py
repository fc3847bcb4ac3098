"""Notes through a real server: a caller that sends only clicks, or nothing, hears of it within seconds."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from app.client import Client
from app.wire.best_pair import BestPair
from app.wire.serving import Feedback, Impression
from tests.e2e.harness import Server
from tests.e2e.test_streams import events

ITEMS = ["ad-0", "ad-1", "ad-2", "ad-3"]
FEW_SECONDS = 10.0
"""A fold a second, and a snapshot that is a second old: more only on a busy machine."""


@contextmanager
def service(database_url: str, folder: Path) -> Iterator[tuple[Server, Client]]:
    with Server(database_url, folder) as server, Client(server.url, timeout_seconds=30) as client:
        yield server, client


def kinds(best: BestPair) -> list[str | None]:
    return [entry.kind for entry in best.health]


def wait_until(client: Client, session: str, holds: Callable[[BestPair], bool]) -> BestPair:
    """Returns best-pair as soon as it is as asked for."""
    end = time.monotonic() + FEW_SECONDS
    while not holds(best := client.best_pair(session)):
        assert time.monotonic() < end, best
        time.sleep(0.1)
    return best


def click_every_fourth(client: Client, session: str, count: int) -> list[Impression]:
    """Shows `count` pairs that count, over several plans, and reports a click on every fourth; returns them."""
    shown: list[Impression] = []
    end = time.monotonic() + FEW_SECONDS
    while len(shown) < count:
        assert time.monotonic() < end, len(shown)
        new = [pair for pair in client.next_pairs(session, count - len(shown)) if pair.counts]
        clicked = [pair for number, pair in enumerate(new, start=len(shown)) if number % 4 == 0]
        if clicked:
            client.feedbacks(session, [Feedback(ticket=pair.ticket, reward=1.0) for pair in clicked])
        shown += new
        time.sleep(0.05)  # for the next plan
    return shown


def test_only_clicks_are_noticed_while_nothing_is_given_up_yet(database_url: str, tmp_path: Path) -> None:
    with service(database_url, tmp_path) as (server, client):
        session = client.create_session(ITEMS, seed=1).id
        shown = click_every_fourth(client, session, 400)
        best = wait_until(client, session, lambda best: kinds(best) == ["only_clicks_so_far"])
        assert best.verdict == "not_yet", "a note suspends nothing"
        assert not best.health[0].suspends
        counters = client.get_session(session).counters
        assert (counters.answered, counters.void) == (100, 0)
        (listed,) = client.list_sessions().sessions
        assert kinds(listed.best_pair) == ["only_clicks_so_far"]
        with httpx.stream("GET", f"{server.url}/v1/sessions/{session}/events", timeout=FEW_SECONDS) as answer:
            told = events(answer)
            health = next(told)[1]["health"]
            assert isinstance(health, list)
            assert health[0]["kind"] == "only_clicks_so_far"
            client.feedback(session, shown[1].ticket, reward=0)
            while (news := next(told))[0] != "best-pair" or news[1]["health"]:
                pass
        wait_until(client, session, lambda best: kinds(best) == [])
        assert client.get_session(session).counters.void == 0, "all of this before the first is given up"


def test_a_change_of_state_keeps_the_note(database_url: str, tmp_path: Path) -> None:
    with service(database_url, tmp_path) as (_, client):
        session = client.create_session(ITEMS, budget=1_000, seed=1).id
        click_every_fourth(client, session, 400)
        wait_until(client, session, lambda best: kinds(best) == ["only_clicks_so_far"])
        assert kinds(client.change_session(session, state="paused").best_pair) == ["only_clicks_so_far"]
        plans = client.best_pair(session).plan_version
        changed = client.change_session(session, state="running", budget=2_000).best_pair
        assert changed.plan_version > plans
        assert kinds(changed) == ["only_clicks_so_far"], "a new plan writes the snapshot, too"


def test_clicks_only_are_right_with_a_window(database_url: str, tmp_path: Path) -> None:
    with service(database_url, tmp_path) as (_, client):
        right = client.create_session(ITEMS, attribution_window_seconds=60, missing_feedback="no_click").id
        wrong = client.create_session(ITEMS, seed=1).id
        for session in (right, wrong):
            click_every_fourth(client, session, 400)
        wait_until(client, wrong, lambda best: kinds(best) == ["only_clicks_so_far"])
        time.sleep(1.5)  # one more sweep: what is not said cannot be waited for
        assert kinds(client.best_pair(right)) == []


def test_no_answers_at_all(database_url: str, tmp_path: Path) -> None:
    with service(database_url, tmp_path) as (_, client):
        session = client.create_session(ITEMS, ticket_ttl_seconds=4, seed=1).id
        client.next_pairs(session, 150)
        best = wait_until(client, session, lambda best: kinds(best) == ["no_answers"])
        assert (best.verdict, best.health[0].suspends) == ("not_yet", False)
        more = client.next_pair(session)
        assert client.feedback(session, more.ticket, reward=1).status == "accepted"
        wait_until(client, session, lambda best: kinds(best) == [])
