"""Use cases without a database or planning: enough to test what HTTP makes of them."""

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

from app.access.audit import OPEN_ACCESS
from app.errors import NotCertified, SessionError, SessionNotFound, TicketNotFound
from app.sessions.creation import NewSession, settle
from app.sessions.model import (
    Counters,
    FeedbackStatus,
    HandedOut,
    HistoryPoint,
    Live,
    Purpose,
    Rewards,
    SessionChange,
    SessionRecord,
    Snapshot,
    State,
)
from app.sessions.ports import Census, CertificateRecord, Order, SessionGroup
from app.sessions.service import Answer, RowResult, Sessions, SessionView, Shown

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
    "epsilon": 0.05,
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


class FakeSessions(Sessions):
    """Sessions in a dictionary; set `error` to make every call fail with it."""

    def __init__(self) -> None:
        self.records: dict[str, SessionRecord] = {}
        self.snapshot = Snapshot(json.dumps(BEST_PAIR), '"tag-1"')
        self.lives: list[Live | None] = []
        self.points: list[HistoryPoint] = []
        self.stored_certificate: CertificateRecord | None = None
        self.exported: list[dict[str, Any]] = []
        self.changes: list[SessionChange] = []
        self.actors: list[str] = []
        self.orders: list[Order] = []
        self.answers: list[Answer] = []
        self.error: Exception | None = None
        self.not_ready: str | None = None
        self.counted = Census((SessionGroup("running", "not_yet", 2, 7),))

    async def create(self, new: NewSession, by: str = OPEN_ACCESS) -> SessionView:
        self._fail()
        self.actors.append(by)
        record = SessionRecord(
            id=f"s{len(self.records)}",
            name=new.name,
            items=new.items,
            settings=settle(new),
            ticket_key=b"",
            state=State.RUNNING,
            budget=new.budget,
            plan_version=1,
            plan_id="",
            epoch=0,
            created_at=1_700_000_000.5,
            updated_at=1_700_000_000.5,
        )
        self.records[record.id] = record
        return self._view(record)

    async def get(self, session_id: str) -> SessionView:
        return self._view(self._found(session_id))

    async def page(self, limit: int, before: str | None) -> list[SessionView]:
        self._fail()
        newest_first = list(reversed(self.records.values()))
        ids = [record.id for record in newest_first]
        start = ids.index(before) + 1 if before in ids else 0
        return [self._view(record) for record in newest_first[start : start + limit]]

    async def change(self, session_id: str, change: SessionChange, by: str = OPEN_ACCESS) -> SessionView:
        record = self._found(session_id)
        self.actors.append(by)
        self.changes.append(change)
        return self._view(record)

    async def delete(self, session_id: str, by: str = OPEN_ACCESS) -> None:
        self._found(session_id)
        self.actors.append(by)
        del self.records[session_id]

    async def next_pairs(self, session_id: str, order: Order) -> list[Shown]:
        record = self._found(session_id)
        self.orders.append(order)
        handed_out = HandedOut("t1", 0, 1, Purpose.EXPLORE, True, 1)
        return [Shown(handed_out, (record.items[0].id, record.items[1].id))] * order.count

    async def feedback(self, session_id: str, answer: Answer) -> FeedbackStatus:
        self._found(session_id)
        if answer.ticket == "unknown":
            raise TicketNotFound("no impression has this ticket")
        self.answers.append(answer)
        return FeedbackStatus.ACCEPTED

    async def feedback_batch(self, session_id: str, answers: Sequence[Answer] | Rewards) -> list[RowResult]:
        self._found(session_id)
        rows = [Answer(one.ticket, one.reward) for one in answers] if isinstance(answers, Rewards) else answers
        self.answers.extend(rows)
        return [RowResult("not_found" if answer.ticket == "unknown" else "accepted") for answer in rows]

    async def best_pair(self, session_id: str) -> Snapshot:
        self._found(session_id)
        return self.snapshot

    def best_pair_kept(self, session_id: str) -> Snapshot | None:
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

    async def history(self, session_id: str, after: int, limit: int) -> tuple[SessionRecord, list[HistoryPoint]]:
        found = self._found(session_id)
        return found, [point for point in self.points if point.version > after][:limit]

    async def certificate(self, session_id: str) -> CertificateRecord:
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

    async def start(self) -> None:
        pass

    async def stop(self) -> None:
        pass

    def _found(self, session_id: str) -> SessionRecord:
        self._fail()
        if session_id not in self.records:
            raise SessionNotFound(f"no session has the id {session_id}")
        return self.records[session_id]

    def _view(self, record: SessionRecord) -> SessionView:
        return SessionView(record, Counters(5, 3, 1, 2), self.snapshot)

    def _fail(self) -> None:
        if self.error is not None:
            raise self.error
