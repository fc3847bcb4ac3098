"""The certificate: everything needed to check the proof without trusting the server that wrote it."""

import hashlib
import json
import platform
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
import scipy

from app.counting.rules import EvidenceRows
from app.engine.certificate import assess
from app.engine.choices import Choices
from app.engine.evidence import Evidence
from app.engine.memory import Certified
from app.engine.problem import Problem
from app.engine.shares import Shares
from app.results.report import ALWAYS_ASSUMED
from app.results.sql import Certificate
from app.sessions.model import Session

SCHEMA = 2
"""2: all shares of delta, the choices bounds rest on, and clicks by item. 1 had none of these and is still verified.

A kind of bound that a document does not name has no share of delta and made no choices. Version 0.1.0 also wrote
`gram`, `landmarks` and `gram_refuted`, of a bound that is removed: zero, empty and false in all that it certified."""


PROOF_SETTINGS = (
    "model",
    "policy",
    "rank",
    "epsilon",
    "delta",
    "self_pairs",
    "feedback",
    "attribution_window_seconds",
    "missing_feedback",
    "seed",
)
"""The settings that the proof, or a check of it, depends on."""


@dataclass(frozen=True, eq=False)
class Proof:
    """What a verdict follows from."""

    problem: Problem
    evidence: Evidence
    choices: Choices
    shares: Shares


def certificate_of(session: Session, latched: Certified, proof: Proof, rows: EvidenceRows) -> Certificate:
    """Returns the immutable document behind one verdict."""
    assessment = assess(proof.problem, proof.evidence, proof.choices, proof.shares)
    content: dict[str, Any] = {
        "kind": "bestpair-certificate",
        "schema": SCHEMA,
        "session": {"id": session.id, "name": session.name, "items": [item.id for item in session.items]},
        "settings": {name: getattr(session.settings, name) for name in PROOF_SETTINGS},
        "pair": [session.items[latched.pair.i].id, session.items[latched.pair.j].id],
        "i": latched.pair.i,
        "j": latched.pair.j,
        "gap": latched.gap,
        "plan_version": latched.version,
        "epoch": session.epoch,
        "samples": proof.evidence.samples,
        "bounds": {
            "shares_of_delta": asdict(proof.shares),
            "upper_of_pair": float(assessment.bounds.upper[assessment.leader_index]),
            # With the pair at its upper bound: what contrasts prove of the others is relative to it.
            "lowest_of_others": assessment.lowest_of_others(assessment.leader_index),
        },
        "assumptions": [*ALWAYS_ASSUMED, *latched.assumptions],
        "choices": proof.choices.to_plain(),
        "evidence": _counted(rows),
        "versions": versions(),
    }
    content["digest"] = digest_of(content)
    return Certificate(json.dumps(content, separators=(",", ":")), content["digest"])


def _counted(rows: EvidenceRows) -> dict[str, list[Any]]:
    """Returns the columns of the counts; rows of nothing but unanswered impressions prove nothing and are left out."""
    columns = {name: getattr(rows, name) for name in ("i", "j", "version", "n", "s", "clicks_i", "clicks_j")}
    if 0 not in rows.n:
        return columns
    counted = [place for place, n in enumerate(rows.n) if n > 0]
    return {name: [column[place] for place in counted] for name, column in columns.items()}


def digest_of(content: dict[str, Any]) -> str:
    """Returns the SHA-256 of the document without its digest, keys sorted."""
    rest = {key: value for key, value in content.items() if key != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def package_version() -> str:
    """Returns this program's version."""
    try:
        return version("bestpair")
    except PackageNotFoundError:
        return "unknown"


def versions() -> dict[str, str]:
    """Returns the versions that decide the numbers to the bit."""
    return {
        "bestpair": package_version(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }
