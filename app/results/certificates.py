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
from app.engine.delta_shares import Shares
from app.engine.evidence import Evidence
from app.engine.memory import Certified
from app.engine.problem import Problem
from app.results.report import ALWAYS_ASSUMED
from app.results.sql import Certificate
from app.sessions.model import Session

SCHEMA = 4
"""Schema 4 has goals of both kinds, `relative_gap`, and the epsilon of each outlook. Schema 3 has the digests of the
log: impressions are counted in the order of the session. Schema 2 has all shares of delta, the choices that bounds use,
and clicks by item; its impressions were counted pair by pair. Schema 1 had none of these. All can still be verified.

A kind of bound that a document does not name has no share of delta and made no choices. Version 0.1.0 also wrote
`gram`, `landmarks` and `gram_refuted`, of a bound that is removed: zero, empty and false in all its certificates."""


PROOF_SETTINGS = (
    "model",
    "policy",
    "rank",
    "epsilon",
    "relative_epsilon",
    "delta",
    "self_pairs",
    "feedback",
    "attribution_window_seconds",
    "missing_feedback",
    "seed",
)
"""The settings that the proof, or a check of it, depends on."""


@dataclass(frozen=True)
class LogState:
    """The digest of the impressions up to the watermark, and the sequence of the first one in the chain."""

    digest: str = ""
    first_chained: int = 1


@dataclass(frozen=True, eq=False)
class Proof:
    """Everything that a verdict is computed from."""

    problem: Problem
    evidence: Evidence
    choices: Choices
    shares: Shares


def certificate_of(
    session: Session, certified: Certified, proof: Proof, rows: EvidenceRows, log: LogState
) -> Certificate:
    """Returns the document that proves one verdict; it is never changed. `session` is as it was before the verdict."""
    assessment = assess(proof.problem, proof.evidence, proof.choices, proof.shares)
    content: dict[str, Any] = {
        "kind": "bestpair-certificate",
        "schema": SCHEMA,
        "session": {"id": session.id, "name": session.name, "items": [item.id for item in session.items]},
        "settings": {name: getattr(session.settings, name) for name in PROOF_SETTINGS},
        "pair": [session.items[certified.pair.i].id, session.items[certified.pair.j].id],
        "i": certified.pair.i,
        "j": certified.pair.j,
        "gap": certified.gap,
        "relative_gap": certified.relative_gap,
        "plan_version": certified.version,
        "log": {
            "first": log.first_chained,
            "watermark": session.watermark,
            "rows": log.digest,
            "plans": session.plan_id,  # of the last plan before this verdict
        },
        "samples": proof.evidence.samples,
        "bounds": {
            "shares_of_delta": asdict(proof.shares),
            "upper_of_pair": float(assessment.bounds.upper[assessment.leader_index]),
            # With the pair at its upper bound, because contrasts bound the others relative to it.
            "lowest_of_others": assessment.lowest_of_others(assessment.leader_index),
        },
        "assumptions": [*ALWAYS_ASSUMED, *certified.assumptions],
        "choices": proof.choices.to_plain(),
        "evidence": rows.to_plain(),
        "versions": versions(),
    }
    content["digest"] = digest_of(content)
    return Certificate(json.dumps(content, separators=(",", ":")), content["digest"])


def digest_of(content: dict[str, Any]) -> str:
    """Returns the SHA-256 of the document without its digest, keys sorted."""
    digested = {key: value for key, value in content.items() if key != "digest"}
    return hashlib.sha256(json.dumps(digested, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def package_version() -> str:
    """Returns this program's version."""
    try:
        return version("bestpair")
    except PackageNotFoundError:
        return "unknown"


def versions() -> dict[str, str]:
    """Returns the versions of everything that bit-equal results depend on."""
    return {
        "bestpair": package_version(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }
