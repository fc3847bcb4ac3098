"""Routes that ad servers call: next-pair and feedback, one at a time and in batches."""

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
from app.impressions.handout_order import Order
from app.web import mapping
from app.web.access import Admitted, needs
from app.web.bodies import body_as, body_as_rows, digest_of, documented
from app.web.parameters import IdempotencyKey, ImpressionsInUse, SessionId
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
    impressions: ImpressionsInUse,
    idempotency_key: IdempotencyKey = None,
) -> Impression:
    """Hands out one pair to show."""
    order = Order(session_id, 1, "next-pair", idempotency_key, digest_of(body))
    session, (given,) = await impressions.next_pairs(order)
    return mapping.impression(session, given)


@router.post(
    "/next-pair/batch",
    dependencies=[needs(Scope.SERVE)],
    openapi_extra=documented(NextPairs),
    responses=_ISSUE,
)
async def next_pairs(
    session_id: SessionId,
    body: Annotated[NextPairs, Depends(body_as(NextPairs))],
    impressions: ImpressionsInUse,
    admitted: Admitted,
    idempotency_key: IdempotencyKey = None,
) -> list[Impression]:
    """Hands out several pairs to show."""
    admitted.charge(body.count - 1)
    order = Order(session_id, body.count, "next-pair/batch", idempotency_key, digest_of(body))
    session, given = await impressions.next_pairs(order)
    return [mapping.impression(session, each) for each in given]


@router.post(
    "/feedback",
    dependencies=[needs(Scope.FEEDBACK)],
    openapi_extra=documented(Feedback),
    responses=declared(TicketNotFound, FeedbackConflict, InvalidFeedback, Overloaded, *WITH_BODY, *IN_SESSION),
)
async def feedback(
    session_id: SessionId, body: Annotated[Feedback, Depends(body_as(Feedback))], impressions: ImpressionsInUse
) -> FeedbackResult:
    """Takes the outcome of one impression; the response means that it is on disk. It is safe to send it again."""
    status = await impressions.feedback(session_id, body)
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
    impressions: ImpressionsInUse,
    admitted: Admitted,
) -> list[FeedbackRowResult]:
    """Takes the outcomes of several impressions and returns a status for each, in order."""
    admitted.charge(len(rows) - 1)
    read = [_read(row) for row in rows]
    results = iter(await impressions.feedback_batch(session_id, [each for each in read if isinstance(each, Feedback)]))
    return [
        FeedbackRowResult.model_validate(next(results), from_attributes=True) if isinstance(each, Feedback) else each
        for each in read
    ]


def _read(row: object) -> Feedback | FeedbackRowResult:
    """Returns the feedback of a row, or the result for a row that is not valid."""
    try:
        return Feedback.model_validate(row)
    except ValidationError as error:
        first = field_errors(error, Feedback)[0]
        return FeedbackRowResult(status="invalid", detail=f"{first.field}: {first.message}".removeprefix(": "))
