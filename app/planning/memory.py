"""The memory of the last plan, which the next plan starts from; and what to do if it cannot be read.

Every choice (`engine.choices`) takes a part of delta: the k-th choice the k-th part. If a choice were used and then
forgotten, its part would be spent twice, and the proof would promise more than it can. The choices in the last plan's
memory have not been used yet, because the next plan is the first to use them. So if that memory cannot be read, the one
before it is used instead, and no choice that was used is forgotten. If that one cannot be read either, the session
continues, but cannot be certified any more. The same applies if the last memory uses bound G, which is removed: without
G, its share of delta would be spent again.
"""

import json
from dataclasses import dataclass, replace

from app.engine.arrays import Pair
from app.engine.certificate import Verdict
from app.engine.choices import Choices
from app.engine.delta_shares import RemovedBound
from app.engine.memory import Certified, Memory, UnreadableMemory
from app.health import Health
from app.planning.plan import PlanningInput
from app.results.findings import LOST_CHOICES, REMOVED_BOUND
from app.results.report import ALWAYS_ASSUMED, PlanReport


@dataclass(frozen=True)
class LoadedMemory:
    """The memory to plan with, at the stored version; and health entries if an unreadable memory means a loss."""

    memory: Memory
    lost: tuple[Health, ...] = ()


def load_memory(planning_input: PlanningInput) -> LoadedMemory:
    """Returns the memory for the next plan. If it cannot be read, a certified verdict is taken from the last report."""
    version, last = planning_input.session.plan_version, planning_input.last_plan
    if last is None:
        return LoadedMemory(Memory(version=version))
    memory = read_memory(last.memory)
    if memory is not None:
        return LoadedMemory(replace(memory, version=version))
    # There are no choices before the first plan.
    before = Memory() if last.version == 1 else read_memory(planning_input.memory_before or "")
    lost = () if before is not None else (LOST_CHOICES,)
    if _uses_removed_bound(last.memory):
        lost = (REMOVED_BOUND,)
    certified = _certified(last.report, version)
    return LoadedMemory(replace(before or Memory(), version=version, certified=certified), lost)


def read_memory(text: str) -> Memory | None:
    """Returns the memory, None if it cannot be read; kinds of choices that an older version did not know are empty."""
    try:
        return Memory.from_json(text)
    except RemovedBound:
        return None
    except UnreadableMemory:
        pass
    try:
        stored = json.loads(text)
        choices = {**Choices().to_plain(), **stored.get("choices", {})}
        return Memory.from_json(json.dumps({**stored, "choices": choices}))
    except (ValueError, TypeError, AttributeError, RecursionError):  # UnreadableMemory is a ValueError
        return None


def _uses_removed_bound(text: str) -> bool:
    """Returns whether a stored memory has choices of bound G, which this version does not have."""
    try:
        Memory.from_json(text)
    except RemovedBound:
        return True
    except UnreadableMemory:
        pass
    return False


def _certified(report: PlanReport, version: int) -> Certified | None:
    """Returns the verdict of a report if it certified a pair."""
    if report.verdict != Verdict.CERTIFIED:
        return None
    of_bounds = tuple(name for name in report.assumptions if name not in ALWAYS_ASSUMED)
    return Certified(Pair(*report.pair), report.gap, version, of_bounds, report.relative_gap)
