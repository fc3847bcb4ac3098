"""Checks of the plans in a log: none was changed, removed or added, and each used only what came before it.

The id of a plan contains the id of the plan before it, and the certificate states the id of the last plan before the
verdict.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import islice, takewhile
from typing import Any

from app.database.statements import compact_json
from app.engine.problem import Model
from app.impressions.handout_order import HandoutSequence
from app.planning.plan import plan_id
from app.results.certificates import versions
from app.verification.check import Check, Row, items, pair_of, unless

ROUNDING = 1e-9


def check_plan_ids(certificate: Row, plans: Sequence[Row]) -> Check:
    """Computes the ids of all plans again; those of version 0.1.0 have none."""
    before = certificate["plan_version"] - 1
    old = max((plan["version"] for plan in plans if not plan["id"]), default=0)
    note = f"; those up to plan {old} were made by version 0.1.0 and have no id" if old else ""
    return unless(
        "plans",
        _wrong_id(certificate, plans),
        f"none of the {before} plans before the verdict was changed after it was stored{note}",
    )


def _wrong_id(certificate: Row, plans: Sequence[Row]) -> str:
    last, before = "", certificate["plan_version"] - 1
    for place, plan in enumerate(plans, 1):
        if plan["version"] != place:
            return f"plan {place} is missing, occurs twice, or is not at its place"
        if not _has_its_id(plan, last):
            other = f", or does not follow plan {place - 1}" if place > 1 else ""
            return f"plan {place} was changed after it was stored{other}"
        last = plan["id"]
        if place == before and last != certificate["log"]["plans"]:
            return f"the certificate follows another plan {place} than that in the log"
    if len(plans) < certificate["plan_version"]:
        return f"plan {len(plans) + 1} is missing"
    return ""


def _has_its_id(plan: Row, last: str) -> bool:
    """Returns whether the id of a plan fits what it contains, and the id of the plan before it.

    Plans without a watermark are older: those of version 0.1.0 have no id, later ones had an id of some columns.
    """
    if plan.get("watermark") is not None:
        return bool(plan["id"] == plan_id(last, _stored(plan)))
    identity = [last, plan["version"], plan["epoch"], compact_json(plan["handout"]), plan["memory"]]
    return plan["id"] in {"", sha256(compact_json(identity).encode()).hexdigest()[:24]} and (not last or plan["id"])


def _stored(plan: Row) -> dict[str, Any]:
    """Returns the exported plan as it was stored: some columns are JSON texts there."""
    texts = {name: compact_json(plan[name]) for name in ("demand", "handout", "report")}
    known = "" if plan["known"] is None else compact_json(plan["known"])
    return {**plan, **texts, "known": known}


def check_watermarks(certificate: Row, plans: Sequence[Row], impressions: Sequence[Row]) -> Check:
    """Returns whether each plan used evidence that was there when it was made."""
    return unless(
        "watermarks",
        _wrong_watermark(certificate, plans, impressions),
        "watermarks of plans never decrease, and no plan used an impression that was issued after it",
    )


def _wrong_watermark(certificate: Row, plans: Sequence[Row], impressions: Sequence[Row]) -> str:
    log, last = certificate["log"], -1
    version_at = {row["sequence"]: row["plan_version"] for row in impressions}
    if log["first"] > 1 and any(plan.get("watermark") is not None for plan in plans[:1]):
        return f"the certificate skips the digests before impression {log['first']}, but version 0.1.0 made no plan"
    for plan in plans:
        name, watermark = f"plan {plan['version']}", plan.get("watermark")
        if watermark is None:
            if last >= 0 or plan["version"] == certificate["plan_version"]:
                return f"{name} has no watermark, as if version 0.1.0 had made it"
            continue
        if watermark < max(last, log["first"] - 1):
            return f"{name} has watermark {watermark}, which is lower than that of an earlier plan"
        if version_at.get(watermark, 0) >= plan["version"]:
            return f"{name} used impression {watermark}, which was issued after it"
        if plan["version"] == certificate["plan_version"] and watermark != log["watermark"]:
            return f"{name}, which certified, has watermark {watermark}, and the certificate {log['watermark']}"
        last = watermark
    return ""


def check_known(plans: Iterable[Row], impressions: Sequence[Row]) -> Check:
    """Returns whether the answers that plans used above their watermarks are in the log, and were issued before."""
    return unless(
        "known",
        next(filter(None, (_unknown(plan, impressions) for plan in plans if plan.get("known"))), ""),
        "every answer that a plan used is in the log, and was issued before the plan",
    )


def _unknown(plan: Row, impressions: Sequence[Row]) -> str:
    """Returns which of the answers that a plan used are not in the log; more may have arrived since."""
    above = islice(impressions, plan["watermark"], None)
    found: dict[tuple[int, int, int], list[float]] = {}
    for row in takewhile(lambda row: row["plan_version"] < plan["version"], above):
        if row["outcome"] is not None:
            cell = found.setdefault((*pair_of(row), row["plan_version"]), [0.0] * 5)
            first, second = (row["clicked"] or 0) & 1, (row["clicked"] or 0) >> 1
            clicked = (first, second) if row["i"] <= row["j"] else (second, first)
            more = (1, 1 - row["outcome"], row["outcome"], *clicked)
            cell[:] = [old + new for old, new in zip(cell, more, strict=True)]
    known = plan["known"]
    columns = (known[name] for name in ("i", "j", "version", "n", "s", "clicks_i", "clicks_j"))
    for i, j, version, n, s, *clicks in zip(*columns, strict=True):
        cell = found.get((i, j, version), [0.0] * 5)
        if any(used > there + ROUNDING for used, there in zip((n, s, n - s, *clicks), cell, strict=True)):
            which = f"{n} answer{'s' * (n > 1)} to {items((i, j))} under plan {version}"
            there = f"has {cell[0]:.0f} of them" if n > cell[0] else "has other outcomes"
            return f"plan {plan['version']} used {which} above impression {plan['watermark']}, but the log {there}"
    return ""


def check_handout(certificate: Row, plans: Iterable[Row], impressions: Iterable[Row]) -> Check:
    """Returns whether every impression is the one at its position in the order of its plan.

    Every counted pair must have been chosen by a plan, before its outcome was known. The order is a seeded shuffle;
    other versions of numpy may give another one, so in that case only the pairs are compared.
    """
    in_order = certificate["versions"].get("numpy") == versions()["numpy"]
    handouts = {plan["version"]: plan["handout"] for plan in plans}
    shown: dict[int, list[Row]] = {}
    for row in sorted(impressions, key=lambda row: row["sequence"]):
        shown.setdefault(row["plan_version"], []).append(row)
    settings = certificate["settings"]
    wrong = (_wrong_pair(rows, handouts.get(version, []), settings, in_order) for version, rows in shown.items())
    right = "every pair shown is the one at its place in the hand-out of its plan"
    other = "every pair shown is in the hand-out of its plan; another version of numpy made its order"
    return unless("handed out", next(filter(None, wrong), ""), right if in_order else other)


def _wrong_pair(rows: Sequence[Row], handout: Iterable[Sequence[int]], settings: Row, in_order: bool) -> str:
    """Returns which impression of a plan is not the one that the plan asked for."""
    version = rows[0]["plan_version"]
    triples = tuple((i, j, times) for i, j, times in handout)
    total, asked = sum(times for *_, times in triples), {(min(i, j), max(i, j)) for i, j, _ in triples}
    if not total:
        return f"impression {rows[0]['sequence']} has plan version {version}, which asked for no pairs"
    order = HandoutSequence(triples, settings["seed"], version).pairs(0, len(rows)) if in_order else []
    for place, row in enumerate(rows):
        pair = pair_of(row)
        if pair not in asked:
            return f"impression {row['sequence']} shows {items(pair)}, which plan {version} did not ask for"
        if in_order and pair != (expected := (min(order[place]), max(order[place]))):
            asked_for = f"the next pair of plan {version} was {items(expected)}"
            return f"impression {row['sequence']} shows {items(pair)}, but {asked_for}"
        # In the deterministic model, a value counts once: the demand is repeated while values are outstanding.
        must_count = settings["model"] != Model.DETERMINISTIC or place < total
        if bool(row["counts"]) != must_count:
            return f"impression {row['sequence']} {'must' if must_count else 'must not'} count"
    return ""
