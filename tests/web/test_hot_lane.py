"""The hot lane responds with the same bytes as the routes of the framework, and serves usual requests itself."""

import asyncio
import logging
from typing import Any

import httpx
import pytest

from app.access.control import AccessControl
from app.errors import FeedbackConflict, Overloaded
from app.telemetry.metrics import Meter
from app.web.api import build_api
from app.web.hot_lane import HotLane
from tests.fakes.caller import Caller
from tests.fakes.sessions import FakeServices

LIMIT = 10_000
JSON = {"Content-Type": "application/json"}
ID = {"X-Request-ID": "fixed-1"}
AT = "/v1/sessions/s0"
GOOD = b'{"ticket": "t", "reward": 1}'

SERVED: list[tuple[str, str, bytes, dict[str, str]]] = [
    ("POST", "next-pair", b"", {}),
    ("POST", "next-pair", b"", {"Content-Type": "text/plain"}),
    ("POST", "next-pair", b"{}", JSON),
    ("POST", "next-pair", b"", {"Idempotency-Key": "k-1"}),
    ("POST", "next-pair/batch", b'{"count": 3}', JSON),
    ("POST", "next-pair/batch", b'{"count": 3}', {**JSON, "Idempotency-Key": "k-1"}),
    ("POST", "feedback", GOOD, JSON),
    ("POST", "feedback", b'{"ticket": "t", "clicked": ["a"]}', JSON),
    ("POST", "feedback", b'{"ticket": "t", "not_shown": true}', JSON),
    ("POST", "feedback", b'{"ticket": "unknown", "reward": 0}', JSON),
    ("POST", "feedback/batch", b'[{"ticket": "t", "reward": 1}, {"ticket": "unknown", "reward": 0}]', JSON),
    ("GET", "best-pair", b"", {}),
    ("GET", "best-pair", b"", {"If-None-Match": '"tag-1"'}),
    ("GET", "best-pair", b"", {"If-None-Match": 'W/"tag-1", "x"'}),
    ("GET", "best-pair", b"", {"If-None-Match": '"other"'}),
]
PASSED_ON: list[tuple[str, str, bytes, dict[str, str]]] = [
    ("POST", "next-pair", b" { } ", JSON),
    ("POST", "next-pair", b"{}", {"Content-Type": "text/plain"}),
    ("POST", "next-pair", b'{"count": 1}', JSON),
    ("POST", "next-pair", b"{", JSON),
    ("POST", "next-pair", b"", {"Idempotency-Key": "two words"}),
    ("POST", "next-pair", b"", {"Idempotency-Key": "k" * 201}),
    ("POST", "next-pair/batch", b'{"count": 1001}', JSON),
    ("POST", "next-pair/batch", b'{"count": "3"}', JSON),
    ("POST", "next-pair/batch", b'{"count": 3}', {"Content-Type": "application/json; charset=utf-8"}),
    ("POST", "feedback", b"", JSON),
    ("POST", "feedback", GOOD, {"Content-Type": "application/merge-patch+json"}),
    ("POST", "feedback", GOOD, {}),
    ("POST", "feedback", b'{"ticket": "t", "reward": NaN}', JSON),
    ("POST", "feedback", b'{"ticket": "t", "reward": 1, "clicked": []}', JSON),
    ("POST", "feedback", b'{"ticket": "\\ud83d", "reward": 1}', JSON),
    ("POST", "feedback", b'{"ticket": "\xff", "reward": 1}', JSON),
    ("POST", "feedback", b" " * (LIMIT + 1), JSON),
    ("POST", "feedback/batch", b"[]", JSON),
    ("POST", "feedback/batch", b'[{"ticket": "t", "reward": 2}, {"ticket": "t", "reward": 1}]', JSON),
    ("PUT", "feedback", b"", {}),
    ("DELETE", "best-pair", b"", {}),
    ("GET", "next-pair", b"", {}),
    ("POST", "next-pair/", b"", {}),
    ("GET", "best-pair/", b"", {}),
    ("GET", "certificate", b"", {}),
]


