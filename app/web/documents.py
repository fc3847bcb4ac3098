"""Documents for people: the API's own page, which asks no other host for anything, and the problems by name."""

from importlib.resources import files

from fastapi import APIRouter
from starlette.responses import RedirectResponse, Response

from app.web.problems import CATALOGUE
from app.web.refusals import RouteNotFound
from app.wire.problem import ProblemKind

POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:"
"""What the page may load: our own files. A browser enforces what a test can only look for."""

_FILES = {"docs.html": "text/html", "docs.js": "text/javascript", "docs.css": "text/css"}

router = APIRouter(include_in_schema=False)


@router.get("/")
async def front_door() -> Response:
    """Leads to the documentation until there is a dashboard."""
    return RedirectResponse("docs", status_code=307)


@router.get("/docs")
async def docs() -> Response:
    """Shows how to use the API, made from /openapi.json in the browser."""
    return _file("docs.html")


@router.get("/static/{name}")
async def static(name: str) -> Response:
    """Serves the page's script and style."""
    return _file(name)


@router.get("/problems/{name}")
async def problem(name: str) -> ProblemKind:
    """Explains the problem that a `type` names."""
    for error, kind in CATALOGUE.items():
        if kind.name == name:
            meaning = (error.__doc__ or "").partition("\n")[0]
            return ProblemKind(type=kind.type, title=kind.title, status=kind.status, meaning=meaning)
    raise RouteNotFound("no problem has this name")


def _file(name: str) -> Response:
    """Returns one of our few files; the list is closed, so no path can lead elsewhere."""
    if name not in _FILES:
        raise RouteNotFound("there is no such file")
    content = files("app.web").joinpath("static", name).read_bytes()
    headers = {"Cache-Control": "no-cache", "Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer"}
    return Response(content, media_type=_FILES[name], headers=headers)
