"""Section 7 of docs/mathematics.md: the chain of impressions, ids of plans, order of hand-out, evidence."""

import hashlib
import json
import math
import struct
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

CHUNK = 100_000
HANDOUT = 3

IN_PLAN_ID = ("version", "watermark", "digest", "counted_before", "created_at")
TEXTS_IN_PLAN_ID = ("demand", "handout", "known", "report", "memory")

Document = dict[str, Any]
Cell = tuple[int, int, int]
"""Lower item, higher item, plan version."""


def row_bytes(row: Document) -> bytes:
    """Return the 46 bytes of an impression in the chain."""
    counts = bool(row["counts"])
    has = {2: row["outcome"] is not None, 4: row["not_shown"], 8: row["given_up"], 16: row["void"]}
    has[32] = row["clicked"] is not None
    flags = 1 + sum(bit for bit, there in has.items() if there) if counts else 0
    clicked, outcome, answered_at = (
        (row[name] or 0) if counts else 0 for name in ("clicked", "outcome", "answered_at")
    )
    numbers = (row["sequence"], row["i"], row["j"], row["plan_version"], flags, clicked)
    return struct.pack(">QIIIBBddd", *numbers, outcome, row["issued_at"], answered_at)


def chain(session_id: str, impressions: Iterable[Document], first: int) -> dict[int, str]:
    """Return the digest (hex) at each sequence, from the one before `first` on."""
    digest = hashlib.sha256(session_id.encode()).digest()
    found = {first - 1: digest.hex()}
    for row in impressions:
        if row["sequence"] >= first:
            digest = hashlib.sha256(digest + row_bytes(row)).digest()
            found[row["sequence"]] = digest.hex()
    return found


def certificate_digest(certificate: Document) -> str:
    others = {name: value for name, value in certificate.items() if name != "digest"}
    return hashlib.sha256(json.dumps(others, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def plan_id(before: str, plan: Document) -> str:
    """Return the id of an exported plan that follows the plan with the id `before`."""
    texts = [plan[name] if name == "memory" else _json_text(plan[name]) for name in TEXTS_IN_PLAN_ID]
    identity = [before, *(plan[name] for name in IN_PLAN_ID), *texts]
    return hashlib.sha256(_json_text(identity).encode()).hexdigest()[:24]


def _json_text(value: object) -> str:
    """Return compact JSON, non-ASCII as it is; empty for null."""
    return "" if value is None else json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def handout_order(handout: list[list[int]], seed: int, version: int) -> Iterator[tuple[int, int]]:
    """Yield the pair at each place of a plan, chunk by chunk."""
    total = sum(count for _, _, count in handout)
    chunks = max(1, math.ceil(total / CHUNK))
    for c in range(chunks):
        times = [count * (c + 1) // chunks - count * c // chunks for _, _, count in handout]
        entries = np.repeat(np.arange(len(handout)), times)
        for entry in np.random.default_rng([HANDOUT, seed, version, c]).permutation(entries):
            i, j, _ = handout[entry]
            yield min(i, j), max(i, j)


def known_is_logged(plan: Document, impressions: Iterable[Document]) -> bool:
    """Say whether the log has the answers that a plan knew above its watermark."""
    known = plan.get("known")
    if not known:
        return True
    answered = Counter(
        (min(row["i"], row["j"]), max(row["i"], row["j"]), row["plan_version"])
        for row in impressions
        if row["sequence"] > plan["watermark"] and row["plan_version"] < plan["version"] and row["outcome"] is not None
    )
    cells = zip(known["i"], known["j"], known["version"], known["n"], strict=True)
    return all(n <= answered[i, j, version] for i, j, version, n in cells)


def evidence(impressions: Iterable[Document], watermark: int) -> dict[Cell, list[float]]:
    """Return n, s and the clicks on the lower and the higher item, by pair and plan version."""
    sums: dict[Cell, list[float]] = defaultdict(lambda: [0.0] * 4)
    for row in impressions:
        if row["sequence"] > watermark or not row["counts"] or row["void"]:
            continue
        i, j, bits = row["i"], row["j"], row["clicked"] or 0
        clicks = [bits & 1, bits >> 1 & 1]
        if i > j:
            i, j, clicks = j, i, clicks[::-1]
        more = (1, 1 - (row["outcome"] or 0.0), *clicks)
        cell = i, j, row["plan_version"]
        sums[cell] = [a + b for a, b in zip(sums[cell], more, strict=True)]
    return dict(sums)
