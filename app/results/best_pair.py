"""Snapshots: the prepared response of best-pair. Written when a plan, the state or health changes; read by all callers.

Each process caches snapshots, so that a poll does not access the database. A process sees its own changes at once, and
changes of other processes after at most `STALE_SECONDS`. A snapshot that is polled all the time is read again in the
background, so that no caller waits, and many callers do not miss the cache at the same time.
"""

import asyncio
import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import NamedTuple

from app.counting.signals_sql import Signals
from app.database.store import Store
from app.health import Health, merge, suspends
from app.results.notes import notes_of
from app.results.report import PlanReport
from app.results.sql import read_report, read_snapshot, set_snapshot
from app.sessions.model import Session, Snapshot
from app.sessions.sql import SessionCache
from app.wire.goal import settings_of

SUSPENDED = "suspended"

FRESH_SECONDS = 0.4
"""A snapshot older than this is read again, while the cached one is still used."""
STALE_SECONDS = 0.9
"""A snapshot older than this is not used. Callers are promised one second."""
CACHED_SNAPSHOTS = 1000
REFRESH_TRIES = 20
"""Attempts to write a snapshot while the session keeps changing; after that the next change has to write it."""


def snapshot_of(
    session: Session, report: PlanReport, health: Sequence[Health], signals: Signals, now: datetime
) -> Snapshot:
    """Returns the body of best-pair and its tag; `health` are the entries stored with the session."""
    i, j = report.pair
    # A note is left out if a finding has the same cause: the finding says more.
    health = merge((*health, *report.health), notes_of(session.settings, report, signals))
    verdict = SUSPENDED if suspends(health) else report.verdict
    content = {
        "state": session.state.value,
        "verdict": verdict,
        "certified": verdict == "certified",
        "pair": [session.items[i].id, session.items[j].id],
        "i": i,
        "j": j,
        "estimated_reward": report.estimated_reward,
        "interval": report.interval,
        "gap": report.gap,
        "relative_gap": report.relative_gap,
        **settings_of(session.settings.goal),
        "delta": session.settings.delta,
        "phase": report.phase,
        "samples": report.samples,
        "contenders": report.contenders,
        "forecast_samples": report.forecast_samples,
        "assumptions": report.assumptions,
        "health": [asdict(entry) for entry in health],
        "plan_version": session.plan_version,
    }
    # The tag covers the content, not the time: the same content has the same tag.
    tag = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]
    body = json.dumps({**content, "updated_at": now.isoformat(timespec="milliseconds")}, separators=(",", ":"))
    return Snapshot(body, f'"{tag}"')


class _Cached(NamedTuple):
    snapshot: Snapshot
    read_at: float


class Snapshots:
    """The snapshots of all sessions, cached for a short time. All calls come from one event loop."""

    def __init__(
        self,
        store: Store,
        session_cache: SessionCache,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._store = store
        self._session_cache = session_cache
        self._monotonic = monotonic
        self._clock = clock
        self._cached: dict[str, _Cached] = {}
        self._reading: dict[str, asyncio.Task[Snapshot]] = {}

    def cached(self, session_id: str) -> Snapshot | None:
        """Returns the snapshot if it is cached and not stale."""
        entry = self._cached.get(session_id)
        if entry is None:
            return None
        age = self._monotonic() - entry.read_at
        if age < FRESH_SECONDS:
            return entry.snapshot
        if age >= STALE_SECONDS:
            return None
        if session_id not in self._reading:
            self._begin_read(session_id).add_done_callback(_ignore_failure)
        return entry.snapshot

    async def read(self, session_id: str) -> Snapshot:
        """Returns the stored snapshot and caches it; simultaneous callers share one read. Raises SessionNotFound."""
        # Shielded: a caller that leaves must not cancel the read of the others.
        return await asyncio.shield(self._reading.get(session_id) or self._begin_read(session_id))

    def forget(self, session_id: str) -> None:
        """Drops a snapshot that may have changed, and the result of a running read, which may be the old one."""
        self._cached.pop(session_id, None)
        self._reading.pop(session_id, None)

    async def refresh(self, session_id: str) -> None:
        """Writes the snapshot again after a change of state or health; of several changes, the last one wins."""
        for _ in range(REFRESH_TRIES):
            session, report, health, signals = await self._store.read(read_report, session_id, self._session_cache)
            new = snapshot_of(session, report, health, signals, self._clock())
            if (await self._store.read(read_snapshot, session_id)).etag == new.etag:
                return  # nothing changed: write nothing
            try:
                if await self._store.write(set_snapshot, session_id, session.plan_version, session.state, new):
                    return
            finally:
                self.forget(session_id)

    def _begin_read(self, session_id: str) -> asyncio.Task[Snapshot]:
        task = asyncio.ensure_future(self._read_now(session_id))
        self._reading[session_id] = task
        return task

    async def _read_now(self, session_id: str) -> Snapshot:
        this_task, began = asyncio.current_task(), self._monotonic()
        try:
            snapshot = await self._store.read(read_snapshot, session_id)
            if self._reading.get(session_id) is this_task:
                if len(self._cached) >= CACHED_SNAPSHOTS:
                    self._cached.pop(next(iter(self._cached)))
                self._cached[session_id] = _Cached(snapshot, began)
            return snapshot
        finally:
            if self._reading.get(session_id) is this_task:
                del self._reading[session_id]


def _ignore_failure(task: asyncio.Task[Snapshot]) -> None:
    """Retrieves the exception of a read in the background: the next caller reads again and gets its own error."""
    if not task.cancelled():
        task.exception()
