"""The gate: reads the key from a request and asks the rule. The hot lane and the routes go through the same one.

Every route says by a dependency which scope it takes, so that what is checked is the route that is run, whatever the
address looked like on its way there; a route that says nothing keeps the application from being built.
"""

import ipaddress
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from functools import lru_cache
from typing import Annotated, Any, TypeVar

from fastapi import Depends, FastAPI
from fastapi.routing import iter_route_contexts
from starlette.requests import Request

from app.access.admission import Admission, KeylessAccess, check_access
from app.access.key_cache import KeyCache
from app.access.keys import Key, Scope
from app.access.rates import Rate, RateLimiter
from app.errors import Forbidden, Overloaded, RateLimited
from app.web.problems import declared
from app.web.refusals import Unauthorized

News = TypeVar("News")

OPEN_PATHS = {"/", "/docs", "/static/{name}", "/problems/{name}", "/openapi.json", "/livez", "/readyz", "/version"}
"""What anybody may read: that the service is there, and how it is used. Nothing of any session."""

MAX_STREAMS_PER_KEY = 500
"""A quarter of what a process holds: one key, of however little scope, must not take the streams of all others."""

MAX_CACHED_CALLERS = 4096
"""Callers of a session that each scope's door knows."""
MAX_CACHED_BYTES = 256
"""Bytes of the headers by which it knows them: more than a key in its usual spelling and the name of a host."""

SCHEME = {
    "type": "http",
    "scheme": "bearer",
    "description": "A key made with `bestpair keys create`; not asked for on loopback as long as no key was ever made.",
}
_OTHER_PAGES = frozenset({b"cross-site", b"same-site"})
"""What a browser says if the page that calls is not ours. Such a page cannot read the answer, but a POST without a body
is sent for it without asking."""
_ABOUT_THE_PAGE = (b"sec-fetch-site", b"origin", b"host")
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}
_MAKE_ONE = "make a key with `bestpair keys create`, and send it as Authorization: Bearer"


class Gate:
    """Lets calls in, or raises Unauthorized, Forbidden or StorageUnavailable. Without a ring all are let in."""

    def __init__(
        self, ring: KeyCache | None, *, rate: Rate | None = None, keyless_access: KeylessAccess = KeylessAccess.NONE
    ) -> None:
        self._ring = ring
        self._rate = rate
        self._keyless_access = keyless_access
        self._allowances: dict[str, RateLimiter | None] = {}
        self._streams: Counter[str] = Counter()  # that are open, by who opened them

    def admit(
        self,
        authorization: bytes | None,
        host: bytes | None,
        scope: Scope,
        session_id: str | None,
        *,
        narrowed: bool = False,
        site: bytes | None = None,
    ) -> Admission:
        """Returns the admission of one call; what it costs is for the caller to take from it.

        `site` is what a browser says of the page that calls (see `site_of`).
        """
        ring = self._ring
        if ring is None:
            return Admission(None, None, scope, session_id)
        ring.check_is_current()
        if ring.no_key_ever_made:
            self._check_open(host)
            if site in _OTHER_PAGES and scope is not Scope.READ:
                raise Forbidden(f"without keys no page of another origin may change anything; {_MAKE_ONE}")
            return Admission(None, None, scope, session_id)
        if authorization is None:
            raise Unauthorized(f"this service asks for a key; {_MAKE_ONE}")
        key = ring.find(authorization)
        if key is None:
            raise Unauthorized(
                f"the Authorization header shows no key that is in force; {_MAKE_ONE}", 'Bearer error="invalid_token"'
            )
        check_access(key, scope, session_id, narrowed=narrowed)
        return Admission(key, self._allowance_of(key), scope, session_id)

    def for_scope(self, scope: Scope) -> "Door":
        """Returns the way in for calls of one scope that come often."""
        return Door(self, self._ring, scope)

    def still_admits(self, admission: Admission) -> bool:
        """Returns whether one that was let in would be now: streams go on for days, keys may not."""
        if self._ring is None:
            return True
        return self._ring.no_key_ever_made if admission.key is None else self._ring.is_active(admission.key)

    def while_admitted(self, news: AsyncIterator[News], admission: Admission) -> AsyncIterator[News]:
        """Returns what comes as long as the caller would be let in; nothing is told after that.

        Raises:
            Overloaded: the key has too many streams open.
        """
        if admission.key is not None and self._streams[admission.key.id] >= MAX_STREAMS_PER_KEY:
            raise Overloaded(f"this key has {MAX_STREAMS_PER_KEY} streams open; poll best-pair instead")
        return self._while_admitted(news, admission)

    async def _while_admitted(self, news: AsyncIterator[News], admission: Admission) -> AsyncIterator[News]:
        self._streams[admission.actor] += 1
        try:
            async for each in news:
                if not self.still_admits(admission):
                    return
                yield each
        finally:
            self._streams[admission.actor] -= 1
            if isinstance(news, AsyncGenerator):
                await news.aclose()  # at once, not when somebody collects it

    def _allowance_of(self, key: Key) -> RateLimiter | None:
        if key.id in self._allowances:
            return self._allowances[key.id]
        rate = key.rate or self._rate
        self._allowances[key.id] = allowance = None if rate is None else RateLimiter(rate)
        return allowance

    def _check_open(self, host: bytes | None) -> None:
        """Raises unless calls without a key are taken.

        On loopback, a web page from elsewhere must not get in by giving its own name our address (DNS rebinding): the
        browser then still says the page's name.
        """
        if self._keyless_access is KeylessAccess.NONE:
            raise Unauthorized(f"there is no key yet; {_MAKE_ONE}")
        if self._keyless_access is KeylessAccess.LOOPBACK and host is not None and not is_local(host):
            raise Forbidden(f"without keys only calls to localhost are answered; {_MAKE_ONE}")


