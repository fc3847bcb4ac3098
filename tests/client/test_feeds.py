"""Feeds with threads and asyncio: pairs come at once, no outcome is lost, unshown pairs are returned."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace

import pytest
from pydantic import ValidationError

from app.client import (
    AsyncClient,
    AsyncFeed,
    Client,
    Feed,
    FeedbackBacklog,
    FeedbackLost,
    FeedClosed,
    FeedSettings,
    Retries,
    ServiceUnreachable,
)
from app.client.feed_work import TROUBLE_SECONDS
from tests.client.service import Service

QUICK = Retries(attempts=2, first_wait_seconds=0.001, longest_wait_seconds=0.002)
# Long timeouts: on a busy machine a test must not get a fallback by accident.
PATIENT = FeedSettings(timeout_seconds=20, first_timeout_seconds=20, flush_seconds=0.01)


@contextmanager
def a_feed(service: Service, settings: FeedSettings = PATIENT) -> Iterator[Feed]:
    with (
        Client("http://service", transport=service.transport(), retries=QUICK) as client,
        Feed(client, "s", settings) as feed,
    ):
        yield feed


@asynccontextmanager
async def an_async_feed(service: Service, settings: FeedSettings = PATIENT) -> AsyncIterator[AsyncFeed]:
    async with (
        AsyncClient("http://service", transport=service.transport(), retries=QUICK) as client,
        AsyncFeed(client, "s", settings) as feed,
    ):
        yield feed


def until(condition: object, seconds: float = 20.0) -> None:
    """Waits until another thread has made the condition true."""
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end, "timed out"
        time.sleep(0.005)


def shown(service: Service) -> dict[str, float]:
    return {ticket: row["reward"] for ticket, row in service.outcomes.items() if "reward" in row}


def test_every_outcome_is_sent_and_every_unshown_pair_is_returned() -> None:
    service = Service()
    with a_feed(service) as feed:
        sent = {}
        for n in range(300):
            pair = feed.next()
            assert (pair.items, pair.purpose) == (("b", "a"), "explore"), "in the order to show"
            assert pair.ticket is not None
            sent[pair.ticket] = float(n % 2)
            feed.report(pair, reward=n % 2)
    assert shown(service) == sent
    assert len(sent) == 300
    unshown = {ticket for ticket, row in service.outcomes.items() if row.get("not_shown")}
    assert unshown == service.handed_out - sent.keys()
    assert feed.statuses == {"accepted": len(service.handed_out)}
    assert service.requests["next-pair/batch"] < 60, "pairs come in batches"


async def test_every_outcome_is_sent_with_asyncio() -> None:
    service = Service()
    async with an_async_feed(service) as feed:
        sent = {}
        for n in range(300):
            pair = await feed.next()
            assert pair.ticket is not None
            sent[pair.ticket] = float(n % 2)
            feed.report(pair, reward=n % 2)
    assert shown(service) == sent
    assert len(sent) == 300
    assert set(service.outcomes) == service.handed_out
    assert feed.trouble is None


def test_many_threads_share_a_feed() -> None:
    service = Service()
    taken: list[str] = []

    def serve(feed: Feed) -> None:
        for _ in range(100):
            pair = feed.next()
            taken.append(str(pair.ticket))
            feed.report(pair, clicked=["a"])

    with a_feed(service) as feed:
        threads = [threading.Thread(target=serve, args=(feed,)) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(set(taken)) == len(taken) == 600
    assert {ticket for ticket, row in service.outcomes.items() if row.get("clicked") == ["a"]} == set(taken)


def test_lost_responses_lose_no_pair_and_count_nothing_twice() -> None:
    service = Service()
    with a_feed(service) as feed:
        sent = set()
        for n in range(100):
            if n % 25 == 0:
                service.lose_answers = 3  # more than the client's own retries
            pair = feed.next(timeout_seconds=20)
            if pair.ticket is not None:  # a fallback, while the service cannot be reached
                sent.add(pair.ticket)
                feed.report(pair, reward=0)
            time.sleep(0.01)
    assert shown(service).keys() == sent
    assert set(service.outcomes) == service.handed_out, (
        "a batch whose response was lost is requested again with the same key"
    )
    assert feed.statuses["conflict"] == 0


def test_while_the_service_is_away_next_returns_the_last_best_pair_at_once() -> None:
    service = Service()
    service.best = ["c", "d"]
    with a_feed(service) as feed:
        feed.report(feed.next(), reward=1)
        service.away = True
        until(lambda: feed.next(0.01).purpose == "fallback")
        until(lambda: feed.trouble is not None)
        began = time.monotonic()
        pairs = [feed.next() for _ in range(50)]
        assert time.monotonic() - began < PATIENT.timeout_seconds / 2, "it does not wait for the service"
        assert {(pair.items, pair.purpose, pair.ticket) for pair in pairs} == {(("c", "d"), "fallback", None)}
        asked = service.requests["next-pair/batch"]
        for pair in pairs:
            feed.report(pair, reward=1)
        assert service.requests["next-pair/batch"] - asked < 10, "it does not call the service each time"
        service.away = False
        until(lambda: feed.next().purpose == "explore")
        assert feed.trouble is None or "sending" not in str(feed.trouble)
    assert len(shown(service)) == 1, "the outcome of a fallback is not sent"
    assert set(service.outcomes) >= shown(service).keys()


async def test_asyncio_feeds_return_fallbacks() -> None:
    service = Service()
    settings = FeedSettings(fallback=("x", "y"), timeout_seconds=0.01)
    service.away = True
    async with an_async_feed(service, settings) as feed:
        assert (await feed.next()).items == ("x", "y")
        service.away = False
        for _ in range(2000):
            if (pair := await feed.next()).purpose == "explore":
                break
            await asyncio.sleep(0.01)
        assert pair.purpose == "explore"


def test_next_does_not_wait_for_a_slow_service() -> None:
    service = Service()
    with a_feed(service, FeedSettings(timeout_seconds=0.02, first_timeout_seconds=20, prefetch=8)) as feed:
        until(lambda: service.requests["next-pair/batch"] > 0)
        with service._lock:  # it hangs
            purposes = [feed.next().purpose for _ in range(10)]
    assert purposes[-1] == "fallback"
    assert feed.trouble is None, "a slow service is not an error"


def test_without_any_pair_the_error_states_the_reason() -> None:
    service = Service()
    service.away = True
    with a_feed(service, FeedSettings(first_timeout_seconds=0.1)) as feed:
        with pytest.raises(ServiceUnreachable, match="no fallback"):
            feed.next()
        service.away = False


def test_outcomes_reported_while_the_service_was_away_are_sent_on_close() -> None:
    service = Service()
    with a_feed(service) as feed:
        pairs = [feed.next() for _ in range(5)]
        service.away = True
        for pair in pairs:
            feed.report(pair, reward=1)
        until(lambda: feed.trouble is not None)
        assert shown(service) == {}
        threading.Timer(0.2, lambda: setattr(service, "away", False)).start()
    assert shown(service) == {pair.ticket: 1.0 for pair in pairs}


def test_unsent_outcomes_are_in_the_error_of_close() -> None:
    service = Service()
    client = Client("http://service", transport=service.transport(), retries=QUICK)
    feed = Feed(client, "s", PATIENT)
    pair = feed.next()
    service.away = True
    feed.report(pair, reward=1)
    with pytest.raises(FeedbackLost, match=r"could not be sent: .*away") as caught:
        feed.close(timeout_seconds=0.3)
    service.away = False
    assert {row.status for row in client.feedbacks("s", caught.value.rows)} == {"accepted"}
    assert shown(service) == {pair.ticket: 1.0}
    with pytest.raises(FeedClosed):
        feed.report(pair, reward=1)
    client.close()


async def test_unsent_outcomes_are_in_the_error_of_close_once_with_asyncio() -> None:
    service = Service()
    async with AsyncClient("http://service", transport=service.transport(), retries=QUICK) as client:
        feed = AsyncFeed(client, "s", PATIENT)
        async with feed:  # closes it a second time at the end
            pair = await feed.next()
            service.away = True
            feed.report(pair, reward=1)
            with pytest.raises(FeedbackLost) as caught:
                await feed.close(timeout_seconds=0.3)
        service.away = False
        await client.feedbacks("s", caught.value.rows)
    assert shown(service) == {pair.ticket: 1.0}


def test_a_refusal_ends_closing_at_once() -> None:
    service = Service()
    client = Client("http://service", transport=service.transport(), retries=QUICK)
    feed = Feed(client, "s", PATIENT)
    feed.report(feed.next(), reward=1)
    service.refuse = ("feedback/batch", 404)
    began = time.monotonic()
    with pytest.raises(FeedbackLost, match="404 Stopped"):
        feed.close(timeout_seconds=60)
    assert time.monotonic() - began < 30
    client.close()


def test_a_stopped_session_shows_its_best_pair_with_few_requests() -> None:
    service = Service()
    service.refuse = ("next-pair/batch", 409)
    with a_feed(service, FeedSettings(timeout_seconds=0.05)) as feed:
        assert feed.next().purpose == "fallback"
        until(lambda: "409" in str(feed.trouble))
        asked, began = service.requests["next-pair/batch"], time.monotonic()
        for _ in range(50):
            assert feed.next().items == ("a", "b")
            time.sleep(0.004)
        rests = (time.monotonic() - began) / TROUBLE_SECONDS
        assert service.requests["next-pair/batch"] - asked <= rests + 1, "calls of next do not shorten the pause"


def test_outcomes_of_pairs_that_do_not_count_are_not_sent() -> None:
    service = Service()
    service.purpose = "exploit"
    with a_feed(service) as feed:
        for _ in range(20):
            feed.report(feed.next(), reward=1)
    assert service.requests["feedback/batch"] == 0


def test_invalid_reports_raise_at_once() -> None:
    service = Service()
    with a_feed(service, FeedSettings(most_waiting=1, flush_seconds=60)) as feed:
        pair = feed.next(20)
        with pytest.raises(ValidationError, match="exactly one of"):
            feed.report(pair)
        with pytest.raises(ValueError, match="list of ids"):
            feed.report(pair, clicked="a")
        feed.report(pair, reward=1)
        with pytest.raises(FeedbackBacklog):
            feed.report(feed.next(20), reward=1)


def test_every_reason_of_a_refusal_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    service = Service()
    with a_feed(service, FeedSettings(timeout_seconds=20, first_timeout_seconds=20, flush_seconds=0.2)) as feed:
        pair = feed.next()
        for reward in (1, 0, 0):
            feed.report(pair, reward=reward)
        feed.report(replace(pair, ticket="unknown"), reward=1)
        until(lambda: feed.statuses.total() >= 4)
    logged = [record.message for record in caplog.records if "refused" in record.message]
    assert sum("refused 2 outcomes: conflict" in line for line in logged) == 1
    assert sum("refused 1 outcomes: not_found" in line for line in logged) == 1


def test_unused_pairs_are_returned_while_the_feed_runs() -> None:
    service = Service()
    with a_feed(service, FeedSettings(longest_stay_seconds=0.05, flush_seconds=0.01)) as feed:
        feed.next(20)
        until(lambda: feed.statuses["accepted"] > 0)
        assert all(row == {"not_shown": True} for row in service.outcomes.values())
        until(lambda: len(service.outcomes) == len(service.handed_out) - 1)
        asked = service.requests["next-pair/batch"]
        time.sleep(0.3)
        assert service.requests["next-pair/batch"] - asked <= 3, "without callers fewer and fewer are fetched"


def test_an_invalid_response_does_not_stop_the_feed(caplog: pytest.LogCaptureFixture) -> None:
    service = Service()
    with a_feed(service) as feed:
        pair = feed.next()
        pairs = service._pairs
        service._pairs = lambda n: [{"nonsense": n}]  # type: ignore[method-assign]
        until(lambda: feed.next(0.01).purpose == "fallback")
        until(lambda: feed.trouble is not None)
        service._pairs, service.batches = pairs, {"kept": [{"ticket": pair.ticket}]}  # type: ignore[method-assign]
        until(lambda: feed.next().purpose == "explore")
        feed.report(pair, reward=1)
        until(lambda: feed.statuses["accepted"] > 0)
    assert any("fetching pairs" in record.message for record in caplog.records)
