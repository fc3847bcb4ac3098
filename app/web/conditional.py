"""Answers with a tag: a caller that has it already gets 304 and no body."""

import re
from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response

_TAG = re.compile(r'(?:W/)?("[\x21\x23-\x7e\x80-\xff]*")')


def tagged(request: Request, content: bytes, etag: str, headers: Mapping[str, str] = {}) -> Response:
    """Returns the JSON content, or 304 if the caller's If-None-Match names its tag."""
    headers = {"ETag": etag, "Cache-Control": "no-cache", **headers}
    if matches(request.headers.getlist("if-none-match"), etag):
        return Response(status_code=304, headers=headers)
    return Response(content, media_type="application/json", headers=headers)


def matches(if_none_match: list[str], etag: str) -> bool:
    """Returns whether a list of tags, or *, names this one.

    Tags are compared byte by byte, but a W/ before them is passed over, as RFC 9110 (13.1.2) demands for this header:
    a proxy that compresses weakens our tag, and the caller sends it back like that.
    """
    given = ",".join(if_none_match)
    return given.strip() == "*" or etag in _TAG.findall(given)
