"""The things a session is made of, as values: settings, records, impressions, answers."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple

from app.engine.problem import Model, Problem, SelfPairs


class State(StrEnum):
    """What the caller decided about the session."""

    RUNNING = "running"
    PAUSED = "paused"
    STOPPED = "stopped"


class FeedbackKind(StrEnum):
    """What an answer tells: whether the pair was clicked, or which items were."""

    PAIR = "pair"
    ITEMS = "items"


class MissingFeedback(StrEnum):
    """What silence means once an impression is final."""

    VOID = "void"
    NO_CLICK = "no_click"


class Purpose(StrEnum):
    """Why a pair was handed out."""

    EXPLORE = "explore"
    EXPLOIT = "exploit"


@dataclass(frozen=True)
class Item:
    """One thing to show: the caller's own id and a label for people."""

    id: str
    label: str


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What was asked for at creation; only `budget` can be raised later (it lives in the record)."""

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
        """Returns the question as the engine asks it."""
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
        """Seconds after issue at which an impression is final whatever happened."""
        return self.attribution_window_seconds or self.ticket_ttl_seconds


@dataclass(frozen=True, kw_only=True)
class SessionRecord:
    """A stored session without its heavy parts (plans, evidence, snapshot)."""

    id: str
    name: str
    items: tuple[Item, ...]
    settings: Settings
    ticket_key: bytes  # signs tickets that leave no row
    state: State
    budget: int | None
    plan_version: int
    plan_id: str  # of the current plan, '' before the first and for plans of older versions
    epoch: int  # of the last fold
    created_at: float  # seconds since 1970, database time
    updated_at: float


@dataclass(frozen=True)
class Counters:
    """How many counting impressions: handed out, answered, given up as void, in the evidence, still out."""

    issued: int
    answered: int
    void: int
    counted: int
    # Known after a fold only: every position of the current plan has been handed out at least once.
    plan_is_out: bool = field(default=False, compare=False)
    # Known after a fold only: for so many seconds nothing that is out becomes final, unless an answer comes.
    quiet_seconds: float = field(default=0.0, compare=False)
    # Known after a fold only: what notes are made from; the health entries of the stored snapshot, and those that it
    # should have because they are stored with the session.
    signals: "Signals | None" = field(default=None, compare=False)
    said: "tuple[Health, ...]" = field(default=(), compare=False)
    stored_health: "tuple[Health, ...]" = field(default=(), compare=False)

    @property
    def outstanding(self) -> int:
        """Neither counted nor void yet."""
        return self.issued - self.void - self.counted


class HandedOut(NamedTuple):
    """One impression as the caller gets it; i and j in the order shown. A tuple: one is made for every request."""

    ticket: str
    i: int
    j: int
    purpose: Purpose
    counts: bool
    plan_version: int


@dataclass(slots=True)  # not frozen: one is made for every answer, and freezing takes four times as long
class StoredImpression:
    """What judging an answer needs to know of an impression."""

    sequence: int
    i: int
    j: int
    issued_at: float
    outcome: float | None  # the reward, once answered in time
    clicked: int | None  # bit 1: first slot, bit 2: second slot (item-level feedback)
    not_shown: bool
    late_outcome: float | None
    late_clicked: int | None
    epoch: int | None  # of the fold that counted it or found it void
    void: bool


class Feedback(NamedTuple):
    """One answer, checked for form: exactly one of reward, clicked (item numbers) and not_shown."""

    ticket: str
    reward: float | None = None
    clicked: frozenset[int] | None = None
    not_shown: bool = False


@dataclass(frozen=True, slots=True)
class Rewards:
    """Many answers, each a click on the pair or none, as columns: they cost no object each unless one is asked for."""

    tickets: list[str]  # of printable ASCII
    clicks: list[float]  # 0 or 1 for each ticket

    def __len__(self) -> int:
        return len(self.tickets)

    def __iter__(self) -> Iterator[Feedback]:
        return map(Feedback, self.tickets, map(float, self.clicks))


Answers = Sequence[Feedback] | Rewards


class FeedbackStatus(StrEnum):
    """What became of an answer."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    LATE = "late"
    IGNORED = "ignored"
    CONFLICT = "conflict"  # a 409 for a single call, a row's status in a batch
    NOT_FOUND = "not_found"  # a 404 for a single call, a row's status in a batch
    INVALID = "invalid"  # a 422 for a single call, a row's status in a batch: a click on an item that was not shown