class Door:
    """The gate for one scope, which knows who went through before: the hot lane's callers come thousands of times."""

    def __init__(self, gate: Gate, ring: KeyCache | None, scope: Scope) -> None:
        self._gate, self._ring, self._scope = gate, ring, scope
        self._number = -1
        self._admissions: dict[tuple[bytes | None, bytes | None, str, bytes | None], Admission] = {}

    def admit(self, authorization: bytes | None, host: bytes | None, session_id: str, site: bytes | None) -> Admission:
        """Returns what the gate would, and raises what it would."""
        ring = self._ring
        if ring is None:
            return self._gate.admit(authorization, host, self._scope, session_id)
        if self._number != ring.version:
            self._number, self._admissions = ring.version, {}
        asked = (authorization, host, session_id, site)
        known = self._admissions.get(asked)
        if known is not None:
            ring.check_is_current()
            return known
        admission = self._gate.admit(authorization, host, self._scope, session_id, site=site)
        if len(self._admissions) >= MAX_CACHED_CALLERS:
            self._admissions = {}
        if len(authorization or b"") + len(host or b"") + len(site or b"") <= MAX_CACHED_BYTES:
            self._admissions[asked] = admission
        return admission


@lru_cache(maxsize=64)
def is_local(host: bytes) -> bool:
    """Returns whether a Host header, or an address to listen on, names this machine by its loopback."""
    name = host.decode("latin-1").strip().lower()
    if name.startswith("["):
        name = name[1:].partition("]")[0]
    elif name.count(":") == 1:
        name = name.partition(":")[0]
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def site_of(site: bytes | None, origin: bytes | None, host: bytes | None) -> bytes | None:
    """Returns what a browser says of the page that calls: its Sec-Fetch-Site.

    Not every browser sends that one (none does to a plain http address in a network); then its Origin must name the
    host that was called. Programs send neither.
    """
    if site is None and origin is not None and not is_same_origin(origin, host):
        return b"cross-site"
    return site


