"""The chain of digests: it covers every impression up to the watermark, in issue order.

    digest_n = SHA-256(digest_{n-1} || row_n)

The first one follows the SHA-256 of the session's id. A row that is changed, removed, added or moved changes all later
digests. Every plan stores the digest at its watermark, and a certificate contains it (docs/mathematics.md has the
layout of a row).
"""

import struct
from hashlib import sha256

_ROW = struct.Struct(">QIIIBBddd")
"""sequence, i, j, plan version, flags, clicked, outcome, issued_at, answered_at: 46 bytes, big-endian."""
COUNTS, HAS_OUTCOME, NOT_SHOWN, GIVEN_UP, VOID, HAS_CLICKED = 1, 2, 4, 8, 16, 32
pack_row = _ROW.pack


def chain_start(session_id: str) -> bytes:
    """Returns the digest that the first row of a session is chained to."""
    return sha256(session_id.encode()).digest()
