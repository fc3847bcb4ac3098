"""Parameters that several routes share: the use cases, the session id of the path, the Idempotency-Key."""

import re
from typing import Annotated

from fastapi import Depends, Header, Path
from pydantic import AfterValidator, Field
from starlette.requests import Request

from app.errors import SessionNotFound
from app.impressions.service import Impressions
from app.planning.lifecycle import Sessions
from app.results.service import Results

LONGEST_KEY = 200
SESSION_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
VISIBLE = re.compile(rf"[\x21-\x7e]{{1,{LONGEST_KEY}}}")


async def _impressions(request: Request) -> Impressions:
    impressions: Impressions = request.app.state.services.impressions
    return impressions


async def _sessions(request: Request) -> Sessions:
    sessions: Sessions = request.app.state.services.sessions
    return sessions


async def _results(request: Request) -> Results:
    results: Results = request.app.state.services.results
    return results


async def _session_id(session_id: Annotated[str, Path(description="As returned by the creation.")]) -> str:
    """Returns the id; raises SessionNotFound for a text that cannot be an id, without a query to the database."""
    if not SESSION_ID.fullmatch(session_id):
        raise SessionNotFound("no session has this id")
    return session_id


def _visible(key: str) -> str:
    if not VISIBLE.fullmatch(key):
        raise ValueError(f"must be 1 to {LONGEST_KEY} visible ASCII characters, without spaces")
    return key


ImpressionsInUse = Annotated[Impressions, Depends(_impressions)]
SessionsInUse = Annotated[Sessions, Depends(_sessions)]
ResultsInUse = Annotated[Results, Depends(_results)]
SessionId = Annotated[str, Depends(_session_id)]
IdempotencyKey = Annotated[
    Annotated[str, Field(json_schema_extra={"minLength": 1, "maxLength": LONGEST_KEY}), AfterValidator(_visible)]
    | None,
    Header(
        alias="Idempotency-Key",
        description="Makes a retry safe: the same key gets the same impressions for 24 hours.",
    ),
]
