"""Sessions, plans and orders to test with, and a look behind a store's back."""

import itertools
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import text

from app.database.database import migration_engine
from app.engine.problem import Model, SelfPairs
from app.impressions.handout_order import Impression, Order, PairCounts
from app.planning.plan import StoredPlan
from app.results.report import PlanReport
from app.results.sql import Certificate
from app.sessions.model import Item, Session, Settings, Snapshot
from app.wire.serving import Feedback
from app.wire.vocabulary import FeedbackKind, MissingFeedback, State, WhileWaiting
from tests.store import SessionStore

Triples = tuple[tuple[int, int, int], ...]
THREE_PAIRS: Triples = ((0, 1, 3), (0, 2, 2), (1, 2, 1))
LARGE: Triples = tuple((i, j, 500 * count) for i, j, count in THREE_PAIRS)
"""A demand for tests of many impressions: a plan is handed out a few times only."""

_numbers = itertools.count(1)


def settings(**changes: Any) -> Settings:
    """Returns settings of a stochastic session without a window; a ticket lives 300 s."""
    usual = Settings(
        model=Model.STOCHASTIC,
        feedback=FeedbackKind.PAIR,
        policy="rplans",
        rank="auto",
        epsilon=0.05,
        relative_epsilon=None,
        delta=0.05,
        self_pairs=SelfPairs.NEVER,
        explore_share=1.0,
        while_waiting=WhileWaiting.EXPLORE,
        attribution_window_seconds=0.0,
        ticket_ttl_seconds=300.0,
        missing_feedback=MissingFeedback.VOID,
        seed=7,
    )
    return usual.model_copy(update=changes)


def record(*, n_items: int = 3, budget: int | None = None, state: State = State.RUNNING, **changes: Any) -> Session:
    """Returns a new session with an id of its own; `changes` are of its settings."""
    number = next(_numbers)
    return Session(
        id=f"session-{number}",
        name=f"Session {number}, ünïcode ☃",
        items=tuple(Item(f"ad-{k}", f"Ad {k} 🙂") for k in range(n_items)),
        settings=settings(**changes),
        ticket_key=bytes(range(32)),
        state=state,
        budget=budget,
        plan_version=1,
        plan_id="",
        watermark=0,
        created_at=0.0,
        updated_at=0.0,
    )


def report(**changes: Any) -> PlanReport:
    """Returns the report of a plan that has proven nothing yet."""
    usual = PlanReport(
        pair=(0, 1),
        verdict="not_yet",
        gap=0.25,
        estimated_reward=None,
        interval=(0.0, 1.0),
        phase="refine",
        samples=0,
        contenders=2,
        forecast_samples=None,
        assumptions=("independent-draws",),
    )
    return replace(usual, **changes)


def plan(
    version: int = 1, demand: Triples = THREE_PAIRS, *, pair: Sequence[int] = (0, 1), watermark: int = 0
) -> StoredPlan:
    """Returns a plan with this demand."""
    return StoredPlan(
        version=version,
        watermark=watermark,
        demand=PairCounts.of(demand),
        handout=PairCounts.of(demand),
        report=report(pair=(pair[0], pair[1])),
        memory=json.dumps({"version": version, "notes": {"rounds": [1, 2]}}),
        counted_before=0,
    )


def snapshot(text: str = "first") -> Snapshot:
    """Returns a snapshot that says this."""
    return Snapshot(json.dumps({"says": text}), f'"{text}"')


async def add_plan(
    store: SessionStore, session_id: str, new: StoredPlan, snapshot: Snapshot, certificate: Certificate | None
) -> bool:
    """Returns whether the plan was added to the session as it is now."""
    follows = replace(new, follows=(await store.session(session_id)).plan_id)
    return await store.add_plan(session_id, follows, snapshot, certificate, timeline=await store.timeline())


async def a_session(store: SessionStore, *, demand: Triples = THREE_PAIRS, **changes: Any) -> str:
    """Returns the id of a session that was just stored."""
    made = await store.create_session(record(**changes), plan(demand=demand), snapshot(), None)
    return made.id


def order(count: int = 1, key: str | None = None, digest: str = "body", route: str = "next-pair") -> Order:
    """Returns a call of next-pair; `SessionStore.issue` adds the session."""
    return Order("", count, route, key, digest)


async def issue(store: SessionStore, session_id: str, count: int) -> list[Impression]:
    """Returns so many impressions, in calls of at most 1000."""
    given: list[Impression] = []
    while len(given) < count:
        given += await store.issue(session_id, order(min(1000, count - len(given))))
    return given


def pairs(given: list[Impression]) -> Counter[tuple[int, int]]:
    """Returns how often each pair was handed out, whichever item came first."""
    return Counter((min(one.i, one.j), max(one.i, one.j)) for one in given)


def reward(shown: Impression, value: float) -> Feedback:
    """Returns an answer."""
    return feedback(shown.ticket, reward=value)


def feedback(
    ticket: str, *, reward: float | None = None, clicked: Iterable[int] | None = None, not_shown: bool = False
) -> Feedback:
    """Returns feedback with any ticket; `clicked` are item numbers of a session made by `record`."""
    ids = None if clicked is None else [f"ad-{number}" for number in clicked]
    return Feedback.model_construct(ticket=ticket, reward=reward, clicked=ids, not_shown=not_shown)


async def exported(store: SessionStore, session_id: str, kind: str) -> list[dict[str, Any]]:
    """Returns the exported rows of one kind."""
    return [row async for row in store.export(session_id) if row["kind"] == kind]


def execute(url: str, statement: str, given: dict[str, object] | None = None) -> list[Any]:
    """Returns the rows of a statement run behind the store's back; several are parted by semicolons."""
    rows: list[Any] = []
    with migration_engine(url).begin() as connection:
        for part in statement.split(";"):
            result = connection.execute(text(part), given)
            rows = list(result) if result.returns_rows else []
    return rows


def let_time_pass(url: str, seconds: float) -> None:
    """Makes all that is stored older, as if the store had been up all the time."""
    execute(
        url,
        "UPDATE impressions SET issued_at = issued_at - :s, answered_at = answered_at - :s, late_at = late_at - :s;"
        "UPDATE uptimes SET began_at = began_at - :s;"
        "UPDATE idempotency_keys SET created_at = created_at - :s",
        {"s": seconds},
    )
