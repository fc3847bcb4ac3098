"""Rows to values and back."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Row

from app.database.tables import plans, sessions
from app.engine.problem import Model, SelfPairs
from app.results.health import to_plain
from app.sessions.model import (
    Asked,
    FeedbackKind,
    HandedOut,
    Health,
    Item,
    MissingFeedback,
    PlanRecord,
    Purpose,
    SessionRecord,
    Settings,
    State,
)

RECORD_COLUMNS = [
    sessions.c[name]
    for name in ("id", "name", "state", "budget", "plan_version", "plan_id", "epoch", "created_at", "updated_at")
]
"""The small part of a session's record, which changes; `FixedParts` is the rest."""
PLAN_COLUMNS = [column for column in plans.c if column.name not in {"session_id", "created_at", "id"}]

AnyRow = Row[*tuple[Any, ...]]


@dataclass(frozen=True)
class FixedParts:
    """What never changes in a session: read and parsed once, then kept."""

    items: tuple[Item, ...]
    settings: Settings
    ticket_key: bytes


def is_storable(text: str) -> bool:
    """Returns whether a database can hold the text at all: no NUL and no half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def compact(value: object) -> str:
    """Returns the value as JSON text without spaces."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def session_record(row: AnyRow, fixed: FixedParts) -> SessionRecord:
    """Returns the record of a row that has `RECORD_COLUMNS`."""
    return SessionRecord(
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


def items_to_text(items: Iterable[Item]) -> str:
    """Returns items as they are stored."""
    return compact([[item.id, item.label] for item in items])


def items_from_text(text: str) -> tuple[Item, ...]:
    """Returns items from what is stored."""
    return tuple(Item(id_, label) for id_, label in json.loads(text))


def settings_to_text(settings: Settings) -> str:
    """Returns settings as they are stored."""
    return compact(asdict(settings))


def settings_from_text(text: str) -> Settings:
    """Returns settings from what is stored."""
    fields = json.loads(text)
    return Settings(
        **{
            **fields,
            "model": Model(fields["model"]),
            "feedback": FeedbackKind(fields["feedback"]),
            "self_pairs": SelfPairs(fields["self_pairs"]),
            "missing_feedback": MissingFeedback(fields["missing_feedback"]),
        }
    )


def plan_record(row: AnyRow) -> PlanRecord:
    """Returns the plan of a row that has `PLAN_COLUMNS`."""
    return PlanRecord(
        version=row.version,
        epoch=row.epoch,
        demand=Asked(row.demand),
        handout=Asked(row.handout),
        report=json.loads(row.report),
        memory=row.memory,
        counted_before=row.counted_before,
    )


def plan_row(session_id: str, plan: PlanRecord, handout: Asked, created_at: float) -> dict[str, object]:
    """Returns the row of a plan; `handout` is what it hands out, whatever the record says.

    The plan's id is a digest of what makes it this plan and no other, and of the id of the plan before it.
    """
    identity = (plan.follows, plan.version, plan.epoch, handout.text, plan.memory)
    return {
        "session_id": session_id,
        "id": hashlib.sha256(compact(identity).encode()).hexdigest()[:24],
        "version": plan.version,
        "epoch": plan.epoch,
        "demand": plan.demand.text,
        "handout": handout.text,
        "report": compact(plan.report),
        "memory": plan.memory,
        "counted_before": plan.counted_before,
        "created_at": created_at,
    }


def best_pair(plan: PlanRecord) -> tuple[int, int]:
    """Returns the pair that the plan's report names."""
    pair = plan.report["pair"]
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        raise ValueError(f"the report of plan {plan.version} names no pair: {pair!r}")
    return int(pair[0]), int(pair[1])


def health_to_text(entries: Iterable[Health]) -> str:
    """Returns health entries as they are stored."""
    return compact(to_plain(entries))


def said_in(snapshot: str) -> tuple[Health, ...]:
    """Returns the health entries in the body of a stored snapshot; a newer version may have added to them."""
    fields = Health.__dataclass_fields__
    entries = json.loads(snapshot).get("health", ())
    return tuple(Health(**{name: entry[name] for name in entry if name in fields}) for entry in entries)


def health_from_text(text: str) -> tuple[Health, ...]:
    """Returns health entries from what is stored."""
    return tuple(Health(**entry) for entry in json.loads(text))


def add_note(text: str, note: Health) -> str:
    """Returns stored health entries with this note in place of an earlier one of the same cause."""
    return health_to_text((*(entry for entry in health_from_text(text) if entry.cause != note.cause), note))


def response_to_text(response: Iterable[HandedOut]) -> str:
    """Returns an answer of next-pair as it is kept for a retry."""
    return compact([[h.ticket, h.i, h.j, h.purpose, h.counts, h.plan_version] for h in response])


def response_from_text(text: str) -> list[HandedOut]:
    """Returns an answer of next-pair as it was given the first time."""
    return [
        HandedOut(ticket, i, j, Purpose(purpose), counts, version)
        for ticket, i, j, purpose, counts, version in json.loads(text)
    ]
