"""Every endpoint without a key and with a key that is right, revoked, of other scopes or of another session."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from app.access.control import AccessControl, KeylessAccess
from app.access.key_cache import KeyCache
from app.access.keys import Scope, new_key
from app.access.sql import AccessStore
from app.results.sql import Live
from app.sessions.model import Counters
from app.web.access import OPEN_PATHS, scopes_of_routes
from app.web.api import Api, build_api
from tests.access.stores import access_store
from tests.fakes.caller import Caller
from tests.fakes.sessions import FakeServices

SERVE, FEEDBACK, READ, ADMIN = Scope
AT = "/v1/sessions/{session_id}"


@dataclass(frozen=True)
class Row:
    """One endpoint: the scope it requires, a body to send, and the status for the right key and for a bound key."""

    scope: Scope | None
    body: object = None
    right: int = 200
    query: str = ""
    bound: int = 200  # for a key that is bound to the session s0, with which the endpoint is called if it has one


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
    ("GET", "/v1/forecast"): Row(READ, query="?items=3&click_rate=0.1"),
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


class Service:
    """The API with the sessions s0 and s1, and a way to make keys of every kind."""

    def __init__(self, store: AccessStore, hot_lane: bool) -> None:
        self.sessions, self.store = FakeServices(), store
        self.cache = KeyCache(store)
        self.app: Api = build_api(
            self.sessions.services,
            version="1",
            body_limit_bytes=10_000,
            hot_lane=hot_lane,
            access_control=AccessControl(self.cache),
            access_store=store,
        )
        self.caller = Caller(self.app)
        self.admin = self.key(ADMIN)
        for _ in range(2):
            assert self.call(("POST", "/v1/sessions"), self.admin).status_code == 201
        self.sessions.actors.clear()

    def key(self, *scopes: Scope, session: str | None = None, revoked: bool = False) -> str:
        async def make() -> str:
            shown, key = new_key("k", scopes, session_id=session)
            await self.store.add_key(key, "test")
            if revoked:
                await self.store.revoke_key(key.id, "test")
            await self.cache.refresh()
            return shown

        return asyncio.run(make())

    def call(self, endpoint: tuple[str, str], key: str | None, session: str = "s0", **headers: str) -> httpx.Response:
        method, path = endpoint
        shown = {} if key is None else {"Authorization": f"Bearer {key}"}
        address = path.format(session_id=session, name="dashboard.js" if "static" in path else "forbidden")
        row = MATRIX[endpoint]
        body = row.body
        given = {} if body is None else {"json": body}
        return self.caller.send(method, address + row.query, headers={**shown, **headers}, **given)


@pytest.fixture(params=[True, False], ids=["hot lane", "plain"])
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Service]:
    with access_store(tmp_path) as store:
        made = Service(store, request.param)
        with made.caller:
            yield made


@pytest.fixture(scope="module")
def no_keys(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KeyCache]:
    """Keys of a database in which no key was ever made."""
    with access_store(tmp_path_factory.mktemp("access")) as store:
        cache = KeyCache(store)
        asyncio.run(cache.refresh())
        yield cache


def test_every_route_has_a_row_with_its_scope(service: Service) -> None:
    assert scopes_of_routes(service.app) == {endpoint: row.scope for endpoint, row in MATRIX.items()}
    assert {path for (_, path), row in MATRIX.items() if row.scope is None} == OPEN_PATHS


def untouched(service: Service) -> bool:
    """Whether no use case was called."""
    seen = service.sessions
    return not (seen.orders or seen.answers or seen.changes or seen.actors) and set(seen.records) == {"s0", "s1"}


def refused(answer: httpx.Response, status: int) -> str:
    assert answer.status_code == status
    assert answer.json()["type"] == {401: "/problems/unauthorized", 403: "/problems/forbidden"}[status]
    assert ("www-authenticate" in answer.headers) == (status == 401)
    return str(answer.json()["detail"])


@ENDPOINTS
def test_without_a_key(service: Service, endpoint: tuple[str, str]) -> None:
    answer = service.call(endpoint, None)
    if MATRIX[endpoint].scope is None:
        assert answer.status_code == 200
        return
    assert "keys create" in refused(answer, 401)
    assert answer.headers["www-authenticate"] == "Bearer"
    assert untouched(service)


@ENDPOINTS
def test_with_a_revoked_key(service: Service, endpoint: tuple[str, str]) -> None:
    answer = service.call(endpoint, service.key(*Scope, revoked=True))
    if MATRIX[endpoint].scope is None:
        assert answer.status_code == 200, "open paths do not look at keys"
        return
    refused(answer, 401)
    assert answer.headers["www-authenticate"] == 'Bearer error="invalid_token"'
    assert untouched(service)


@pytest.mark.parametrize("endpoint", GUARDED, ids=" ".join)
def test_with_all_other_scopes(service: Service, endpoint: tuple[str, str]) -> None:
    scope = MATRIX[endpoint].scope
    assert scope is not None
    wrong = [each for each in Scope if each not in {scope, ADMIN}]
    needed = scope if scope == ADMIN else f"{scope} or {ADMIN}"
    assert f"the scope {needed};" in refused(service.call(endpoint, service.key(*wrong)), 403)
    assert untouched(service)


@pytest.mark.parametrize("endpoint", GUARDED, ids=" ".join)
def test_with_only_the_required_scope(service: Service, endpoint: tuple[str, str]) -> None:
    row = MATRIX[endpoint]
    assert row.scope is not None
    shown = service.key(row.scope)
    assert service.call(endpoint, shown).status_code == row.right
    assert set(service.sessions.actors) <= {shown[:15]}, "the audit trail names the key"


@pytest.mark.parametrize("endpoint", GUARDED, ids=" ".join)
def test_admin_may_call_every_endpoint(service: Service, endpoint: tuple[str, str]) -> None:
    assert service.call(endpoint, service.admin).status_code == MATRIX[endpoint].right


@pytest.mark.parametrize("endpoint", GUARDED, ids=" ".join)
def test_a_key_bound_to_the_session(service: Service, endpoint: tuple[str, str]) -> None:
    row = MATRIX[endpoint]
    assert row.scope is not None
    assert service.call(endpoint, service.key(row.scope, session="s0")).status_code == row.bound


@pytest.mark.parametrize("endpoint", [each for each in GUARDED if AT in each[1]], ids=" ".join)
@pytest.mark.parametrize("session", ["s0", "unknown"])
def test_a_key_bound_to_another_session(service: Service, endpoint: tuple[str, str], session: str) -> None:
    detail = refused(service.call(endpoint, service.key(*Scope, session="s1"), session), 403)
    assert "bound to session s1" in detail, "the error does not reveal whether the other session exists"
    assert untouched(service)


def test_a_bound_key_sees_only_its_session(service: Service) -> None:
    shown = service.key(READ, session="s0")
    for query in ("", "?limit=1", "?cursor=s1"):
        listed = service.caller.get(f"/v1/sessions{query}", headers={"Authorization": f"Bearer {shown}"}).json()
        assert [each["id"] for each in listed["sessions"]] == ["s0"]
        assert listed["next_cursor"] is None
    assert service.call(("DELETE", AT), service.admin).status_code == 204
    assert service.call(("GET", "/v1/sessions"), shown).json()["sessions"] == []


def test_access_describes_the_key(service: Service) -> None:
    shown = service.key(READ, session="s0")
    described = service.call(("GET", "/v1/access"), shown).json()
    assert described == {"key": shown[:15], "name": "k", "scopes": ["read"], "session": "s0"}
    assert service.call(("GET", "/v1/access"), service.admin).json()["scopes"] == ["serve", "feedback", "read", "admin"]


def test_the_audit_trail_over_http(service: Service) -> None:
    made = [service.key(READ)[:15] for _ in range(3)]
    first = service.caller.get("/v1/audit?limit=2", headers={"Authorization": f"Bearer {service.admin}"}).json()
    assert [entry["details"]["key"] for entry in first["entries"]] == [made[2], made[1]]
    query = f"?cursor={first['next_cursor']}"
    rest = service.caller.get(f"/v1/audit{query}", headers={"Authorization": f"Bearer {service.admin}"}).json()
    assert [entry["details"]["key"] for entry in rest["entries"]] == [made[0], service.admin[:15]]
    assert rest["next_cursor"] is None


def test_a_stream_ends_when_its_key_is_revoked(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = service.key(READ)
    live = Live(service.sessions.snapshot, Counters(1, 1, 0, 0))

    def follow(_session_id: str, _idle_seconds: float) -> AsyncIterator[Live | None]:
        async def updates() -> AsyncIterator[Live | None]:
            yield live
            await service.store.revoke_key(shown[:15], "me")
            await service.cache.refresh()
            yield Live(service.sessions.snapshot, Counters(77, 1, 0, 0))
            yield None

        return updates()

    monkeypatch.setattr(service.sessions, "follow", follow)
    answer = service.call(("GET", f"{AT}/events"), shown)
    assert answer.status_code == 200
    assert "event: best-pair" in answer.text
    assert "77" not in answer.text, "nothing is sent after the revocation"
    assert service.call(("GET", f"{AT}/events"), shown).status_code == 401


@pytest.mark.parametrize("keyless_access", KeylessAccess)
@pytest.mark.parametrize(
    "host", ["localhost:8000", "127.0.0.1", "[::1]:80", "127.9.9.9", "evil.example", "192.168.1.9:80", ""]
)
@pytest.mark.parametrize("hot_lane", [True, False])
def test_access_before_the_first_key(
    keyless_access: KeylessAccess, host: str, hot_lane: bool, no_keys: KeyCache
) -> None:
    access_control = AccessControl(no_keys, keyless_access=keyless_access)
    app = build_api(
        FakeServices().services, version="1", body_limit_bytes=999, hot_lane=hot_lane, access_control=access_control
    )
    local = host.startswith(("localhost", "127.", "[::1]"))
    expected = {KeylessAccess.NONE: 401, KeylessAccess.ALL: 404, KeylessAccess.LOOPBACK: 404 if local else 403}[
        keyless_access
    ]
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
def test_before_the_first_key_pages_of_other_sites_change_nothing(site: str, hot_lane: bool, no_keys: KeyCache) -> None:
    """They cannot read a response, but a browser sends their POST without a body, without a preflight request."""
    access_control = AccessControl(no_keys, keyless_access=KeylessAccess.LOOPBACK)
    app = build_api(
        FakeServices().services, version="1", body_limit_bytes=999, hot_lane=hot_lane, access_control=access_control
    )
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
def test_before_the_first_key_the_origin_decides_if_the_browser_sends_no_fetch_site(
    host: str, origin: str | None, is_ours: bool, hot_lane: bool, no_keys: KeyCache
) -> None:
    access_control = AccessControl(no_keys, keyless_access=KeylessAccess.LOOPBACK)
    app = build_api(
        FakeServices().services, version="1", body_limit_bytes=999, hot_lane=hot_lane, access_control=access_control
    )
    headers = {"Host": host} if origin is None else {"Host": host, "Origin": origin}
    with Caller(app) as caller:
        for method, path in (("POST", "/next-pair"), ("POST", "/feedback"), ("DELETE", ""), ("PATCH", "")):
            answer = caller.send(method, f"/v1/sessions/x{path}", headers=headers)
            assert (answer.status_code == 403) is not is_ours
            same_origin = {**headers, "Sec-Fetch-Site": "same-origin"}  # decides: a proxy may have changed the Host
            assert caller.send(method, f"/v1/sessions/x{path}", headers=same_origin).status_code != 403
        assert caller.get("/v1/sessions/x", headers=headers).status_code == 404


def test_a_page_of_another_site_may_call_with_a_key(service: Service) -> None:
    shown = service.key(Scope.SERVE)
    headers = {"Sec-Fetch-Site": "cross-site", "Origin": "https://shop.example"}
    assert service.call(("POST", f"{AT}/next-pair"), shown, **headers).status_code == 200


def test_the_openapi_document_names_the_scheme_and_the_scopes(service: Service) -> None:
    document = service.app.openapi()
    assert document["components"]["securitySchemes"]["key"]["scheme"] == "bearer"
    for (method, path), row in MATRIX.items():
        operation = document["paths"].get(path, {}).get(method.lower())
        if operation is not None:
            assert operation.get("security") == (None if row.scope is None else [{"key": [row.scope.value]}])
