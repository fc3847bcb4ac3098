"""The client: what it sends, how it parses responses, and when it retries."""

import asyncio
import json
import random
from collections.abc import Callable, Iterator

import httpx
import pytest

from app.client import AsyncClient, Client, ProblemError, Retries, ServiceUnreachable
from app.client.calls import Answer, Calls
from app.client.retries import Wait, conversation
from app.results.sql import Certificate
from app.web.api import build_api
from app.wire.serving import Feedback
from app.wire.sessions import ItemIn
from tests.fakes.sessions import BEST_PAIR, FakeServices

IMPRESSION = {
    "ticket": "t1",
    "i": 0,
    "j": 1,
    "items": ["a", "b"],
    "purpose": "explore",
    "counts": True,
    "plan_version": 1,
    "added_by_a_newer_server": 1,
}
QUICK = Retries(attempts=4, first_wait_seconds=0.0001, longest_wait_seconds=0.001, longest_retry_after_seconds=0.001)

Reaction = httpx.Response | type[httpx.TransportError]


class Script:
    """A service with one scripted reaction per request; it records the requests."""

    def __init__(self, *reactions: Reaction) -> None:
        self.requests: list[httpx.Request] = []
        self._reactions: Iterator[Reaction] = iter(reactions)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        reaction = next(self._reactions)
        if isinstance(reaction, type):
            raise reaction("scripted", request=request)
        return reaction

    def client(self, retries: Retries = QUICK) -> Client:
        return Client("http://service", retries=retries, transport=httpx.MockTransport(self), rng=random.Random(1))


def ok(body: object, **headers: str) -> httpx.Response:
    return httpx.Response(200, json=body, headers=headers)


def overloaded() -> httpx.Response:
    body = {"type": "/problems/overloaded", "title": "Too many requests are waiting", "status": 503, "detail": "full"}
    return httpx.Response(503, json=body, headers={"Retry-After": "1", "Content-Type": "application/problem+json"})


@pytest.mark.parametrize(
    "reaction", [httpx.ConnectError, httpx.ReadTimeout, httpx.RemoteProtocolError, httpx.ReadError, overloaded()]
)
def test_next_pair_is_retried_with_the_same_key(reaction: Reaction) -> None:
    service = Script(reaction, reaction, ok(IMPRESSION))
    assert service.client().next_pair("s").ticket == "t1"
    keys = {request.headers["Idempotency-Key"] for request in service.requests}
    assert (len(service.requests), len(keys)) == (3, 1)


def test_each_call_has_its_own_key() -> None:
    service = Script(ok(IMPRESSION), ok([IMPRESSION] * 2), ok(IMPRESSION))
    client = service.client()
    client.next_pair("s")
    client.next_pairs("s", 2)
    client.next_pair("s", idempotency_key="mine")
    keys = [request.headers["Idempotency-Key"] for request in service.requests]
    assert len(set(keys)) == 3
    assert keys[2] == "mine"


def test_feedback_is_retried_because_its_ticket_counts_once() -> None:
    service = Script(httpx.ReadTimeout, ok({"status": "duplicate"}))
    assert service.client().feedback("s", "t1", reward=1).status == "duplicate"
    assert [json.loads(request.content) for request in service.requests] == [{"ticket": "t1", "reward": 1.0}] * 2


@pytest.mark.parametrize(
    "operation",
    [
        lambda client: client.create_session(["a", "b"]),
        lambda client: client.change_session("s", budget=5),
        lambda client: client.delete_session("s"),
    ],
)
def test_calls_that_are_not_repeatable_are_retried_only_if_nothing_was_sent(
    operation: Callable[[Client], object],
) -> None:
    lost = Script(httpx.ReadTimeout)
    with pytest.raises(ServiceUnreachable):
        operation(lost.client())
    refused = Script(overloaded())
    with pytest.raises(ProblemError):
        operation(refused.client())
    never_sent = Script(httpx.ConnectError, httpx.ConnectError, httpx.ReadTimeout)
    with pytest.raises(ServiceUnreachable):
        operation(never_sent.client())
    assert [len(script.requests) for script in (lost, refused, never_sent)] == [1, 1, 3]


def test_retries_end_after_the_last_attempt() -> None:
    away = Script(*[httpx.ConnectError] * 9)
    with pytest.raises(
        ServiceUnreachable, match=r"GET http://service/v1/sessions/s/best-pair: ConnectError .* \(attempt 4\)"
    ):
        away.client().best_pair("s")
    busy = Script(*[overloaded() for _ in range(9)])
    with pytest.raises(ProblemError) as caught:
        busy.client().next_pair("s")
    assert (caught.value.status, caught.value.type) == (503, "/problems/overloaded")
    assert [len(script.requests) for script in (away, busy)] == [4, 4]


