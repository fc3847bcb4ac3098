"""JSON shapes of GET /v1/access and GET /v1/audit."""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from app.wire.shapes import ResponseShape

ScopeName = Literal["serve", "feedback", "read", "admin"]


class Access(ResponseShape):
    """What the caller may do: everything, if no key is required (on loopback, before the first key is made)."""

    key: str | None = Field(description="The key's public id; null without a key.")
    name: str | None
    scopes: list[ScopeName]
    session: str | None = Field(description="The only session the key may be used for; null: all sessions.")


class AuditEntry(ResponseShape):
    """One change of a session or a key."""

    id: int
    at: datetime
    actor: str = Field(description='A key\'s public id, "open access" or "command line".')
    actor_name: str | None
    action: str
    session: str | None
    details: dict[str, Any]


class AuditPage(ResponseShape):
    """Entries, newest first."""

    entries: list[AuditEntry]
    next_cursor: int | None = Field(description="The cursor of the next page; null on the last page.")
