"""Health entries: what a person should know about a session, and whether it suspends the verdict.

Three sources write entries: plans (findings of the engine, kept in the plan's report), folds and the database watch
(stored with the session), and notes (`results.notes`, derived for each snapshot and never stored).
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Health:
    """One entry: the problem, its likely cause, what to do; and whether it keeps the session from being certified.

    Entries with the same cause are the same entry. Causes are stored: if a text changes, old entries appear twice.
    """

    problem: str
    cause: str
    advice: str
    suspends: bool = True
    kind: str | None = None  # of a note (`results.notes.NoteKind`); None for findings, and never stored


def merge(known: Iterable[Health], new: Iterable[Health]) -> tuple[Health, ...]:
    """Returns the known entries, followed by new ones whose cause is not known yet."""
    by_cause: dict[str, Health] = {}
    for entry in (*known, *new):
        by_cause.setdefault(entry.cause, entry)
    return tuple(by_cause.values())


def suspends(entries: Iterable[Health]) -> bool:
    """Returns whether at least one entry keeps the session from being certified."""
    return any(entry.suspends for entry in entries)


def to_plain(entries: Iterable[Health]) -> list[dict[str, Any]]:
    """Returns entries as they are stored; `kind` is left out because servers of an older version do not know it."""
    return [{name: value for name, value in asdict(entry).items() if name != "kind"} for entry in entries]


def from_plain(entries: Iterable[dict[str, Any]]) -> tuple[Health, ...]:
    """Returns entries from their stored form; fields that a newer version added are ignored."""
    fields = Health.__dataclass_fields__
    return tuple(Health(**{name: entry[name] for name in entry if name in fields}) for entry in entries)


def to_text(entries: Iterable[Health]) -> str:
    """Returns entries as the text of the `sessions.health` column."""
    return json.dumps(to_plain(entries), separators=(",", ":"), ensure_ascii=False)


def from_text(text: str) -> tuple[Health, ...]:
    """Returns entries from the text of the `sessions.health` column."""
    return from_plain(json.loads(text))


def replace_entry(text: str, entry: Health) -> str:
    """Returns stored entries with this one in place of an earlier entry of the same cause."""
    return to_text((*(old for old in from_text(text) if old.cause != entry.cause), entry))
