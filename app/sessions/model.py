"""A session as values: its settings, its items, its state, its counters."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

from pydantic import ConfigDict

from app.database.statements import AnyRow, compact_json
from app.engine.problem import Goal, Model, Problem
from app.wire.goal import goal_of
from app.wire.session_settings import EditableSettings, FeedbackSettings, FixedSettings, SearchSettings, complete
from app.wire.vocabulary import FeedbackKind, MissingFeedback, State


@dataclass(frozen=True)
class Item:
    """One item to show: the caller's own id and a label for people."""

    id: str
    label: str


@complete
class Settings(FixedSettings):
    """The settings of a session that never change; the others are in `Session`."""

    model_config = ConfigDict(frozen=True)

    def problem(self, n_items: int, budget: int | None) -> Problem:
        """Returns the settings as the engine takes them."""
        return Problem(
            n_items=n_items,
            goal=self.goal,
            delta=self.delta,
            rank=None if self.rank == "auto" else self.rank,
            model=self.model,
            self_pairs=self.self_pairs,
            budget=budget,
            seed=self.seed,
            item_clicks=self.feedback is FeedbackKind.ITEMS,
        )

    @property
    def goal(self) -> Goal:
        """How close to the best a certified pair is."""
        return goal_of(self.epsilon, self.relative_epsilon)

    @property
    def final_after_seconds(self) -> float:
        """Seconds after issue at which an impression is final in any case."""
        return self.attribution_window_seconds or self.ticket_ttl_seconds

    @property
    def reports_all_outcomes(self) -> bool:
        """Whether clicks and missing clicks are both reported, so that their answers can be compared."""
        return self.model is Model.STOCHASTIC and self.missing_feedback is MissingFeedback.VOID

    def to_plain(self) -> dict[str, Any]:
        """Returns the stored and exported form; a rank of "auto" is null there."""
        return {**self.model_dump(mode="json"), "rank": None if self.rank == "auto" else self.rank}

    @classmethod
    def from_plain(cls, stored: Mapping[str, Any]) -> Self:
        """Returns settings from their stored or exported form.

        A missing setting gets its default: the session is older than the setting. An unknown one is ignored: a newer
        version, which may run on the same database during an upgrade, stored it.
        """
        given = {**_DEFAULTS, **stored}
        return cls.model_validate({**given, "rank": "auto" if given["rank"] is None else given["rank"]})

    def to_text(self) -> str:
        """Returns the settings as they are stored."""
        return compact_json(self.to_plain())

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Returns settings from what is stored."""
        return cls.from_plain(json.loads(text))


_DEFAULTS = {
    name: field.default for each in (SearchSettings, FeedbackSettings) for name, field in each.model_fields.items()
}


class FixedParts(NamedTuple):
    """The parts of a session that never change. They are large or slow to parse, so they are read once and cached."""

    items: tuple[Item, ...]
    settings: Settings
    ticket_key: bytes


@dataclass(frozen=True, kw_only=True)
class Session:
    """A stored session without its large parts (plans, evidence, snapshot)."""

    id: str
    name: str
    items: tuple[Item, ...]
    settings: Settings
    ticket_key: bytes  # signs tickets that have no row
    state: State
    budget: int | None
    plan_version: int
    plan_id: str  # of the current plan; '' before the first plan, and for plans of older versions
    watermark: int  # the evidence contains the impressions up to this sequence
    created_at: float  # seconds since 1970, database time
    updated_at: float

    @classmethod
    def from_row(cls, row: AnyRow, fixed: FixedParts) -> Self:
        """Returns the session of a row that has `sql.SESSION_COLUMNS`."""
        return cls(
            id=row.id,
            name=row.name,
            items=fixed.items,
            settings=fixed.settings,
            ticket_key=fixed.ticket_key,
            state=State(row.state),
            budget=row.budget,
            plan_version=row.plan_version,
            plan_id=row.plan_id,
            watermark=row.watermark,
            created_at=row.created_at,
            updated_at=row.updated_at,
        )

    @property
    def problem(self) -> Problem:
        """The question of this session, as the engine takes it."""
        return self.settings.problem(len(self.items), self.budget)

    @cached_property
    def item_ids(self) -> frozenset[str]:
        """The ids of all items."""
        return frozenset(item.id for item in self.items)


@dataclass(frozen=True)
class Counters:
    """How many impressions that count were issued, answered, given up as void, and are in the evidence."""

    issued: int
    answered: int
    void: int
    counted: int

    @property
    def outstanding(self) -> int:
        """Impressions that are neither counted nor void yet."""
        return self.issued - self.void - self.counted

    @classmethod
    def from_row(cls, row: AnyRow) -> Self:
        """Returns the counters of a row that has `sql.COUNTER_COLUMNS`."""
        return cls(issued=row.issued, answered=row.answered, void=row.void, counted=row.counted)


@dataclass(frozen=True)
class Snapshot:
    """A prepared response, of best-pair or of the heat map."""

    body: str  # JSON
    etag: str


class SessionView(NamedTuple):
    """A session as callers read it."""

    session: Session
    counters: Counters
    snapshot: Snapshot
    editable: EditableSettings
