"""A session as values: its settings, its items, its state, its counters."""

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple, Self

from app.database.statements import AnyRow, compact_json
from app.database.tables import State
from app.engine.problem import Model, Problem, SelfPairs


class FeedbackKind(StrEnum):
    """What feedback says: whether the pair was clicked, or which items were."""

    PAIR = "pair"
    ITEMS = "items"


class MissingFeedback(StrEnum):
    """What missing feedback means once an impression is final."""

    VOID = "void"
    NO_CLICK = "no_click"


@dataclass(frozen=True)
class Item:
    """One item to show: the caller's own id and a label for people."""

    id: str
    label: str


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What was asked for at creation and never changes; the budget can be raised, so it is in `Session`."""

    model: Model
    feedback: FeedbackKind
    policy: str
    rank: int | None  # None is "auto"
    epsilon: float
    delta: float
    self_pairs: SelfPairs
    explore_share: float
    attribution_window_seconds: float
    ticket_ttl_seconds: float
    missing_feedback: MissingFeedback
    seed: int

    def problem(self, n_items: int, budget: int | None) -> Problem:
        """Returns the settings as the engine takes them."""
        return Problem(
            n_items=n_items,
            epsilon=self.epsilon,
            delta=self.delta,
            rank=self.rank,
            model=self.model,
            self_pairs=self.self_pairs,
            budget=budget,
            seed=self.seed,
            item_clicks=self.feedback is FeedbackKind.ITEMS,
        )

    @property
    def final_after_seconds(self) -> float:
        """Seconds after issue at which an impression is final in any case."""
        return self.attribution_window_seconds or self.ticket_ttl_seconds

    def to_text(self) -> str:
        """Returns the settings as they are stored."""
        return compact_json(asdict(self))

    @classmethod
    def from_plain(cls, fields: dict[str, Any]) -> Self:
        """Returns settings from their stored or exported form."""
        return cls(
            **{
                **fields,
                "model": Model(fields["model"]),
                "feedback": FeedbackKind(fields["feedback"]),
                "self_pairs": SelfPairs(fields["self_pairs"]),
                "missing_feedback": MissingFeedback(fields["missing_feedback"]),
            }
        )

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Returns settings from what is stored."""
        return cls.from_plain(json.loads(text))


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
    epoch: int  # number of the last fold
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
            epoch=row.epoch,
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


@dataclass(frozen=True)
class SessionChange:
    """What a PATCH changes; None leaves a field as it is."""

    state: State | None = None
    name: str | None = None
    budget: int | None = None
