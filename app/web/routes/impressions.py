"""Routes an ad server calls all day: next-pair and feedback."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from pydantic import ValidationError

from app.access.keys import Scope
from app.errors import (
    FeedbackConflict,
    IdempotencyMismatch,
    InvalidFeedback,
    Overloaded,
    SessionStopped,
    TicketNotFound,
)
from app.sessions.ports import Order
from app.sessions.service import Answer
from app.web import mapping
from app.web.access import Admitted, needs
from app.web.bodies import body_as, body_as_rows, digest_of, documented
from app.web.parameters import IdempotencyKey, SessionId, SessionsInUse
from app.web.problems import IN_SESSION, WITH_BODY, declared
from app.wire.problem import field_errors
from app.wire.serving import (
    LARGEST_BATCH,
    Feedback,
    FeedbackResult,
    FeedbackRowResult,
    Impression,
    NextPair,
    NextPairs,
)

router = APIRouter(prefix="/v1/sessions/{session_id}", tags=["serving"])

_ISSUE = declared(SessionStopped, IdempotencyMismatch, Overloaded, *WITH_BODY, *IN_SESSION)


@router.post(
    "/next-pair",
    dependencies=[needs(Scope.SERVE)],
    openapi_extra=documented(NextPair, required=False),
    responses=_ISSUE,
)
async def next_pair(
    session_id: SessionId,
    body: Annotated[NextPair, Depends(body_as(NextPair, may_be_empty=True))],
    sessions: SessionsInUse,
    idempotency_key: IdempotencyKey = None,
) -> Impression:
    """Hands out one pair to show."""
    order = Order(1, "next-pair", idempotency_key, digest_of(body))
    (shown,) = await sessions.next_pairs(session_id, order)
    return mapping.impression(shown)


@router.post(
    "/next-pair/batch",
    dependencies=[needs(Scope.SERVE)],
    openapi_extra=documented(NextPairs),
    responses=_ISSUE,
)
async def next_pairs(
    session_id: SessionId,
    body: Annotated[NextPairs, Depends(body_as(NextPairs))],
    sessions: SessionsInUse,
    admitted: Admitted,
    idempotency_key: IdempotencyKey = None,
) -> list[Impression]:
    """Hands out several pairs to show."""
    admitted.charge(body.count - 1)
    order = Order(body.count, "next-pair/batch", idempotency_key, digest_of(body))
    return [mapping.impression(shown) for shown in await sessions.next_pairs(session_id, order)]


@router.post(
    "/feedback",
    dependencies=[needs(Scope.FEEDBACK)],
    openapi_extra=documented(Feedback),
    responses=declared(TicketNotFound, FeedbackConflict, InvalidFeedback, Overloaded, *WITH_BODY, *IN_SESSION),
)
async def feedback(
    session_id: SessionId, body: Annotated[Feedback, Depends(body_as(Feedback))], sessions: SessionsInUse
) -> FeedbackResult:
    """Takes the outcome of one impression; answered means on disk, and sending it again does no harm."""
    status = await sessions.feedback(session_id, mapping.answer(body))
    return FeedbackResult.model_validate({"status": status.value})


@router.post(
    "/feedback/batch",
    dependencies=[needs(Scope.FEEDBACK)],
    openapi_extra=documented(Feedback, rows=LARGEST_BATCH),
    response_model_exclude_none=True,
    responses=declared(Overloaded, *WITH_BODY, *IN_SESSION),
)
async def feedback_batch(
    session_id: SessionId,
    rows: Annotated[list[Any], Depends(body_as_rows)],
    sessions: SessionsInUse,
    admitted: Admitted,
) -> list[FeedbackRowResult]:
    """Takes outcomes of several impressions and answers with a status for each, in order."""
    admitted.charge(len(rows) - 1)
    judged = [_read(row) for row in rows]
    results = iter(await sessions.feedback_batch(session_id, [each for each in judged if isinstance(each, Answer)]))
    return [
        FeedbackRowResult.model_validate(next(results), from_attributes=True) if isinstance(each, Answer) else each
        for each in judged
    ]


def _read(row: object) -> Answer | FeedbackRowResult:
    """Returns the answer in one row, or the result that says why there is none."""
    try:
        return mapping.answer(Feedback.model_validate(row))
    except ValidationError as error:
        first = field_errors(error, Feedback)[0]
        return FeedbackRowResult(status="invalid", detail=f"{first.field}: {first.message}".removeprefix(": "))
