"""When to fold and plan: soon after enough feedback, every second while impressions are open, in the background.

A plan is made from every answer that has arrived. If these answers would certify the session, it needs no other plan:
hand-out continues, and the verdict is checked again whenever the watermark has moved.
"""

import asyncio
import logging
import math
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

from app.counting.sql import FoldResult, fold_session
from app.database.store import Store
from app.engine.problem import Model
from app.errors import SessionError, SessionNotFound
from app.planning.plan import Planned, PlanningInput, StoredPlan
from app.planning.sql import add_plan, read_last_plan, read_sessions_to_advance
from app.planning.worker import PlanWorker
from app.results.best_pair import Snapshots
from app.results.notes import is_outdated
from app.sessions.model import Session
from app.sessions.sql import SessionCache, SessionLookup
from app.telemetry.metrics import Meter
from app.wire.vocabulary import MissingFeedback, WhileWaiting

TICK_SECONDS = 0.05
SWEEP_SECONDS = 1.0
"""Sessions with open impressions are folded at least this often: windows close without any request."""

LONGEST_QUIET_SECONDS = 5.0
"""A session is checked at least this often, even if its next impression expires later: another process may have ended
after it accepted feedback and before it folded."""
FOLDING_SHARE = 0.1
"""At most this share of the time is spent on folding one session. It matters while much feedback arrives and the plan
still waits for slow answers."""

EAGERNESS = 0.25
"""Fold once this process has received this share of the feedback that the plan still needs; other processes may have
received the rest."""

CHECKING_SHARE = 0.1
"""At most this share of the time is spent on checking whether one session is proven: large ones take seconds."""

