"""Prepared heat maps: made once for all who look, since a large one takes as long as reading all its evidence."""

import asyncio
import hashlib
import json
import time
from collections.abc import Callable
from typing import NamedTuple

from app.planning.make_plan import evidence_of
from app.results.estimates import estimates_of
from app.sessions.model import SessionRecord, Snapshot
from app.sessions.ports import Measured, Store

STALE_SECONDS = 10.0
"""A new plan makes a new map; folds between plans do so at most this often."""
MOST_KEPT = 64
"""Each is text of at most half a megabyte."""


class _Kept(NamedTuple):
    plan: tuple[int, str]  # version and identity
    epoch: int
    made_at: float
    task: asyncio.Task[Snapshot]


class Estimating:
    """Heat maps by session and size. All calls come from one event loop."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._kept: dict[tuple[str, int], _Kept] = {}

    async def read(self, session_id: str, top: int) -> Snapshot:
        """Returns the heat map of the most relevant items; callers that come meanwhile share one."""
        record = await self._store.session(session_id)
        kept = self._kept.pop((session_id, top), None)
        if kept is None or not self._is_good(kept, record):
            task = asyncio.ensure_future(self._make(session_id, top))
            kept = _Kept((record.plan_version, record.plan_id), record.epoch, self._clock(), task)
        self._kept[session_id, top] = kept  # at the end: the one that was asked for longest ago goes first
        if len(self._kept) > MOST_KEPT:
            self._kept.pop(next(iter(self._kept)))
        # Shielded: a caller that leaves must not take the others' answer with it.
        return await asyncio.shield(kept.task)

    def _is_good(self, kept: _Kept, record: SessionRecord) -> bool:
        failed = kept.task.done() and (kept.task.cancelled() or kept.task.exception() is not None)
        young = self._clock() - kept.made_at < STALE_SECONDS
        return (
            not failed and kept.plan == (record.plan_version, record.plan_id) and (young or kept.epoch == record.epoch)
        )

    async def _make(self, session_id: str, top: int) -> Snapshot:
        measured = await self._store.measured(session_id)
        return await asyncio.to_thread(_prepared, measured, top)


def _prepared(measured: Measured, top: int) -> Snapshot:
    record = measured.record
    evidence = evidence_of(len(record.items), measured.counts)
    body = json.dumps(estimates_of(record, evidence, top, measured.race), separators=(",", ":"))
    return Snapshot(body, f'"{hashlib.sha256(body.encode()).hexdigest()[:32]}"')
