"""The catalogue of problems: one table from errors, named by the fact, to what a caller sees (RFC 9457).

Types are stable: programs compare them. Each route declares which of them it may answer with (`declared`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from app import errors as facts
from app.errors import SessionError
from app.web import refusals
from app.web.refusals import Refusal
from app.wire.problem import FieldError, Problem

MEDIA_TYPE = "application/problem+json"
PREFIX = "/problems/"


@dataclass(frozen=True)
class Kind:
    """How one error looks to a caller; with `retry_after`, the same request may work that many seconds later."""

    name: str
    status: int
    title: str
    retry_after: int | None = None

    @property
    def type(self) -> str:
        """The stable URI of this problem; it can be looked up on any server."""
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
    refusals.MalformedJson: Kind("malformed-json", 400, "The body is not JSON"),
    refusals.UnsupportedMediaType: Kind("unsupported-media-type", 415, "The body must be JSON"),
    refusals.BodyTooLarge: Kind("body-too-large", 413, "The body is too large"),
    refusals.InvalidRequest: Kind("invalid-request", 422, "The request does not have the right shape"),
    refusals.Unauthorized: Kind("unauthorized", 401, "A key is needed"),
    refusals.NotReady: Kind("not-ready", 503, "The server cannot serve requests yet", retry_after=2),
    refusals.RouteNotFound: Kind("route-not-found", 404, "Nothing is served at this address"),
    refusals.MethodNotAllowed: Kind("method-not-allowed", 405, "This address does not take this method"),
    refusals.UnexpectedFault: Kind("internal-error", 500, "Something went wrong on the server"),
}

FAULT_DETAIL = "the fault is logged under the request id; please report it"


def kind_of(error: type[Exception]) -> Kind:
    """Returns how an error looks to a caller; an error nobody has mapped is a fault of ours."""
    return next((CATALOGUE[each] for each in error.__mro__ if each in CATALOGUE), CATALOGUE[refusals.UnexpectedFault])


def problem_for(error: SessionError | Refusal, request_id: str | None, headers: Mapping[str, str] = {}) -> Response:
    """Returns the answer that tells a caller about this error."""
    kind = kind_of(type(error))
    field = getattr(error, "field", None)
    errors: Sequence[FieldError] = getattr(error, "errors", ())
    if field is not None:
        errors = [FieldError(field=field, message=error.detail)]
    detail = error.detail if field is None else f"{field}: {error.detail}"
    return render(kind, detail, request_id, errors=errors, headers={**_own_headers(error), **headers})


def _own_headers(error: SessionError | Refusal) -> Mapping[str, str]:
    """Returns what one error says in headers, besides its problem."""
    if isinstance(error, refusals.Unauthorized):
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
    # Errors are about this moment: no cache may keep them.
    headers = {"Cache-Control": "no-store", **extra, **headers}
    return Response(content, status_code=kind.status, media_type=MEDIA_TYPE, headers=headers)


_PROBLEM = {"$ref": "#/components/schemas/Problem"}

ALWAYS = (refusals.UnexpectedFault,)
STORED = (facts.StorageUnavailable, *ALWAYS)
IN_SESSION = (facts.SessionNotFound, *STORED)
WITH_BODY = (
    refusals.MalformedJson,
    refusals.UnsupportedMediaType,
    refusals.BodyTooLarge,
    refusals.InvalidRequest,
)


def declared(*errors: type[Exception]) -> dict[int | str, dict[str, Any]]:
    """Returns the OpenAPI `responses` for these errors, by status, with one example per problem type."""
    # "default" stands for what any address may answer (405, for one); it also keeps the framework from adding its own.
    by_status: dict[int | str, dict[str, Any]] = {
        "default": {"description": "Any other problem", "content": {MEDIA_TYPE: {"schema": _PROBLEM}}}
    }
    for kind in sorted((kind_of(error) for error in errors), key=lambda kind: (kind.status, kind.name)):
        entry = by_status.setdefault(kind.status, _no_problem_yet())
        entry["description"] = "; ".join(filter(None, [entry["description"], kind.title]))
        example = {"type": kind.type, "title": kind.title, "status": kind.status}
        entry["content"][MEDIA_TYPE]["examples"][kind.name] = {"summary": kind.title, "value": example}
        if kind.retry_after is not None:
            entry["headers"] = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}}
    return by_status


def _no_problem_yet() -> dict[str, Any]:
    return {"description": "", "content": {MEDIA_TYPE: {"schema": _PROBLEM, "examples": {}}}}
