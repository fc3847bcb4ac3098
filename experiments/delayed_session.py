"""One session in simulated time: answers come late, in any order, or not at all. No database and no server.

Impressions are issued at a fixed rate. The plans come from the engine, and their order from the service's hand-out.
The session is planned when the service would plan it, but at once: the time that a fold or a plan takes is ignored. The
two items of a pair are not shown in random order, because simulated users do not care. There is no attribution window.

Two rules of counting can be compared: the watermark of the session, and the rule of version 0.1.0, a prefix per pair.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from app.engine.arrays import BoolArray, FloatArray, IntArray
from app.engine.bounds import contrast
from app.engine.bounds.contrast_bets import Bets
from app.engine.evidence import Evidence
from app.engine.memory import Memory
from app.engine.plan import Plan, plan
from app.engine.policies.policy import Policy
from app.engine.problem import Problem
from app.impressions.handout_order import HandoutSequence, PairCounts, times_handed_out
from app.planning.planner import ENOUGH_KNOWN, SWEEP_SECONDS
from app.planning.sql import less_outstanding
from app.simulation.population import Population
from app.simulation.users import Users
from app.wire.vocabulary import WhileWaiting

NEVER = math.inf
MAX_SECONDS = 100_000.0
"""A session without a verdict is ended after this time."""

_BLOCK, _BLOCK_SHARE = 256, 0.03
"""Impressions that are drawn at a time, and the same as a part of all; those issued after the next plan are dropped."""

_IMPRESSION = np.dtype(
    [
        *((name, np.int64) for name in ("i", "j", "version")),  # i < j
        *((name, np.bool_) for name in ("clicks_i", "clicks_j")),
        *((name, np.float64) for name in ("issued_at", "answered_at", "final_at", "counted_at")),
    ]
)

Delay = Callable[[IntArray, IntArray, BoolArray, BoolArray, np.random.Generator], FloatArray]
"""From items i and j and the clicks on them to the seconds until the answer arrives, one entry per impression."""


class Rule(StrEnum):
    """What counts: everything up to the watermark, or (as in version 0.1.0) a prefix of each pair's impressions."""

    WATERMARK = "watermark"
    PREFIX_PER_PAIR = "prefix per pair"


@dataclass(frozen=True)
class Traffic:
    """How impressions are issued and answered."""

    per_second: float
    ttl_seconds: float
    delay: Delay
    lost: float = 0.0  # probability that the answer never arrives, whatever it is


