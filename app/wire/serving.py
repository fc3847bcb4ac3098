"""Requests and responses of an ad server: impressions and their feedback, one or many at a time."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from app.wire.shapes import ItemId, RequestShape, ResponseShape, Ticket

LARGEST_BATCH = 1000


class NextPair(RequestShape):
    """A request for one impression. It has no fields; the body may be left out."""


class NextPairs(RequestShape):
    """A request for several impressions."""

    count: int = Field(ge=1, le=LARGEST_BATCH)


class Impression(ResponseShape):
    """One pair to show, in this order; the ticket goes back with the outcome."""

    ticket: str
    i: int
    j: int
    items: list[str] = Field(min_length=2, max_length=2, description="The ids of the two items, in the order to show.")
    purpose: Literal["explore", "exploit"]
    counts: bool
    plan_version: int


class Feedback(RequestShape):
    """The outcome of one impression: exactly one of reward, clicked, and not_shown."""

    ticket: Ticket
    reward: Annotated[float, Field(ge=0, le=1)] | None = Field(
        default=None, description="1 for a click on the pair, 0 for none; any value between in the deterministic model."
    )
    clicked: Annotated[list[ItemId], Field(max_length=2)] | None = Field(
        default=None, description='Ids of the items clicked, [] for none; for sessions with feedback "items".'
    )
    not_shown: bool = Field(default=False, description="True: fetched but never rendered, the impression is void.")

    @model_validator(mode="after")
    def _one_outcome(self) -> Self:
        if (self.reward is not None) + (self.clicked is not None) + self.not_shown != 1:
            raise ValueError('send exactly one of "reward", "clicked" and "not_shown": true')
        return self


class FeedbackResult(ResponseShape):
    """The result of one feedback."""

    status: Literal["accepted", "duplicate", "late", "ignored"]


class FeedbackRowResult(ResponseShape):
    """The result of one row of a batch; `detail` says what to change."""

    status: Literal["accepted", "duplicate", "late", "ignored", "conflict", "not_found", "invalid"]
    detail: str | None = None
