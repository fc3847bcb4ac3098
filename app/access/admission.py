"""The access rules: which key may make which call, and what the call costs. `app.web` reads the headers."""

import time
from enum import Enum

from app.access.audit import OPEN_ACCESS
from app.access.keys import Key, Scope
from app.access.rates import RateLimiter
from app.errors import Forbidden, RateLimited


class KeylessAccess(Enum):
    """Who may call without a key, as long as no key was ever made."""

    NONE = "none"
    LOOPBACK = "loopback"  # the server listens on loopback
    ALL = "all"  # the operator has set BESTPAIR_OPEN_ACCESS


def check_access(key: Key, scope: Scope, session_id: str | None, *, narrowed: bool = False) -> None:
    """Raises Forbidden unless the key has the scope and may be used for this session.

    A key that is bound to a session may make no call that concerns other sessions too (`session_id` None), unless the
    route narrows its answer to the key's session. The error does not reveal whether another session exists.
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
