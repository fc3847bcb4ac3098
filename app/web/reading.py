"""Routes that read what a session knows: best pair, heat map, certificate, export."""

import base64
import hashlib
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from app.sessions.errors import NotCertified
from app.web.conditional import tagged
from app.web.exporting import as_csv, as_ndjson, beginning
from app.web.parameters import SessionId, SessionsInUse
from app.web.problems import IN_SESSION, declared
from app.web.refusals import InvalidRequest
from app.wire.best_pair import BestPair, Estimates

MOST_ESTIMATED_ITEMS = 200
"""The heat map has half the square of it as cells."""

router = APIRouter(prefix="/v1/sessions/{session_id}", tags=["reading"])

_UNCHANGED: dict[int | str, dict[str, Any]] = {304: {"description": "If-None-Match names the current tag"}}


@router.get("/best-pair", response_model=BestPair, responses={**declared(*IN_SESSION), **_UNCHANGED})
async def best_pair(session_id: SessionId, request: Request, sessions: SessionsInUse) -> Response:
    """Shows the best pair so far and what is proven about it; poll it with If-None-Match."""
    snapshot = await sessions.best_pair(session_id)
    return tagged(request, snapshot.body.encode(), snapshot.etag)


@router.get("/estimates", responses=declared(InvalidRequest, *IN_SESSION))
async def estimates(
    session_id: SessionId,
    sessions: SessionsInUse,
    top: Annotated[int, Query(ge=2, le=MOST_ESTIMATED_ITEMS, description="How many items.")] = 50,
) -> Estimates:
    """Shows the heat map of the most relevant items."""
    return Estimates.model_validate(await sessions.estimates(session_id, top))


@router.get(
    "/certificate",
    response_class=Response,
    responses={
        **declared(NotCertified, *IN_SESSION),
        **_UNCHANGED,
        200: {"description": "The document, as it was written", "content": {"application/json": {"schema": {}}}},
    },
)
async def certificate(session_id: SessionId, request: Request, sessions: SessionsInUse) -> Response:
    """Shows the certificate, byte for byte as it was written."""
    record = await sessions.certificate(session_id)
    content = record.body.encode()
    # Of the bytes sent (RFC 9530); the document's own digest is of its content, whatever its spacing.
    digest = base64.b64encode(hashlib.sha256(content).digest()).decode()
    return tagged(request, content, f'"{record.digest}"', {"Repr-Digest": f"sha-256=:{digest}:"})


@router.get(
    "/export",
    response_class=StreamingResponse,
    responses={
        **declared(InvalidRequest, *IN_SESSION),
        200: {"description": "One row per line", "content": {"application/x-ndjson": {}, "text/csv": {}}},
    },
)
async def export(
    session_id: SessionId,
    sessions: SessionsInUse,
    format_: Annotated[Literal["ndjson", "csv"], Query(alias="format")] = "ndjson",
) -> StreamingResponse:
    """Streams the session with its impressions, plans and choices."""
    rows = await beginning(sessions.export(session_id))
    headers = {"Content-Disposition": f'attachment; filename="bestpair-{session_id}.{format_}"'}
    if format_ == "csv":
        return StreamingResponse(as_csv(rows), media_type="text/csv; charset=utf-8", headers=headers)
    return StreamingResponse(as_ndjson(rows), media_type="application/x-ndjson", headers=headers)
