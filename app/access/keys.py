"""Access keys: their format, their scopes, and the part of a key that is stored."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from app.access.rates import Rate

PREFIX = "bp_"
MAX_NAME_LENGTH = 100
ENDING_LENGTH = 4
"""Number of characters at the end of a key that lists show, so that people recognise the key they have."""

_KEY_ID = re.compile(r"bp_[0-9a-f]{12}")
_BEARER = re.compile(rb"(?i:bearer) +(bp_[0-9a-f]{12})_([A-Za-z0-9_-]{43})")
_NO_DIGEST = "0" * 64


class Scope(StrEnum):
    """What a key may do. Every endpoint requires exactly one scope; a key with `admin` may call all of them."""

    SERVE = "serve"
    FEEDBACK = "feedback"
    READ = "read"
    ADMIN = "admin"


class InvalidKey(ValueError):
    """A name, scope or id that no key can have; the message says what to change."""


@dataclass(frozen=True, kw_only=True)
class Key:
    """The stored part of a key. The secret is not stored: its owner sees it once, when the key is made."""

    id: str  # public: the first part of the key, also in lists and in the audit trail
    name: str
    digest: str  # SHA-256 of the secret part
    ending: str  # last characters of the key
    scopes: frozenset[Scope]
    session_id: str | None = None  # the only session it may be used for; None: all sessions
    rate: Rate | None = None  # None: the server's rate limit applies
    created_at: float = 0.0  # seconds since 1970, database time
    revoked_at: float | None = None

    def grants(self, scope: Scope) -> bool:
        """Returns whether the key has this scope or `admin`."""
        return scope in self.scopes or Scope.ADMIN in self.scopes


def new_key(
    name: str, scopes: Iterable[Scope], *, session_id: str | None = None, rate: Rate | None = None
) -> tuple[str, Key]:
    """Returns a new key as its owner gets it, and the part to store; raises InvalidKey.

    The name is printed on terminals, in logs and in tables: it must be one line of printable characters.
    """
    granted = frozenset(scopes)
    if not granted:
        raise InvalidKey("a key needs at least one scope: serve, feedback, read or admin")
    if not 0 < len(name) <= MAX_NAME_LENGTH or not name.isprintable() or name.strip() != name:
        raise InvalidKey(
            f"a name must be 1 to {MAX_NAME_LENGTH} printable characters, without spaces at its start or end"
        )
    key_id, secret = PREFIX + secrets.token_hex(6), secrets.token_urlsafe(32)
    stored = Key(
        id=key_id,
        name=name,
        digest=hash_secret(secret.encode()),
        ending=secret[-ENDING_LENGTH:],
        scopes=granted,
        session_id=session_id,
        rate=rate,
    )
    return f"{key_id}_{secret}", stored


def is_key_id(text: str) -> bool:
    """Returns whether the text has the form of a key's public id."""
    return _KEY_ID.fullmatch(text) is not None


def hash_secret(secret: bytes) -> str:
    """Returns the SHA-256 of a secret, the only form in which it is stored.

    Slow hashes and salts protect passwords, which people choose and attackers can guess. A secret here is 256 random
    bits: too many to try even with a fast hash, and no two keys share one.
    """
    return hashlib.sha256(secret).hexdigest()


def parse_bearer(authorization: bytes) -> tuple[str, bytes] | None:
    """Returns the key's id and secret part from an Authorization header; None if it does not have a key's form."""
    found = _BEARER.fullmatch(authorization)
    return None if found is None else (found[1].decode("ascii"), found[2])


def secret_matches(secret: bytes, key: Key | None) -> bool:
    """Returns whether the secret belongs to the key (no key: False); takes the same time in every case."""
    expected = _NO_DIGEST if key is None else key.digest
    return hmac.compare_digest(hash_secret(secret), expected) and key is not None
