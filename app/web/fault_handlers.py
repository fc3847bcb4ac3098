"""From raised errors to problems: the only place where the framework's own errors are translated."""

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match

from app.errors import SessionError
from app.web.problems import kind_of, problem_for
from app.web.refusals import BodyTooLarge, InvalidRequest, MethodNotAllowed, Refusal, RouteNotFound
from app.web.shield import log_refusal
from app.wire.problem import advice

METHODS = ("GET", "POST", "PATCH", "DELETE")


def add_fault_handlers(app: FastAPI) -> None:
    """Makes every expected error of the application a problem."""
    app.add_exception_handler(SessionError, _told)
    app.add_exception_handler(Refusal, _told)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _framework)


async def _told(request: Request, error: Exception) -> Response:
    """Returns the problem for an error of the sessions or of the web layer."""
    if not isinstance(error, SessionError | Refusal):
        raise error
    kind = kind_of(type(error))
    if kind.status >= 500:
        log_refusal(kind.name, error.detail, request.state.request_id, request.scope)
    headers = {"Connection": "close"} if isinstance(error, BodyTooLarge) else {}
    return problem_for(error, request.state.request_id, headers)


async def _invalid(request: Request, error: Exception) -> Response:
    """Returns the problem for parameters that do not fit (bodies are read by `bodies`)."""
    if not isinstance(error, RequestValidationError):
        raise error
    # The first part of a place is "query", "path" or "header": the name alone is clear.
    errors = [{**each, "loc": each["loc"][1:]} for each in error.errors()]
    return await _told(request, InvalidRequest(advice(errors)))


async def _framework(request: Request, error: Exception) -> Response:
    """Returns the problem for what routing refuses."""
    if not isinstance(error, HTTPException):
        raise error
    path = request.url.path[:100]
    if error.status_code == 405:
        allowed = _allowed_methods(request)
        refusal = MethodNotAllowed(f"{path} takes {', '.join(allowed)}, not {request.method[:20]}")
        return problem_for(refusal, request.state.request_id, {"Allow": ", ".join(allowed)})
    if error.status_code == 404:
        return await _told(request, RouteNotFound(f"nothing is served at {path}; /docs lists what is"))
    raise error  # none of our routes raises another: a fault, for the shield to log


def _allowed_methods(request: Request) -> list[str]:
    """Returns the methods this address takes, over all routes; the framework names those of the first match only."""
    return [
        method
        for method in METHODS
        if any(route.matches({**request.scope, "method": method})[0] is Match.FULL for route in request.app.routes)
    ]
