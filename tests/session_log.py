"""A session kept in lists: every demand answered at once (or never), one fold before every plan."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from app.counting.rules import EvidenceRows, count
from app.impressions.feedback import StoredImpression
from app.impressions.handout_order import HandoutSequence
from app.planning.make_plan import make_plan
from app.planning.plan import Planned, PlanningInput, StoredPlan
from app.sessions.model import Counters, Session

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

Users = Callable[[int, int, int, np.random.Generator], frozenset[int] | None]
"""From the items shown and the plan's version to the items clicked; None: no answer comes."""


def a_clear_winner(i: int, j: int, _version: int, rng: np.random.Generator) -> frozenset[int]:
    """Items 0 and 1 are clicked often."""
    often = {0: 0.7, 1: 0.6}
    return frozenset(item for item in (i, j) if rng.random() < often.get(item, 0.07))


class Log:
    """The records of a session as a store would keep and export them."""

    def __init__(self, record: Session, rng: np.random.Generator, users: Users = a_clear_winner) -> None:
        self.record, self.rng, self.users = replace(record, plan_version=0), rng, users
        self.impressions: list[dict[str, Any]] = []
        self.stored: list[StoredPlan] = []

    @property
    def counted(self) -> int:
        return sum(not row["void"] for row in self.impressions)

    def evidence(self) -> EvidenceRows:
        shown = [
            (StoredImpression(*(row[name] for name in list(StoredImpression.__dataclass_fields__)[:8])), row["void"])
            for row in self.impressions
        ]
        return count([one for one, void in shown if not void], [one for one, void in shown if void])

    def given(self) -> PlanningInput:
        counted = self.counted
        return PlanningInput(
            self.record,
            Counters(len(self.impressions), counted, len(self.impressions) - counted, counted),
            self.evidence(),
            self.stored[-1] if self.stored else None,
            (),
            memory_before=self.stored[-2].memory if len(self.stored) > 1 else None,
            closed_before=self.record.plan_version,
        )

    def plans(self) -> Iterator[Planned]:
        """Yields plan after plan until one asks for nothing."""
        while True:
            planned = self.plan()
            yield planned
            if not planned.plan.demand.total:
                return
            self.answer(planned.plan)

    def plan(self) -> Planned:
        """Returns the next plan, added to the log."""
        planned = make_plan(self.given(), NOW)
        self.stored.append(planned.plan)
        self.record = replace(self.record, plan_version=planned.plan.version)
        return planned

    def answer(self, plan: StoredPlan) -> None:
        self.record = replace(self.record, epoch=self.record.epoch + 1)
        in_turn = HandoutSequence(plan.handout.triples, self.record.settings.seed, plan.version)
        for i, j in in_turn.pairs(0, in_turn.total):
            self.show(j, i, plan.version)

    def show(self, i: int, j: int, version: int) -> None:
        """Adds one impression, the items in the order shown."""
        clicked = self.users(i, j, version, self.rng)
        answered = clicked is not None
        bits = (i in clicked) + 2 * (j in clicked) if clicked is not None else None
        row = {
            "kind": "impression", "sequence": len(self.impressions) + 1, "i": i, "j": j, "counts": True,
            "void": not answered, "not_shown": False, "plan_version": version, "issued_at": 0.0,
            "epoch": self.record.epoch, "outcome": float(bool(clicked)) if answered else None, "clicked": bits,
        }  # fmt: skip
        self.impressions.append(row)

    def rows(self) -> list[dict[str, Any]]:
        """Returns the export, as far as checking a certificate needs it."""
        plans = [
            {
                "kind": "plan",
                "version": plan.version,
                "handout": plan.handout.triples,
                "report": plan.report.to_plain(),
                "memory": plan.memory,
            }
            for plan in self.stored
        ]
        return [{"kind": "session", "id": self.record.id}, *plans, *self.impressions]