ENOUGH_KNOWN = 0.8
"""Part of a plan's answers that completes it if its demand is handed out only once: waiting for the slowest ones would
take longer than planning without them."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Target:
    """When the current plan of a session is complete."""

    plan: tuple[int, str]  # its version and id
    known: int  # answers that complete it
    demanded: int  # 0: the plan has no pairs (certified or exhausted)


@dataclass(frozen=True)
class _AwaitedProof:
    """The known answers would certify a session."""

    watermark: int  # at the last check
    check_after: float  # monotonic time


class Planner:
    """Advances sessions: fold, and plan when the demand is met. Several processes may do so at once.

    Losing a race is harmless: a fold finds nothing to do, and a plan is dropped by compare-and-set.
    """

    def __init__(
        self,
        store: Store,
        lookup: SessionLookup,
        cache: SessionCache,
        snapshots: Snapshots,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        meter: Meter | None = None,
    ) -> None:
        self._store = store
        self._lookup = lookup
        self._snapshots = snapshots
        self._worker = PlanWorker(store, cache)
        self._clock = clock
        self._meter = meter or Meter()
        self._targets: dict[str, _Target] = {}
        self._lacking: dict[str, int] = {}  # feedback that the current plan still needs
        self._feedback: dict[str, int] = defaultdict(int)  # accepted since the last fold
        self._locks: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._not_before: dict[str, float] = {}
        self._quiet_until: dict[str, float] = {}
        self._awaited: dict[str, _AwaitedProof] = {}
        self._task: asyncio.Task[None] | None = None
        self._advancing: dict[str, asyncio.Task[None]] = {}

    def feedback_accepted(self, session_id: str, count: int) -> None:
        """Counts accepted feedback; the loop decides whether it is enough to fold."""
        self._feedback[session_id] += count

    async def advance(self, session_id: str, *, plan_anyway: bool = False) -> None:
        """Folds, and plans if the current plan is complete (or anyway, after a change of settings)."""
        async with self._locks[session_id]:
            self._feedback.pop(session_id, None)
            folded = await self._fold(session_id)
            session = await self._lookup.read(session_id)
            target = await self._target(session)
            self._lacking[session_id] = max(target.known - folded.known, 1)
            if plan_anyway:
                while not await self._plan(session, folded):
                    pass  # another process was faster, and may not have seen the change yet
            elif self._is_due(target, session, folded):
                await self._plan(session, folded)
            elif session.settings.model is Model.DETERMINISTIC:
                await self._snapshots.refresh(session_id)  # the fold may have found a contradiction, which suspends
            elif is_outdated(folded.shown_health, session.settings, folded.signals, folded.stored_health):
                await self._snapshots.refresh(session_id)  # people should see a new note before the next plan

    async def make_first_plan(self, planning_input: PlanningInput) -> Planned:
        """Returns the first plan of a session that is not stored yet."""
        with self._meter.timed("bestpair_planning_seconds"):
            return await self._worker.first_plan(planning_input, self._clock())

    async def _fold(self, session_id: str) -> FoldResult:
        began = time.monotonic()
        folded = await fold_session(self._store, session_id)
        now = time.monotonic()
        self._meter.observe("bestpair_fold_seconds", now - began)
        self._not_before[session_id] = now + (now - began) * (1 / FOLDING_SHARE - 1)
        self._quiet_until[session_id] = now + min(folded.quiet_seconds, LONGEST_QUIET_SECONDS)
        return folded

    async def _target(self, session: Session) -> _Target:
        target = self._targets.get(session.id)
        if target is None or target.plan != (session.plan_version, session.plan_id):
            target = _target_of(session, await self._store.read(read_last_plan, session.id))
            self._targets[session.id] = target
        return target

    def _is_complete(self, target: _Target, session: Session, folded: FoldResult) -> bool:
        counters = folded.counters
        if target.demanded == 0:
            return False
        # Where silence means "no click", answers are known when they are counted.
        reports = session.settings.missing_feedback is MissingFeedback.VOID
        is_out = folded.plan_is_out and folded.plan_version == session.plan_version  # another process may have planned
        if is_out and (folded.unanswered if reports else counters.outstanding) == 0:
            return True  # some feedback was lost, and only a new plan can get it
        spent = session.budget is not None and counters.issued - counters.void >= session.budget
        return folded.known >= target.known or (spent and counters.outstanding == 0)

    def _is_due(self, target: _Target, session: Session, folded: FoldResult) -> bool:
        """Returns whether to plan now: the plan is complete, or the watermark of an awaited proof has moved.

        While a proof is awaited, checks are limited, also those after as many answers as the plan demanded: these may
        be few. If the watermark has passed all impressions, the check must not wait: no later event may cause it.
        """
        awaited = self._awaited.get(session.id)
        if awaited is None:
            return self._is_complete(target, session, folded)
        moved = folded.watermark > awaited.watermark
        if moved and folded.counters.outstanding == 0:
            return True
        return (moved or folded.known >= target.known) and time.monotonic() >= awaited.check_after

    async def _plan(self, session: Session, folded: FoldResult) -> bool:
        """Makes and stores the next plan, if one is needed; returns False if another process had stored one already."""
        began = time.monotonic()
        with self._meter.timed("bestpair_planning_seconds"):
            timeline = await self._store.timeline()
            planned = await self._worker.plan_stored(session, self._clock())
        if planned is None:
            self._await_proof(session, folded, time.monotonic() - began)
            return True
        self._awaited.pop(session.id, None)
        try:
            if not await self._store.write(add_plan, session.id, planned, timeline):
                self._meter.count("bestpair_plans_total", "lost")
                return False
        finally:
            self._snapshots.forget(session.id)
        self._meter.count("bestpair_plans_total", "stored")
        if planned.certificate is not None:
            log.info("session_certified", extra={"session": session.id, "plan_version": planned.plan.version})
        stored = await self._lookup.read(session.id)
        if stored.plan_version == planned.plan.version:
            self._targets[session.id] = _target_of(stored, planned.plan)
        self._lacking[session.id] = max(planned.plan.demand.total, 1)
        if stored.state is not planned.made_for:
            await self._snapshots.refresh(session.id)  # it changed while the plan was computed
        return True

    def _await_proof(self, session: Session, folded: FoldResult, seconds: float) -> None:
        """Asks for the next plan after as many answers as the current plan demanded; checks the verdict before."""
        check_after = time.monotonic() + seconds * (1 / CHECKING_SHARE - 1)
        self._awaited[session.id] = _AwaitedProof(folded.watermark, check_after)
        target = self._targets[session.id]
        self._targets[session.id] = replace(target, known=folded.known + max(target.demanded, 1))

    def forget(self, session_id: str) -> None:
        """Drops everything that is cached for a deleted session."""
        for known in (
            self._targets, self._lacking, self._feedback, self._locks, self._not_before, self._quiet_until,
            self._awaited,
        ):  # fmt: skip
            known.pop(session_id, None)

    def start(self) -> None:
        """Starts the loop on the running event loop."""
        self._task = asyncio.create_task(self._run(), name="bestpair-planner")

    async def stop(self) -> None:
        """Stops the loop; a plan that is being computed is dropped, and made by another process or the next start."""
        tasks = [*self._advancing.values(), *([self._task] if self._task else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.to_thread(self._worker.close)

    async def _run(self) -> None:
        swept = 0.0
        while True:
            await asyncio.sleep(TICK_SECONDS)
            now = time.monotonic()
            due = {
                session_id
                for session_id, count in self._feedback.items()
                if count >= EAGERNESS * self._lacking.get(session_id, 1) and self._not_before.get(session_id, 0) <= now
            }
            if now - swept >= SWEEP_SECONDS:
                swept = now
                due.update(await self._sweep())
            for session_id in due - self._advancing.keys():
                # One task each: a large plan of one session must not delay the folds of the others.
                task = asyncio.create_task(self._advance_safely(session_id))
                self._advancing[session_id] = task
                task.add_done_callback(partial(self._ended, session_id))

    def _ended(self, session_id: str, _: asyncio.Task[None]) -> None:
        self._advancing.pop(session_id, None)

    async def _sweep(self) -> list[str]:
        """Returns the sessions with open impressions that may have become final, and those with a new health entry.

        If the database is down, returns none; the next sweep finds them.
        """
        try:
            session_ids = await self.sessions_to_advance()
            now = time.monotonic()
            return [id_ for id_ in session_ids if id_ in self._feedback or self._quiet_until.get(id_, 0) <= now]
        except SessionError as error:
            log.warning("waiting_sessions_unread", extra={"reason": error.detail})
        except Exception:
            self._meter.count("bestpair_unexpected_errors_total", "planner")
            log.exception("waiting_sessions_failed")
        return []

    async def sessions_to_advance(self) -> list[str]:
        """Returns the sessions that may have something to fold or plan, and those with a new health entry."""
        session_ids = await self._store.read(read_sessions_to_advance)
        changed = self._store.watch.changed_sessions
        while not changed.empty():
            session_ids.append(changed.get())
        return list(dict.fromkeys(session_ids))

    async def _advance_safely(self, session_id: str) -> None:
        """Advances one session; an error must not stop the others."""
        try:
            await self.advance(session_id)
        except SessionNotFound:
            self.forget(session_id)
        except SessionError as error:
            log.warning("planning_put_off", extra={"session": session_id, "reason": error.detail})
        except Exception:
            self._meter.count("bestpair_unexpected_errors_total", "planner")
            log.exception("planning_failed", extra={"session": session_id})


def _target_of(session: Session, last: StoredPlan | None) -> _Target:
    plan = (session.plan_version, session.plan_id)
    if last is None:
        return _Target(plan, 0, demanded=1)
    demanded = last.demand.total
    exploits = session.settings.while_waiting is WhileWaiting.EXPLOIT
    needed = math.ceil(ENOUGH_KNOWN * demanded) if exploits else demanded
    return _Target(plan, last.counted_before + needed, demanded)
