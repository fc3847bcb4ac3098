"""Routes for operators: liveness, readiness and version."""

from fastapi import APIRouter
from starlette.requests import Request

from app.web.parameters import ResultsInUse
from app.web.problems import ALWAYS, NotReady, declared
from app.wire.health import Status, Version

router = APIRouter(tags=["operations"])


@router.get("/livez", responses=declared(*ALWAYS))
async def livez() -> Status:
    """Shows that the process responds; it does not ask the database, whose failure no restart would fix."""
    return Status(status="alive")


@router.get("/readyz", responses=declared(NotReady, *ALWAYS))
async def readyz(results: ResultsInUse) -> Status:
    """Shows whether requests can be served: the database is reachable and has the right tables."""
    reason = await results.ready()
    if reason is not None:
        raise NotReady(reason)
    return Status(status="ready")


@router.get("/version", responses=declared(*ALWAYS))
async def version(request: Request) -> Version:
    """Shows the version of the service."""
    return Version(name="bestpair", version=request.app.version)
