"""What routes have in common besides bodies: the sessions in use, the id in the path, the key of a retry."""

import re
from typing import Annotated

from fastapi import Depends, Header, Path
from pydantic import AfterValidator, Field
from starlette.requests import Request

from app.errors import SessionNotFound
from app.sessions.service import Sessions

LONGEST_KEY = 200
SESSION_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
VISIBLE = re.compile(rf"[\x21-\x7e]{{1,{LONGEST_KEY}}}")


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
