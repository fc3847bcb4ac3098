"""What planning remembers: the last plan's memory, and what to do if it cannot be read.

Choices (`engine.choices`) are paid for from delta, the k-th with a part of its own. One that is used and then forgotten
would be paid for twice, and the proof would be worth less than it says. The choices of the last plan have not been used
yet: the next plan is the first to look at them. So if the last memory cannot be read, the one before it does instead,
and nothing used is forgotten. If that cannot be read either, the session goes on, but can certify nothing any more.
The same applies if the last memory uses bound G, which is removed: without G, its share of delta would be spent again.
"""

import json
from dataclasses import dataclass, replace
from typing import Any

from app.engine.arrays import Pair
from app.engine.certificate import Verdict
from app.engine.choices import Choices
from app.engine.memory import Certified, Memory, UnreadableMemory
from app.engine.shares import RemovedBound
from app.results.health import LOST_CHOICES, REMOVED_BOUND
from app.results.snapshots import ALWAYS_ASSUMED
from app.sessions.model import Health
from app.sessions.ports import PlanningInput


@dataclass(frozen=True)
class Recalled:
    """The memory to plan with, at the stored version, and what was lost with the one that should have been there."""

    memory: Memory
    lost: tuple[Health, ...] = ()


def recall(given: PlanningInput) -> Recalled:
    """Returns the policy's memory. A verdict that had latched is in the last plan's report too, and is kept."""
    version, last = given.record.plan_version, given.last_plan
    if last is None:
        return Recalled(Memory(version=version))
    memory = read_memory(last.memory)
    if memory is not None:
        return Recalled(replace(memory, version=version))
    # Before the first plan nothing was chosen.
    before = Memory() if last.version == 1 else read_memory(given.memory_before or "")
    lost = () if before is not None else (LOST_CHOICES,)
    if _uses_removed_bound(last.memory):
        lost = (REMOVED_BOUND,)
    certified = _latched(last.report, version)
    return Recalled(replace(before or Memory(), version=version, certified=certified), lost)


def read_memory(text: str) -> Memory | None:
    """Returns the memory, None if it cannot be read; kinds of choices that its version did not know were not made."""
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


def _latched(report: dict[str, Any], version: int) -> Certified | None:
    if report["verdict"] != Verdict.CERTIFIED:
        return None
    own = tuple(name for name in report["assumptions"] if name not in ALWAYS_ASSUMED)
    return Certified(Pair(*report["pair"]), report["gap"], version, own)
