"""Checks a certificate against the export of its session, from docs/mathematics.md alone.

Nothing here imports the product, so an error in it is not repeated here.
"""

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from tests.independent import log
from tests.independent.bounds import (
    Bounds,
    Goal,
    Problem,
    click_bounds,
    direct_bounds,
    relative_gap,
    screening_bounds,
    upper_bounds,
)
from tests.independent.contrasts import contrast_bounds
from tests.independent.counts import Evidence, place_of
from tests.independent.exact import EXACT, exact_bounds

Document = dict[str, Any]

ASSUMED = {"independent-draws", "loss-independent-of-outcome"}
UNWRITTEN_SHARES = {"upper": 0.1, "nominees": 0.0, "direct": 0.9, "screening": 0.0, "clicks": 0.0, "contrasts": 0.0}
TOLERANCE = 1e-9
EXACT_TOLERANCE = 1e-7
ROUNDED = 1e-3


class Check(NamedTuple):
    """One line of a verification."""

    name: str
    holds: bool
    detail: str


@dataclass(frozen=True)
class Proof:
    """The bounds computed again, and what they say."""

    bounds: Bounds
    leader: int
    assumptions: set[str]
    largest_gap: float
    tolerance: float

    @property
    def gap(self) -> float:
        return self.bounds.gap(self.leader)


def prove(certificate: Document) -> Proof:
    """Compute the bounds of sections 5 and 6 from the evidence and the choices of a certificate."""
    settings = certificate["settings"]
    K = len(certificate["session"]["items"])
    evidence = Evidence(certificate["evidence"], K)
    if settings["model"] == "deterministic":
        rank = None if settings["rank"] == "auto" else settings["rank"]
        bounds, leader, assumptions = exact_bounds(evidence, rank)
        stated = settings["epsilon"] or settings["relative_epsilon"]
        return Proof(bounds, leader, ASSUMED | assumptions, min(stated, EXACT), EXACT_TOLERANCE)
    shares = {kind: part * settings["delta"] for kind, part in certificate["bounds"]["shares_of_delta"].items()}
    goal = goal_of(certificate)
    problem = Problem(K, goal, settings["feedback"] == "items", shares, certificate["choices"])
    bounds = all_bounds(problem, evidence)
    leader = bounds.leader(goal)
    assumptions = ASSUMED | bounds.assumptions(leader, problem)
    return Proof(bounds, leader, assumptions, goal.allowed(float(bounds.upper[leader])), TOLERANCE)


def goal_of(certificate: Document) -> Goal:
    """Return the goal; schema 3 has absolute ones only."""
    settings = certificate["settings"]
    return Goal(settings["epsilon"], settings.get("relative_epsilon"))


def all_bounds(problem: Problem, evidence: Evidence) -> Bounds:
    """Compute every bound of every pair."""
    upper, direct = upper_bounds(problem, evidence), direct_bounds(problem, evidence)
    clicks, blanks = click_bounds(problem, evidence), screening_bounds(problem, evidence)
    lower = np.maximum.reduce([np.zeros_like(direct), direct, clicks, *blanks])
    contrasts = contrast_bounds(problem, evidence, upper, lower)
    return Bounds(upper, lower, direct, clicks, blanks, contrasts)


