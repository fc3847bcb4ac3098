"""How routes declare the scope they require, and how the OpenAPI document describes it.

A route names its scope by a dependency, so that the check belongs to the route that is run, however the address was
spelled. An application with a route that declares no scope cannot be built.
"""

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Depends, FastAPI
from fastapi.routing import iter_route_contexts
from starlette.requests import Request

from app.access.control import AccessControl, Admission, fetch_site, is_loopback
from app.access.keys import Scope
from app.errors import Forbidden, RateLimited, Unauthorized
from app.web.problems import declared

OPEN_PATHS = {"/", "/docs", "/static/{name}", "/problems/{name}", "/openapi.json", "/livez", "/readyz", "/version"}
"""Paths that anyone may read: how the service is and how to use it, but nothing about any session."""

_SECURITY_SCHEME = {
    "type": "http",
    "scheme": "bearer",
    "description": "A key made with `bestpair keys create`; not required on loopback as long as no key was ever made.",
}
_SITE_HEADERS = (b"sec-fetch-site", b"origin", b"host")


class Needs:
    """A dependency that requires a key with this scope; `narrowed`: a bound key sees only its own session."""

    def __init__(self, scope: Scope, *, narrowed: bool = False) -> None:
        self.scope = scope
        self._narrowed = narrowed

    async def __call__(self, request: Request) -> None:
        """Admits and charges the request, unless the hot lane already did so for this route."""
        session_id = request.path_params.get("session_id")
        earlier: Admission | None = request.scope["state"].get("admission")
        if earlier is not None and (earlier.scope, earlier.session_id) == (self.scope, session_id):
            return
        access_control: AccessControl = request.app.state.access_control
        authorizations = _values(request, b"authorization")
        if len(authorizations) > 1:
            raise Unauthorized("send one Authorization header, not several", 'Bearer error="invalid_request"')
        host = next((each for each in _values(request, b"host") if not is_loopback(each)), None)
        site, origin, called = (next(iter(_values(request, each)), None) for each in _SITE_HEADERS)
        admission = access_control.admit(
            authorizations[0] if authorizations else None,
            host,
            self.scope,
            session_id,
            narrowed=self._narrowed,
            site=fetch_site(site, origin, called),
        )
        request.scope["state"]["admission"] = admission  # before `charge`: its refusal has the rate limit headers too
        admission.charge(1)


def needs(scope: Scope, *, narrowed: bool = False) -> Any:  # noqa: ANN401 - as the framework types it
    """Returns the dependency for a route's `dependencies`."""
    return Depends(Needs(scope, narrowed=narrowed))


async def _admission(request: Request) -> Admission:
    admission: Admission = request.scope["state"]["admission"]
    return admission


Admitted = Annotated[Admission, Depends(_admission)]


def scopes_of_routes(api: FastAPI) -> dict[tuple[str, str], Scope | None]:
    """Returns the required scope by method and path, None for open paths.

    Raises:
        RuntimeError: a route declares no scope, or an open path declares one.
    """
    found: dict[tuple[str, str], Scope | None] = {}
    for route in iter_route_contexts(api.routes):
        dependencies: Sequence[Any] = getattr(route, "dependencies", None) or ()
        scopes = [each.dependency.scope for each in dependencies if isinstance(each.dependency, Needs)]
        path = str(getattr(route, "path", None) or "?")
        if len(scopes) != (0 if path in OPEN_PATHS else 1):
            raise RuntimeError(f"{path} must declare its scope: dependencies=[needs(Scope.READ)], or be in OPEN_PATHS")
        for method in getattr(route, "methods", None) or ("*",):
            found[method, path] = scopes[0] if scopes else None
    return found


def describe_security(document: dict[str, Any], scopes: dict[tuple[str, str], Scope | None]) -> None:
    """Adds the security scheme, and each operation's scope and refusals, to an OpenAPI document."""
    refusals = declared(Unauthorized, Forbidden, RateLimited)
    refusals[401]["headers"] = {"WWW-Authenticate": {"description": "Bearer.", "schema": {"type": "string"}}}
    document.setdefault("components", {})["securitySchemes"] = {"key": _SECURITY_SCHEME}
    for (method, path), scope in scopes.items():
        operation = document["paths"].get(path, {}).get(method.lower())
        if operation is not None and scope is not None:
            operation["security"] = [{"key": [scope.value]}]
            operation["responses"].update({str(status): refusals[status] for status in (401, 403, 429)})


def _values(request: Request, name: bytes) -> list[bytes]:
    return [value for each, value in request.scope["headers"] if each == name]
