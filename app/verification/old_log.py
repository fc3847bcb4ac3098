"""Certificates of version 0.1.0 (schemas 1 and 2): impressions were counted pair by pair; the log has no digests."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from app.verification.log import Check, check, pair_of

Row = Mapping[str, Any]


def counted_by(certificate: Row) -> Callable[[Row], bool]:
    """Returns the function that tells whether an impression is in the evidence of a certificate, of any schema."""
    if certificate["schema"] >= 3:
        watermark = certificate["log"]["watermark"]
        return lambda row: bool(row["counts"]) and not row["void"] and row["sequence"] <= watermark
    epoch = certificate["epoch"]
    return lambda row: bool(row["counts"]) and not row["void"] and row["epoch"] is not None and row["epoch"] <= epoch


def check_old_log(certificate: Row, impressions: Iterable[Row]) -> list[Check]:
    """Returns the check of the order of counting, and a line about what these certificates cannot show."""
    return [
        check(
            "order",
            _in_issue_order(certificate, impressions),
            "the impressions of each pair were counted in the order of issue",
            "an impression was counted before an earlier one of its pair",
        ),
        Check(
            "log",
            True,
            f"not checked: a certificate of schema {certificate['schema']} has no digests of the log, so outcomes that "
            "were exchanged within a pair, other times or removed rows would not be noticed; and it holds only if "
            "answers are not slower after one outcome than after the other",
        ),
    ]


def _in_issue_order(certificate: Row, impressions: Iterable[Row]) -> bool:
    """Returns whether, for every pair, no counted impression comes after one that was neither counted nor void."""
    is_counted, epoch = counted_by(certificate), certificate["epoch"]
    blocked: set[tuple[int, int]] = set()
    for row in sorted(impressions, key=lambda row: row["sequence"]):
        if not row["counts"]:
            continue
        if is_counted(row):
            if pair_of(row) in blocked:
                return False
        elif not (row["void"] and row["epoch"] is not None and row["epoch"] <= epoch):  # it was open at that time
            blocked.add(pair_of(row))
    return True
