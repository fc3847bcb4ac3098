"""Certificates of version 0.1.0 (schemas 1 and 2): impressions were counted pair by pair; the log has no digests."""

from collections.abc import Callable, Iterable

from app.verification.check import Check, Row, pair_of, unless


def counted_by(certificate: Row) -> Callable[[Row], bool]:
    """Returns the function that tells whether an impression is in the evidence of a certificate, of any schema."""
    if certificate["schema"] >= 3:
        watermark = certificate["log"]["watermark"]
        return lambda row: bool(row["counts"]) and not row["void"] and row["sequence"] <= watermark
    epoch = certificate["epoch"]
    return lambda row: bool(row["counts"]) and not row["void"] and row["epoch"] is not None and row["epoch"] <= epoch


_NO_SHARES = Check(
    "shares",
    True,
    "a certificate of schema 1 cannot show that its shares of delta were fixed before the first impression",
    skipped=True,
)


def check_old_log(certificate: Row, plans: Iterable[Row], impressions: Iterable[Row]) -> list[Check]:
    """Returns the check of the order of counting, and lines about what these certificates cannot show."""
    which = f"a certificate of schema {certificate['schema']} (version 0.1.0)"
    return [
        unless("schema", _too_new(certificate, plans), f"this is {which}"),
        Check(
            "log",
            True,
            f"{which} has no digests of the log: it cannot show that no times were changed, that outcomes of one pair "
            "and plan were not exchanged, and that no rows were removed or added that change no count",
            skipped=True,
        ),
        Check(
            "delays",
            True,
            f"{which} counts each pair by itself: bounds that join pairs hold only if answers take equally long "
            "whatever the outcome, which nothing here can show",
            skipped=True,
        ),
        *([_NO_SHARES] if certificate["schema"] == 1 else []),
        unless(
            "order",
            _out_of_order(certificate, impressions),
            "the impressions of each pair were counted in the order of issue",
        ),
    ]


def _too_new(certificate: Row, plans: Iterable[Row]) -> str:
    """Returns what is wrong if the plan that certified has a watermark: the version that made it writes digests."""
    version = certificate["plan_version"]
    is_new = any(plan["version"] == version and plan.get("watermark") is not None for plan in plans)
    return f"plan {version}, which certified, was made by a version whose certificates have digests" if is_new else ""


def _out_of_order(certificate: Row, impressions: Iterable[Row]) -> str:
    """Returns which counted impression comes after one of its pair that was neither counted nor void."""
    is_counted, epoch = counted_by(certificate), certificate["epoch"]
    blocked: dict[tuple[int, int], int] = {}
    for row in sorted(impressions, key=lambda row: row["sequence"]):
        if not row["counts"]:
            continue
        if is_counted(row):
            if pair_of(row) in blocked:
                earlier = blocked[pair_of(row)]
                return f"impression {row['sequence']} was counted before {earlier}, an earlier one of its pair"
        elif not (row["void"] and row["epoch"] is not None and row["epoch"] <= epoch):  # it was open at that time
            blocked.setdefault(pair_of(row), row["sequence"])
    return ""
