"""The certificate: everything needed to check the proof without trusting the server that wrote it."""

import hashlib
import json
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
import scipy

from app.engine.certificate import Shares, assess
from app.engine.evidence import Evidence
from app.engine.memory import Certified
from app.sessions.model import EvidenceRows, SessionRecord
from app.sessions.ports import CertificateRecord
from app.sessions.snapshots import ALWAYS_ASSUMED


def certificate_of(
    record: SessionRecord, latched: Certified, evidence: Evidence, rows: EvidenceRows
) -> CertificateRecord:
    """Returns the immutable document behind one verdict."""
    settings = record.settings
    problem = settings.problem(len(record.items), record.budget)
    assessment = assess(problem, evidence)
    shares = Shares()
    content: dict[str, Any] = {
        "kind": "bestpair-certificate",
        "schema": 1,
        "session": {"id": record.id, "name": record.name, "items": [item.id for item in record.items]},
        "settings": {
            "model": settings.model.value,
            "policy": settings.policy,
            "rank": "auto" if settings.rank is None else settings.rank,
            "epsilon": settings.epsilon,
            "delta": settings.delta,
            "self_pairs": settings.self_pairs.value,
            "feedback": settings.feedback.value,
            "attribution_window_seconds": settings.attribution_window_seconds,
            "missing_feedback": settings.missing_feedback.value,
            "seed": settings.seed,
        },
        "pair": [record.items[latched.pair.i].id, record.items[latched.pair.j].id],
        "i": latched.pair.i,
        "j": latched.pair.j,
        "gap": latched.gap,
        "plan_version": latched.version,
        "epoch": record.epoch,
        "samples": evidence.samples,
        "bounds": {
            "shares_of_delta": {"upper": shares.upper, "direct": shares.direct},
            "upper_of_pair": float(assessment.bounds.upper[assessment.leader_index]),
            "lowest_of_others": assessment.lowest_of_others(assessment.leader_index),
        },
        "assumptions": [*ALWAYS_ASSUMED, *latched.assumptions],
        "choices": [],
        "evidence": {"i": rows.i, "j": rows.j, "version": rows.version, "n": rows.n, "s": rows.s},
        "versions": versions(),
    }
    content["digest"] = digest_of(content)
    return CertificateRecord(json.dumps(content, separators=(",", ":")), content["digest"])


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
