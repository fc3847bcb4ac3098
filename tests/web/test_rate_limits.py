"""Rate limits over HTTP, in both lanes: what is left, what is refused, what a batch costs."""

import asyncio
from collections.abc import Iterator

import httpx
import pytest

from app.access.keyring import Keyring
from app.access.keys import Scope, new_key
from app.access.rates import Rate
from app.web.access import Gate
from app.web.api import build_api
from tests.fakes.access import FakeAccess
from tests.fakes.caller import Caller
from tests.fakes.sessions import FakeSessions

ANSWER = {"ticket": "t", "reward": 1}


class Place:
    """The service with a limit of ten calls an hour for those without one of their own."""

    def __init__(self, hot_lane: bool) -> None:
        self.access, self.sessions = FakeAccess(), FakeSessions()
        self.ring = Keyring(self.access)
        gate = Gate(self.ring, rate=Rate(10, 3600))
        self.caller = Caller(
            build_api(self.sessions, version="1", body_limit_bytes=9_999, hot_lane=hot_lane, gate=gate)
        )
        self.call(self.key(), "POST", "/v1/sessions", {"items": ["a", "b"]})

    def key(self, rate: Rate | None = None) -> str:
        shown, key = new_key("k", [Scope.ADMIN], rate=rate)

        async def add() -> None:
            await self.access.add_key(key, "me")
            await self.ring.refresh()

        asyncio.run(add())
        return shown

    def call(self, key: str, method: str, path: str, body: object = None) -> httpx.Response:
        given = {} if body is None else {"json": body}
        return self.caller.send(method, path, headers={"Authorization": f"Bearer {key}"}, **given)

    def post(self, key: str, path: str, body: object = None) -> httpx.Response:
        return self.call(key, "POST", f"/v1/sessions/s0/{path}", body)


@pytest.fixture(params=[True, False], ids=["hot lane", "plain"])
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    made = Place(request.param)
    with made.caller:
        yield made


def left(answer: httpx.Response) -> int:
    """Returns what the fields say is left, after a look at their form."""
    assert answer.headers["ratelimit-policy"] == '"key";q=10;w=3600'
    name, remaining, reset = answer.headers["ratelimit"].split(";")
    assert name == '"key"'
    assert 3590 <= int(reset.removeprefix("t=")) <= 3600
    return int(remaining.removeprefix("r="))


def test_calls_are_counted_down_and_then_refused(place: Place) -> None:
    key = place.key()
    seen = [left(place.post(key, "next-pair")) for _ in range(5)]
    seen += [left(place.call(key, "GET", "/v1/sessions/s0/best-pair")) for _ in range(2)]
    seen += [left(place.call(key, "GET", path)) for path in ("/v1/sessions", "/v1/sessions/nobody", "/v1/audit")]
    assert seen == [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
    for method, path in (("POST", "/next-pair"), ("GET", "/best-pair"), ("GET", ""), ("DELETE", "")):
        refused = place.call(key, method, f"/v1/sessions/s0{path}")
        assert (refused.status_code, refused.json()["type"]) == (429, "/problems/rate-limited")
        assert left(refused) == 0
        assert 3590 <= int(refused.headers["retry-after"]) <= 3600
    assert "s0" in place.sessions.records
    assert len(place.sessions.orders) == 5
    other = place.key()
    assert left(place.post(other, "next-pair")) == 9, "others are not touched by it"


@pytest.mark.parametrize(("path", "body"), [("next-pair/batch", {"count": 4}), ("feedback/batch", [ANSWER] * 4)])
def test_a_batch_costs_what_its_rows_would(place: Place, path: str, body: object) -> None:
    key = place.key()
    assert left(place.post(key, path, body)) == 6
    assert left(place.post(key, path, body)) == 2
    refused = place.post(key, path, body)
    assert refused.status_code == 429
    assert left(refused) == 1, "the call itself; none of its rows"
    assert "1 are left" in refused.json()["detail"]
    assert len(place.sessions.orders) + len(place.sessions.answers) in {2, 8}


def test_a_batch_that_never_fits_says_so(place: Place) -> None:
    refused = place.post(place.key(), "next-pair/batch", {"count": 100})
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
def test_what_goes_from_one_lane_to_the_other_costs_once(place: Place, path: str, body: object) -> None:
    assert left(place.post(place.key(), path, body)) == 9


def test_a_key_with_a_rate_of_its_own(place: Place) -> None:
    key = place.key(Rate(2, 60))
    answers = [place.post(key, "next-pair") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert {answer.headers["ratelimit-policy"] for answer in answers} == {'"key";q=2;w=60'}


def test_what_is_open_and_what_is_refused_before_counts_nothing(place: Place) -> None:
    for answer in (place.caller.get("/livez"), place.caller.get("/v1/sessions"), place.caller.get("/")):
        assert "ratelimit" not in answer.headers
        assert "ratelimit-policy" not in answer.headers
