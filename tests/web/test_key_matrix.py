"""Every endpoint with no key, a wrong scope, a wrong session, a revoked key and the right one: the whole table."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

import httpx
import pytest

from app.access.admission import OpenTo
from app.access.keyring import Keyring
from app.access.keys import Scope, new_key
from app.sessions.model import Counters, Live
from app.web.access import OPEN_PATHS, Gate, scopes_of_routes
from app.web.api import Api, build_api
from tests.fakes.access import FakeAccess
from tests.fakes.caller import Caller
from tests.fakes.sessions import FakeSessions

SERVE, FEEDBACK, READ, ADMIN = Scope
AT = "/v1/sessions/{session_id}"


@dataclass(frozen=True)
class Row:
    """One endpoint: which scope it takes, what a call looks like, what the right key gets and what a bound one does."""

    scope: Scope | None
    body: object = None
    right: int = 200
    bound: int = 200  # with a key that is bound to the session s0, which the call is about if it is about one


ONE = {"ticket": "t", "reward": 1}
MATRIX = {
    ("POST", "/v1/sessions"): Row(ADMIN, {"items": ["a", "b"]}, right=201, bound=403),
    ("GET", "/v1/sessions"): Row(READ),
    ("GET", AT): Row(READ),
    ("PATCH", AT): Row(ADMIN, {"state": "paused"}),
    ("DELETE", AT): Row(ADMIN, right=204, bound=204),
    ("POST", f"{AT}/next-pair"): Row(SERVE),
    ("POST", f"{AT}/next-pair/batch"): Row(SERVE, {"count": 2}),
    ("POST", f"{AT}/feedback"): Row(FEEDBACK, ONE),
    ("POST", f"{AT}/feedback/batch"): Row(FEEDBACK, [ONE]),
    ("GET", f"{AT}/best-pair"): Row(READ),
    ("GET", f"{AT}/events"): Row(READ),
    ("GET", f"{AT}/history"): Row(READ),
    ("GET", f"{AT}/estimates"): Row(READ),
    ("GET", f"{AT}/certificate"): Row(READ, right=404, bound=404),
    ("GET", f"{AT}/export"): Row(READ),
    ("GET", "/v1/access"): Row(READ),
    ("GET", "/v1/audit"): Row(ADMIN, bound=403),
    ("GET", "/metrics"): Row(READ, bound=403),
    ("GET", "/livez"): Row(None),
    ("GET", "/readyz"): Row(None),
    ("GET", "/version"): Row(None),
    ("GET", "/"): Row(None),
    ("GET", "/docs"): Row(None),
    ("GET", "/static/{name}"): Row(None),
    ("GET", "/problems/{name}"): Row(None),
    ("GET", "/openapi.json"): Row(None),
    ("HEAD", "/openapi.json"): Row(None),
}
GUARDED = [endpoint for endpoint, row in MATRIX.items() if row.scope is not None]
ENDPOINTS = pytest.mark.parametrize("endpoint", MATRIX, ids=" ".join)


class Place:
    """The service with two sessions, and keys of every kind."""

    def __init__(self, hot_lane: bool) -> None:
        self.sessions, self.access = FakeSessions(), FakeAccess()
        self.ring = Keyring(self.access)
        self.gate = Gate(self.ring)
        self.app: Api = build_api(
            self.sessions, version="1", body_limit_bytes=10_000, hot_lane=hot_lane, gate=self.gate, trail=self.access
        )
        self.caller = Caller(self.app)
        self.access.session_ids = {"s0", "s1"}
        self.admin = self.key(ADMIN)
        for _ in range(2):
            assert self.call(("POST", "/v1/sessions"), self.admin).status_code == 201
        self.sessions.actors.clear()

    def key(self, *scopes: Scope, session: str | None = None, revoked: bool = False) -> str:
        async def make() -> str:
            shown, key = new_key("k", scopes, session_id=session)
            await self.access.add_key(key, "test")
            if revoked:
                await self.access.revoke_key(key.id, "test")
            await self.ring.refresh()
            return shown

        return asyncio.run(make())

    def call(self, endpoint: tuple[str, str], key: str | None, session: str = "s0", **headers: str) -> httpx.Response:
        method, path = endpoint
        shown = {} if key is None else {"Authorization": f"Bearer {key}"}
        address = path.format(session_id=session, name="dashboard.js" if "static" in path else "forbidden")
        body = MATRIX[endpoint].body
        given = {} if body is None else {"json": body}
        return self.caller.send(method, address, headers={**shown, **headers}, **given)


@pytest.fixture(params=[True, False], ids=["hot lane", "plain"])
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    made = Place(request.param)
    with made.caller:
        yield made


def test_every_route_has_a_row_that_says_its_scope(place: Place) -> None:
    assert scopes_of_routes(place.app) == {endpoint: row.scope for endpoint, row in MATRIX.items()}
    assert {path for (_, path), row in MATRIX.items() if row.scope is None} == OPEN_PATHS


def untouched(place: Place) -> bool:
    """Whether nothing was asked of the use cases."""
    seen = place.sessions
    return not (seen.orders or seen.answers or seen.changes or seen.actors) and set(seen.records) == {"s0", "s1"}


def refused(answer: httpx.Response, status: int) -> str:
    assert answer.status_code == status
    assert answer.json()["type"] == {401: "/problems/unauthorized", 403: "/problems/forbidden"}[status]
    assert ("www-authenticate" in answer.headers) == (status == 401)
    return str(answer.json()["detail"])


@ENDPOINTS
def test_without_a_key(place: Place, endpoint: tuple[str, str]) -> None:
    answer = place.call(endpoint, None)
    if MATRIX[endpoint].scope is None:
        assert answer.status_code == 200
        return
    assert "keys create" in refused(answer, 401)
    assert answer.headers["www-authenticate"] == "Bearer"
    assert untouched(place)


@ENDPOINTS
def test_with_a_revoked_key(place: Place, endpoint: tuple[str, str]) -> None:
    answer = place.call(endpoint, place.key(*Scope, revoked=True))
    if MATRIX[endpoint].scope is None:
        assert answer.status_code == 200, "what is open asks for none, and looks at none"
        return
    refused(answer, 401)
    assert answer.headers["www-authenticate"] == 'Bearer error="invalid_token"'
    assert untouched(place)


@pytest.mark.parametrize("endpoint", GUARDED, ids=" ".join)
def test_with_every_wrong_scope_at_once(place: Place, endpoint: tuple[str, str]) -> None:
    scope = MATRIX[endpoint].scope
    assert scope is not None
    wrong = [each for each in Scope if each not in {scope, ADMIN}]
    needed = scope if scope == ADMIN else f"{scope} or {ADMIN}"
    assert f"the scope {needed};" in refused(place.call(endpoint, place.key(*wrong)), 403)
    assert untouched(place)


@pytest.mark.parametrize("endpoint", GUARDED, ids=" ".join)
def test_with_the_scope_and_nothing_else(place: Place, endpoint: tuple[str, str]) -> None:
    row = MATRIX[endpoint]
    assert row.scope is not None
    shown = place.key(row.scope)
    assert place.call(endpoint, shown).status_code == row.right
    assert set(place.sessions.actors) <= {shown[:15]}, "what is written down names the key"


@pytest.mark.parametrize("endpoint", GUARDED, ids=" ".join)
def test_admin_may_do_everything(place: Place, endpoint: tuple[str, str]) -> None:
    assert place.call(endpoint, place.admin).status_code == MATRIX[endpoint].right


@pytest.mark.parametrize("endpoint", GUARDED, ids=" ".join)
def test_a_key_that_is_bound_to_the_session(place: Place, endpoint: tuple[str, str]) -> None:
    row = MATRIX[endpoint]
    assert row.scope is not None
    assert place.call(endpoint, place.key(row.scope, session="s0")).status_code == row.bound


@pytest.mark.parametrize("endpoint", [each for each in GUARDED if AT in each[1]], ids=" ".join)
@pytest.mark.parametrize("session", ["s0", "nobody"])
def test_a_key_that_is_bound_to_another_session(place: Place, endpoint: tuple[str, str], session: str) -> None:
    detail = refused(place.call(endpoint, place.key(*Scope, session="s1"), session), 403)
    assert "bound to session s1" in detail, "and not whether the other one exists"
    assert untouched(place)


def test_a_bound_key_sees_its_session_only(place: Place) -> None:
    shown = place.key(READ, session="s0")
    for query in ("", "?limit=1", "?cursor=s1"):
        listed = place.caller.get(f"/v1/sessions{query}", headers={"Authorization": f"Bearer {shown}"}).json()
        assert [each["id"] for each in listed["sessions"]] == ["s0"]
        assert listed["next_cursor"] is None
    assert place.call(("DELETE", AT), place.admin).status_code == 204
    assert place.call(("GET", "/v1/sessions"), shown).json()["sessions"] == []


def test_who_am_i(place: Place) -> None:
    shown = place.key(READ, session="s0")
    told = place.call(("GET", "/v1/access"), shown).json()
    assert told == {"key": shown[:15], "name": "k", "scopes": ["read"], "session": "s0"}
    assert place.call(("GET", "/v1/access"), place.admin).json()["scopes"] == ["serve", "feedback", "read", "admin"]


def test_the_trail_over_http(place: Place) -> None:
    made = [place.key(READ)[:15] for _ in range(3)]
    first = place.caller.get("/v1/audit?limit=2", headers={"Authorization": f"Bearer {place.admin}"}).json()
    assert [entry["details"]["key"] for entry in first["entries"]] == [made[2], made[1]]
    query = f"?cursor={first['next_cursor']}"
    rest = place.caller.get(f"/v1/audit{query}", headers={"Authorization": f"Bearer {place.admin}"}).json()
    assert [entry["details"]["key"] for entry in rest["entries"]] == [made[0], place.admin[:15]]
    assert rest["next_cursor"] is None


def test_a_stream_ends_with_its_key(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = place.key(READ)
    live = Live(place.sessions.snapshot, Counters(1, 1, 0, 0))

    def follow(_session_id: str, _idle_seconds: float) -> AsyncIterator[Live | None]:
        async def told() -> AsyncIterator[Live | None]:
            yield live
            await place.access.revoke_key(shown[:15], "me")
            await place.ring.refresh()
            yield Live(place.sessions.snapshot, Counters(77, 1, 0, 0))
            yield None

        return told()

    monkeypatch.setattr(place.sessions, "follow", follow)
    answer = place.call(("GET", f"{AT}/events"), shown)
    assert answer.status_code == 200
    assert "event: best-pair" in answer.text
    assert "77" not in answer.text, "nothing is told after that"
    assert place.call(("GET", f"{AT}/events"), shown).status_code == 401


@pytest.mark.parametrize("open_to", OpenTo)
@pytest.mark.parametrize(
    "host", ["localhost:8000", "127.0.0.1", "[::1]:80", "127.9.9.9", "evil.example", "192.168.1.9:80", ""]
)
@pytest.mark.parametrize("hot_lane", [True, False])
def test_without_any_key_made_it_depends_on_who_listens(open_to: OpenTo, host: str, hot_lane: bool) -> None:
    access, sessions = FakeAccess(), FakeSessions()
    ring = Keyring(access)
    asyncio.run(ring.refresh())
    app = build_api(sessions, version="1", body_limit_bytes=999, hot_lane=hot_lane, gate=Gate(ring, open_to=open_to))
    local = host.startswith(("localhost", "127.", "[::1]"))
    expected = {OpenTo.NOBODY: 401, OpenTo.EVERYBODY: 404, OpenTo.THIS_MACHINE: 404 if local else 403}[open_to]
    with Caller(app) as caller:
        for method, path in (
            ("GET", "/v1/sessions/x/best-pair"),
            ("POST", "/v1/sessions/x/next-pair"),
            ("GET", "/v1/sessions/x"),
        ):
            assert caller.send(method, path, headers={"Host": host}).status_code == expected
        assert caller.get("/livez", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site", "same-origin", "none"])
@pytest.mark.parametrize("hot_lane", [True, False])
def test_without_any_key_made_pages_from_elsewhere_change_nothing(site: str, hot_lane: bool) -> None:
    """They cannot read an answer, but a browser sends their POST without a body, and without asking first."""
    ring = Keyring(FakeAccess())
    asyncio.run(ring.refresh())
    gate = Gate(ring, open_to=OpenTo.THIS_MACHINE)
    app = build_api(FakeSessions(), version="1", body_limit_bytes=999, hot_lane=hot_lane, gate=gate)
    headers = {"Host": "localhost", "Sec-Fetch-Site": site}
    with Caller(app) as caller:
        for path in ("/next-pair", "/next-pair/batch", "/feedback", "/feedback/batch", ""):
            method = "POST" if path else "DELETE"
            answer = caller.send(method, f"/v1/sessions/x{path}", headers=headers)
            assert (answer.status_code == 403) is (site in {"cross-site", "same-site"})
        assert caller.get("/v1/sessions/x", headers=headers).status_code == 404  # a link may lead here


@pytest.mark.parametrize(
    ("host", "origin", "is_ours"),
    [
        ("localhost:8000", "http://localhost:8000", True),
        ("localhost:8000", "https://LocalHost:8000", True),  # a proxy ends TLS
        ("localhost", "http://localhost", True),
        ("localhost:80", "http://localhost", True),
        ("localhost", "https://localhost:443", True),
        ("[::1]:8000", "http://[::1]:8000", True),
        ("localhost:8000", None, True),  # a program, not a page
        ("localhost:8000", "http://evil.example", False),
        ("localhost:8000", "http://evil.example:8000", False),
        ("localhost:8000", "http://localhost:3000", False),
        ("localhost:8000", "http://localhost", False),
        ("localhost:8000", "http://127.0.0.1:8000", False),
        ("localhost:8000", "http://localhost:8000.evil.example", False),
        ("localhost:8000", "null", False),
        ("localhost:8000", "", False),
        ("localhost:8000", "localhost:8000", False),
        ("localhost:8000", "file://localhost:8000", False),
    ],
)
@pytest.mark.parametrize("hot_lane", [True, False])
def test_without_any_key_made_a_browser_that_says_only_the_origin_is_judged_by_it(
    host: str, origin: str | None, is_ours: bool, hot_lane: bool
) -> None:
    ring = Keyring(FakeAccess())
    asyncio.run(ring.refresh())
    gate = Gate(ring, open_to=OpenTo.THIS_MACHINE)
    app = build_api(FakeSessions(), version="1", body_limit_bytes=999, hot_lane=hot_lane, gate=gate)
    headers = {"Host": host} if origin is None else {"Host": host, "Origin": origin}
    with Caller(app) as caller:
        for method, path in (("POST", "/next-pair"), ("POST", "/feedback"), ("DELETE", ""), ("PATCH", "")):
            answer = caller.send(method, f"/v1/sessions/x{path}", headers=headers)
            assert (answer.status_code == 403) is not is_ours
            said = {**headers, "Sec-Fetch-Site": "same-origin"}  # a proxy may change the Host; this it cannot
            assert caller.send(method, f"/v1/sessions/x{path}", headers=said).status_code != 403
        assert caller.get("/v1/sessions/x", headers=headers).status_code == 404


def test_a_page_from_elsewhere_with_a_key_is_let_in(place: Place) -> None:
    shown = place.key(Scope.SERVE)
    headers = {"Sec-Fetch-Site": "cross-site", "Origin": "https://shop.example"}
    assert place.call(("POST", f"{AT}/next-pair"), shown, **headers).status_code == 200


def test_the_document_names_the_scheme_and_the_scopes(place: Place) -> None:
    document = place.app.openapi()
    assert document["components"]["securitySchemes"]["key"]["scheme"] == "bearer"
    for (method, path), row in MATRIX.items():
        operation = document["paths"].get(path, {}).get(method.lower())
        if operation is not None:
            assert operation.get("security") == (None if row.scope is None else [{"key": [row.scope.value]}])
