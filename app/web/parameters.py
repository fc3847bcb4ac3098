"""What routes have in common besides bodies: the sessions in use, the id in the path, the key of a retry."""

import re
from collections.abc import Mapping
from typing import Annotated

from fastapi import Depends, Header, Path
from pydantic import AfterValidator, Field
from starlette.requests import Request
from starlette.responses import Response

from app.errors import SessionNotFound
from app.sessions.service import Sessions

LONGEST_KEY = 200
SESSION_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
VISIBLE = re.compile(rf"[\x21-\x7e]{{1,{LONGEST_KEY}}}")
_TAG = re.compile(r'(?:W/)?("[\x21\x23-\x7e\x80-\xff]*")')


async def _sessions(request: Request) -> Sessions:
    """Returns the use cases that the composition root put into the application."""
    sessions: Sessions = request.app.state.sessions
    return sessions


async def _session_id(session_id: Annotated[str, Path(description="As given by the creation.")]) -> str:
    """Returns an id that may exist; anything else never reaches the database."""
    if not SESSION_ID.fullmatch(session_id):
        raise SessionNotFound("no session has this id")
    return session_id


def _visible(key: str) -> str:
    if not VISIBLE.fullmatch(key):
        raise ValueError(f"must be 1 to {LONGEST_KEY} visible ASCII characters, without spaces")
    return key


SessionsInUse = Annotated[Sessions, Depends(_sessions)]
SessionId = Annotated[str, Depends(_session_id)]
IdempotencyKey = Annotated[
    Annotated[str, Field(json_schema_extra={"minLength": 1, "maxLength": LONGEST_KEY}), AfterValidator(_visible)]
    | None,
    Header(
        alias="Idempotency-Key",
        description="Makes a retry safe: the same key gets the same impressions for 24 hours.",
    ),
]


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
