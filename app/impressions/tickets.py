"""Tickets: names of impressions that cannot be guessed. Tickets of stored impressions are random, others are signed."""

import base64
import hashlib
import hmac
import secrets
import time
from collections.abc import Iterator

_EXPLOIT = "x"
"""First letter of a signed ticket; stored tickets begin with `_STORED`."""
_STORED = "t"
_RANDOM_BYTES, _RANDOM_LETTERS = 18, 24  # base64 turns 3 bytes into 4 letters
_DRAWN_AT_ONCE = 256
_NONCE_BYTES = 12
_SIGNATURE_BYTES = 16


def stored_tickets() -> Iterator[str]:
    """Yields tickets for impressions that get a row: the time, then 144 random bits, drawn many at a time.

    The time is not a secret, and nothing relies on it. It places new tickets next to each other in the database's
    index; otherwise every new ticket would change another page.
    """
    count = 1
    while True:
        drawn = base64.urlsafe_b64encode(secrets.token_bytes(_RANDOM_BYTES * count)).decode()
        prefix = f"{_STORED}{time.time_ns() // 1_000_000:011x}"  # of equal length until the year 2527
        for start in range(0, len(drawn), _RANDOM_LETTERS):
            yield prefix + drawn[start : start + _RANDOM_LETTERS]
        count = min(4 * count, _DRAWN_AT_ONCE)


def exploit_ticket(key: bytes, session_id: str) -> str:
    """Returns a ticket that needs no row: a nonce and its signature under the session's key."""
    nonce = secrets.token_bytes(_NONCE_BYTES)
    return _EXPLOIT + _text(nonce + _signature(key, session_id, nonce))


def is_exploit_ticket(ticket: str, key: bytes, session_id: str) -> bool:
    """Returns whether this session signed this ticket; compared in constant time."""
    if not ticket.startswith(_EXPLOIT):
        return False
    try:
        raw = base64.b64decode(ticket[1:] + "=" * (-len(ticket[1:]) % 4), altchars=b"-_", validate=True)
    except ValueError:
        return False
    nonce, signature = raw[:_NONCE_BYTES], raw[_NONCE_BYTES:]
    genuine = hmac.compare_digest(signature, _signature(key, session_id, nonce))
    return genuine and _EXPLOIT + _text(raw) == ticket  # only the canonical encoding: unused bits must not be altered


def _signature(key: bytes, session_id: str, nonce: bytes) -> bytes:
    return hmac.digest(key, session_id.encode() + b"\0" + nonce, hashlib.sha256)[:_SIGNATURE_BYTES]


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")
