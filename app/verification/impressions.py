"""Checks of the impressions in a log: none was changed, removed, added or moved, and each was final when it counted.

Every impression up to the watermark is in a chain of digests. The certificate states its end, and every plan, and the
session, states the digest at its own watermark. So a difference can be located between two of them.
"""

import struct
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import pairwise
from typing import NamedTuple

from app.counting.chain import COUNTS, GIVEN_UP, HAS_CLICKED, HAS_OUTCOME, NOT_SHOWN, VOID, chain_start, pack_row
from app.verification.check import Check, Row, unless
from app.verification.old_log import counted_by
from app.wire.vocabulary import MissingFeedback


def check_sequences(certificate: Row, session: Row, impressions: Sequence[Row]) -> Check:
    """Returns whether the log has all impressions, each at its place."""
    return unless(
        "sequences",
        _wrong_sequence(certificate["log"]["watermark"], session, impressions),
        f"the log has all {len(impressions)} impressions, in the order of issue, each once",
    )


def _wrong_sequence(watermark: int, session: Row, impressions: Sequence[Row]) -> str:
    for place, row in enumerate(impressions, 1):
        if row["sequence"] != place:
            return f"row {place} of the impressions is impression {row['sequence']}: a row was removed, added or moved"
    if len(impressions) < watermark:
        return f"the log ends at impression {len(impressions)}, but impressions up to {watermark} were counted"
    issued, found = session.get("counters", {}).get("issued"), sum(bool(row["counts"]) for row in impressions)
    if issued is not None and issued != found:
        return f"the log has {found} impressions, but its session had issued {issued} when it was exported"
    return ""


class _Stated(NamedTuple):
    """A digest of the impressions up to a sequence, and who states it."""

    sequence: int
    digest: str
    by: str


def check_rows(certificate: Row, session: Row, plans: Sequence[Row], impressions: Sequence[Row]) -> Check:
    """Computes the chain again, and compares it with all digests that the certificate, plans and session state."""
    log = certificate["log"]
    stated = sorted(_stated_digests(certificate, session, plans))
    computed = _digests(certificate, impressions, {one.sequence for one in stated})
    before = (
        f"; those before {log['first']} were counted by version 0.1.0 and have no digest" if log["first"] > 1 else ""
    )
    detail = f"no impression up to {log['watermark']} was changed after it was counted{before}"
    return unless("impressions", _wrong_digest(stated, computed, log["watermark"]), detail)


def _stated_digests(certificate: Row, session: Row, plans: Sequence[Row]) -> Iterator[_Stated]:
    log = certificate["log"]
    yield _Stated(log["watermark"], log["rows"], "the certificate")
    if session.get("digest"):
        yield _Stated(session["watermark"], session["digest"], "the session")
    for plan in plans:
        if plan.get("watermark") is not None:  # plans of version 0.1.0 have none
            yield _Stated(plan["watermark"], plan["digest"], f"plan {plan['version']}")


def _digests(certificate: Row, impressions: Sequence[Row], wanted: set[int]) -> dict[int, str]:
    """Returns the digests of the chain at these sequences, as far as the log has them."""
    first, digest = certificate["log"]["first"], chain_start(certificate["session"]["id"])
    digests = {first - 1: digest.hex()}
    for row in impressions:
        if row["sequence"] >= first:
            digest = sha256(digest + _packed(row)).digest()
            if row["sequence"] in wanted:
                digests[row["sequence"]] = digest.hex()
    return digests


def _wrong_digest(stated: Sequence[_Stated], computed: dict[int, str], watermark: int) -> str:
    """Returns which impressions were changed, '' if none was."""
    fits = [computed.get(one.sequence) == one.digest for one in stated]
    if all(fits):
        return ""
    wrong = stated[fits.index(False)]
    if any(fit and one.sequence >= wrong.sequence for fit, one in zip(fits, stated, strict=True)):
        return f"{wrong.by} states another digest of the impressions up to {wrong.sequence} than the log has"
    if wrong.sequence not in computed:
        return f"{wrong.by} states a digest of the impressions up to {wrong.sequence}, which are not in the log"
    if wrong.sequence in {0, min(computed)}:
        return f"{wrong.by} is about the impressions of another session"
    after = max((one.sequence for fit, one in zip(fits, stated, strict=True) if fit), default=min(computed))
    which = (
        f"impression {after + 1}"
        if after + 1 == wrong.sequence
        else f"one of impressions {after + 1} to {wrong.sequence}"
    )
    later = "" if after < watermark else ", which the certificate does not count,"
    return f"{which}{later} was changed, removed, added or moved after it was counted"


