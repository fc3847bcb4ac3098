"""Checking a certificate against the exported log: counts, their order, and every inequality, computed anew."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.engine.certificate import assess
from app.engine.evidence import Evidence
from app.engine.problem import Model, Problem, SelfPairs
from app.engine.shares import RemovedBound
from app.impressions.handout import HandoutSequence
from app.results.certificates import digest_of, versions
from app.verification.logged_choices import choices_of, choices_were_made, shares_of, shares_were_fixed
from app.verification.replay import replay
from app.wire.vocabulary import FeedbackKind

TOLERANCE = 1e-9
"""Bounds are recomputed with whatever numpy and scipy are here; they agree to rounding, not to the bit."""

Cell = tuple[int, int, int]  # pair and plan version
Counts = tuple[float, ...]  # n, s, clicks on the lower item, clicks on the higher one (schema 1: n and s only)


@dataclass(frozen=True)
class Check:
    """One thing that was checked."""

    name: str
    holds: bool
    detail: str


def verify(certificate: dict[str, Any], log: Iterable[dict[str, Any]]) -> list[Check]:
    """Returns all checks of a certificate against the rows of its session's export."""
    rows = list(log)
    impressions = [row for row in rows if row.get("kind") == "impression"]
    counted = [row for row in impressions if _is_counted(row, certificate["epoch"])]
    listed = _listed(certificate["evidence"])
    recounted, n_stated = _same(_recount(counted), listed), sum(n for n, *_ in listed.values())
    ours, theirs = (
        certificate["session"]["id"],
        next((row["id"] for row in rows if row.get("kind") == "session"), "none"),
    )
    counts = f"the log has {len(counted)} impressions that count, the certificate {n_stated}"
    return [
        _check("session", ours == theirs, "the log is this session's", f"the log is of {theirs}, not of {ours}"),
        _check(
            "digest",
            digest_of(certificate) == certificate["digest"],
            "the document is as written",
            "the document was changed after it was written",
        ),
        _check("evidence", recounted, f"{len(counted)} impressions count", f"{counts}, or other answers to them"),
        _check(
            "order",
            _in_issue_order(impressions, certificate["epoch"]),
            "in issue order, pair by pair",
            "an impression was counted before an earlier one of its pair",
        ),
        _check(
            "void",
            _void_for_a_reason(impressions, certificate),
            "no answered impression left out",
            "an impression that was shown and answered is left out",
        ),
        _check_handout(certificate, rows),
        *_check_proof(certificate, [row for row in rows if row.get("kind") == "plan"]),
    ]


def check_plans(certificate: dict[str, Any], log: Iterable[dict[str, Any]]) -> Check:
    """Returns whether planning again from the log gives the logged plans; promised on the same versions only."""
    if certificate["versions"] != versions():
        return Check("plans", True, "not replayed: other versions of the program or its libraries wrote them")
    rows = list(log)
    if not any(row.get("kind") == "session" and row["id"] == certificate["session"]["id"] for row in rows):
        return Check("plans", False, "not replayed: the log is another session's")
    again = replay(rows)
    differing = [version for version in again.differing if version <= certificate["plan_version"]]
    detail = f"all {len(again.stored)} plans follow from the log" if not differing else f"plans {differing[:5]} differ"
    return Check("plans", not differing, detail)


def _check(name: str, holds: bool, so: str, otherwise: str) -> Check:
    return Check(name, holds, so if holds else otherwise)


def _is_counted(row: dict[str, Any], epoch: int) -> bool:
    return bool(row["counts"]) and not row["void"] and row["epoch"] is not None and row["epoch"] <= epoch


def _pair(row: dict[str, Any]) -> tuple[int, int]:
    return min(row["i"], row["j"]), max(row["i"], row["j"])