def waits(retries: Retries, *outcomes: httpx.Response | httpx.TransportError) -> list[float]:
    """Returns the waits between these outcomes of one call."""
    talk = conversation(Calls().best_pair("s"), retries, random.Random(7))
    next(talk)
    found = []
    for outcome in outcomes:
        step = talk.send(outcome)
        assert isinstance(step, Wait)
        found.append(step.seconds)
        talk.send(None)
    return found


def test_waits_grow_are_random_and_bounded() -> None:
    retries = Retries(attempts=8, first_wait_seconds=0.1, longest_wait_seconds=0.5)
    found = waits(retries, *[httpx.ConnectError("away")] * 7)
    for attempt, seconds in enumerate(found):
        assert 0 <= seconds <= min(0.5, 0.1 * 2**attempt)
    assert len(set(found)) == 7


@pytest.mark.parametrize(
    ("given", "low", "high"),
    [
        ("3", 3, 3.1),
        ("99999999999", 10, 10.1),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0, 0.1),
        ("Wed, 21 Oct 2315 07:28:00 GMT", 10, 10.1),
        ("soon", 0, 0.1),
        ("-5", 0, 0.1),
        ("", 0, 0.1),
    ],
)
def test_retry_after_is_respected_up_to_a_maximum(given: str, low: float, high: float) -> None:
    (seconds,) = waits(Retries(), httpx.Response(503, headers={"Retry-After": given}))
    assert low <= seconds <= high


def test_a_problem_is_raised_with_all_its_fields() -> None:
    body = {
        "type": "/problems/invalid-session",
        "title": "The settings do not fit together",
        "status": 422,
        "detail": "rank: must be a number",
        "errors": [{"field": "rank", "message": "must be a number"}],
        "request_id": "r1",
    }
    service = Script(httpx.Response(422, json=body))
    with pytest.raises(ProblemError, match="rank: must be a number") as caught:
        service.client().create_session(["a", "b"])
    error = caught.value
    assert (error.status, error.type, error.title) == (422, body["type"], body["title"])
    assert [(each.field, each.message) for each in error.errors] == [("rank", "must be a number")]
    assert error.request_id == "r1"


def test_an_error_page_of_a_proxy_is_a_problem_too() -> None:
    service = Script(httpx.Response(404, html="<h1>nginx</h1>"))
    with pytest.raises(ProblemError) as caught:
        service.client().get_session("s")
    assert (caught.value.status, caught.value.type, caught.value.detail) == (404, "about:blank", "<h1>nginx</h1>")


def test_an_unchanged_best_pair_is_cached() -> None:
    changed = {**BEST_PAIR, "samples": 9}
    service = Script(ok(BEST_PAIR, ETag='"1"'), httpx.Response(304), ok(changed, ETag='"2"'), ok(BEST_PAIR))
    client = service.client()
    first, second, third = (client.best_pair("s") for _ in range(3))
    client.best_pair("other")
    assert first is second
    assert third.samples == 9
    assert [request.headers.get("If-None-Match") for request in service.requests] == [None, '"1"', '"1"', None]


def test_the_result_has_the_goal_and_both_gaps() -> None:
    older = {name: value for name, value in BEST_PAIR.items() if not name.startswith("relative_")} | {"epsilon": 0.05}
    service = Script(ok(BEST_PAIR, ETag='"1"'), ok(older, ETag='"2"'))
    client = service.client()
    best, of_older_server = client.best_pair("s"), client.best_pair("s")
    assert (best.relative_gap, best.epsilon, best.relative_epsilon) == (1.0, None, 0.1)
    assert (of_older_server.relative_gap, of_older_server.epsilon, of_older_server.relative_epsilon) == (
        None,
        0.05,
        None,
    )


def test_a_relative_goal_is_sent() -> None:
    service = Script(httpx.Response(422, json={"type": "t", "title": "T", "status": 422}))
    with pytest.raises(ProblemError):
        service.client().create_session(["a", "b"], relative_epsilon=0.2)
    assert json.loads(service.requests[0].content)["relative_epsilon"] == 0.2