def _packed(row: Row) -> bytes:
    """Returns the row of an impression in the chain. On purpose, this does not use the code of the fold."""
    numbers = (row["sequence"], row["i"], row["j"], row["plan_version"])
    flags = (
        COUNTS
        | (HAS_OUTCOME if row["outcome"] is not None else 0)
        | (NOT_SHOWN if row["not_shown"] else 0)
        | (GIVEN_UP if row["given_up"] else 0)
        | (VOID if row["void"] else 0)
        | (HAS_CLICKED if row["clicked"] is not None else 0)
    )
    values = (row["outcome"] or 0.0, row["issued_at"], row["answered_at"] or 0.0)
    try:
        if not row["counts"]:
            return pack_row(*numbers, 0, 0, 0.0, row["issued_at"], 0.0)
        return pack_row(*numbers, flags, row["clicked"] or 0, *values)
    except struct.error:
        return b""  # no server wrote such a number, so the digest must not fit


def check_final(certificate: Row, impressions: Sequence[Row]) -> Check:
    """Returns whether every impression up to the watermark was final in exactly one way."""
    return unless(
        "final",
        next(filter(None, (_not_final(row, certificate["log"]) for row in impressions)), ""),
        "every impression up to the watermark was answered, not shown, or given up",
    )


def _not_final(row: Row, log: Row) -> str:
    if not row["counts"] or row["sequence"] > log["watermark"]:
        return ""
    if row["sequence"] < log["first"]:  # counted by version 0.1.0, which wrote an epoch
        return "" if row["epoch"] is not None else f"version 0.1.0 did not count impression {row['sequence']}"
    ways = {"answered": row["outcome"] is not None, "not shown": row["not_shown"], "given up": row["given_up"]}
    true = [name for name, is_true in ways.items() if is_true]
    if not true:
        return f"impression {row['sequence']} is below the watermark, but it was not final"
    return "" if len(true) == 1 else f"impression {row['sequence']} is both {' and '.join(true)}"


def check_void(certificate: Row, impressions: Sequence[Row]) -> Check:
    """Returns whether the impressions that are left out are those that must be.

    With a window, an outage makes any impression void, and the log does not contain outages.
    """
    has_window = certificate["settings"]["attribution_window_seconds"] > 0
    right = "exactly the impressions that were not shown or got no answer are left out"
    with_window = "every impression that was not shown is left out; which others must be is not in the log"
    is_counted = counted_by(certificate)
    wrong = next(filter(None, (_wrongly_void(row, certificate, is_counted(row)) for row in impressions)), "")
    return unless("void", wrong, with_window if has_window else right)


def _wrongly_void(row: Row, certificate: Row, is_counted: bool) -> str:
    settings = certificate["settings"]
    is_lost = row["outcome"] is None and settings["missing_feedback"] == MissingFeedback.VOID
    must_be = row["not_shown"] or is_lost
    if row["void"] and not must_be and settings["attribution_window_seconds"] == 0:
        return f"impression {row['sequence']} was shown and answered in time, but it is left out"
    if is_counted and must_be:
        return f"impression {row['sequence']} was not shown or got no answer, but it is not left out"
    return ""


def check_versions(impressions: Sequence[Row]) -> Check:
    """Returns whether plan versions never decrease: fresh impressions are those of later versions."""
    wrong = next((b["sequence"] for a, b in pairwise(impressions) if b["plan_version"] < a["plan_version"]), None)
    return unless(
        "versions",
        "" if wrong is None else f"impression {wrong} has a lower plan version than the one before it",
        "plan versions never decrease in the order of issue",
    )
