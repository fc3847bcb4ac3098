"""Routes that create, show, change and delete sessions."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from app.access.keys import Scope
from app.errors import InvalidSession, InvalidStateChange, SessionNotFound
from app.results.service import Results
from app.web import mapping
from app.web.access import Admitted, needs
from app.web.bodies import body_as, documented
from app.web.parameters import ResultsInUse, SessionId, SessionsInUse
from app.web.problems import IN_SESSION, STORED, WITH_BODY, InvalidRequest, declared
from app.wire.sessions import Session, SessionCreate, SessionPage, SessionPatch, SessionSummary

LARGEST_PAGE = 200

router = APIRouter(prefix="/v1/sessions", tags=["sessions"])


@router.post(
    "",
    status_code=201,
    dependencies=[needs(Scope.ADMIN)],
    openapi_extra=documented(SessionCreate),
    responses={
        **declared(InvalidSession, *WITH_BODY, *STORED),
        201: {"headers": {"Location": {"description": "The session's address.", "schema": {"type": "string"}}}},
    },
)
async def create_session(
    request: Request,
    response: Response,
    body: Annotated[SessionCreate, Depends(body_as(SessionCreate))],
    sessions: SessionsInUse,
    admitted: Admitted,
) -> Session:
    """Creates a session and makes its first plan."""
    view = await sessions.create(body, admitted.actor)
    response.headers["Location"] = f"{request.scope.get('root_path', '')}/v1/sessions/{view.session.id}"
    return mapping.session(view)


@router.get("", dependencies=[needs(Scope.READ, narrowed=True)], responses=declared(InvalidRequest, *STORED))
async def list_sessions(
    results: ResultsInUse,
    admitted: Admitted,
    limit: Annotated[int, Query(ge=1, le=LARGEST_PAGE)] = 50,
    cursor: Annotated[
        str | None, Query(pattern=r"^[A-Za-z0-9_-]{1,64}$", description="From the previous page.")
    ] = None,
) -> SessionPage:
    """Lists sessions, newest first; for a key that is bound to a session, only that one."""
    if admitted.bound_to is not None:
        return SessionPage(sessions=await _bound_session(admitted.bound_to, results), next_cursor=None)
    views = await results.sessions(limit + 1, cursor)  # one more shows whether there is another page
    next_cursor = views[limit - 1].session.id if len(views) > limit else None
    return SessionPage(sessions=[mapping.summary(view) for view in views[:limit]], next_cursor=next_cursor)


async def _bound_session(session_id: str, results: Results) -> list[SessionSummary]:
    """Returns a list of the session, empty if it was deleted."""
    try:
        return [mapping.summary(await results.session(session_id))]
    except SessionNotFound:
        return []


@router.get("/{session_id}", dependencies=[needs(Scope.READ)], responses=declared(*IN_SESSION))
async def get_session(session_id: SessionId, results: ResultsInUse) -> Session:
    """Shows a session with its settings and counters."""
    return mapping.session(await results.session(session_id))


@router.patch(
    "/{session_id}",
    dependencies=[needs(Scope.ADMIN)],
    openapi_extra=documented(SessionPatch),
    responses=declared(InvalidStateChange, InvalidSession, *WITH_BODY, *IN_SESSION),
)
async def change_session(
    session_id: SessionId,
    body: Annotated[SessionPatch, Depends(body_as(SessionPatch))],
    sessions: SessionsInUse,
    admitted: Admitted,
) -> Session:
    """Pauses, resumes, stops or edits a session, or raises its budget."""
    return mapping.session(await sessions.change(session_id, body, admitted.actor))


@router.delete("/{session_id}", status_code=204, dependencies=[needs(Scope.ADMIN)], responses=declared(*IN_SESSION))
async def delete_session(session_id: SessionId, sessions: SessionsInUse, admitted: Admitted) -> None:
    """Deletes a session with all its data."""
    await sessions.delete(session_id, admitted.actor)
