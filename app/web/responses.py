"""Responses: a JSON document with an ETag, and a complete response in a single write.

An application normally sends a response as two messages. uvicorn's protocol then checks every header, writes twice, and
starts a timer for each response, which the next request stops. That is a fifth of the cost of a small request. Our
protocol (`http_protocol`) therefore offers `SINGLE_WRITE` in the scope of a request: a function that takes status,
header lines and body at once. The header lines must be valid, since nothing checks them again. The bytes on the wire
are the same.
"""

import re
from collections.abc import Callable, Mapping

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope, Send

SINGLE_WRITE = "bestpair.single_write"
"""Key of the function in the `extensions` of a scope."""

SingleWrite = Callable[[Scope, int, bytes, bytes], bool]
"""Takes scope, status, header lines and body; returns False if the response must be sent as messages instead."""

_TAG = re.compile(r'(?:W/)?("[\x21\x23-\x7e\x80-\xff]*")')


async def respond(scope: Scope, send: Send, status: int, header_lines: bytes, body: bytes) -> None:
    """Sends a response: in a single write where the server supports it, otherwise as messages."""
    extensions = scope.get("extensions")
    single_write: SingleWrite | None = extensions.get(SINGLE_WRITE) if extensions else None
    if single_write is not None and single_write(scope, status, header_lines, body):
        return
    await send({"type": "http.response.start", "status": status, "headers": header_pairs(header_lines)})
    await send({"type": "http.response.body", "body": body})


def header_pairs(header_lines: bytes) -> list[tuple[bytes, bytes]]:
    """Returns header lines as the pairs of name and value that ASGI messages have."""
    parts = [line.partition(b": ") for line in header_lines.split(b"\r\n")[:-1]]
    return [(name, value) for name, _, value in parts]


def json_with_etag(request: Request, content: bytes, etag: str, headers: Mapping[str, str] = {}) -> Response:
    """Returns the JSON content, or 304 without a body if the request's If-None-Match contains the ETag."""
    headers = {"ETag": etag, "Cache-Control": "no-cache", **headers}
    if matches_etag(request.headers.getlist("if-none-match"), etag):
        return Response(status_code=304, headers=headers)
    return Response(content, media_type="application/json", headers=headers)


def matches_etag(if_none_match: list[str], etag: str) -> bool:
    """Returns whether the values of If-None-Match, lists of ETags or *, match this ETag.

    ETags are compared byte by byte, but a W/ prefix is ignored, as RFC 9110 (13.1.2) requires for this header: a proxy
    that compresses makes our ETag weak, and the client sends it back in that form.
    """
    given = ",".join(if_none_match)
    return given.strip() == "*" or etag in _TAG.findall(given)
