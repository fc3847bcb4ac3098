"""Routes that read the results of a session: best pair, events, history, estimates, certificate, export."""

import base64
import hashlib
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Query
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from app.access.control import AccessControl
from app.access.keys import Scope
from app.errors import NotCertified, Overloaded
from app.web import mapping
from app.web.access import Admitted, needs
from app.web.event_stream import IDLE_SECONDS, as_events
from app.web.export_formats import after_first_row, as_csv, as_ndjson
from app.web.parameters import ResultsInUse, SessionId
from app.web.problems import IN_SESSION, InvalidRequest, declared
from app.web.responses import json_with_etag
from app.wire.best_pair import BestPair, Estimates, History

MOST_ESTIMATED_ITEMS = 200
"""The heat map has about half the square of this as cells."""
MOST_POINTS = 1000

router = APIRouter(prefix="/v1/sessions/{session_id}", tags=["reading"], dependencies=[needs(Scope.READ)])

_NOT_MODIFIED: dict[int | str, dict[str, Any]] = {304: {"description": "If-None-Match names the current tag"}}


@router.get("/best-pair", response_model=BestPair, responses={**declared(*IN_SESSION), **_NOT_MODIFIED})
async def best_pair(session_id: SessionId, request: Request, results: ResultsInUse) -> Response:
    """Shows the best pair so far and what is proven about it; poll it with If-None-Match."""
    snapshot = await results.best_pair(session_id)
    return json_with_etag(request, snapshot.body.encode(), snapshot.etag)


@router.get(
    "/events",
    response_class=StreamingResponse,
    responses={
        **declared(Overloaded, *IN_SESSION),
        200: {"description": "Server-sent events: best-pair and counters", "content": {"text/event-stream": {}}},
    },
)
async def events(
    session_id: SessionId,
    request: Request,
    results: ResultsInUse,
    admitted: Admitted,
    last_event_id: Annotated[str | None, Header(description="The event with this id is not sent again.")] = None,
) -> StreamingResponse:
    """Streams the progress of the session: best-pair when the answer changes, counters when they change."""
    await results.best_pair(session_id)  # an unknown session raises here, before the stream starts
    headers = {
        "Cache-Control": "no-store",
        "X-Accel-Buffering": "no",
    }  # the second is for proxies that buffer responses
    access_control: AccessControl = request.app.state.access_control
    lives = access_control.while_admitted(results.follow(session_id, IDLE_SECONDS), admitted)
    stream = as_events(lives, last_event_id)
    return StreamingResponse(stream, media_type="text/event-stream", headers=headers)


@router.get("/history", responses=declared(InvalidRequest, *IN_SESSION))
async def history(
    session_id: SessionId,
    results: ResultsInUse,
    after: Annotated[int, Query(ge=0, le=2**31 - 1, description="Only plans after this version.")] = 0,
) -> History:
    """Shows the report of each plan when it was made: the points of the progress chart."""
    session, points = await results.history(session_id, after, MOST_POINTS + 1)
    shown = [mapping.history_point(session, point) for point in points[:MOST_POINTS]]
    return History(points=shown, more=len(points) > MOST_POINTS)


@router.get(
    "/estimates", response_model=Estimates, responses={**declared(InvalidRequest, *IN_SESSION), **_NOT_MODIFIED}
)
async def estimates(
    session_id: SessionId,
    request: Request,
    results: ResultsInUse,
    top: Annotated[int, Query(ge=2, le=MOST_ESTIMATED_ITEMS, description="How many items.")] = 50,
) -> Response:
    """Shows the heat map of the most relevant items."""
    snapshot = await results.estimates(session_id, top)
    return json_with_etag(request, snapshot.body.encode(), snapshot.etag)


@router.get(
    "/certificate",
    response_class=Response,
    responses={
        **declared(NotCertified, *IN_SESSION),
        **_NOT_MODIFIED,
        200: {"description": "The document, as it was written", "content": {"application/json": {"schema": {}}}},
    },
)
async def certificate(session_id: SessionId, request: Request, results: ResultsInUse) -> Response:
    """Shows the certificate, byte for byte as it was written."""
    found = await results.certificate(session_id)
    content = found.body.encode()
    # A digest of the sent bytes (RFC 9530); the digest in the document does not depend on its spacing.
    digest = base64.b64encode(hashlib.sha256(content).digest()).decode()
    return json_with_etag(request, content, f'"{found.digest}"', {"Repr-Digest": f"sha-256=:{digest}:"})


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
    results: ResultsInUse,
    format_: Annotated[Literal["ndjson", "csv"], Query(alias="format")] = "ndjson",
) -> StreamingResponse:
    """Streams the session with its impressions, plans and choices."""
    rows = await after_first_row(results.export(session_id))
    headers = {"Content-Disposition": f'attachment; filename="bestpair-{session_id}.{format_}"'}
    if format_ == "csv":
        return StreamingResponse(as_csv(rows), media_type="text/csv; charset=utf-8", headers=headers)
    return StreamingResponse(as_ndjson(rows), media_type="application/x-ndjson", headers=headers)
