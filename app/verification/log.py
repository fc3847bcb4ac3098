"""Checks of the log that a certificate is verified with: nothing was changed, removed, added or moved.

Every impression up to the watermark is in a chain of digests; every plan has an id that contains the id of the plan
before it and the digest at its watermark. The certificate states where both chains end.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from typing import Any

from app.counting.chain import COUNTS, GIVEN_UP, HAS_CLICKED, HAS_OUTCOME, NOT_SHOWN, VOID, chain_start, pack_row
from app.database.statements import compact_json
from app.impressions.handout_order import HandoutSequence
from app.planning.plan import plan_id
from app.results.certificates import versions

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Check:
    """The result of one check; `detail` is a sentence for people."""

    name: str
    holds: bool
    detail: str


def check(name: str, holds: bool, if_true: str, if_false: str) -> Check:
    """Returns a check with the sentence that applies."""
    return Check(name, holds, if_true if holds else if_false)


def pair_of(row: Row) -> tuple[int, int]:
    """Returns the items of an impression, the lower number first."""
    return min(row["i"], row["j"]), max(row["i"], row["j"])


def check_log(certificate: Row, plans: Sequence[Row], impressions: Sequence[Row]) -> list[Check]:
    """Returns the checks of a log with digests (schema 3); `plans` and `impressions` are in the order of the log."""
    stated = certificate["log"]
    watermark, first = stated["watermark"], stated["first"]
    counted = [row for row in impressions if row["sequence"] <= watermark]
    return [
        _check_sequences(impressions, watermark),
        _check_rows(certificate, plans, counted, first),
        _check_plans(certificate, plans),
        _check_final(counted),
        _check_versions(impressions),
        _check_known(plans, impressions),
    ]


def _check_sequences(impressions: Sequence[Row], watermark: int) -> Check:
    expected = range(1, max(watermark, len(impressions)) + 1)
    wrong = next(
        (number for number, row in zip(expected, impressions, strict=False) if row["sequence"] != number),
        len(impressions) + 1 if len(impressions) < watermark else None,
    )
    return check(
        "sequences",
        wrong is None,
        f"the log has all {len(impressions)} impressions, in the order of issue, each once",
        f"impression {wrong} is missing, occurs twice, or is not at its place",
    )


def _check_rows(certificate: Row, plans: Sequence[Row], counted: Sequence[Row], first: int) -> Check:
    """Computes the chain again, and compares it with the certificate and with every plan on the way."""
    watermark = certificate["log"]["watermark"]
    ends = {plan["watermark"]: plan["digest"] for plan in plans if plan.get("watermark") is not None}
    ends = {end: digest for end, digest in ends.items() if first <= end <= watermark}
    ends[watermark] = certificate["log"]["rows"]
    digest, matched = chain_start(certificate["session"]["id"]), first - 1
    at = {first - 1: digest}
    for row in counted:
        if row["sequence"] >= first:
            digest = sha256(digest + _packed(row)).digest()
            at[row["sequence"]] = digest
    for end in sorted(ends):
        if at.get(end, b"").hex() != ends[end]:
            detail = f"an impression between {matched + 1} and {end} was changed after it was counted"
            return Check("impressions", False, detail)
        matched = end
    before = f"; those before {first} were counted by version 0.1.0 and have no digest" if first > 1 else ""
    return Check("impressions", True, f"no impression up to {watermark} was changed after it was counted{before}")


def _packed(row: Row) -> bytes:
    """Returns the row of an impression in the chain. On purpose, this does not use the code of the fold."""
    numbers = (row["sequence"], row["i"], row["j"], row["plan_version"])
    if not row["counts"]:
        return pack_row(*numbers, 0, 0, 0.0, row["issued_at"], 0.0)
    flags = (
        COUNTS
        | (HAS_OUTCOME if row["outcome"] is not None else 0)
        | (NOT_SHOWN if row["not_shown"] else 0)
        | (GIVEN_UP if row["given_up"] else 0)
        | (VOID if row["void"] else 0)
        | (HAS_CLICKED if row["clicked"] is not None else 0)
    )
    values = (row["outcome"] or 0.0, row["issued_at"], row["answered_at"] or 0.0)
    return pack_row(*numbers, flags, row["clicked"] or 0, *values)


def _check_plans(certificate: Row, plans: Sequence[Row]) -> Check:
    """Computes the ids of all plans up to the verdict again; ids of version 0.1.0 are taken as they are."""
    name, last = "plans are unchanged", ""
    used = [plan for plan in plans if plan["version"] < certificate["plan_version"]]
    if [plan["version"] for plan in used] != list(range(1, certificate["plan_version"])):
        return Check(name, False, "a plan is missing from the log, occurs twice, or is not at its place")
    for plan in used:
        if plan.get("watermark") is not None and plan_id(last, _stored(plan)) != plan["id"]:
            return Check(name, False, f"plan {plan['version']}, or the id of the plan before it, was changed")
        last = plan["id"]
    return check(
        name,
        last == certificate["log"]["plans"],
        f"none of the {len(used)} plans before the verdict was changed after it was stored",
        f"the certificate follows another plan than {certificate['plan_version'] - 1} of the log",
    )


def _stored(plan: Row) -> dict[str, Any]:
    """Returns the exported plan as it was stored: some columns are JSON texts there."""
    texts = {name: compact_json(plan[name]) for name in ("demand", "handout", "report")}
    known = "" if plan["known"] is None else compact_json(plan["known"])
    return {**plan, **texts, "known": known}


def _check_final(counted: Sequence[Row]) -> Check:
    wrong = next((row["sequence"] for row in counted if not _is_final(row)), None)
    return check(
        "final",
        wrong is None,
        "every impression up to the watermark was answered, not shown, or given up",
        f"impression {wrong} is below the watermark, but it was not final",
    )


def _is_final(row: Row) -> bool:
    closed = row["outcome"] is not None or row["not_shown"] or row["given_up"] or row["void"]
    return not row["counts"] or bool(closed)


def _check_versions(impressions: Sequence[Row]) -> Check:
    wrong = next((b["sequence"] for a, b in pairwise(impressions) if b["plan_version"] < a["plan_version"]), None)
    return check(
        "versions",
        wrong is None,
        "plan versions never decrease in the order of issue",
        f"impression {wrong} has a lower plan version than the one before it",
    )


def _check_known(plans: Sequence[Row], impressions: Sequence[Row]) -> Check:
    """Checks that the answers that a plan used above its watermark are in the log, and were issued before it."""
    for plan in plans:
        known = plan.get("known")
        if not known:
            continue
        answered = Counter(
            (*pair_of(row), row["plan_version"])
            for row in impressions
            if row["sequence"] > plan["watermark"]
            and row["plan_version"] < plan["version"]
            and row["outcome"] is not None
        )
        cells = zip(known["i"], known["j"], known["version"], known["n"], strict=True)
        if any(n > answered[i, j, version] for i, j, version, n in cells):
            return Check("known", False, f"plan {plan['version']} used answers that are not in the log")
    return Check("known", True, "every answer that a plan used is in the log, and was issued before the plan")


def check_handout(certificate: Row, plans: Iterable[Row], impressions: Iterable[Row]) -> Check:
    """Returns whether every impression is the one at its position in the order of its plan.

    Every counted pair must have been chosen by a plan, before its outcome was known. The order is a seeded shuffle;
    other versions of numpy may give another one, so in that case only the pairs are compared.
    """
    in_order = certificate["versions"].get("numpy") == versions()["numpy"]
    seed = certificate["settings"]["seed"]
    handouts = {plan["version"]: plan["handout"] for plan in plans}
    shown: dict[int, list[tuple[int, int]]] = {version: [] for version in handouts}
    for row in sorted(impressions, key=lambda row: row["sequence"]):
        shown.setdefault(row["plan_version"], []).append(pair_of(row))
    for version, pairs in shown.items():
        triples = tuple((i, j, times) for i, j, times in handouts.get(version, []))
        expected = _first_pairs(triples, seed, version, len(pairs)) if in_order else pairs
        if pairs != expected or not set(pairs) <= {(min(i, j), max(i, j)) for i, j, _ in triples}:
            return Check("handed out", False, f"impressions of plan {version} are not those in its hand-out")
    detail = "in its order" if in_order else "the order is not checked, because another version of numpy made it"
    return Check("handed out", True, f"every pair shown is in the hand-out of its plan; {detail}")


def _first_pairs(
    handout: tuple[tuple[int, int, int], ...], seed: int, version: int, count: int
) -> list[tuple[int, int]]:
    """Returns the first pairs that a plan hands out."""
    pairs = HandoutSequence(handout, seed, version).pairs(0, count) if handout else []
    return [(min(pair), max(pair)) for pair in pairs]
