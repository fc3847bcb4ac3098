"""A started store and the statements of all flows in one object, for tests that look at the database through them."""

import random
from collections.abc import AsyncIterator, Sequence
from typing import Any

from app.access.audit import OPEN_ACCESS
from app.counting.sql import FoldResult, fold_session
from app.database.statements import is_storable
from app.database.store import Store
from app.impressions.feedback import FeedbackRows, FeedbackStatus
from app.impressions.feedback_sql import FeedbackRequest
from app.impressions.handout_order import Impression, Order
from app.impressions.service import Impressions
from app.planning.plan import Planned, PlanningInput, StoredPlan
from app.planning.sql import add_plan, create_session, read_last_plan, read_planning_input
from app.results.export_sql import export_session
from app.results.sql import (
    Census,
    Certificate,
    HistoryPoint,
    Live,
    Measured,
    ReportView,
    read_census,
    read_certificate,
    read_history,
    read_live,
    read_measured,
    read_report,
    read_snapshot,
    set_snapshot,
)
from app.services import Services
from app.sessions.changes_sql import change_session, delete_some
from app.sessions.model import Counters, Session, SessionView, Snapshot
from app.sessions.sql import SessionCache, SessionLookup, not_found, read_session, read_view, read_views
from app.telemetry.metrics import Meter
from app.wire.session_settings import EditableSettings
from app.wire.sessions import SessionPatch
from app.wire.vocabulary import State


class SessionStore(Store):
    """The store of one server process with what its services do to the database, one method for each statement."""

    def __init__(self, url: str, *, rng: random.Random | None = None, meter: Meter | None = None, **given: Any) -> None:
        super().__init__(url, meter=meter, **given)
        self.cache = SessionCache()
        self.impressions = Impressions(self, SessionLookup(self, self.cache), self.cache, rng=rng, meter=meter)

    def services(self) -> Services:
        """Returns the use cases on this store, with caches of their own."""
        return Services.build(self)

    async def create_session(
        self,
        session: Session,
        plan: StoredPlan,
        snapshot: Snapshot,
        certificate: Certificate | None,
        by: str = OPEN_ACCESS,
    ) -> Session:
        planned = Planned(plan, snapshot, certificate, session.state)
        return await self.write(create_session, session, EditableSettings(name=session.name), planned, by)

    async def session(self, session_id: str) -> Session:
        return await self.read(read_session, session_id, self.cache)

    async def sessions(self, limit: int, before: str | None) -> list[SessionView]:
        return await self.read(read_views, limit, before, self.cache)

    async def change_session(self, session_id: str, change: SessionPatch, by: str = OPEN_ACCESS) -> Session:
        await self.write(change_session, session_id, change, by)
        return await self.session(session_id)

    async def delete_session(self, session_id: str, by: str | None = OPEN_ACCESS) -> None:
        while not await self.write(delete_some, session_id, by):
            by = None

    async def counters(self, session_id: str) -> Counters:
        return (await self.read(read_view, session_id, self.cache)).counters

    async def issue(self, session_id: str, order: Order) -> list[Impression]:
        _check(session_id)
        asked = order._replace(session_id=session_id)
        return await self.submit(self.impressions._issue, asked, asked.n_impressions, drop_if_cancelled=True)

    async def answer(self, session_id: str, rows: FeedbackRows) -> list[FeedbackStatus]:
        _check(session_id)
        return await self.submit(self.impressions._take_feedback, FeedbackRequest(session_id, rows), len(rows))

    async def fold(self, session_id: str) -> Counters:
        return (await fold_session(self, session_id)).counters

    async def fold_result(self, session_id: str) -> FoldResult:
        return await fold_session(self, session_id)

    async def planning_input(self, session_id: str) -> PlanningInput:
        return await self.read(read_planning_input, session_id, self.cache)

    async def last_plan(self, session_id: str) -> StoredPlan | None:
        return await self.read(read_last_plan, session_id)

    async def add_plan(
        self,
        session_id: str,
        plan: StoredPlan,
        snapshot: Snapshot,
        certificate: Certificate | None,
        *,
        timeline: str,
    ) -> bool:
        planned = Planned(plan, snapshot, certificate, State.RUNNING)
        return await self.write(add_plan, session_id, planned, timeline)

    async def set_snapshot(self, session_id: str, plan_version: int, state: State, snapshot: Snapshot) -> bool:
        return await self.write(set_snapshot, session_id, plan_version, state, snapshot)

    async def snapshot(self, session_id: str) -> Snapshot:
        return await self.read(read_snapshot, session_id)

    async def report(self, session_id: str) -> ReportView:
        return await self.read(read_report, session_id, self.cache)

    async def measured(self, session_id: str) -> Measured:
        return await self.read(read_measured, session_id, self.cache)

    async def live(self, session_ids: Sequence[str]) -> dict[str, Live]:
        return await self.read(read_live, session_ids)

    async def history(self, session_id: str, after: int, limit: int) -> list[HistoryPoint]:
        return await self.read(read_history, session_id, after, limit)

    async def certificate(self, session_id: str) -> Certificate | None:
        return await self.read(read_certificate, session_id)

    def export(self, session_id: str) -> AsyncIterator[dict[str, Any]]:
        return export_session(self, session_id, self.cache)

    async def sessions_to_advance(self) -> list[str]:
        return await self.services().sessions.planner.sessions_to_advance()

    async def census(self, max_named: int) -> Census:
        return await self.read(read_census, max_named)


def _check(session_id: str) -> None:
    """Refuses ids that no database can store; the use cases look the session up first, which does the same."""
    if not is_storable(session_id):
        raise not_found(ascii(session_id))
