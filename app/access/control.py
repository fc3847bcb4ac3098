"""Access control: which key may make which call, and what the call costs.

The hot lane and the framework's routes use the same AccessControl; routes declare their scope with `app.web.access`.
"""

import ipaddress
import time
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator
from enum import Enum
from functools import lru_cache
from typing import TypeVar

from app.access.audit import OPEN_ACCESS
from app.access.key_cache import KeyCache
from app.access.keys import Key, Scope
from app.access.rates import Rate, RateLimiter
from app.errors import Forbidden, Overloaded, RateLimited, Unauthorized

Event = TypeVar("Event")

MAX_STREAMS_PER_KEY = 500
"""A quarter of the streams of a process: a single key, even one with few rights, must not use all of them."""
MAX_CACHED_CALLERS = 4096
"""Maximum number of callers (combinations of headers and session) in the cache of each RouteAccess."""
MAX_CACHED_BYTES = 256
"""Maximum total length of the headers of a cached caller: enough for a key in its usual form and a host name."""

_OTHER_SITES = frozenset({b"cross-site", b"same-site"})
"""Values of Sec-Fetch-Site for pages of other origins. Such a page cannot read the response, but if it sends a POST
without a body, the browser makes no preflight request."""
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}
_MAKE_A_KEY = "make a key with `bestpair keys create`, and send it as Authorization: Bearer"


class KeylessAccess(Enum):
    """Who may call without a key, as long as no key was ever made."""

    NONE = "none"
    LOOPBACK = "loopback"  # the server listens on loopback
    ALL = "all"  # the operator has set BESTPAIR_OPEN_ACCESS


def check_access(key: Key, scope: Scope, session_id: str | None, *, narrowed: bool = False) -> None:
    """Raises Forbidden unless the key has the scope and may be used for this session.

    A key that is bound to a session may not make calls that concern all sessions (`session_id` None), unless the route
    restricts its answer to the key's session (`narrowed`). The error does not reveal whether another session exists.
    """
    if not key.grants(scope):
        has, needs = ", ".join(sorted(key.scopes)), " or ".join(dict.fromkeys((scope, Scope.ADMIN)))
        raise Forbidden(f"this call requires a key with the scope {needs}; the key {key.id} has {has}")
    if key.session_id is not None and key.session_id != session_id and not narrowed:
        raise Forbidden(f"the key {key.id} is bound to session {key.session_id} and may not be used for anything else")


class Admission:
    """A call that passed the access check: its key (None: no key is required) and the key's rate limiter."""

    __slots__ = ("key", "limiter", "scope", "session_id")

    def __init__(
        self, key: Key | None, limiter: RateLimiter | None, scope: Scope | None, session_id: str | None
    ) -> None:
        self.key, self.limiter, self.scope, self.session_id = key, limiter, scope, session_id

    @property
    def actor(self) -> str:
        """The caller's name in the audit trail."""
        return OPEN_ACCESS if self.key is None else self.key.id

    @property
    def bound_to(self) -> str | None:
        """The only session the caller may see; None: all sessions."""
        return None if self.key is None else self.key.session_id

    def charge(self, cost: int) -> None:
        """Consumes `cost` calls of the key's rate limit; raises RateLimited, and consumes none, if fewer are left."""
        limiter = self.limiter
        if limiter is None or cost <= 0:
            return
        if not limiter.consume(cost, time.monotonic()):
            wait = max(1, limiter.resets_in)
            if cost >= limiter.rate.calls:
                advice = f"a batch this large never fits: send batches of at most {limiter.rate.calls}"
            else:
                advice = f"{limiter.remaining} are left until the limit resets in {wait} s"
            raise RateLimited(f"this key may make {limiter.rate} (each row of a batch is one); {advice}", wait)

    def rate_lines(self) -> bytes:
        """Returns header lines with what is left of the key's rate limit; empty if it has none."""
        return b"" if self.limiter is None else self.limiter.header_lines()


