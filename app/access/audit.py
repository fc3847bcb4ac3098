"""The audit trail as values: who did what, when, to which session."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

OPEN_ACCESS = "open access"
"""The one who acts when no key is asked for."""
COMMAND_LINE = "command line"
"""The one who acts on the database directly, with the `bestpair` command."""


class Action(StrEnum):
    """What is written down: whatever changes a session as a whole, or who may do so."""

    CREATE = "create"
    RENAME = "rename"
    PAUSE = "pause"
    RESUME = "resume"
    STOP = "stop"
    RAISE_BUDGET = "raise_budget"
    DELETE = "delete"
    CREATE_KEY = "create_key"
    REVOKE_KEY = "revoke_key"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line of the trail; never changed, never removed, whatever becomes of the session or the key."""

    id: int  # grows with every entry
    at: float  # seconds since 1970, database time
    actor: str  # a key's id, or one of the two above
    actor_name: str | None  # of the key
    action: Action
    session_id: str | None
    details: Mapping[str, Any] = field(default_factory=dict)