def test_invalid_arguments_raise_before_anything_is_sent() -> None:
    service = Script()
    with pytest.raises(ValueError, match="epsilonn"):
        service.client().create_session(["a", "b"], epsilonn=0.1)
    with pytest.raises(ValueError, match="relative_epsilon"):
        service.client().create_session(["a", "b"], relative_epsilon=1.0)
    with pytest.raises(ValueError, match="exactly one of"):
        service.client().feedback("s", "t")
    assert not service.requests


def test_ids_are_escaped_and_the_key_is_sent_as_a_header() -> None:
    service = Script(ok(BEST_PAIR))
    transport = httpx.MockTransport(service)
    with Client("http://service/behind/", api_key="secret", transport=transport) as client:
        client.best_pair("a/../b?c")
    assert service.requests[0].url.raw_path == b"/behind/v1/sessions/a%2F..%2Fb%3Fc/best-pair"
    assert service.requests[0].headers["Authorization"] == "Bearer secret"


def test_an_export_that_breaks_off_is_an_error() -> None:
    service = Script(httpx.ReadError)
    with pytest.raises(ServiceUnreachable, match="broke off"):
        list(service.client().export("s"))
    refused = Script(httpx.Response(404, json={"type": "/problems/session-not-found", "title": "-", "status": 404}))
    with pytest.raises(ProblemError):
        list(refused.client().export("s"))
    rows = Script(httpx.Response(200, text='{"kind": "session"}\n{"kind": "plan"}\n'))
    assert [row["kind"] for row in rows.client().export("s")] == ["session", "plan"]


class Flaky(httpx.AsyncBaseTransport):
    """The real application over a connection that first fails, and then loses the response."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self._inner = inner
        self._turn = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self._turn += 1
        if self._turn % 3 == 1:
            raise httpx.ConnectError("refused", request=request)
        response = await self._inner.handle_async_request(request)
        if self._turn % 3 == 2 and request.method == "POST" and request.url.path != "/v1/sessions":
            raise httpx.ReadTimeout("lost", request=request)
        self._turn = 0
        return response


def test_every_operation_against_the_application_over_a_flaky_connection() -> None:
    sessions = FakeServices()
    sessions.stored_certificate = Certificate('{"pair": 1 }', "d")
    app = build_api(sessions.services, version="1", body_limit_bytes=100_000)

    async def talk() -> None:
        transport = Flaky(httpx.ASGITransport(app))
        async with AsyncClient("http://service", transport=transport, retries=QUICK) as client:
            session = await client.create_session(["a", ItemIn(id="b", label="Bee")], name="home")
            sessions.exported = [{"kind": "session", "items": []}, {"kind": "plan"}]
            assert (await client.get_session(session.id)).items[1].label == "Bee"
            assert (await client.list_sessions()).sessions[0].id == session.id
            assert (await client.change_session(session.id, state="paused")).id == session.id
            assert (await client.next_pair(session.id)).items == ["a", "b"]
            assert len(await client.next_pairs(session.id, 3)) == 3
            assert (await client.feedback(session.id, "t1", clicked=["a"])).status == "accepted"
            rows: list[Answer] = [Feedback(ticket="t1", reward=1), {"ticket": "unknown", "not_shown": True}]
            assert [row.status for row in await client.feedbacks(session.id, rows)] == ["accepted", "not_found"]
            assert (await client.best_pair(session.id)).pair == ("a", "b")
            assert await client.best_pair(session.id) is await client.best_pair(session.id)
            assert (await client.estimates(session.id, 2)).items[0].id == "a"
            assert await client.certificate(session.id) == b'{"pair": 1 }'
            await client.delete_session(session.id)
            with pytest.raises(ProblemError, match="no session"):
                await client.get_session(session.id)

    asyncio.run(talk())
    single = [order.idempotency_key for order in sessions.orders if order.route == "next-pair"]
    assert len(single) == 2  # the call whose response was lost, and its retry
    assert len(set(single)) == 1


def test_an_export_is_read_row_by_row() -> None:
    sessions = FakeServices()
    app = build_api(sessions.services, version="1", body_limit_bytes=100_000)

    async def talk() -> list[object]:
        async with AsyncClient("http://service", transport=httpx.ASGITransport(app)) as client:
            session = await client.create_session(["a", "b"])
            sessions.exported = [{"kind": "session", "name": "é\u2028"}, {"kind": "plan"}]
            with pytest.raises(ProblemError):
                [row async for row in client.export("nope")]
            return [row async for row in client.export(session.id)]

    assert asyncio.run(talk()) == sessions.exported
