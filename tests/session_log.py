"""A session kept in lists: every demand answered at once (or never), one fold before every plan."""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from app.counting.chain import chain_start
from app.counting.rules import Cell, EvidenceRows, add_counts, count, fold, rows_of
from app.impressions.feedback import StoredImpression
from app.impressions.handout_order import HandoutSequence
from app.planning.make_plan import make_plan
from app.planning.plan import Planned, PlanningInput, StoredPlan
from app.results.certificates import LogState
from app.sessions.model import Counters, Session

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

Users = Callable[[int, int, int, np.random.Generator], frozenset[int] | None]
"""From the items shown and the plan's version to the items clicked; None: no answer comes."""


def a_clear_winner(i: int, j: int, _version: int, rng: np.random.Generator) -> frozenset[int]:
    """Items 0 and 1 are clicked often."""
    often = {0: 0.7, 1: 0.6}
    return frozenset(item for item in (i, j) if rng.random() < often.get(item, 0.07))


class Log:
    """The records of a session as a store would keep and export them.

    `held` impressions are above the watermark when a plan is made: the first of them is still unanswered, the answers
    to the others are known.
    """

    def __init__(
        self, record: Session, rng: np.random.Generator, users: Users = a_clear_winner, *, held: int = 0
    ) -> None:
        self.record, self.rng, self.users = replace(record, plan_version=0, plan_id=""), rng, users
        self.held = held
        self.impressions: list[dict[str, Any]] = []
        self.stored: list[StoredPlan] = []
        self.plan_rows: list[dict[str, Any]] = []
        self.digest = chain_start(record.id)

    @property
    def counted(self) -> int:
        return sum(not row["void"] for row in self.impressions[: self.record.watermark])

    def evidence(self) -> EvidenceRows:
        return count(map(_stored, self.impressions[: self.record.watermark]), self.record.settings)

    def known(self) -> EvidenceRows:
        """Returns the answers above the watermark; the first impression there is the one that holds it."""
        sums: dict[Cell, list[float]] = {}
        for row in self.impressions[self.record.watermark + 1 :]:
            if row["outcome"] is not None:
                add_counts(sums, _stored(row))
        return rows_of(sums)

    def given(self) -> PlanningInput:
        above = self.impressions[self.record.watermark :]
        void = self.record.watermark - self.counted
        return PlanningInput(
            self.record,
            Counters(len(self.impressions), len(self.impressions) - void, void, self.counted),
            self.evidence(),
            self.stored[-1] if self.stored else None,
            (),
            memory_before=self.stored[-2].memory if len(self.stored) > 1 else None,
            closed_before=above[0]["plan_version"] if above else self.record.plan_version,
            known=self.known(),
            log=LogState(self.digest.hex()),
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
        """Returns the next plan, added to the log; if the known answers would certify, moves the watermark first."""
        planned = make_plan(self.given(), NOW)
        while planned is None:
            assert self.held_now, "all answers are below the watermark"
            self.fold(max(self.held_now - 5, 0))
            planned = make_plan(self.given(), NOW)
        self.stored.append(planned.plan)
        self.plan_rows.append(planned.plan.to_row(self.record.id, self.now))
        self.record = replace(self.record, plan_version=planned.plan.version, plan_id=str(self.plan_rows[-1]["id"]))
        return planned

    @property
    def held_now(self) -> int:
        """How many impressions are above the watermark."""
        return len(self.impressions) - self.record.watermark

    @property
    def now(self) -> float:
        """The time at which the next impression is issued."""
        return 1000.0 + len(self.impressions)

    def answer(self, plan: StoredPlan) -> None:
        in_turn = HandoutSequence(plan.handout.triples, self.record.settings.seed, plan.version)
        for i, j in in_turn.pairs(0, in_turn.total):
            self.show(j, i, plan.version)
        self.fold(self.held)

    def fold(self, held: int = 0) -> None:
        """Moves the watermark to the last impression, except for those that are held."""
        new = [_stored(row) for row in self.impressions[self.record.watermark : max(len(self.impressions) - held, 0)]]
        start = (self.record.watermark, self.digest)
        done = fold(new, self.record.settings, now=1e9, uptimes=[], start=start)
        for sequence in done.given_up:
            self.impressions[sequence - 1]["given_up"] = True
        self.digest = done.digest
        self.record = replace(self.record, watermark=done.watermark)

    def show(self, i: int, j: int, version: int) -> None:
        """Adds one impression, the items in the order shown."""
        clicked = self.users(i, j, version, self.rng)
        answered = clicked is not None
        bits = (i in clicked) + 2 * (j in clicked) if clicked is not None else None
        row = {
            "kind": "impression", "sequence": len(self.impressions) + 1, "i": i, "j": j, "counts": True,
            "void": not answered, "not_shown": False, "given_up": False, "plan_version": version,
            "issued_at": self.now, "outcome": float(bool(clicked)) if answered else None, "clicked": bits,
            "answered_at": self.now + 0.5 if answered else None, "epoch": None,
        }  # fmt: skip
        self.impressions.append(row)

    def rows(self) -> list[dict[str, Any]]:
        """Returns the export, as far as replaying it and checking a certificate need it."""
        session = {
            "kind": "session",
            **{name: getattr(self.record, name) for name in ("id", "name", "budget", "plan_version", "watermark")},
            "state": str(self.record.state),
            "digest": self.digest.hex(),
            "first_chained": 1,
            "created_at": 0.0,
            "updated_at": 0.0,
            "counters": {"issued": len(self.impressions)},
            "settings": self.record.settings.to_plain(),
            "items": [asdict(item) for item in self.record.items],
        }
        parsed = ("demand", "handout", "report")
        plans = [
            {
                **row,
                "kind": "plan",
                **{name: json.loads(row[name]) for name in parsed},
                "known": json.loads(row["known"] or "null"),
            }
            for row in self.plan_rows
        ]
        return [session, *plans, *self.impressions]


def _stored(row: dict[str, Any]) -> StoredImpression:
    return StoredImpression._make(row.get(name) for name in StoredImpression._fields)
