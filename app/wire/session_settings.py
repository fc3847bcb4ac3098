"""The settings of a session: the one list of names, types, defaults, limits and descriptions.

Derived from it: the bodies that create, change and show a session (`app.wire.sessions`), the stored form
(`app.sessions.model.Settings`), the form of the dashboard (from the OpenAPI document) and the table in docs/api.md.
The class that a setting is in decides how it is stored and whether it can change. The order of the classes, and of the
settings in them, is the order in JSON. A default of None depends on other settings: `app.sessions.creation` fills it.
"""

import re
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainValidator, create_model

from app.engine.problem import Model
from app.wire.shapes import LARGEST_INTEGER, Name, Plain, without_control_characters
from app.wire.vocabulary import (
    ByValue,
    FeedbackKind,
    FeedbackKindField,
    MissingFeedbackField,
    ModelField,
    SelfPairsField,
    WhileWaiting,
    WhileWaitingField,
)

FEWEST_ITEMS = 2
MOST_ITEMS = 5000
LONGEST_WAIT_SECONDS = 30 * 24 * 3600

Rank = int | Literal["auto"]
Budget = Annotated[int, Field(ge=1, le=LARGEST_INTEGER)]
Shape = TypeVar("Shape", bound=BaseModel)


def _rank(value: object) -> Rank:
    """Returns the rank; one message for both alternatives, which a plain union would not give."""
    if value == "auto":
        return "auto"
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MOST_ITEMS:
        return value
    raise ValueError(f'must be "auto" or a whole number from 1 to {MOST_ITEMS}')


def _without_control_characters_but_line_breaks(text: str) -> str:
    """Returns the text; raises ValueError naming the first control character that is not a line break (LF or CR LF)."""
    without_control_characters(re.sub(r"\r?\n", lambda found: " " * len(found[0]), text))
    return text


class EditableSettings(BaseModel):
    """Texts for people. A PATCH can replace them at any time; nothing that the service decides depends on them.

    The name is stored in `sessions.name`, the others as JSON in `sessions.editable_settings`.
    """

    model_config = ConfigDict(frozen=True)

    name: Name = Field(default="", description="For people; calls use the id.")
    notes: Annotated[str, Field(max_length=2000), AfterValidator(_without_control_characters_but_line_breaks)] = Field(
        default="", description="Free text for people, such as who asks and why; line breaks are allowed."
    )


class SearchSettings(BaseModel):
    """The question and how to search for the answer. Fixed; stored as JSON in `sessions.settings`."""

    model: ModelField = Field(
        default=Model.STOCHASTIC, description='"deterministic": each answer is the exact reward of the pair.'
    )
    feedback: FeedbackKindField = Field(
        default=FeedbackKind.PAIR, description="What an answer tells: a reward, or the items clicked."
    )
    policy: Annotated[str, Field(min_length=1, max_length=100), Plain] | None = Field(
        default=None, description="How to search; left out, the default that fits the model."
    )
    rank: Annotated[Rank, PlainValidator(_rank, json_schema_input_type=Rank)] = Field(
        default="auto",
        description='How many groups of users there are, for policies that take a rank (the paper\'s); else "auto".',
    )
    epsilon: float | None = Field(
        default=None,
        gt=0,
        lt=1,
        description="The goal as a difference: certified means within this of the best pair, in clicks per impression "
        "(0.05: 5 points).",
    )
    relative_epsilon: float | None = Field(
        default=None,
        gt=0,
        lt=1,
        description="The goal as a part: certified means that the pair earns at least 1 - relative_epsilon of what the "
        "best pair earns (0.1: 90 %). Give this or epsilon, not both; 0.1 if neither is given.",
    )
    delta: float = Field(default=0.05, gt=0, lt=1, description="The probability with which a certificate may be wrong.")
    self_pairs: SelfPairsField | None = Field(default=None, description="Whether one item may be shown twice.")
    explore_share: float = Field(default=1.0, gt=0, le=1, description="Share of impressions given to exploration.")
    while_waiting: WhileWaitingField = Field(
        default=WhileWaiting.EXPLORE,
        description='What is shown when a plan was handed out and its answers are awaited: "explore", the plan a few '
        'more times, then the best pair (the fastest verdict), or "exploit", the best pair at once (the fewest '
        "impressions).",
    )


class BudgetSetting(BaseModel):
    """The budget. A PATCH can raise it, which makes a new plan; stored in `sessions.budget`."""

    budget: Budget | None = Field(default=None, description="The most impressions that may count; null: no limit.")


class FeedbackSettings(BaseModel):
    """How long to wait for feedback and what its absence means, and the seed. Fixed; stored like `SearchSettings`."""

    attribution_window_seconds: float = Field(
        default=0,
        ge=0,
        le=LONGEST_WAIT_SECONDS,
        description="How long after it was shown a pair can still be clicked; nothing counts before. "
        "0: every outcome is reported, and is final when it comes.",
    )
    ticket_ttl_seconds: float = Field(
        default=120,
        gt=0,
        le=LONGEST_WAIT_SECONDS,
        description="Without a window: how long to wait for an answer; later ones are not counted. Make it longer than "
        "nearly all clicks and nearly all other answers take.",
    )
    missing_feedback: MissingFeedbackField | None = Field(
        default=None,
        description='What silence means: "void", a lost answer (the default without a window: report 0 too!), or '
        '"no_click" (the default with one: only clicks need be reported).',
    )
    seed: Annotated[int, Field(ge=0, le=LARGEST_INTEGER)] | None = Field(
        default=None, description="Fixes the random choices of the service; left out, it is random."
    )


class FixedSettings(FeedbackSettings, SearchSettings):
    """The settings that never change, once those that were left out have a value."""

    policy: str
    self_pairs: SelfPairsField
    missing_feedback: MissingFeedbackField
    seed: int


def complete(shape: type[Shape]) -> type[Shape]:
    """Class decorator for values that the service stored or sent: all fields are required, and none has limits.

    The limits are those of requests. A client or server of an older version must be able to read what a newer one
    allows.
    """
    fields: dict[str, Any] = {
        name: (
            _without_limits(Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation),
            ...,
        )
        for name, field in shape.model_fields.items()
    }
    return create_model(shape.__name__, __base__=shape, __doc__=shape.__doc__, __module__=shape.__module__, **fields)


def _without_limits(annotation: Any) -> Any:  # noqa: ANN401 - a type as written in an annotation
    """Returns the type without the metadata that checks values."""
    if get_origin(annotation) is Annotated:
        plain, *metadata = get_args(annotation)
        kept = [each for each in metadata if isinstance(each, ByValue)]
        return Annotated[_without_limits(plain), *kept] if kept else _without_limits(plain)
    if get_origin(annotation) in {Union, UnionType}:
        return Union[tuple(_without_limits(each) for each in get_args(annotation))]  # noqa: UP007 - made at runtime
    return annotation