@dataclass(frozen=True, eq=False)
class Log:
    """The explore impressions of a session in issue order, one row each.

    `answered_at` is `NEVER` if the answer is lost or later than the time to live. `final_at` is the time from which the
    outcome cannot change, `counted_at` the time from which the rule of counting has passed the impression.
    """

    n_items: int
    item_clicks: bool
    rows: np.ndarray  # of _IMPRESSION

    def counted(self, at: float) -> Evidence:
        """Returns the evidence at this time."""
        return self._tally((self.rows["counted_at"] <= at) & (self.rows["answered_at"] < NEVER))

    def known(self, at: float) -> Evidence:
        """Returns every answer that has arrived by this time."""
        return self._tally(self.rows["answered_at"] <= at)

    def outstanding(self, at: float, rule: Rule) -> dict[tuple[int, int], int]:
        """Returns how many impressions of each pair no plan could use yet (compare `planning.sql`)."""
        open_rows = self.rows["counted_at"] > at
        if rule is Rule.WATERMARK:
            open_rows &= self.rows["answered_at"] > at
        rows = self.rows[open_rows]
        key, count = np.unique(rows["i"] * self.n_items + rows["j"], return_counts=True)
        return {divmod(int(one), self.n_items): int(n) for one, n in zip(key, count, strict=True)}

    def _tally(self, chosen: BoolArray) -> Evidence:
        rows = self.rows[chosen]
        pairs, versions = self.n_items**2, int(self.rows["version"].max(initial=0)) + 1
        key = (rows["version"] * self.n_items + rows["i"]) * self.n_items + rows["j"]
        n = np.bincount(key, minlength=pairs * versions)
        cell = np.flatnonzero(n)
        silence = ~(rows["clicks_i"] | rows["clicks_j"])
        s = np.bincount(key, silence, pairs * versions)[cell].astype(np.float64)
        clicks = None
        if self.item_clicks:
            on_i, on_j = (np.bincount(key, rows[name], pairs * versions) for name in ("clicks_i", "clicks_j"))
            clicks = (on_i[cell].astype(np.int64), on_j[cell].astype(np.int64))
        i, j = cell % pairs // self.n_items, cell % self.n_items
        return Evidence.empty(self.n_items).add(i, j, cell // pairs, n[cell], s, clicks)


def counted_at(final_at: FloatArray, group: IntArray, passed_at: FloatArray) -> FloatArray:
    """Returns when each impression is passed: when it and all earlier ones of its group are final.

    `passed_at` holds this time for the last impression of each group before these.
    """
    final_at = np.maximum(final_at, passed_at[group])
    times, rank = np.unique(final_at, return_inverse=True)
    order = np.argsort(group, kind="stable")
    ranks = np.maximum.accumulate(rank[order] + group[order] * len(times)) - group[order] * len(times)
    result = np.empty(len(final_at))
    result[order] = times[ranks]
    return result


@dataclass(frozen=True)
class TimedPlan:
    """A plan, and when it was made."""

    at: float
    plan: Plan


@dataclass(frozen=True, eq=False)
class Finished:
    """A session after its verdict (or after `max_seconds`)."""

    log: Log
    plans: tuple[TimedPlan, ...]
    seconds: float

    @property
    def impressions(self) -> int:
        """The explore impressions issued until the end."""
        return len(self.log.rows)


@contextmanager
def remembered_bets() -> Iterator[None]:
    """Computes the bets of a plan (bound C) only once for the same impressions, during one session.

    The evidence of most plans does not change between two checks, and bets take most of the time of a simulation.
    """
    compute = contrast.sums_of
    remembered: dict[tuple[object, ...], contrast.Sums] = {}

    def sums_of(bets: Bets, shown: Evidence) -> contrast.Sums:
        columns = (shown.i, shown.j, shown.n, shown.s, shown.clicks_i, shown.clicks_j)
        key = (bets.outlook.version, bets.nominee, *(column.tobytes() for column in columns))
        if key not in remembered:
            remembered[key] = compute(bets, shown)
        return remembered[key]

    contrast.sums_of = sums_of
    try:
        yield
    finally:
        contrast.sums_of = compute


@dataclass
class _Handout:
    """The pairs of the current plan in the order of the service, and how many of them are out."""

    sequence: HandoutSequence
    times: float  # how often the plan is handed out
    cursor: int = 0

    def take(self, count: int) -> tuple[IntArray, IntArray]:
        """Returns the next pairs, i < j, at most `count`."""
        pairs = np.array(self.sequence.pairs(self.cursor, count), dtype=np.int64).reshape(-1, 2)
        self.cursor += len(pairs)
        return pairs.min(axis=1), pairs.max(axis=1)

    @property
    def left(self) -> float:
        return self.times * self.sequence.total - self.cursor


@dataclass
class DelayedSession:
    """One session in simulated time; `run` takes it to its end."""

    policy: Policy
    problem: Problem
    population: Population
    traffic: Traffic
    rng: np.random.Generator
    rule: Rule = Rule.WATERMARK
    while_waiting: WhileWaiting = WhileWaiting.EXPLORE
    check_seconds: float = SWEEP_SECONDS  # while the proof waits for the watermark, it is checked this often,
    check_share: float = 0.0  # or after this part of the time since the session began, if that is longer
    max_seconds: float = MAX_SECONDS
    _buffer: np.ndarray = field(default_factory=lambda: np.zeros(4096, _IMPRESSION), init=False)
    _n: int = field(default=0, init=False)
    _slot: int = field(default=0, init=False)  # the next impression of any kind is issued at _slot / per_second
    _plans: list[TimedPlan] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self._users = Users(self.population)
        self._passed_at = np.zeros(self._n_groups)

    def run(self) -> Finished:
        """Returns the session after its verdict."""
        now, memory = 0.0, Memory()
        step = self._plan(now, memory)
        demanded = 0
        while now < self.max_seconds:
            known = self._known(now)
            if step is not None:
                self._adopt(step, now)
                if step.demand.total == 0:
                    break
                demanded, memory = step.demand.total, step.memory
                target, checks = known + self._needed(demanded), NEVER
            else:
                target, checks = known + max(demanded, 1), max(self.check_seconds, self.check_share * now)
            now = self._wait(now, target, checks)
            step = self._plan(now, memory)
        return Finished(self.log, tuple(self._plans), now)

    @property
    def log(self) -> Log:
        """The impressions issued so far."""
        return Log(self.problem.n_items, self.problem.item_clicks, self._buffer[: self._n])

    def _plan(self, now: float, memory: Memory) -> Plan | None:
        log = self.log
        known = log.known(now) if self.rule is Rule.WATERMARK else None
        return plan(self.policy, self.problem, log.counted(now), memory, known)

    def _adopt(self, step: Plan, now: float) -> None:
        """Stores the plan; its demand less what is outstanding is handed out."""
        self._plans.append(TimedPlan(now, step))
        columns = (column.tolist() for column in (step.demand.i, step.demand.j, step.demand.count))
        demand = PairCounts.of(zip(*columns, strict=True))
        handout = less_outstanding(demand, self.log.outstanding(now, self.rule))
        sequence = HandoutSequence(handout.triples, self.problem.seed, step.memory.version)
        self._handout = _Handout(sequence, self._times)

    @property
    def _times(self) -> float:
        if self.rule is Rule.PREFIX_PER_PAIR:
            return NEVER  # version 0.1.0 handed a plan out again and again
        return times_handed_out(self.while_waiting, self.problem.model)

    def _needed(self, demanded: int) -> int:
        exploits = self.while_waiting is WhileWaiting.EXPLOIT
        return math.ceil(ENOUGH_KNOWN * demanded) if exploits else demanded

    def _usable_at(self) -> FloatArray:
        """Returns when plans can use each answer; `NEVER` if there is none."""
        rows = self._buffer[: self._n]
        if self.rule is Rule.WATERMARK:
            return rows["answered_at"]
        return np.where(rows["answered_at"] < NEVER, rows["counted_at"], NEVER)

    def _known(self, now: float) -> int:
        return int(np.count_nonzero(self._usable_at() <= now))

    def _wait(self, now: float, target: int, checks: float) -> float:
        """Issues impressions until the plan is complete; returns when.

        With `checks`, the session awaits its proof: returns at the first of these moments (one every `checks` seconds)
        at which the plan is complete or the watermark has moved.
        """
        if checks == NEVER:
            return self._issue_until(target, self.max_seconds)
        counted = self._passed(now)
        while True:
            now = self._issue_until(None, min(now + checks, self.max_seconds))
            if self._passed(now) > counted or self._complete_at(target) <= now or now >= self.max_seconds:
                return now

    def _passed(self, now: float) -> int:
        return int(np.count_nonzero(self._buffer[: self._n]["counted_at"] <= now))

    def _issue_until(self, target: int | None, until: float) -> float:
        """Issues impressions until this time, or until the plan is complete if that is earlier; returns when."""
        while True:
            end = until if target is None else min(self._complete_at(target), until)
            if self._handout.left == 0 or self._slot / self.traffic.per_second > end:
                self._drop_after(end)
                return end
            self._issue(min(max(_BLOCK, _BLOCK_SHARE * self._n), self._handout.left))

    def _complete_at(self, target: int) -> float:
        """Returns when the plan is complete, given the impressions issued so far."""
        usable_at = self._usable_at()
        found = float(np.partition(usable_at, target - 1)[target - 1]) if len(usable_at) >= target else NEVER
        if self._handout.left > 0:
            return found
        return min(found, float(self._buffer[: self._n]["final_at"].max()))

    def _issue(self, count: float) -> None:
        """Issues the next impressions of the hand-out, with everything that will happen to them."""
        traffic, rng = self.traffic, self.rng
        i, j = self._handout.take(int(count))
        new = np.zeros(len(i), _IMPRESSION)
        new["i"], new["j"], new["version"] = i, j, self._plans[-1].plan.memory.version
        new["clicks_i"], new["clicks_j"] = self._users.click(i, j, rng)
        new["issued_at"] = (self._slot + np.arange(len(i))) / traffic.per_second
        delay = traffic.delay(i, j, new["clicks_i"], new["clicks_j"], rng)
        in_time = (rng.random(len(i)) >= traffic.lost) & (delay <= traffic.ttl_seconds)
        new["answered_at"] = np.where(in_time, new["issued_at"] + delay, NEVER)
        new["final_at"] = np.minimum(new["answered_at"], new["issued_at"] + traffic.ttl_seconds)
        group = self._group(i, j)
        new["counted_at"] = counted_at(new["final_at"], group, self._passed_at)
        self._passed_at[group] = new["counted_at"]  # the last one of each group stays, which is the latest
        while self._n + len(new) > len(self._buffer):
            self._buffer = np.concatenate([self._buffer, np.zeros_like(self._buffer)])
        self._buffer[self._n : self._n + len(new)] = new
        self._n += len(new)
        self._slot += len(new)

    def _drop_after(self, end: float) -> None:
        """Drops the impressions issued after this time; the next one is issued at the next moment after it."""
        rows = self._buffer[: self._n]
        kept = int(np.searchsorted(rows["issued_at"], end, side="right"))
        self._handout.cursor -= self._n - kept
        self._slot = math.floor(end * self.traffic.per_second) + 1
        self._n, rows = kept, rows[:kept]
        self._passed_at = np.zeros(self._n_groups)
        self._passed_at[self._group(rows["i"], rows["j"])] = rows["counted_at"]

    @property
    def _n_groups(self) -> int:
        return 1 if self.rule is Rule.WATERMARK else self.problem.n_items**2

    def _group(self, i: IntArray, j: IntArray) -> IntArray:
        """Returns the number of the sequence that each impression is counted in."""
        return np.zeros(len(i), dtype=np.int64) if self.rule is Rule.WATERMARK else i * self.problem.n_items + j
