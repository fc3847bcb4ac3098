"""Documents for people: the dashboard and the API's own page, which ask no other host, and the problems by name."""

import hashlib
from functools import lru_cache
from importlib.resources import files
from pathlib import PurePath
from typing import NamedTuple

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from app.web.problems import CATALOGUE, RouteNotFound
from app.web.responses import matches_etag
from app.wire.problem import ProblemKind

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
"""What the pages may load: our own files. A browser enforces what a test can only look for."""

_PAGE_HEADERS = {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",  # for browsers that do not know frame-ancestors
}

_KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


class _File(NamedTuple):
    content: bytes
    kind: str
    etag: str


router = APIRouter(include_in_schema=False)


@router.get("/")
async def dashboard(request: Request) -> Response:
    """Shows the sessions, and each of them as it goes on."""
    return _file(request, "dashboard.html")


@router.get("/docs")
async def docs(request: Request) -> Response:
    """Shows how to use the API, made from /openapi.json in the browser."""
    return _file(request, "docs.html")


@router.get("/static/{name}")
async def static(request: Request, name: str) -> Response:
    """Serves the pages' scripts and styles."""
    return _file(request, name)


@router.get("/problems/{name}")
async def problem(name: str) -> ProblemKind:
    """Explains the problem that a `type` names."""
    for error, kind in CATALOGUE.items():
        if kind.name == name:
            meaning = (error.__doc__ or "").partition("\n")[0]
            return ProblemKind(type=kind.type, title=kind.title, status=kind.status, meaning=meaning)
    raise RouteNotFound("no problem has this name")


@lru_cache(maxsize=1)
def _files() -> dict[str, _File]:
    """Returns our own files by name, read once: a closed list, so that no path can lead elsewhere."""
    found = {}
    for each in files("app.web").joinpath("dashboard").iterdir():
        kind = _KINDS.get(PurePath(each.name).suffix)
        if kind is not None:
            content = each.read_bytes()
            found[each.name] = _File(content, kind, f'"{hashlib.sha256(content).hexdigest()[:32]}"')
    return found


def _file(request: Request, name: str) -> Response:
    """Returns one of our files, or 304 if the browser has it; it asks each time, so that a new version is seen."""
    found = _files().get(name)
    if found is None:
        raise RouteNotFound("there is no such file")
    headers = {**_PAGE_HEADERS, "ETag": found.etag}
    if matches_etag(request.headers.getlist("if-none-match"), found.etag):
        return Response(status_code=304, headers=headers)
    return Response(found.content, media_type=found.kind, headers=headers)
