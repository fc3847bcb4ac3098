"""Tickets: names of impressions that cannot be guessed. Stored ones are random; exploit ones are signed."""

import base64
import hashlib
import hmac
import secrets

_EXPLOIT = "x"
"""First letter of a signed ticket; stored tickets begin with `_STORED`."""
_STORED = "t"
_NONCE_BYTES = 12
_SIGNATURE_BYTES = 16


def new_ticket() -> str:
    """Returns a ticket for an impression that gets a row: 128 random bits."""
    return _STORED + secrets.token_urlsafe(16)


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
    return genuine and _EXPLOIT + _text(raw) == ticket  # one spelling only: unused bits cannot be altered


def _signature(key: bytes, session_id: str, nonce: bytes) -> bytes:
    return hmac.digest(key, session_id.encode() + b"\0" + nonce, hashlib.sha256)[:_SIGNATURE_BYTES]


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")