def send(hot: bool, request: tuple[str, str, bytes, dict[str, str]], at: str = AT, **changes: Any) -> httpx.Response:
    sessions = FakeServices()
    for name, value in changes.items():
        setattr(sessions, name, value)
    with Caller(build_api(sessions.services, version="1", body_limit_bytes=LIMIT, hot_lane=hot)) as api:
        error, sessions.error = sessions.error, None
        api.post("/v1/sessions", {"items": ['ä"/\\🙂', "b", "c"]})
        sessions.error = error
        method, path, content, headers = request
        return api.send(method, f"{at}/{path}", content=content, headers={**ID, **headers})


def seen(response: httpx.Response) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
    return response.status_code, response.headers.raw, response.content


@pytest.mark.parametrize("request_", SERVED + PASSED_ON, ids=str)
def test_the_bytes_are_the_same(request_: tuple[str, str, bytes, dict[str, str]]) -> None:
    assert seen(send(True, request_)) == seen(send(False, request_))


@pytest.mark.parametrize(
    "at", ["/v1/sessions/nope", "/v1/sessions/not%20an%20id", "/v2/sessions/s0", "//v1/sessions/s0"]
)
@pytest.mark.parametrize("request_", SERVED, ids=str)
def test_the_bytes_are_the_same_on_other_paths(request_: tuple[str, str, bytes, dict[str, str]], at: str) -> None:
    assert seen(send(True, request_, at)) == seen(send(False, request_, at))


@pytest.mark.parametrize("error", [Overloaded("full"), FeedbackConflict("other"), RuntimeError("password=hunter2")])
@pytest.mark.parametrize("request_", SERVED, ids=str)
def test_the_bytes_of_errors_are_the_same(
    request_: tuple[str, str, bytes, dict[str, str]], error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, "bestpair.web"):
        hot = send(True, request_, error=error)
    assert seen(hot) == seen(send(False, request_, error=error))
    assert ("hunter2" in caplog.text) == isinstance(error, RuntimeError), "an unexpected error is logged"


async def _refuse_all(scope: Any, _receive: Any, _send: Any) -> None:
    raise AssertionError(f"passed on: {scope['method']} {scope['path']}")


@pytest.mark.parametrize("request_", SERVED, ids=str)
def test_usual_requests_do_not_reach_the_framework(request_: tuple[str, str, bytes, dict[str, str]]) -> None:
    sessions = FakeServices()
    lane = HotLane(
        _refuse_all, sessions.services, body_limit_bytes=LIMIT, access_control=AccessControl(None), meter=Meter()
    )
    with Caller(build_api(sessions.services, version="1", body_limit_bytes=LIMIT)) as api:
        api.post("/v1/sessions", {"items": ["a", "b", "c"]})
    method, path, content, headers = request_
    with Caller(lane) as api:
        assert api.send(method, f"{AT}/{path}", content=content, headers=headers).status_code in (200, 304, 404)


def test_a_repeated_header_is_passed_on() -> None:
    answers = []
    for hot in (True, False):
        sessions = FakeServices()
        with Caller(build_api(sessions.services, version="1", body_limit_bytes=LIMIT, hot_lane=hot)) as api:
            api.post("/v1/sessions", {"items": ["a", "b"]})
            headers = [*ID.items(), ("Idempotency-Key", "one"), ("Idempotency-Key", "two")]
            answers.append((seen(api.send("POST", f"{AT}/next-pair", headers=headers)), sessions.orders))
    assert answers[0] == answers[1]


def test_a_body_in_pieces_is_read_whole_and_a_caller_that_leaves_is_let_go() -> None:
    sessions = FakeServices()
    api = build_api(sessions.services, version="1", body_limit_bytes=LIMIT)
    with Caller(api) as caller:
        caller.post("/v1/sessions", {"items": ["a", "b"]})

    def run(*messages: dict[str, Any]) -> list[Any]:
        coming, sent = list(messages), []

        async def receive() -> Any:
            return coming.pop(0)

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "POST", "path": f"{AT}/feedback", "query_string": b"",
                 "headers": [(b"content-type", b"application/json"), (b"content-length", b"28")]}  # fmt: skip
        asyncio.run(api(scope, receive, send))
        return sent

    first, rest = ({"type": "http.request", "body": part, "more_body": more} for part, more in
                   ((GOOD[:7], True), (GOOD[7:], False)))  # fmt: skip
    assert run(first, rest)[0]["status"] == 200
    assert run(first, {"type": "http.disconnect"}) == []
    assert len(sessions.answers) == 1