@lru_cache(maxsize=64)
def is_same_origin(origin: bytes, host: bytes | None) -> bool:
    """Returns whether an Origin header names the host and port that the Host header does.

    The scheme may differ: a proxy that ends TLS passes the Host on.
    """
    scheme, _, named = origin.decode("latin-1").strip().lower().partition("://")
    port = _DEFAULT_PORTS.get(scheme)
    if port is None or host is None:  # "null", too: a page in a sandbox, or a file
        return False
    return named.removesuffix(port) == host.decode("latin-1").strip().lower().removesuffix(port)


class Needs:
    """A dependency: the route takes a key with this scope; `narrowed`: and shows a bound key its own session only."""

    def __init__(self, scope: Scope, *, narrowed: bool = False) -> None:
        self.scope = scope
        self._narrowed = narrowed

    async def __call__(self, request: Request) -> None:
        """Lets the request in, unless the hot lane has, for this very route."""
        session_id = request.path_params.get("session_id")
        before: Admission | None = request.scope["state"].get("admission")
        if before is not None and (before.scope, before.session_id) == (self.scope, session_id):
            return
        gate: Gate = request.app.state.gate
        shown = _all(request, b"authorization")
        if len(shown) > 1:
            raise Unauthorized("send one Authorization header, not several", 'Bearer error="invalid_request"')
        host = next((each for each in _all(request, b"host") if not is_local(each)), None)
        site, origin, called = (next(iter(_all(request, each)), None) for each in _ABOUT_THE_PAGE)
        key = shown[0] if shown else None
        admission = gate.admit(
            key, host, self.scope, session_id, narrowed=self._narrowed, site=site_of(site, origin, called)
        )
        request.scope["state"]["admission"] = admission  # also if it is refused next: the answer tells what is left
        admission.charge(1)


def needs(scope: Scope, *, narrowed: bool = False) -> Any:  # noqa: ANN401 - as the framework types it
    """Returns the dependency for a route's `dependencies`."""
    return Depends(Needs(scope, narrowed=narrowed))


async def _admission(request: Request) -> Admission:
    admission: Admission = request.scope["state"]["admission"]
    return admission


Admitted = Annotated[Admission, Depends(_admission)]


def scopes_of_routes(api: FastAPI) -> dict[tuple[str, str], Scope | None]:
    """Returns the scope that each method of each address takes, None for what is open to all.

    Raises:
        RuntimeError: a route says nothing, or an open one something.
    """
    found: dict[tuple[str, str], Scope | None] = {}
    for route in iter_route_contexts(api.routes):
        given: Sequence[Any] = getattr(route, "dependencies", None) or ()
        scopes = [each.dependency.scope for each in given if isinstance(each.dependency, Needs)]
        path = str(getattr(route, "path", None) or "?")
        if len(scopes) != (0 if path in OPEN_PATHS else 1):
            raise RuntimeError(
                f"{path} must say who may call it: dependencies=[needs(Scope.READ)], or be in OPEN_PATHS"
            )
        for method in getattr(route, "methods", None) or ("*",):
            found[method, path] = scopes[0] if scopes else None
    return found


def describe(document: dict[str, Any], scopes: dict[tuple[str, str], Scope | None]) -> None:
    """Adds to an OpenAPI document which calls take a key, with which scope, and how they refuse."""
    refused = declared(Unauthorized, Forbidden, RateLimited)
    refused[401]["headers"] = {"WWW-Authenticate": {"description": "Bearer.", "schema": {"type": "string"}}}
    document.setdefault("components", {})["securitySchemes"] = {"key": SCHEME}
    for (method, path), scope in scopes.items():
        operation = document["paths"].get(path, {}).get(method.lower())
        if operation is not None and scope is not None:
            operation["security"] = [{"key": [scope.value]}]
            operation["responses"].update({str(status): refused[status] for status in (401, 403, 429)})


def _all(request: Request, name: bytes) -> list[bytes]:
    return [value for each, value in request.scope["headers"] if each == name]
