"""Checking a certificate against the exported log: counts, their order, and every inequality, computed anew."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.engine.certificate import assess
from app.engine.evidence import Evidence
from app.engine.problem import Model, Problem, SelfPairs
from app.sessions.certificates import digest_of, versions
from app.sessions.replay import replay

TOLERANCE = 1e-9
"""Bounds are recomputed with whatever numpy and scipy are here; they agree to rounding, not to the bit."""


@dataclass(frozen=True)
class Check:
    """One thing that was checked."""

    name: str
    holds: bool
    detail: str


def verify(certificate: dict[str, Any], log: Iterable[dict[str, Any]]) -> list[Check]:
    """Returns all checks of a certificate against the rows of its session's export."""
    impressions = [row for row in log if row.get("kind") == "impression"]
    counted = [row for row in impressions if _is_counted(row, certificate["epoch"])]
    recount = _recount(counted)
    stated = certificate["evidence"]
    listed = {
        (i, j, v): (n, s)
        for i, j, v, n, s in zip(*(stated[name] for name in ("i", "j", "version", "n", "s")), strict=True)
    }
    return [
        _check("digest", digest_of(certificate) == certificate["digest"], "the document is as it was written"),
        _check("evidence", _same(recount, listed), f"{len(counted)} impressions of the log give the stated counts"),
        _check("order", _in_issue_order(impressions, certificate["epoch"]), "each pair's impressions count in order"),
        *_check_bounds(certificate, listed),
    ]


def check_plans(certificate: dict[str, Any], log: Iterable[dict[str, Any]]) -> Check:
    """Returns whether planning again from the log gives the logged plans; promised on the same versions only."""
    if certificate["versions"] != versions():
        return Check("plans", True, "not replayed: other versions of the program or its libraries wrote them")
    again = replay(log)
    differing = [version for version in again.differing if version <= certificate["plan_version"]]
    detail = f"all {len(again.stored)} plans follow from the log" if not differing else f"plans {differing[:5]} differ"
    return Check("plans", not differing, detail)


def _check(name: str, holds: bool, detail: str) -> Check:
    return Check(name, holds, detail if holds else f"NOT so: {detail}")


def _is_counted(row: dict[str, Any], epoch: int) -> bool:
    return bool(row["counts"]) and not row["void"] and row["epoch"] is not None and row["epoch"] <= epoch


def _pair(row: dict[str, Any]) -> tuple[int, int]:
    return min(row["i"], row["j"]), max(row["i"], row["j"])


def _recount(rows: list[dict[str, Any]]) -> dict[tuple[int, int, int], tuple[int, float]]:
    sums: dict[tuple[int, int, int], tuple[int, float]] = {}
    for row in rows:
        key = (*_pair(row), row["plan_version"])
        n, s = sums.get(key, (0, 0.0))
        sums[key] = (n + 1, s + 1.0 - (row["outcome"] or 0.0))
    return sums


def _same(
    recount: dict[tuple[int, int, int], tuple[int, float]], listed: dict[tuple[int, int, int], tuple[int, float]]
) -> bool:
    return recount.keys() == listed.keys() and all(
        recount[key][0] == n and math.isclose(recount[key][1], s, abs_tol=TOLERANCE) for key, (n, s) in listed.items()
    )


def _in_issue_order(impressions: list[dict[str, Any]], epoch: int) -> bool:
    """Returns whether, for every pair, no counted impression comes after one that was neither counted nor void."""
    blocked: set[tuple[int, int]] = set()
    for row in sorted(impressions, key=lambda row: row["sequence"]):
        if not row["counts"]:
            continue
        if _is_counted(row, epoch):
            if _pair(row) in blocked:
                return False
        elif not row["void"]:
            blocked.add(_pair(row))
    return True


def _check_bounds(certificate: dict[str, Any], listed: dict[tuple[int, int, int], tuple[int, float]]) -> list[Check]:
    settings, n_items = certificate["settings"], len(certificate["session"]["items"])
    problem = Problem(
        n_items=n_items,
        epsilon=settings["epsilon"],
        delta=settings["delta"],
        rank=None if settings["rank"] == "auto" else settings["rank"],
        model=Model(settings["model"]),
        self_pairs=SelfPairs(settings["self_pairs"]),
    )
    rows = [(i, j, v, n, s) for (i, j, v), (n, s) in listed.items()]
    assessment = assess(problem, Evidence.from_rows(n_items, rows))
    leader, upper = assessment.leader, float(assessment.bounds.upper[assessment.leader_index])
    stated = certificate["bounds"]
    others = float(np.min(np.delete(assessment.bounds.lower, assessment.leader_index), initial=math.inf))
    agrees = math.isclose(upper, stated["upper_of_pair"], abs_tol=TOLERANCE)
    leads = [leader.i, leader.j] == [certificate["i"], certificate["j"]]
    gap, epsilon = assessment.gap, settings["epsilon"]
    return [
        _check("pair", leads, f"items {leader.i} and {leader.j} lead"),
        _check("upper bound", agrees, f"its no-click probability is at most {upper:.6f}"),
        _check("lower bounds", upper - others <= gap + TOLERANCE, f"every other is at least {others:.6f}"),
        _check("gap", gap <= epsilon, f"gap {gap:.6f} <= epsilon {epsilon}"),
        _check("stated gap", math.isclose(gap, certificate["gap"], abs_tol=TOLERANCE), "as stated"),
    ]