class Verification:
    """A certificate and the export of its session, taken apart."""

    def __init__(self, certificate: Document, rows: list[Document]) -> None:
        self.certificate = certificate
        self.settings = certificate["settings"]
        self.W = certificate["log"]["watermark"]
        self.last = certificate["plan_version"]
        self.session = next(row for row in rows if row["kind"] == "session")
        self.impressions = sorted((row for row in rows if row["kind"] == "impression"), key=lambda row: row["sequence"])
        self.all_plans = sorted((row for row in rows if row["kind"] == "plan"), key=lambda row: row["version"])
        self.plans = [plan for plan in self.all_plans if plan["version"] <= self.last]

    def document(self) -> Iterator[Check]:
        """Check 1."""
        certificate, session = self.certificate, self.session
        found = log.certificate_digest(certificate)
        yield Check("digest of the certificate", found == certificate["digest"], f"it is {found}")
        later = any("relative_gap" in plan["report"] for plan in self.plans if plan["version"] == self.last)
        yield Check("schema", later == (certificate["schema"] >= 4), "a plan of a later version certified")
        yield Check("session", certificate["session"]["id"] == session["id"], f"the log is of {session['id']}")
        items = [item["id"] for item in session["items"]]
        yield Check("items", certificate["session"]["items"] == items, f"the log has {len(items)}")
        settings = {**session["settings"], "rank": session["settings"]["rank"] or "auto"}
        other = [name for name, value in self.settings.items() if settings[name] != value]
        yield Check("settings", not other, f"those that differ from the log: {other}")
        named = [items[certificate["i"]], items[certificate["j"]]]
        yield Check("names", certificate["pair"] == named, f"the pair is {named}")

    def rows(self) -> Iterator[Check]:
        """Check 2."""
        first, stated = self.certificate["log"]["first"], self.certificate["log"]["rows"]
        sequences = [row["sequence"] for row in self.impressions if row["sequence"] >= first]
        gapless = sequences == list(range(first, first + len(sequences)))
        counting = sum(row["counts"] for row in self.impressions)
        complete = counting == self.session["counters"]["issued"]
        yield Check("sequences", gapless and complete, f"{len(sequences)} rows from {first} on, {counting} count")
        digests = log.chain(self.session["id"], self.impressions, first)
        yield Check("chain of rows", digests.get(self.W) == stated, f"at {self.W} it is {digests.get(self.W)}")
        chained = [plan for plan in self.plans if (plan["watermark"] or 0) >= first]
        wrong = [plan["version"] for plan in chained if digests.get(plan["watermark"]) != plan["digest"]]
        yield Check("chain at plans", not wrong, f"it differs from the digest of plans {wrong}")
        mark, digest = self.session["watermark"], self.session["digest"]
        same = digests.get(mark) == digest or (mark == 0 and digest == "")
        yield Check("chain at the session", same, f"at {mark} it is {digests.get(mark)}")

    def plan_ids(self) -> Iterator[Check]:
        """Checks 3, 4 and 8."""
        versions = [plan["version"] for plan in self.all_plans]
        complete = versions == list(range(1, len(versions) + 1)) and len(versions) >= self.last
        yield Check("plans", complete, f"the log has plans up to {len(versions)}")
        follows = ["", *(plan["id"] for plan in self.all_plans)]
        changed = [
            plan["version"]
            for before, plan in zip(follows, self.all_plans, strict=False)
            if plan["watermark"] is not None and log.plan_id(before, plan) != plan["id"]
        ]
        yield Check("ids of plans", not changed, f"plans with another id: {changed}")
        before = ["", *(plan["id"] for plan in self.plans if plan["version"] < self.last)][-1]
        yield Check("last plan", before == self.certificate["log"]["plans"], f"the log has {before}")
        marks = [plan["watermark"] for plan in self.plans if plan["watermark"] is not None]
        in_order = all(a <= b for a, b in pairwise([self.certificate["log"]["first"] - 1, *marks]))
        yield Check("watermarks of plans", in_order and marks[-1:] == [self.W], f"they are {marks}")
        at = {row["sequence"]: row["plan_version"] for row in self.impressions}
        later = [plan["version"] for plan in self.all_plans if at.get(plan["watermark"], 0) >= plan["version"]]
        yield Check("plans are later than their evidence", not later, f"not so: {later}")
        unknown = [plan["version"] for plan in self.all_plans if not log.known_is_logged(plan, self.impressions)]
        yield Check("known answers", not unknown, f"plans with answers that the log does not have: {unknown}")

    def handed_out(self) -> Iterator[Check]:
        """Check 5."""
        versions = [row["plan_version"] for row in self.impressions]
        yield Check("plan versions", all(a <= b for a, b in pairwise(versions)), "they never decrease")
        wrong = [plan["version"] for plan in self.all_plans if not self._in_order(plan)]
        unplanned = set(versions) - {plan["version"] for plan in self.all_plans}
        yield Check("order of hand-out", not wrong and not unplanned, f"wrong plans {wrong}, unknown {unplanned}")

    def _in_order(self, plan: Document) -> bool:
        shown = [row for row in self.impressions if row["plan_version"] == plan["version"]]
        pairs = [(min(row["i"], row["j"]), max(row["i"], row["j"])) for row in shown]
        if not shown:
            return True
        if self.certificate["versions"]["numpy"] != np.__version__:
            return set(pairs) <= {(min(i, j), max(i, j)) for i, j, _ in plan["handout"]}
        order = list(log.handout_order(plan["handout"], self.settings["seed"], plan["version"]))
        repeats = self.settings["model"] == "deterministic"
        counted = all(row["counts"] == (not repeats or t < len(order)) for t, row in enumerate(shown))
        return bool(order) and counted and all(pair == order[t % len(order)] for t, pair in enumerate(pairs))

    def finality(self) -> Iterator[Check]:
        """Checks 6 and 7."""
        chained = range(self.certificate["log"]["first"], self.W + 1)
        counting = [row for row in self.impressions if row["counts"] and row["sequence"] in chained]
        ways = {
            row["sequence"]: (row["outcome"] is not None) + bool(row["not_shown"]) + bool(row["given_up"])
            for row in counting
        }
        wrong = [sequence for sequence, number in ways.items() if number != 1]
        yield Check("rows are final", not wrong, f"not final in exactly one way: {wrong[:5]}")
        lost = self.settings["missing_feedback"] == "void"
        must = {row["sequence"] for row in counting if row["not_shown"] or (lost and row["outcome"] is None)}
        void = {row["sequence"] for row in counting if row["void"]}
        has_window = self.settings["attribution_window_seconds"] > 0
        right = must <= void if has_window else must == void
        yield Check("void rows", right, f"void or not without a reason: {sorted(must ^ void)[:5]}")

    def evidence(self) -> Iterator[Check]:
        """Check 9."""
        table = self.certificate["evidence"]
        names = ("n", "s", "clicks_i", "clicks_j")
        cells = list(zip(table["i"], table["j"], table["version"], strict=True))
        stated = {cell: [table[name][at] or 0 for name in names] for at, cell in enumerate(cells)}
        found = log.evidence(self.impressions, self.W)
        differing = [
            cell
            for cell in stated.keys() | found.keys()
            if cell not in stated or cell not in found or not np.allclose(stated[cell], found[cell], rtol=0, atol=1e-9)
        ]
        yield Check("evidence", not differing and len(stated) == len(cells), f"cells that differ: {differing[:5]}")
        samples = sum(row[0] for row in found.values())
        yield Check("samples", samples == self.certificate["samples"], f"the log has {samples:.0f}")

    def shares(self) -> Iterator[Check]:
        """Check 10."""
        stated = self.certificate["bounds"]["shares_of_delta"]
        sound = min(stated.values()) >= 0 and sum(stated.values()) <= 1 + 1e-12
        yield Check("shares of delta", sound, f"their sum is {sum(stated.values()):g}")
        wrong = [plan["version"] for plan in self.plans if _shares_in(plan["report"]) != stated]
        yield Check("shares were fixed", not wrong, f"plans with others: {wrong}")

    def choices(self) -> Iterator[Check]:
        """Check 11."""
        stated = _by_kind(self.certificate["choices"])
        stored = {plan["version"]: _choices_in(plan["memory"]) for plan in self.plans}
        readable = {version: kinds for version, kinds in stored.items() if kinds is not None}
        wrong = [version for version, kinds in readable.items() if not _are_prefixes(kinds, stated, version)]
        yield Check("choices were stored", not wrong, f"plans with others: {wrong}")
        missing = [one["version"] for kind in stated for one in kind if one["version"] + 1 not in readable]
        yield Check("choices have plans", not missing, f"without a plan: versions {missing}")

    def goal(self) -> Iterator[Check]:
        """Check 12."""
        stated = [self.settings["epsilon"], self.settings.get("relative_epsilon")]
        yield Check("goal", stated.count(None) == 1, f"epsilon and relative_epsilon are {stated}")
        if stated.count(None) != 1:
            return
        goal = goal_of(self.certificate)
        least, most = goal.allowed(1.0) * (1 - ROUNDED), goal.allowed(0.0) * (1 + ROUNDED)
        wrong = [
            outlook["version"]
            for outlook in self.certificate["choices"].get("outlooks", [])
            if not least <= outlook.get("epsilon", goal.epsilon or math.inf) <= most
        ]
        yield Check("epsilon of outlooks", not wrong, f"the goal never allows that of versions {wrong}")

    def proof(self) -> Iterator[Check]:
        """Check 13."""
        certificate = self.certificate
        try:
            proof = prove(certificate)
        except (ArithmeticError, LookupError, AssertionError) as error:
            yield Check("proof", False, f"it cannot be computed: {error}")
            return
        K, at, found = len(certificate["session"]["items"]), proof.tolerance, proof.bounds
        pair = place_of(certificate["i"], certificate["j"], K)
        yield Check("pair", pair == proof.leader, f"the bounds give pair number {proof.leader}")
        upper, lowest = found.upper[proof.leader], found.lowest_of_others(proof.leader)
        numbers = {
            "upper bound": (certificate["bounds"]["upper_of_pair"], upper),
            "lower bounds": (certificate["bounds"]["lowest_of_others"], lowest),
            "gap": (certificate["gap"], proof.gap),
        }
        if certificate["schema"] >= 4:
            numbers["relative gap"] = certificate["relative_gap"], relative_gap(proof.gap, float(upper))
        for name, (stated, number) in numbers.items():
            same = stated == number if number is None or stated is None else abs(stated - number) <= at
            yield Check(name, same, f"stated {stated}, computed {number}")
        yield Check("verdict", certificate["gap"] <= proof.largest_gap, f"at most {proof.largest_gap} certifies")
        same = set(certificate["assumptions"]) == proof.assumptions
        yield Check("assumptions", same, f"needed are {sorted(proof.assumptions)}")
        if self.settings["policy"] == "rplans":
            yield Check("plan", self.last > 2 or K == 2, f"certified by plan {self.last}")


