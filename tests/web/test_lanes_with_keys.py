"""With keys and rate limits, the hot lane and the plain routes answer with the same bytes."""

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from app.access.control import AccessControl
from app.access.key_cache import KeyCache
from app.access.keys import Scope, new_key
from app.access.rates import Rate
from app.access.sql import AccessStore
from app.errors import StorageUnavailable
from app.web.api import build_api
from tests.access.stores import access_store
from tests.fakes.caller import Caller
from tests.fakes.sessions import FakeServices

ANSWER = {"ticket": "t", "reward": 1}
REQUESTS: list[tuple[str, str, object]] = [
    ("POST", "next-pair", None),
    ("POST", "next-pair", {"unknown": 1}),
    ("POST", "next-pair/batch", {"count": 3}),
    ("POST", "next-pair/batch", {"count": 500}),
    ("POST", "next-pair/batch", {"count": "x"}),
    ("POST", "feedback", ANSWER),
    ("POST", "feedback", {"ticket": "unknown", "reward": 1}),
    ("POST", "feedback/batch", [ANSWER] * 3),
    ("POST", "feedback/batch", [ANSWER] * 300),
    ("POST", "feedback/batch", [ANSWER, {}]),
    ("GET", "best-pair", None),
]


class Lanes:
    """Both lanes with the same keys; each request gets its own sessions and rate limiters."""

    def __init__(self, store: AccessStore) -> None:
        self.cache = KeyCache(store)
        self.keys: dict[str, str | None] = {"none": None, "unknown": new_key("x", [Scope.ADMIN])[0]}
        for name, scopes, session in (
            ("right", tuple(Scope), None), ("bound", tuple(Scope), "s0"), ("elsewhere", tuple(Scope), "s1"),
            ("read", (Scope.READ,), None), ("serve", (Scope.SERVE,), None), ("feedback", (Scope.FEEDBACK,), None),
        ):  # fmt: skip
            shown, key = new_key(name, scopes, session_id=session)
            asyncio.run(store.add_key(key, "me"))
            self.keys[name] = shown
        asyncio.run(self.cache.refresh())

    def send(self, hot_lane: bool, request: tuple[str, str, object], headers: list[tuple[str, str]]) -> httpx.Response:
        sessions = FakeServices()
        access_control = AccessControl(self.cache, rate=Rate(100, 3600))
        with Caller(
            build_api(
                sessions.services,
                version="1",
                body_limit_bytes=99_999,
                hot_lane=hot_lane,
                access_control=access_control,
            )
        ) as caller:
            admin = {"Authorization": f"Bearer {self.keys['right']}"}
            for _ in range(2):
                made = caller.post("/v1/sessions", {"items": ["a", "b"]}, headers=admin)
                assert made.status_code == 201
            method, path, body = request
            given: dict[str, Any] = {} if body is None else {"json": body}
            return caller.send(method, f"/v1/sessions/s0/{path}", headers=[("X-Request-ID", "same"), *headers], **given)


@pytest.fixture(scope="module")
def lanes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lanes]:
    with access_store(tmp_path_factory.mktemp("access")) as store:
        yield Lanes(store)


def raw(response: httpx.Response) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
    return response.status_code, response.headers.raw, response.content


@pytest.mark.parametrize(
    "key", ["none", "unknown", "right", "bound", "elsewhere", "read", "serve", "feedback", "twice"]
)
@pytest.mark.parametrize("request_", REQUESTS, ids=str)
def test_the_bytes_are_the_same(lanes: Lanes, request_: tuple[str, str, object], key: str) -> None:
    shown = lanes.keys["right" if key == "twice" else key]
    headers = [] if shown is None else [("Authorization", f"Bearer {shown}")] * (2 if key == "twice" else 1)
    hot, plain = (lanes.send(hot_lane, request_, headers) for hot_lane in (True, False))
    assert raw(hot) == raw(plain)
    if key in {"none", "unknown", "twice"}:
        assert hot.status_code == 401
        assert hot.headers["www-authenticate"].startswith("Bearer")
    assert ("ratelimit" in hot.headers) == (hot.status_code not in {401, 403})


def test_the_bytes_are_the_same_while_keys_cannot_be_checked(lanes: Lanes, monkeypatch: pytest.MonkeyPatch) -> None:
    headers = [("Authorization", f"Bearer {lanes.keys['bound']}")]
    calls = iter(range(1000))

    def away() -> None:
        if next(calls) % 3 == 2:  # after the two calls that create sessions
            raise StorageUnavailable("away")

    monkeypatch.setattr(lanes.cache, "check_is_current", away)
    answers = [lanes.send(hot_lane, REQUESTS[0], headers) for hot_lane in (True, False)]
    assert {answer.status_code for answer in answers} == {503}
    assert raw(answers[0]) == raw(answers[1])
