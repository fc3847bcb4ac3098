"""The audit trail: who did what, when, to which session. `app.access.sql` writes and reads the entries."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

OPEN_ACCESS = "open access"
"""The actor of calls without a key, which are allowed until the first key is made."""
COMMAND_LINE = "command line"
"""The actor of `bestpair` commands, which work on the database directly."""


class Action(StrEnum):
    """A change of a session as a whole or of a key: each one adds an entry to the audit trail."""

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
    """One audit entry. It is never changed or removed, even after its session or key is gone."""

    id: int  # increases with every entry
    at: float  # seconds since 1970, database time
    actor: str  # a key's id, OPEN_ACCESS or COMMAND_LINE
    actor_name: str | None  # the key's name
    action: str  # an `Action`, or one that a newer version wrote
    session_id: str | None
    details: Mapping[str, Any] = field(default_factory=dict)