def _shares_in(report: Document) -> dict[str, float]:
    """Return the shares of delta in a report; older versions left some out, or wrote a 0 for a removed bound."""
    written = {kind: share for kind, share in report.get("shares_of_delta", {}).items() if (kind, share) != ("gram", 0)}
    return {**UNWRITTEN_SHARES, **written}


def _by_kind(choices: Document) -> list[list[Document]]:
    """Return guesses (at most one), nominees, blanks and outlooks; kinds that are missing are empty."""
    guess = choices.get("guess")
    return [[guess] if guess else [], *(choices.get(kind, []) for kind in ("nominees", "blanks", "outlooks"))]


def _choices_in(memory: str) -> list[list[Document]] | None:
    """Return the choices in the memory of a plan; None if it cannot be read."""
    try:
        return _by_kind(json.loads(memory)["choices"])
    except (TypeError, ValueError, LookupError, AttributeError):
        return None


def _are_prefixes(stored: list[list[Document]], stated: list[list[Document]], w: int) -> bool:
    """Say whether the plan of version w has the stated choices, except for those that were not used yet."""
    for mine, theirs in zip(stored, stated, strict=True):
        needed = [one for one in theirs if one["version"] + 1 <= w]
        allowed = [one for one in theirs if one["version"] <= w]
        if mine[: len(needed)] != needed or mine != allowed[: len(mine)]:
            return False
    return True


STEPS: tuple[Callable[[Verification], Iterator[Check]], ...] = (
    Verification.document,
    Verification.rows,
    Verification.plan_ids,
    Verification.handed_out,
    Verification.finality,
    Verification.evidence,
    Verification.shares,
    Verification.choices,
    Verification.goal,
    Verification.proof,
)


def verify(certificate: Document, rows: list[Document]) -> list[Check]:
    """Return all checks of section 7, in its order."""
    if certificate["schema"] not in {3, 4}:
        return [Check("schema", False, f"only schemas 3 and 4 have digests of the log, not {certificate['schema']}")]
    verification = Verification(certificate, rows)
    return [check for step in STEPS for check in step(verification)]