def _listed(stated: dict[str, Any]) -> dict[Cell, Counts]:
    """Returns the counts that a certificate states."""
    cells = zip(stated["i"], stated["j"], stated["version"], strict=True)
    columns = (stated[name] for name in ("n", "s", "clicks_i", "clicks_j") if name in stated)
    return dict(zip(cells, zip(*columns, strict=True), strict=True))


def _recount(rows: list[dict[str, Any]]) -> dict[Cell, Counts]:
    """Returns the counts of the log's impressions, written apart from the fold's own code on purpose."""
    sums: dict[Cell, list[float]] = {}
    for row in rows:
        cell = sums.setdefault((*_pair(row), row["plan_version"]), [0, 0.0, 0, 0])
        clicked = row.get("clicked") or 0
        first, second = clicked % 2, clicked // 2
        on_low, on_high = (first, second) if row["i"] <= row["j"] else (second, first)
        for place, more in enumerate((1, 1.0 - (row["outcome"] or 0.0), on_low, on_high)):
            cell[place] += more
    return {key: tuple(cell) for key, cell in sums.items()}


def _same(recount: dict[Cell, Counts], listed: dict[Cell, Counts]) -> bool:
    return recount.keys() == listed.keys() and all(
        math.isclose(found, stated, abs_tol=TOLERANCE)
        for key, counts in listed.items()
        for found, stated in zip(recount[key], counts, strict=False)  # schema 1 states no clicks by item
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
        elif not (row["void"] and row["epoch"] <= epoch):  # what was voided later was open then
            blocked.add(_pair(row))
    return True


def _void_for_a_reason(impressions: list[dict[str, Any]], certificate: dict[str, Any]) -> bool:
    """Returns whether no answer was dropped: without a window, what was shown and answered in time is never void."""
    if certificate["settings"]["attribution_window_seconds"] > 0:
        return True  # an outage voids whatever arrived; the log does not tell of outages
    return not any(row["void"] and row["outcome"] is not None and not row["not_shown"] for row in impressions)


def _check_handout(certificate: dict[str, Any], rows: list[dict[str, Any]]) -> Check:
    """Returns whether every impression is the one that its plan has at this place of its order.

    A pair that was not asked for would be counted as if it had been chosen before its outcome was known. The order is
    a seeded shuffle; other versions of numpy may shuffle otherwise, so there only the pairs are compared.
    """
    in_order = certificate["versions"].get("numpy") == versions()["numpy"]
    seed = certificate["settings"]["seed"]
    shown: dict[int, list[tuple[int, int]]] = {row["version"]: [] for row in rows if row.get("kind") == "plan"}
    impressions = [row for row in rows if row.get("kind") == "impression"]
    for row in sorted(impressions, key=lambda row: row["sequence"]):
        shown.setdefault(row["plan_version"], []).append(_pair(row))
    asked = {row["version"]: row["handout"] for row in rows if row.get("kind") == "plan"}
    for version, pairs in shown.items():
        triples = tuple((i, j, times) for i, j, times in asked.get(version, []))
        expected = _in_turn(triples, seed, version, len(pairs)) if in_order else pairs
        if pairs != expected or not set(pairs) <= {(min(i, j), max(i, j)) for i, j, _ in triples}:
            return Check("handed out", False, f"impressions of plan {version} are not those that it asked for")
    said = "in its order" if in_order else "the order is not checked: another version of numpy wrote it"
    return Check("handed out", True, f"every pair shown was asked for by its plan; {said}")


def _in_turn(asked: tuple[tuple[int, int, int], ...], seed: int, version: int, count: int) -> list[tuple[int, int]]:
    """Returns the first pairs that a plan hands out."""
    in_turn = HandoutSequence(asked, seed, version).pairs(0, count) if asked else []
    return [(min(pair), max(pair)) for pair in in_turn]


def _check_proof(certificate: dict[str, Any], plans: list[dict[str, Any]]) -> list[Check]:
    """Returns the checks of shares, choices and bounds; one that fails if the certificate uses bound G."""
    try:
        return [*_check_plan_log(certificate, plans), *_check_bounds(certificate)]
    except RemovedBound:
        detail = "not computed: the certificate uses bound G (rank), which this version does not have"
        return [Check("bounds", False, f"{detail}; verify it with version 0.1.0")]


def _check_plan_log(certificate: dict[str, Any], plans: list[dict[str, Any]]) -> list[Check]:
    """Returns the checks of what was chosen before it was used; schema 1 chose nothing."""
    if certificate["schema"] == 1:
        return []
    fixed, made = shares_were_fixed(certificate, plans), choices_were_made(certificate, plans)
    return [
        _check("shares", fixed, "delta was divided so from the first plan on", "the log divides delta otherwise"),
        _check("choices", made, "every choice was logged before it was used", "the log has other choices, or later"),
    ]


def _check_bounds(certificate: dict[str, Any]) -> list[Check]:
    settings, n_items = certificate["settings"], len(certificate["session"]["items"])
    problem = Problem(
        n_items=n_items,
        epsilon=settings["epsilon"],
        delta=settings["delta"],
        rank=None if settings["rank"] == "auto" else settings["rank"],
        model=Model(settings["model"]),
        self_pairs=SelfPairs(settings["self_pairs"]),
        item_clicks=settings["feedback"] == FeedbackKind.ITEMS,
    )
    stated = certificate["bounds"]["shares_of_delta"]
    if problem.item_clicks and "contrasts" not in stated and (stated.get("screening", 0) or stated.get("clicks", 0)):
        return [Check("bounds", False, "not computed: bound I was another one then; use the version that wrote it")]
    evidence = _evidence(n_items, certificate["evidence"])
    try:
        assessment = assess(problem, evidence, choices_of(certificate), shares_of(certificate))
    except (ArithmeticError, IndexError) as error:  # a choice without a share of delta, or of an item there is not
        return [Check("bounds", False, f"cannot be computed: {error}")]
    leader, upper = assessment.leader, float(assessment.bounds.upper[assessment.leader_index])
    others, gap = assessment.lowest_of_others(assessment.leader_index), assessment.gap
    numbers = certificate["bounds"]
    leads = [leader.i, leader.j] == [certificate["i"], certificate["j"]]
    lead, reached = f"items {leader.i} and {leader.j} lead", f"gap {gap:.6g}, asked for {assessment.target:.6g}"
    return [
        _check("pair", leads, lead, f"{lead}, not {certificate['i']} and {certificate['j']}"),
        _check_number("upper bound", upper, numbers["upper_of_pair"], "no-click probability of the pair at most"),
        _check_number("lower bounds", others, numbers["lowest_of_others"], "beside that, every other's at least"),
        _check_number("gap", gap, certificate["gap"], "within this of the best"),
        _check("verdict", assessment.certified, reached, f"not certified: {reached}"),
    ]


def _evidence(n_items: int, stated: dict[str, Any]) -> Evidence:
    i, j, version, n = (np.array(stated[name], dtype=np.int64) for name in ("i", "j", "version", "n"))
    by_item = [np.array(stated[name], dtype=np.int64) for name in ("clicks_i", "clicks_j") if name in stated]
    clicks = (by_item[0], by_item[1]) if by_item else None
    return Evidence.empty(n_items).add(i, j, version, n, np.array(stated["s"], dtype=np.float64), clicks)


def _check_number(name: str, found: float | None, stated: float | None, meaning: str) -> Check:
    """Returns whether a recomputed number is the stated one, to rounding; None means that there is no other pair."""
    if found is None or stated is None:
        return _check(
            name, found is stated, "there is no other pair", f"found {found}, the certificate states {stated}"
        )
    said = f"{meaning} {found:.6f}"
    return _check(
        name, math.isclose(found, stated, abs_tol=TOLERANCE), said, f"{said}; the certificate says {stated:.6f}"
    )
