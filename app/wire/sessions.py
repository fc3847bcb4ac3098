"""Sessions as JSON: create, change, read, list."""

from collections import Counter
from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, PlainValidator, model_validator
from pydantic.config import JsonDict
from pydantic.json_schema import SkipJsonSchema

from app.wire.best_pair import BestPair
from app.wire.shapes import LARGEST_INTEGER, ItemId, Label, Name, Plain, RequestShape, ResponseShape

FEWEST_ITEMS = 2
MOST_ITEMS = 5000
LONGEST_WAIT_SECONDS = 30 * 24 * 3600

ModelName = Literal["stochastic", "deterministic"]
FeedbackName = Literal["pair", "items"]
SelfPairsName = Literal["never", "explore"]
MissingFeedbackName = Literal["void", "no_click"]
StateName = Literal["running", "paused", "stopped"]
Rank = int | Literal["auto"]
Budget = Annotated[int, Field(ge=1, le=LARGEST_INTEGER)]
Probability = Annotated[float, Field(gt=0, lt=1)]


class ItemIn(RequestShape):
    """One thing to show: the caller's own id, and a label for people."""

    id: ItemId
    label: Label = ""


def _item_from_id(value: object) -> object:
    """Returns a bare string as an item with that id; anything else is left for the shape to judge."""
    return {"id": value} if isinstance(value, str) else value


def _with_different_ids(items: list[ItemIn]) -> list[ItemIn]:
    """Returns the items; raises ValueError naming ids that come more than once."""
    twice = [item_id for item_id, n in Counter(item.id for item in items).items() if n > 1]
    if twice:
        named = ", ".join(f'"{item_id[:40]}"' for item_id in twice[:3])
        raise ValueError(f"ids must be different; more than once: {named}{' and others' * (len(twice) > 3)}")
    return items


def _rank(value: object) -> Rank:
    """Returns the rank; one message for both alternatives, which a plain union would not give."""
    if value == "auto":
        return "auto"
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MOST_ITEMS:
        return value
    raise ValueError(f'must be "auto" or a whole number from 1 to {MOST_ITEMS}')


class SessionCreate(RequestShape):
    """A new session; only `items` is required."""

    items: Annotated[
        list[Annotated[ItemIn, BeforeValidator(_item_from_id, json_schema_input_type=ItemId | ItemIn)]],
        Field(min_length=FEWEST_ITEMS, max_length=MOST_ITEMS, description="Ids, or objects with an id and a label."),
        AfterValidator(_with_different_ids),
    ]
    name: Name = ""
    model: ModelName = "stochastic"
    feedback: FeedbackName = Field(default="pair", description="What an answer tells: a reward, or the items clicked.")
    policy: Annotated[str, Field(min_length=1, max_length=100), Plain] | None = Field(
        default=None, description="How to search; left out, the default that fits the model."
    )
    rank: Annotated[Rank, PlainValidator(_rank, json_schema_input_type=Rank)] = Field(
        default="auto",
        description='How many groups of users there are, for policies that take a rank (the paper\'s); else "auto".',
    )
    epsilon: Probability = Field(default=0.05, description="Certified means within this of the best pair.")
    delta: Probability = Field(default=0.05, description="The probability with which a certificate may be wrong.")
    self_pairs: SelfPairsName | None = Field(default=None, description="Whether one item may be shown twice.")
    explore_share: float = Field(default=1.0, gt=0, le=1, description="Share of impressions given to exploration.")
    budget: Budget | None = Field(default=None, description="The most impressions that may count; null: no limit.")
    attribution_window_seconds: float = Field(
        default=0,
        ge=0,
        le=LONGEST_WAIT_SECONDS,
        description="How long after it was shown a pair can still be clicked; nothing counts before. "
        "0: every outcome is reported, and counts when it comes.",
    )
    ticket_ttl_seconds: float = Field(
        default=300,
        gt=0,
        le=LONGEST_WAIT_SECONDS,
        description="Without a window: how long to wait for an outcome before the impression is void.",
    )
    missing_feedback: MissingFeedbackName | None = Field(
        default=None,
        description='What silence means: "void", a lost answer (the default without a window: report 0 too!), or '
        '"no_click" (the default with one: only clicks need be reported).',
    )
    seed: Annotated[int, Field(ge=0, le=LARGEST_INTEGER)] | None = None


def _without_default(schema: JsonDict) -> None:
    """Takes the default out of a schema: it stands for "left out" and is not a value one may send."""
    schema.pop("default", None)


class SessionPatch(RequestShape):
    """What to change; what is left out stays."""

    state: StateName | SkipJsonSchema[None] = Field(
        default=None, description="Stopped is for ever.", json_schema_extra=_without_default
    )
    name: Name | SkipJsonSchema[None] = Field(default=None, json_schema_extra=_without_default)
    budget: Budget | SkipJsonSchema[None] = Field(
        default=None, description="Can only be raised.", json_schema_extra=_without_default
    )

    @model_validator(mode="after")
    def _something_changes(self) -> Self:
        if not self.model_fields_set:
            raise ValueError('nothing to change; send at least one of "state", "name" and "budget"')
        # For creation a null budget means "no limit": here it would be taken for that and silently do nothing.
        nulls = sorted(name for name in self.model_fields_set if getattr(self, name) is None)
        if nulls:
            raise ValueError(f"{', '.join(nulls)} cannot be null; leave out what should stay")
        return self


class Item(ResponseShape):
    """One thing to show."""

    id: str
    label: str


class Counts(ResponseShape):
    """How many counting impressions: handed out, answered, given up, in the evidence, still out."""

    issued: int
    answered: int
    void: int
    counted: int
    outstanding: int


class SessionSummary(ResponseShape):
    """A session without its items, as lists show it."""

    id: str
    name: str
    state: StateName
    n_items: int
    model: ModelName
    feedback: FeedbackName
    policy: str
    rank: Rank
    epsilon: float
    delta: float
    self_pairs: SelfPairsName
    explore_share: float
    budget: int | None
    attribution_window_seconds: float
    ticket_ttl_seconds: float
    missing_feedback: MissingFeedbackName
    seed: int
    created_at: datetime
    updated_at: datetime
    counters: Counts
    best_pair: BestPair
    best_labels: tuple[str, str]


class Session(SessionSummary):
    """A session with all its settings."""

    items: list[Item]


class SessionPage(ResponseShape):
    """Sessions, newest first; `next_cursor` asks for the page after, null on the last one."""

    sessions: list[SessionSummary]
    next_cursor: str | None
