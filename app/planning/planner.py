"""When to fold and plan: soon after enough answers, every second while answers are out, never on the event loop."""

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from app.engine.problem import Model
from app.errors import SessionError, SessionNotFound
from app.planning.make_plan import Planned
from app.planning.worker import Computing
from app.results.notes import outdated
from app.results.snapshots import snapshot_of
from app.sessions.model import Counters, PlanRecord, SessionRecord
from app.sessions.ports import PlanningInput, Store
from app.telemetry.metrics import Meter

TICK_SECONDS = 0.05
SWEEP_SECONDS = 1.0
"""Sessions with impressions out are folded at least this often: windows close without anyone calling."""

LONGEST_QUIET_SECONDS = 5.0
"""A session whose next impression expires later than that is still looked at so often: another process may have died
with answers that only it knew of."""
FOLDING_SHARE = 0.1
"""Of the time, at most, is spent folding one session while its answers pour in and its plan waits for a slow one."""

REFRESH_TRIES = 20
"""Changes of state that may overtake each other before a snapshot is left to the next one."""

EAGERNESS = 0.25
"""A fold is worth it once this part of what the plan still lacks has been answered here (others may have the rest)."""

log = logging.getLogger(__name__)


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class _Goal:
    """When the current plan of a session is done."""

    plan: tuple[int, str]  # its version and identity
    counted: int  # impressions in the evidence that end it
    idle: bool  # it asks for nothing: certified or exhausted