@dataclass(frozen=True)
class Asked:
    """Pairs and how often each is to be shown, as the text that is stored.

    A plan may ask for tens of thousands. Their text is written once, where the plan is made, and read only by those who
    look inside: whoever passes it on holds up nobody.
    """

    text: str  # JSON: [[i, j, count], ...]

    @classmethod
    def of(cls, triples: Iterable[tuple[int, int, int]]) -> "Asked":
        """Returns these triples, with what is known of them already."""
        given = tuple(triples)
        asked = cls(json.dumps(given, separators=(",", ":")))
        asked.__dict__["total"] = sum(count for _, _, count in given)
        return asked

    @property
    def triples(self) -> tuple[tuple[int, int, int], ...]:
        """The pairs, each with its count."""
        return tuple((i, j, count) for i, j, count in json.loads(self.text))

    @cached_property
    def total(self) -> int:
        """All impressions asked for."""
        return sum(count for _, _, count in self.triples)


@dataclass(frozen=True)
class PlanRecord:
    """One entry of the append-only log of plans."""

    version: int
    epoch: int  # the fold whose evidence it rests on
    demand: Asked  # of the policy
    handout: Asked  # the same less what was still out when the plan was made
    report: dict[str, Any]
    memory: str  # JSON, as the engine wrote it
    counted_before: int  # impressions in the evidence when it was made
    follows: str = ""  # identity of the plan before it, known while this one is new


@dataclass(frozen=True)
class Snapshot:
    """A prepared answer, of best-pair or the heat map."""

    body: str  # JSON
    etag: str


@dataclass(frozen=True)
class Live:
    """What streams tell of a session as it goes on."""

    snapshot: Snapshot
    counters: Counters


@dataclass(frozen=True)
class HistoryPoint:
    """What one plan said when it was made: a point of the progress chart."""

    version: int
    made_at: float  # seconds since 1970, database time
    report: dict[str, Any]


@dataclass(frozen=True)
class Health:
    """A finding for people: what, the likely cause, what to do; and whether nothing can be certified any more."""

    problem: str
    cause: str
    advice: str
    suspends: bool = True
    kind: str | None = None  # of a note (`sessions.notes`), None for findings; never stored in a plan's report


@dataclass(frozen=True)
class Signals:
    """What notes about a session are made from, as it is in the database now; the defaults give no note."""

    issued: int = 0
    answered: int = 0
    only_clicks: bool = False  # no answer so far was anything but a click
    # Of the oldest impression that is out; infinite if there is no answer and some were given up.
    waited_seconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True)
class SessionChange:
    """What a PATCH asks for; None leaves a thing as it is."""

    state: State | None = None
    name: str | None = None
    budget: int | None = None


@dataclass(frozen=True)
class EvidenceRows:
    """Counts by pair (i <= j) and plan version, aligned lists; the clicks are item-level ones, by item i and j.

    `unanswered` are impressions given up because no answer came; n does not contain them, and may be 0 beside them.
    """

    i: list[int] = field(default_factory=list)
    j: list[int] = field(default_factory=list)
    version: list[int] = field(default_factory=list)
    n: list[int] = field(default_factory=list)
    s: list[float] = field(default_factory=list)
    clicks_i: list[int] = field(default_factory=list)
    clicks_j: list[int] = field(default_factory=list)
    unanswered: list[int] = field(default_factory=list)
