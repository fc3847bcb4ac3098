"""Use cases without a database or planning: enough to test what HTTP makes of them."""

import json
from collections.abc import AsyncIterator
from typing import Any

from app.access.audit import OPEN_ACCESS
from app.errors import NotCertified, SessionError, SessionNotFound, TicketNotFound
from app.impressions.feedback import FeedbackRows, FeedbackStatus
from app.impressions.handout_order import Impression, Order, Purpose
from app.impressions.service import Impressions, RowResult
from app.planning.lifecycle import Sessions
from app.results.service import Results
from app.results.sql import Census, Certificate, HistoryPoint, Live, SessionGroup
from app.services import Services
from app.sessions.creation import items_of, settle
from app.sessions.model import Counters, Session, SessionView, Snapshot
from app.wire.serving import Feedback
from app.wire.session_settings import EditableSettings
from app.wire.sessions import SessionCreate, SessionPatch
from app.wire.vocabulary import State

BEST_PAIR = {
    "state": "running",
    "verdict": "not_yet",
    "certified": False,
    "pair": ["a", "b"],
    "i": 0,
    "j": 1,
    "estimated_reward": None,
    "interval": [0.0, 1.0],
    "gap": 1.0,
    "relative_gap": 1.0,
    "epsilon": None,
    "relative_epsilon": 0.1,
    "delta": 0.05,
    "phase": "first look",
    "samples": 0,
    "contenders": 3,
    "forecast_samples": None,
    "assumptions": ["mixture"],
    "health": [],
    "plan_version": 1,
    "updated_at": "2025-01-01T00:00:00.000+00:00",
}


class FakeServices(Impressions, Sessions, Results):
    """All use cases, with sessions in a dictionary; set `error` to make every call fail with it."""

    def __init__(self) -> None:
        self.records: dict[str, Session] = {}
        self.editable: dict[str, EditableSettings] = {}
        self.snapshot = Snapshot(json.dumps(BEST_PAIR), '"tag-1"')
        self.lives: list[Live | None] = []
        self.points: list[HistoryPoint] = []
        self.stored_certificate: Certificate | None = None
        self.exported: list[dict[str, Any]] = []
        self.changes: list[SessionPatch] = []
        self.actors: list[str] = []
        self.orders: list[Order] = []
        self.answers: list[Feedback] = []
        self.error: Exception | None = None
        self.not_ready: str | None = None
        self.counted = Census((SessionGroup("running", "not_yet", 2, 7),))

    @property
    def services(self) -> Services:
        """The use cases as the application takes them."""
        return Services(self, self, self)

    async def create(self, new: SessionCreate, by: str = OPEN_ACCESS) -> SessionView:
        self._fail()
        self.actors.append(by)
        record = Session(
            id=f"s{len(self.records)}",
            name=new.name,
            items=items_of(new),
            settings=settle(new),
            ticket_key=b"",
            state=State.RUNNING,
            budget=new.budget,
            plan_version=1,
            plan_id="",
            watermark=0,
            created_at=1_700_000_000.5,
            updated_at=1_700_000_000.5,
        )
        self.records[record.id] = record
        self.editable[record.id] = EditableSettings.model_validate(dict(new))
        return self._view(record)

    async def session(self, session_id: str) -> SessionView:
        return self._view(self._found(session_id))

    async def sessions(self, limit: int, before: str | None) -> list[SessionView]:
        self._fail()
        newest_first = list(reversed(self.records.values()))
        ids = [record.id for record in newest_first]
        start = ids.index(before) + 1 if before in ids else 0
        return [self._view(record) for record in newest_first[start : start + limit]]

    async def change(self, session_id: str, change: SessionPatch, by: str = OPEN_ACCESS) -> SessionView:
        record = self._found(session_id)
        self.actors.append(by)
        self.changes.append(change)
        return self._view(record)

    async def delete(self, session_id: str, by: str = OPEN_ACCESS) -> None:
        self._found(session_id)
        self.actors.append(by)
        del self.records[session_id]

    async def next_pairs(self, order: Order) -> tuple[Session, list[Impression]]:
        found = self._found(order.session_id)
        self.orders.append(order)
        return found, [Impression("t1", 0, 1, Purpose.EXPLORE, True, 1)] * order.n_impressions

    async def feedback(self, session_id: str, feedback: Feedback) -> FeedbackStatus:
        self._found(session_id)
        if feedback.ticket == "unknown":
            raise TicketNotFound("no impression has this ticket")
        self.answers.append(feedback)
        return FeedbackStatus.ACCEPTED

    async def feedback_batch(self, session_id: str, rows: FeedbackRows) -> list[RowResult]:
        self._found(session_id)
        self.answers.extend(rows)
        return [RowResult("not_found" if each.ticket == "unknown" else "accepted") for each in rows]

    async def best_pair(self, session_id: str) -> Snapshot:
        self._found(session_id)
        return self.snapshot

    def best_pair_cached(self, session_id: str) -> Snapshot | None:
        return self.snapshot if self.error is None and session_id in self.records else None

    async def estimates(self, session_id: str, top: int) -> Snapshot:
        items = [{"i": n, "id": item.id, "label": item.label} for n, item in enumerate(self._found(session_id).items)]
        cells = {"reward": [None], "low": [0.0], "high": [1.0], "shown": [0], "measured": [False]}
        body = {"plan_version": 1, "samples": 0, "items": items[:top], "cells": cells, "contenders": []}
        return Snapshot(json.dumps(body), f'"map-{top}"')

    def follow(self, session_id: str, idle_seconds: float) -> AsyncIterator[Live | None]:  # noqa: ARG002
        async def told() -> AsyncIterator[Live | None]:
            for live in self.lives:
                yield live

        self._fail()
        return told()

    async def history(self, session_id: str, after: int, limit: int) -> tuple[Session, list[HistoryPoint]]:
        found = self._found(session_id)
        return found, [point for point in self.points if point.version > after][:limit]

    async def certificate(self, session_id: str) -> Certificate:
        self._found(session_id)
        if self.stored_certificate is None:
            raise NotCertified("nothing is certified yet")
        return self.stored_certificate

    async def export(self, session_id: str) -> AsyncIterator[dict[str, Any]]:
        self._found(session_id)
        for row in self.exported:
            yield row

    async def census(self) -> Census | None:
        return None if isinstance(self.error, SessionError) else self.counted

    async def ready(self) -> str | None:
        if isinstance(self.error, SessionError):
            return self.error.detail
        return self.not_ready

    async def stop(self) -> None:
        pass

    def _found(self, session_id: str) -> Session:
        self._fail()
        if session_id not in self.records:
            raise SessionNotFound(f"no session has the id {session_id}")
        return self.records[session_id]

    def _view(self, record: Session) -> SessionView:
        return SessionView(record, Counters(5, 3, 1, 2), self.snapshot, self.editable[record.id])

    def _fail(self) -> None:
        if self.error is not None:
            raise self.error
