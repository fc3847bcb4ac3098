"""The use cases that create, change and delete a session.

They are here because a new session gets its first plan in the same transaction, and a raised budget makes a new plan.
"""

import logging
import secrets

from app.access.audit import OPEN_ACCESS
from app.counting.chain import chain_start
from app.counting.rules import EvidenceRows
from app.database.store import Store
from app.planning.plan import PlanningInput
from app.planning.planner import Planner
from app.planning.sql import create_session
from app.results.best_pair import Snapshots
from app.results.certificates import LogState
from app.sessions.changes_sql import change_session, delete_some
from app.sessions.creation import items_of, settle
from app.sessions.model import Counters, Session, SessionView
from app.sessions.sql import SessionCache, SessionLookup, read_view
from app.telemetry.metrics import Meter
from app.wire.session_settings import EditableSettings
from app.wire.sessions import SessionCreate, SessionPatch
from app.wire.vocabulary import State

log = logging.getLogger("bestpair.sessions")


class Sessions:
    """Creates, changes and deletes sessions, and keeps them advancing in the background."""

    def __init__(
        self,
        store: Store,
        lookup: SessionLookup,
        cache: SessionCache,
        snapshots: Snapshots,
        *,
        meter: Meter | None = None,
    ) -> None:
        self._store = store
        self._lookup = lookup
        self._cache = cache
        self._snapshots = snapshots
        self.planner = Planner(store, lookup, cache, snapshots, meter=meter)

    async def create(self, new: SessionCreate, by: str = OPEN_ACCESS) -> SessionView:
        """Returns a new session with its first plan; raises InvalidSession."""
        session = Session(
            id=secrets.token_hex(12),
            name=new.name,
            items=items_of(new),
            settings=settle(new),
            ticket_key=secrets.token_bytes(32),
            state=State.RUNNING,
            budget=new.budget,
            plan_version=0,
            plan_id="",
            watermark=0,
            created_at=0.0,
            updated_at=0.0,
        )
        counters = Counters(0, 0, 0, 0)
        chain = LogState(chain_start(session.id).hex())
        first = PlanningInput(session, counters, EvidenceRows(), None, (), log=chain)
        planned = await self.planner.make_first_plan(first)
        editable = EditableSettings.model_validate(dict(new))
        stored = await self._store.write(create_session, session, editable, planned, by)
        log.info("session_created", extra={"session": stored.id, "label": stored.name, "items": len(stored.items)})
        return SessionView(stored, counters, planned.snapshot, editable)

    async def change(self, session_id: str, change: SessionPatch, by: str = OPEN_ACCESS) -> SessionView:
        """Returns the session after the change; raises SessionNotFound, InvalidStateChange."""
        state = await self._store.write(change_session, session_id, change, by)
        log.info("session_changed", extra={"session": session_id, "state": state.value})
        if change.budget is not None:
            await self.planner.advance(session_id, plan_anyway=True)
        await self._snapshots.refresh(session_id)
        return await self._store.read(read_view, session_id, self._cache)

    async def delete(self, session_id: str, by: str = OPEN_ACCESS) -> None:
        """Deletes the session with all its data; a large one in several transactions, stopped from the first on."""
        audited_by: str | None = by  # the first transaction adds the audit entry: it cannot be undone
        while not await self._store.write(delete_some, session_id, audited_by):
            audited_by = None
        log.info("session_deleted", extra={"session": session_id})
        self._lookup.forget(session_id)
        self.planner.forget(session_id)
        self._snapshots.forget(session_id)
