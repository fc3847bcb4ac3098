"""Rate limits over HTTP, in the hot lane and in the plain routes: headers, refusals, the cost of a batch."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from app.access.control import AccessControl
from app.access.key_cache import KeyCache
from app.access.keys import Scope, new_key
from app.access.rates import Rate
from app.access.sql import AccessStore
from app.web.api import build_api
from tests.access.stores import access_store
from tests.fakes.caller import Caller
from tests.fakes.sessions import FakeServices

ANSWER = {"ticket": "t", "reward": 1}


class Service:
    """The API with a limit of ten calls an hour for keys without their own limit."""

    def __init__(self, store: AccessStore, hot_lane: bool) -> None:
        self.store, self.sessions = store, FakeServices()
        self.cache = KeyCache(store)
        access_control = AccessControl(self.cache, rate=Rate(10, 3600))
        self.caller = Caller(
            build_api(
                self.sessions.services,
                version="1",
                body_limit_bytes=9_999,
                hot_lane=hot_lane,
                access_control=access_control,
            )
        )
        self.call(self.key(), "POST", "/v1/sessions", {"items": ["a", "b"]})

    def key(self, rate: Rate | None = None) -> str:
        shown, key = new_key("k", [Scope.ADMIN], rate=rate)

        async def add() -> None:
            await self.store.add_key(key, "me")
            await self.cache.refresh()

        asyncio.run(add())
        return shown

    def call(self, key: str, method: str, path: str, body: object = None) -> httpx.Response:
        given = {} if body is None else {"json": body}
        return self.caller.send(method, path, headers={"Authorization": f"Bearer {key}"}, **given)

    def post(self, key: str, path: str, body: object = None) -> httpx.Response:
        return self.call(key, "POST", f"/v1/sessions/s0/{path}", body)


@pytest.fixture(params=[True, False], ids=["hot lane", "plain"])
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Service]:
    with access_store(tmp_path) as store:
        made = Service(store, request.param)
        with made.caller:
            yield made


def remaining(answer: httpx.Response) -> int:
    """Returns the remaining calls that the headers state, after a check of their form."""
    assert answer.headers["ratelimit-policy"] == '"key";q=10;w=3600'
    name, left, reset = answer.headers["ratelimit"].split(";")
    assert name == '"key"'
    assert 3590 <= int(reset.removeprefix("t=")) <= 3600
    return int(left.removeprefix("r="))


def test_calls_reduce_what_remains_until_they_are_refused(service: Service) -> None:
    key = service.key()
    seen = [remaining(service.post(key, "next-pair")) for _ in range(5)]
    seen += [remaining(service.call(key, "GET", "/v1/sessions/s0/best-pair")) for _ in range(2)]
    seen += [
        remaining(service.call(key, "GET", path)) for path in ("/v1/sessions", "/v1/sessions/unknown", "/v1/audit")
    ]
    assert seen == [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
    for method, path in (("POST", "/next-pair"), ("GET", "/best-pair"), ("GET", ""), ("DELETE", "")):
        refused = service.call(key, method, f"/v1/sessions/s0{path}")
        assert (refused.status_code, refused.json()["type"]) == (429, "/problems/rate-limited")
        assert remaining(refused) == 0
        assert 3590 <= int(refused.headers["retry-after"]) <= 3600
    assert "s0" in service.sessions.records
    assert len(service.sessions.orders) == 5
    other = service.key()
    assert remaining(service.post(other, "next-pair")) == 9, "other keys are not affected"


@pytest.mark.parametrize(("path", "body"), [("next-pair/batch", {"count": 4}), ("feedback/batch", [ANSWER] * 4)])
def test_a_batch_costs_one_call_per_row(service: Service, path: str, body: object) -> None:
    key = service.key()
    assert remaining(service.post(key, path, body)) == 6
    assert remaining(service.post(key, path, body)) == 2
    refused = service.post(key, path, body)
    assert refused.status_code == 429
    assert remaining(refused) == 1, "the call is charged, its rows are not"
    assert "1 are left" in refused.json()["detail"]
    assert len(service.sessions.orders) + len(service.sessions.answers) in {2, 8}


def test_the_refusal_of_a_batch_that_never_fits_gives_the_largest_size(service: Service) -> None:
    refused = service.post(service.key(), "next-pair/batch", {"count": 100})
    assert refused.status_code == 429
    assert "batches of at most 10" in refused.json()["detail"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("next-pair", {"unknown": 1}),
        ("next-pair/batch", {"count": "x"}),
        ("feedback", {"ticket": "t"}),
        ("feedback/batch", [{"ticket": "t"}]),
        ("feedback/batch", {}),
    ],
)
def test_a_call_that_the_hot_lane_passes_on_is_charged_once(service: Service, path: str, body: object) -> None:
    assert remaining(service.post(service.key(), path, body)) == 9


def test_a_key_with_its_own_rate(service: Service) -> None:
    key = service.key(Rate(2, 60))
    answers = [service.post(key, "next-pair") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert {answer.headers["ratelimit-policy"] for answer in answers} == {'"key";q=2;w=60'}


def test_open_paths_and_unauthorized_calls_have_no_rate_headers(service: Service) -> None:
    for answer in (service.caller.get("/livez"), service.caller.get("/v1/sessions"), service.caller.get("/")):
        assert "ratelimit" not in answer.headers
        assert "ratelimit-policy" not in answer.headers
