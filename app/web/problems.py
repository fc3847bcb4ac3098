"""Problems: the errors of the web layer, the table from errors to problem responses (RFC 9457), and the handlers.

Types are stable: programs compare them. Each route declares which of them it may return (`declared`). To add a problem,
raise an error of `app.errors` or a `Refusal` of this module, and add it to `CATALOGUE`.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import Scope

from app import errors as facts
from app.errors import SessionError
from app.wire.problem import FieldError, Problem, advice

MEDIA_TYPE = "application/problem+json"
PREFIX = "/problems/"
METHODS = ("GET", "POST", "PATCH", "DELETE")

logger = logging.getLogger("bestpair.web")


class Refusal(Exception):
    """Base of errors in the form of a request; `detail` is the advice for the caller."""

    def __init__(self, detail: str) -> None:
        self.detail = detail
        super().__init__(detail)


class MalformedJson(Refusal):
    """The body is not JSON."""


class UnsupportedMediaType(Refusal):
    """The body is not declared as JSON."""


class BodyTooLarge(Refusal):
    """The body is larger than the limit of this server."""


class InvalidRequest(Refusal):
    """The request does not match the documented shape; `errors` names the fields."""

    def __init__(self, errors: Sequence[FieldError]) -> None:
        self.errors = tuple(errors)
        first = self.errors[0]
        more = f" (and {len(self.errors) - 1} more)" if len(self.errors) > 1 else ""
        super().__init__(f"{first.field or 'the request'}: {first.message}{more}")


class NotReady(Refusal):
    """The server runs, but cannot serve requests yet."""


class RouteNotFound(Refusal):
    """Nothing is served at this address."""


class MethodNotAllowed(Refusal):
    """The address exists, but does not support this method."""


class UnexpectedFault(Refusal):
    """An unexpected error of the server; the log has the details under the request id."""


@dataclass(frozen=True)
class Kind:
    """The response to one error; with `retry_after`, the same request may succeed after that many seconds."""

    name: str
    status: int
    title: str
    retry_after: int | None = None

    @property
    def type(self) -> str:
        """The stable URI of this problem; every server explains it at this path."""
        return PREFIX + self.name


CATALOGUE: Mapping[type[Exception], Kind] = {
    facts.SessionNotFound: Kind("session-not-found", 404, "There is no such session"),
    facts.InvalidSession: Kind("invalid-session", 422, "The settings do not fit together"),
    facts.SessionStopped: Kind("session-stopped", 409, "The session is stopped"),
    facts.InvalidStateChange: Kind("invalid-state-change", 409, "The session cannot be changed like this"),
    facts.TicketNotFound: Kind("ticket-not-found", 404, "No impression of this session has this ticket"),
    facts.FeedbackConflict: Kind("feedback-conflict", 409, "The ticket was answered with another value"),
    facts.InvalidFeedback: Kind("invalid-feedback", 422, "The answer does not fit the session"),
    facts.IdempotencyMismatch: Kind("idempotency-mismatch", 422, "The Idempotency-Key came with another body before"),
    facts.NotCertified: Kind("not-certified", 404, "There is no certificate yet"),
    facts.Forbidden: Kind("forbidden", 403, "The key may not do this"),
    facts.RateLimited: Kind("rate-limited", 429, "The key has used up its rate", retry_after=1),
    facts.Overloaded: Kind("overloaded", 503, "Too many requests are waiting", retry_after=1),
    facts.StorageUnavailable: Kind("storage-unavailable", 503, "The database is away", retry_after=2),
    MalformedJson: Kind("malformed-json", 400, "The body is not JSON"),
    UnsupportedMediaType: Kind("unsupported-media-type", 415, "The body must be JSON"),
    BodyTooLarge: Kind("body-too-large", 413, "The body is too large"),
    InvalidRequest: Kind("invalid-request", 422, "The request does not have the right shape"),
    facts.Unauthorized: Kind("unauthorized", 401, "A key is needed"),
    NotReady: Kind("not-ready", 503, "The server cannot serve requests yet", retry_after=2),
    RouteNotFound: Kind("route-not-found", 404, "Nothing is served at this address"),
    MethodNotAllowed: Kind("method-not-allowed", 405, "This address does not take this method"),
    UnexpectedFault: Kind("internal-error", 500, "Something went wrong on the server"),
}

FAULT_DETAIL = "the fault is logged under the request id; please report it"


def kind_of(error: type[Exception]) -> Kind:
    """Returns the entry of an error in `CATALOGUE`; for an error without an entry, that of UnexpectedFault."""
    return next((CATALOGUE[each] for each in error.__mro__ if each in CATALOGUE), CATALOGUE[UnexpectedFault])


def problem_for(error: SessionError | Refusal, request_id: str | None, headers: Mapping[str, str] = {}) -> Response:
    """Returns the problem response to an error, with these headers added."""
    kind = kind_of(type(error))
    field = getattr(error, "field", None)
    errors: Sequence[FieldError] = getattr(error, "errors", ())
    if field is not None:
        errors = [FieldError(field=field, message=error.detail)]
    detail = error.detail if field is None else f"{field}: {error.detail}"
    return render(kind, detail, request_id, errors=errors, headers={**_own_headers(error), **headers})


def _own_headers(error: SessionError | Refusal) -> Mapping[str, str]:
    """Returns the headers that belong to an error."""
    if isinstance(error, facts.Unauthorized):
        return {"WWW-Authenticate": error.challenge}
    if isinstance(error, facts.RateLimited):
        return {"Retry-After": str(error.retry_after)}
    return {}


def render(
    kind: Kind,
    detail: str,
    request_id: str | None,
    *,
    errors: Sequence[FieldError] = (),
    headers: Mapping[str, str] = {},
) -> Response:
    """Returns a problem+json response."""
    problem = Problem(
        type=kind.type,
        title=kind.title,
        status=kind.status,
        detail=detail,
        errors=list(errors) or None,
        request_id=request_id,
    )
    extra = {} if kind.retry_after is None else {"Retry-After": str(kind.retry_after)}
    content = problem.model_dump_json(exclude_none=True)
    # No cache may keep an error.
    headers = {"Cache-Control": "no-store", **extra, **headers}
    return Response(content, status_code=kind.status, media_type=MEDIA_TYPE, headers=headers)


_PROBLEM = {"$ref": "#/components/schemas/Problem"}

ALWAYS = (UnexpectedFault,)
STORED = (facts.StorageUnavailable, *ALWAYS)
IN_SESSION = (facts.SessionNotFound, *STORED)
WITH_BODY = (
    MalformedJson,
    UnsupportedMediaType,
    BodyTooLarge,
    InvalidRequest,
)


def declared(*errors: type[Exception]) -> dict[int | str, dict[str, Any]]:
    """Returns the OpenAPI `responses` for these errors, by status, with one example per problem type."""
    # "default" covers problems of any address (such as 405); it also keeps the framework from adding its own.
    by_status: dict[int | str, dict[str, Any]] = {
        "default": {"description": "Any other problem", "content": {MEDIA_TYPE: {"schema": _PROBLEM}}}
    }
    for kind in sorted((kind_of(error) for error in errors), key=lambda kind: (kind.status, kind.name)):
        entry = by_status.setdefault(kind.status, _empty_response())
        entry["description"] = "; ".join(filter(None, [entry["description"], kind.title]))
        example = {"type": kind.type, "title": kind.title, "status": kind.status}
        entry["content"][MEDIA_TYPE]["examples"][kind.name] = {"summary": kind.title, "value": example}
        if kind.retry_after is not None:
            entry["headers"] = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}}
    return by_status


def _empty_response() -> dict[str, Any]:
    return {"description": "", "content": {MEDIA_TYPE: {"schema": _PROBLEM, "examples": {}}}}


def add_problem_handlers(app: FastAPI) -> None:
    """Adds handlers that turn every expected error of the application and the framework into a problem."""
    app.add_exception_handler(SessionError, _handle_expected)
    app.add_exception_handler(Refusal, _handle_expected)
    app.add_exception_handler(RequestValidationError, _handle_invalid_parameters)
    app.add_exception_handler(HTTPException, _handle_routing)


async def _handle_expected(request: Request, error: Exception) -> Response:
    """Returns the problem for an error of the use cases or of the web layer."""
    if not isinstance(error, SessionError | Refusal):
        raise error
    kind = kind_of(type(error))
    if kind.status >= 500:
        log_refusal(kind.name, error.detail, request.state.request_id, request.scope)
    headers = {"Connection": "close"} if isinstance(error, BodyTooLarge) else {}
    return problem_for(error, request.state.request_id, headers)


async def _handle_invalid_parameters(request: Request, error: Exception) -> Response:
    """Returns the problem for invalid parameters (`bodies` reads the bodies)."""
    if not isinstance(error, RequestValidationError):
        raise error
    # The first part of a location is "query", "path" or "header": the name alone is clear.
    errors = [{**each, "loc": each["loc"][1:]} for each in error.errors()]
    return await _handle_expected(request, InvalidRequest(advice(errors)))


async def _handle_routing(request: Request, error: Exception) -> Response:
    """Returns the problem for an unknown address or method."""
    if not isinstance(error, HTTPException):
        raise error
    path = request.url.path[:100]
    if error.status_code == 405:
        allowed = _allowed_methods(request)
        refusal = MethodNotAllowed(f"{path} takes {', '.join(allowed)}, not {request.method[:20]}")
        return problem_for(refusal, request.state.request_id, {"Allow": ", ".join(allowed)})
    if error.status_code == 404:
        return await _handle_expected(request, RouteNotFound(f"nothing is served at {path}; /docs lists what is"))
    raise error  # our routes raise no other: an unexpected error, which the middleware logs


def _allowed_methods(request: Request) -> list[str]:
    """Returns the methods of this address over all routes; the framework names only those of the first match."""
    return [
        method
        for method in METHODS
        if any(route.matches({**request.scope, "method": method})[0] is Match.FULL for route in request.app.routes)
    ]


def log_refusal(problem: str, detail: str, request_id: str | None, scope: Scope) -> None:
    """Logs a refusal with a 5xx status, whose reason is known."""
    where = {"request_id": request_id, "method": scope["method"], "path": scope["path"], "detail": detail}
    logger.warning(problem, extra=where)
