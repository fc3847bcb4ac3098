"""Routes about access: what the caller may do, and the audit trail."""

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.requests import Request

from app.access.audit import Entry
from app.access.keys import Scope
from app.access.sql import AccessStore
from app.web.access import Admitted, needs
from app.web.problems import STORED, InvalidRequest, declared
from app.wire.access import Access, AuditEntry, AuditPage

MAX_PAGE_SIZE = 200

router = APIRouter(prefix="/v1", tags=["access"])


@router.get("/access", dependencies=[needs(Scope.READ, narrowed=True)], responses=declared(*STORED))
async def access(admitted: Admitted) -> Access:
    """Returns what the caller may do; the dashboard hides buttons whose calls would be refused."""
    key = admitted.key
    if key is None:
        return Access(key=None, name=None, scopes=[scope.value for scope in Scope], session=None)
    scopes: list[Any] = [scope.value for scope in Scope if key.grants(scope)]
    return Access(key=key.id, name=key.name, scopes=scopes, session=key.session_id)


@router.get("/audit", dependencies=[needs(Scope.ADMIN)], responses=declared(InvalidRequest, *STORED))
async def audit(
    request: Request,
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE_SIZE)] = 50,
    cursor: Annotated[int | None, Query(ge=1, le=2**63 - 1, description="From the previous page.")] = None,
) -> AuditPage:
    """Lists who created, changed and deleted sessions and keys, newest first."""
    store: AccessStore | None = request.app.state.access_store
    entries = [] if store is None else await store.audit(limit + 1, cursor)
    next_cursor = entries[limit - 1].id if len(entries) > limit else None
    return AuditPage(entries=[_audit_entry(entry) for entry in entries[:limit]], next_cursor=next_cursor)


def _audit_entry(entry: Entry) -> AuditEntry:
    return AuditEntry(
        id=entry.id,
        at=datetime.fromtimestamp(entry.at, UTC),
        actor=entry.actor,
        actor_name=entry.actor_name,
        action=entry.action,
        session=entry.session_id,
        details=dict(entry.details),
    )
