"""The floor of the serving benchmark: a raw ASGI application that parses the request and sends a fixed response.

This file does not change, so that results of different versions can be compared: it reads the body, parses it as JSON
and returns bytes of the same shape and size as the service does, with the same headers. It has no routing table, no
database and no threads.
"""

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]

BATCH = 100
_IMPRESSION = (
    b'{"ticket":"tAAAAAAAAAAAAAAAAAAAAAAAA","i":16,"j":14,"items":["item-16","item-14"],'
    b'"purpose":"explore","counts":true,"plan_version":12}'
)
_BODIES = {
    "next-pair": _IMPRESSION,
    "feedback": b'{"status":"accepted"}',
    "next-pair/batch": b"[" + b",".join([_IMPRESSION] * BATCH) + b"]",
    "feedback/batch": b"[" + b",".join([b'{"status":"accepted"}'] * BATCH) + b"]",
}
_ETAG = b'"00000000000000000000000000000000"'
_UNCHANGED = [
    (b"etag", _ETAG),
    (b"cache-control", b"no-cache"),
    (b"x-request-id", b"0000000000000000"),
    (b"x-content-type-options", b"nosniff"),
]


def _headers(body: bytes) -> list[tuple[bytes, bytes]]:
    return [
        (b"content-length", str(len(body)).encode()),
        (b"content-type", b"application/json"),
        (b"x-request-id", b"0000000000000000"),
        (b"x-content-type-options", b"nosniff"),
    ]


async def app(
    scope: Message, receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]
) -> None:
    """Handles one request."""
    if scope["type"] != "http":
        return
    _, _, name = scope["path"].removeprefix("/v1/sessions/").partition("/")
    if name == "best-pair":
        await send({"type": "http.response.start", "status": 304, "headers": _UNCHANGED})
        await send({"type": "http.response.body", "body": b""})
        return
    content = b""
    while True:
        message = await receive()
        content += message.get("body", b"")
        if not message.get("more_body"):
            break
    json.loads(content or b"{}")
    body = _BODIES.get(name, b"{}")
    await send({"type": "http.response.start", "status": 200, "headers": _headers(body)})
    await send({"type": "http.response.body", "body": body})
