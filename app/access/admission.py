"""The rule of access: which key may do what, and what each call costs it. No HTTP: headers are read in `web`."""

import time
from enum import Enum

from app.access.audit import OPEN_ACCESS
from app.access.keys import Key, Scope
from app.access.rates import Allowance
from app.errors import Forbidden, RateLimited


class OpenTo(Enum):
    """Who may call as long as no key was ever made."""

    NOBODY = "nobody"
    THIS_MACHINE = "this machine"  # the server listens on loopback
    EVERYBODY = "everybody"  # the operator said so


def check(key: Key, scope: Scope, session_id: str | None, *, narrowed: bool = False) -> None:
    """Raises Forbidden unless the key has the scope and is not bound to another session.

    A bound key may do nothing that concerns more than its session, unless the call itself is narrowed to it. Whether
    another session exists is not told.
    """
    if not key.grants(scope):
        has, needs = ", ".join(sorted(key.scopes)), " or ".join(dict.fromkeys((scope, Scope.ADMIN)))
        raise Forbidden(f"this takes a key with the scope {needs}; the key {key.id} has {has}")
    if key.session_id is not None and key.session_id != session_id and not narrowed:
        raise Forbidden(f"the key {key.id} is bound to session {key.session_id}, and may do nothing outside of it")


class Admission:
    """A call that was let in: by which key (None: no key is asked for), and what is left of the key's rate."""

    __slots__ = ("allowance", "key", "scope", "session_id")

    def __init__(
        self, key: Key | None, allowance: Allowance | None, scope: Scope | None, session_id: str | None
    ) -> None:
        self.key, self.allowance, self.scope, self.session_id = key, allowance, scope, session_id

    @property
    def actor(self) -> str:
        """Who acts, for the audit trail."""
        return OPEN_ACCESS if self.key is None else self.key.id

    @property
    def bound_to(self) -> str | None:
        """The only session that may be seen; None: all."""
        return None if self.key is None else self.key.session_id

    def take(self, cost: int) -> None:
        """Takes so many calls from the key's rate, or none and raises RateLimited."""
        allowance = self.allowance
        if allowance is None or cost <= 0:
            return
        if not allowance.take(cost, time.monotonic()):
            wait = max(1, allowance.resets_in)
            if cost >= allowance.rate.calls:
                advice = f"so many at once never fit: send batches of at most {allowance.rate.calls}"
            else:
                advice = f"{allowance.left} are left, all of them again in {wait} s"
            raise RateLimited(f"this key may make {allowance.rate} (each row of a batch is one); {advice}", wait)
