"""Routes for those who run the service: is it alive, can it serve, which build is it."""

from fastapi import APIRouter
from starlette.requests import Request

from app.web.parameters import SessionsInUse
from app.web.problems import ALWAYS, NotReady, declared
from app.wire.health import Status, Version

router = APIRouter(tags=["operations"])


@router.get("/livez", responses=declared(*ALWAYS))
async def livez() -> Status:
    """Tells that the process answers; it asks nothing of the database, whose absence no restart would cure."""
    return Status(status="alive")


@router.get("/readyz", responses=declared(NotReady, *ALWAYS))
async def readyz(sessions: SessionsInUse) -> Status:
    """Tells whether requests can be served: the database is reachable and has the right tables."""
    reason = await sessions.ready()
    if reason is not None:
        raise NotReady(reason)
    return Status(status="ready")


@router.get("/version", responses=declared(*ALWAYS))
async def version(request: Request) -> Version:
    """Tells which build this is."""
    return Version(name="bestpair", version=request.app.version)