class Planner:
    """Advances sessions: fold, and plan when the demand is met. Any number of processes may do so at once.

    Losing a race is harmless: a fold finds nothing to do, a plan is dropped by compare-and-set.
    """

    def __init__(
        self,
        store: Store,
        clock: Callable[[], datetime] = _now,
        said_anew: Callable[[str], None] = lambda _: None,
        meter: Meter | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._meter = meter or Meter()
        self._said_anew = said_anew  # told of every session whose snapshot may have been replaced
        self._goals: dict[str, _Goal] = {}
        self._lacking: dict[str, int] = {}
        self._answers: dict[str, int] = defaultdict(int)
        self._locks: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._task: asyncio.Task[None] | None = None
        self._computing = Computing(store)
        self._not_before: dict[str, float] = {}
        self._quiet_until: dict[str, float] = {}
        self._advancing: dict[str, asyncio.Task[None]] = {}

    def answers_came(self, session_id: str, count: int) -> None:
        """Notes that answers were stored; the loop decides whether they are enough to act on."""
        self._answers[session_id] += count

    async def advance(self, session_id: str, *, plan_anyway: bool = False) -> None:
        """Folds, and plans if the current plan is done (or anyway, after a change of settings)."""
        async with self._locks[session_id]:
            self._answers.pop(session_id, None)
            began = time.monotonic()
            counters = await self._store.fold(session_id)
            now = time.monotonic()
            self._meter.observe("bestpair_fold_seconds", now - began)
            self._not_before[session_id] = now + (now - began) * (1 / FOLDING_SHARE - 1)
            self._quiet_until[session_id] = now + min(counters.quiet_seconds, LONGEST_QUIET_SECONDS)
            record = await self._store.session(session_id)
            goal = await self._goal(record)
            self._lacking[session_id] = max(goal.counted - counters.counted, 1)
            if plan_anyway:
                while not await self._plan(record):
                    pass  # another process was quicker, and may not have seen the change yet
            elif self._is_done(goal, record, counters):
                await self._plan(record)
            elif record.settings.model is Model.DETERMINISTIC:
                await self.refresh(session_id)  # a fold may have found two values for one entry: that suspends at once
            elif counters.signals is not None and outdated(
                counters.said, record.settings, counters.signals, counters.stored_health
            ):
                await self.refresh(session_id)  # a note has come or gone: people should see it before the next plan

    async def _goal(self, record: SessionRecord) -> _Goal:
        goal = self._goals.get(record.id)
        if goal is None or goal.plan != (record.plan_version, record.plan_id):
            goal = _goal_of(record, await self._store.last_plan(record.id))
            self._goals[record.id] = goal
        return goal

    def _is_done(self, goal: _Goal, record: SessionRecord, counters: Counters) -> bool:
        if goal.idle:
            return False
        if record.settings.model is Model.DETERMINISTIC and counters.plan_is_out and counters.outstanding == 0:
            return True  # some answers were lost: repeats do not count, so only a new plan asks again
        spent = record.budget is not None and counters.issued - counters.void >= record.budget
        return counters.counted >= goal.counted or (spent and counters.outstanding == 0)

    async def _plan(self, record: SessionRecord) -> bool:
        """Makes and stores the next plan; returns False if another process had made it already."""
        with self._meter.timed("bestpair_planning_seconds"):
            timeline = await self._store.timeline()
            planned = await self._computing.plan_stored(record, self._clock())
        new = (planned.plan, planned.snapshot, planned.certificate)
        try:
            if not await self._store.add_plan(record.id, *new, timeline=timeline):
                self._meter.count("bestpair_plans_total", "lost")
                return False
        finally:
            self._said_anew(record.id)
        self._meter.count("bestpair_plans_total", "stored")
        if planned.certificate is not None:
            log.info("session_certified", extra={"session": record.id, "plan_version": planned.plan.version})
        stored = await self._store.session(record.id)
        if stored.plan_version == planned.plan.version:
            self._goals[record.id] = _goal_of(stored, planned.plan)
        self._lacking[record.id] = max(planned.plan.demand.total, 1)
        if stored.state is not planned.made_for:
            await self.refresh(record.id)  # it changed while the plan was computed, and the snapshot tells the old one
        return True

    async def make(self, given: PlanningInput) -> Planned:
        """Returns the first plan of a session that is not stored yet."""
        with self._meter.timed("bestpair_planning_seconds"):
            return await self._computing.plan(given, self._clock())

    async def refresh(self, session_id: str) -> None:
        """Writes the snapshot anew after a change of state or health; the last one to change it has the last word."""
        for _ in range(REFRESH_TRIES):
            said = await self._store.said(session_id)
            record = said.record
            snapshot = snapshot_of(record, said.report, said.health, said.signals, self._clock())
            if (await self._store.snapshot(session_id)).etag == snapshot.etag:
                return  # it says so already; nothing is written for nothing
            try:
                if await self._store.set_snapshot(session_id, record.plan_version, record.state, snapshot):
                    return
            finally:
                self._said_anew(session_id)

    def forget(self, session_id: str) -> None:
        """Drops what is remembered of a deleted session."""
        for memory in (
            self._goals, self._lacking, self._answers, self._locks, self._not_before, self._quiet_until,
        ):  # fmt: skip
            memory.pop(session_id, None)

    def start(self) -> None:
        """Starts the loop on the running event loop."""
        self._task = asyncio.create_task(self._run(), name="bestpair-planner")

    async def stop(self) -> None:
        """Stops the loop; a plan that is being computed is dropped, another process or the next start makes it."""
        tasks = [*self._advancing.values(), *([self._task] if self._task else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.to_thread(self._computing.close)

    async def _run(self) -> None:
        swept = 0.0
        while True:
            await asyncio.sleep(TICK_SECONDS)
            now = time.monotonic()
            due = {
                session_id
                for session_id, count in self._answers.items()
                if count >= EAGERNESS * self._lacking.get(session_id, 1) and self._not_before.get(session_id, 0) <= now
            }
            if now - swept >= SWEEP_SECONDS:
                swept = now
                due.update(await self._sweep())
            for session_id in due - self._advancing.keys():
                # A task each: a large plan of one session must not hold up the folds of the others.
                task = asyncio.create_task(self._advance_safely(session_id))
                self._advancing[session_id] = task
                task.add_done_callback(partial(self._ended, session_id))

    def _ended(self, session_id: str, _: asyncio.Task[None]) -> None:
        self._advancing.pop(session_id, None)

    async def _sweep(self) -> list[str]:
        """Returns the sessions with impressions out of which some may have become final.

        None while the database is away, the next sweep finds them.
        """
        try:
            found = await self._store.sessions_to_advance()
            now = time.monotonic()
            return [one for one in found if one in self._answers or self._quiet_until.get(one, 0) <= now]
        except SessionError as error:
            log.warning("waiting_sessions_unread", extra={"reason": error.detail})
        except Exception:
            self._meter.count("bestpair_unexpected_errors_total", "planner")
            log.exception("waiting_sessions_failed")
        return []

    async def _advance_safely(self, session_id: str) -> None:
        """Advances one session; what goes wrong with it must not stop the others."""
        try:
            await self.advance(session_id)
        except SessionNotFound:
            self.forget(session_id)
        except SessionError as error:
            log.warning("planning_put_off", extra={"session": session_id, "reason": error.detail})
        except Exception:
            self._meter.count("bestpair_unexpected_errors_total", "planner")
            log.exception("planning_failed", extra={"session": session_id})


def _goal_of(record: SessionRecord, last: PlanRecord | None) -> _Goal:
    plan = (record.plan_version, record.plan_id)
    if last is None:
        return _Goal(plan, 0, idle=False)
    demanded = last.demand.total
    return _Goal(plan, last.counted_before + demanded, idle=demanded == 0)
