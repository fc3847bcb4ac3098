"""Sessions as JSON: create, change, read, list."""

from collections import Counter
from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, model_validator

from app.wire.best_pair import BestPair
from app.wire.session_settings import (
    FEWEST_ITEMS,
    MOST_ITEMS,
    Budget,
    BudgetSetting,
    EditableSettings,
    FeedbackSettings,
    FixedSettings,
    SearchSettings,
    complete,
)
from app.wire.shapes import ItemId, Label, RequestShape, ResponseShape
from app.wire.vocabulary import StateField


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


class _Items(RequestShape):
    items: Annotated[
        list[Annotated[ItemIn, BeforeValidator(_item_from_id, json_schema_input_type=ItemId | ItemIn)]],
        Field(min_length=FEWEST_ITEMS, max_length=MOST_ITEMS, description="Ids, or objects with an id and a label."),
        AfterValidator(_with_different_ids),
    ]


class SessionCreate(FeedbackSettings, BudgetSetting, SearchSettings, EditableSettings, _Items):
    """A new session; only `items` is required."""


class _StateChange(RequestShape):
    state: StateField | None = Field(default=None, description="A stopped session cannot be resumed.")


def _without_defaults(schema: dict[str, Any]) -> None:
    """Removes defaults and null from a schema: they mean "left out" and are not values that one may send."""
    for each in schema["properties"].values():
        each.pop("default", None)
        for option in each.pop("anyOf", ()):
            if option != {"type": "null"}:
                each.update(option)


class SessionPatch(EditableSettings, _StateChange):
    """What to change; what is left out stays."""

    model_config = ConfigDict(json_schema_extra=_without_defaults)

    budget: Budget | None = Field(default=None, description="Can only be raised.")

    @model_validator(mode="before")
    @classmethod
    def _something_changes(cls, given: object) -> object:
        """Returns the body; raises ValueError if it is empty or has a null.

        For creation a null budget means "no limit"; here it would silently do nothing.
        """
        if not isinstance(given, dict):
            return given  # the shape reports it
        if not given:
            *names, last = (f'"{name}"' for name in cls.model_fields)
            raise ValueError(f"nothing to change; send at least one of {', '.join(names)} and {last}")
        nulls = sorted(name for name in cls.model_fields if name in given and given[name] is None)
        if nulls:
            raise ValueError(f"{', '.join(nulls)} cannot be null; leave out what should stay")
        return given

    @property
    def edits(self) -> dict[str, object]:
        """The editable settings in this body, by name."""
        return {name: getattr(self, name) for name in EditableSettings.model_fields if name in self.model_fields_set}


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


class _Identity(ResponseShape):
    id: str


class _Head(EditableSettings, _Identity):
    state: StateField
    n_items: int


@complete
class SessionSummary(FixedSettings, FeedbackSettings, BudgetSetting, SearchSettings, _Head):
    """A session without its items, as lists show it."""

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
