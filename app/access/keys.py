"""Access keys as values: how they look, what is kept of them, and what each of them may do."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from app.access.rates import Rate

PREFIX = "bp_"
LONGEST_NAME = 100
SHOWN_CHARACTERS = 4
"""The end of a key that lists show, so that people can tell which one they hold."""

_BEARER = re.compile(rb"(?i:bearer) +bp_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")
_NO_DIGEST = "0" * 64


class Scope(StrEnum):
    """What a key may do. Every endpoint asks for exactly one; a key with `admin` may do everything."""

    SERVE = "serve"
    FEEDBACK = "feedback"
    READ = "read"
    ADMIN = "admin"


class InvalidKey(ValueError):
    """A key that cannot be made like this; the message says what to change."""


@dataclass(frozen=True, kw_only=True)
class Key:
    """What is kept of a key. The secret itself is not: it is shown once, when the key is made."""

    id: str  # public: in the key itself, in lists and in the audit trail
    name: str
    digest: str  # of the secret part
    ending: str  # last characters of the key
    scopes: frozenset[Scope]
    session_id: str | None = None  # bound to this session; None: all sessions
    rate: Rate | None = None  # of its own; None: that of the server
    created_at: float = 0.0  # seconds since 1970, database time
    revoked_at: float | None = None

    def grants(self, scope: Scope) -> bool:
        """Returns whether the key has this scope, or the one that has them all."""
        return scope in self.scopes or Scope.ADMIN in self.scopes


def new_key(
    name: str, scopes: Iterable[Scope], *, session_id: str | None = None, rate: Rate | None = None
) -> tuple[str, Key]:
    """Returns the key as its owner gets it, once, and what is kept of it; raises InvalidKey.

    The name will be printed on terminals, in logs and in tables: it must be one line of printable characters.
    """
    granted = frozenset(scopes)
    if not granted:
        raise InvalidKey("a key needs at least one scope: serve, feedback, read or admin")
    if not 0 < len(name) <= LONGEST_NAME or not name.isprintable() or name.strip() != name:
        raise InvalidKey(f"a name must be 1 to {LONGEST_NAME} printable characters, without spaces around it")
    key_id, secret = PREFIX + secrets.token_hex(6), secrets.token_urlsafe(32)
    kept = Key(
        id=key_id,
        name=name,
        digest=digest_of(secret.encode()),
        ending=secret[-SHOWN_CHARACTERS:],
        scopes=granted,
        session_id=session_id,
        rate=rate,
    )
    return f"{key_id}_{secret}", kept


def digest_of(secret: bytes) -> str:
    """Returns what is stored of a secret: its SHA-256.

    Slow hashes and salts are for passwords, which people choose and attackers can guess. A secret here is 256 random
    bits: nobody can try a share of them worth mentioning, however fast the hash, and no two keys share one.
    """
    return hashlib.sha256(secret).hexdigest()


def read_bearer(authorization: bytes) -> tuple[str, bytes] | None:
    """Returns the key's public id and its secret part; None if the header's value does not look like a key at all."""
    found = _BEARER.fullmatch(authorization)
    return None if found is None else (PREFIX + found[1].decode("ascii"), found[2])


def is_genuine(secret: bytes, key: Key | None) -> bool:
    """Returns whether the secret is this key's, in a time that tells nothing about either."""
    expected = _NO_DIGEST if key is None else key.digest
    return hmac.compare_digest(digest_of(secret), expected) and key is not None