class AccessControl:
    """Admits calls, or raises Unauthorized, Forbidden or StorageUnavailable. If `keys` is None, it admits all calls.

    `rate` is the limit for keys that were made without a limit.
    """

    def __init__(
        self,
        keys: KeyCache | None,
        *,
        rate: Rate | None = None,
        keyless_access: KeylessAccess = KeylessAccess.NONE,
    ) -> None:
        self._keys = keys
        self._rate = rate
        self._keyless_access = keyless_access
        self._limiters: dict[str, RateLimiter | None] = {}
        self._open_streams: Counter[str] = Counter()  # by actor

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
        """Returns the admission of one call, not charged yet.

        Args:
            authorization: The value of the Authorization header.
            host: The value of the Host header.
            scope: What the route requires.
            session_id: The session in the route's path; None if it has none.
            narrowed: Whether the route restricts its answer to the session that the key is bound to.
            site: The result of `fetch_site`.
        """
        keys = self._keys
        if keys is None:
            return Admission(None, None, scope, session_id)
        keys.check_is_current()
        if keys.no_key_ever_made:
            self._check_keyless(host)
            if site in _OTHER_SITES and scope is not Scope.READ:
                raise Forbidden(f"while there is no key, pages of other origins may not change anything; {_MAKE_A_KEY}")
            return Admission(None, None, scope, session_id)
        if authorization is None:
            raise Unauthorized(f"this service requires a key; {_MAKE_A_KEY}")
        key = keys.find(authorization)
        if key is None:
            raise Unauthorized(
                f"the Authorization header has no active key; {_MAKE_A_KEY}", 'Bearer error="invalid_token"'
            )
        check_access(key, scope, session_id, narrowed=narrowed)
        return Admission(key, self._limiter(key), scope, session_id)

    def for_route(self, scope: Scope) -> "RouteAccess":
        """Returns a cached check for a frequently called route that requires this scope."""
        return RouteAccess(self, self._keys, scope)

    def still_admits(self, admission: Admission) -> bool:
        """Returns whether the call would still be admitted: a stream may last for days, and its key may be revoked."""
        if self._keys is None:
            return True
        return self._keys.no_key_ever_made if admission.key is None else self._keys.is_active(admission.key)

    def while_admitted(self, events: AsyncIterator[Event], admission: Admission) -> AsyncIterator[Event]:
        """Returns the events until the caller would no longer be admitted.

        Raises:
            Overloaded: the key has too many streams open.
        """
        if admission.key is not None and self._open_streams[admission.key.id] >= MAX_STREAMS_PER_KEY:
            raise Overloaded(f"this key has {MAX_STREAMS_PER_KEY} streams open; poll best-pair instead")
        return self._while_admitted(events, admission)

    async def _while_admitted(self, events: AsyncIterator[Event], admission: Admission) -> AsyncIterator[Event]:
        self._open_streams[admission.actor] += 1
        try:
            async for event in events:
                if not self.still_admits(admission):
                    return
                yield event
        finally:
            self._open_streams[admission.actor] -= 1
            if isinstance(events, AsyncGenerator):
                await events.aclose()  # now, not when it is garbage-collected

    def _limiter(self, key: Key) -> RateLimiter | None:
        if key.id in self._limiters:
            return self._limiters[key.id]
        rate = key.rate or self._rate
        self._limiters[key.id] = limiter = None if rate is None else RateLimiter(rate)
        return limiter

    def _check_keyless(self, host: bytes | None) -> None:
        """Raises Unauthorized or Forbidden unless calls without a key are allowed.

        On loopback, the Host header must name this machine. Otherwise a web page could call the server by pointing the
        page's host name to this machine (DNS rebinding); the browser then sends that host name.
        """
        if self._keyless_access is KeylessAccess.NONE:
            raise Unauthorized(f"there is no key yet; {_MAKE_A_KEY}")
        if self._keyless_access is KeylessAccess.LOOPBACK and host is not None and not is_loopback(host):
            raise Forbidden(f"while there is no key, only calls to localhost are answered; {_MAKE_A_KEY}")


class RouteAccess:
    """AccessControl for one scope, with a cache of callers: each caller of the hot lane makes thousands of calls."""

    def __init__(self, access_control: AccessControl, keys: KeyCache | None, scope: Scope) -> None:
        self._access_control, self._keys, self._scope = access_control, keys, scope
        self._version = -1
        self._admissions: dict[tuple[bytes | None, bytes | None, str, bytes | None], Admission] = {}

    def admit(self, authorization: bytes | None, host: bytes | None, session_id: str, site: bytes | None) -> Admission:
        """Returns and raises the same as `AccessControl.admit`."""
        keys = self._keys
        if keys is None:
            return self._access_control.admit(authorization, host, self._scope, session_id)
        if self._version != keys.version:
            self._version, self._admissions = keys.version, {}
        caller = (authorization, host, session_id, site)
        cached = self._admissions.get(caller)
        if cached is not None:
            keys.check_is_current()
            return cached
        admission = self._access_control.admit(authorization, host, self._scope, session_id, site=site)
        if len(self._admissions) >= MAX_CACHED_CALLERS:
            self._admissions = {}
        if len(authorization or b"") + len(host or b"") + len(site or b"") <= MAX_CACHED_BYTES:
            self._admissions[caller] = admission
        return admission


@lru_cache(maxsize=64)
def is_loopback(host: bytes) -> bool:
    """Returns whether a Host header, or an address to listen on, is a loopback address or localhost."""
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


def fetch_site(site: bytes | None, origin: bytes | None, host: bytes | None) -> bytes | None:
    """Returns the Sec-Fetch-Site header, or a substitute: how the calling page relates to this server.

    Browsers leave this header out on plain http addresses other than localhost; then the Origin header must name the
    host that was called. Programs other than browsers send neither header.
    """
    if site is None and origin is not None and not is_same_origin(origin, host):
        return b"cross-site"
    return site


@lru_cache(maxsize=64)
def is_same_origin(origin: bytes, host: bytes | None) -> bool:
    """Returns whether an Origin header names the host and port of the Host header.

    The scheme may differ: a proxy that terminates TLS passes the Host header on unchanged.
    """
    scheme, _, named = origin.decode("latin-1").strip().lower().partition("://")
    port = _DEFAULT_PORTS.get(scheme)
    if port is None or host is None:  # also the Origin "null": a page in a sandbox, or a file
        return False
    return named.removesuffix(port) == host.decode("latin-1").strip().lower().removesuffix(port)
