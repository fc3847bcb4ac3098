"""The hand-out of a plan: which impressions count in the deterministic model."""

from typing import Any

import pytest

from app.impressions.handout_order import HandoutSequence
from app.results.certificates import versions
from app.verification.check import Check
from app.verification.plans import check_handout

HANDOUT = ((0, 1, 1), (0, 2, 1), (1, 2, 1))


def checked(model: str, counts: list[bool]) -> Check:
    """Checks the impressions of one plan of three pairs, handed out again after the third."""
    certificate = {"versions": versions(), "settings": {"seed": 1, "model": model}}
    pairs = HandoutSequence(HANDOUT, 1, 1).pairs(0, len(counts))
    rows: list[dict[str, Any]] = [
        {"sequence": number, "i": i, "j": j, "plan_version": 1, "counts": does}
        for number, ((i, j), does) in enumerate(zip(pairs, counts, strict=True), 1)
    ]
    return check_handout(certificate, [{"version": 1, "handout": HANDOUT}], rows)


def test_a_value_counts_once_and_every_sample_counts() -> None:
    assert checked("deterministic", [True, True, True, False, False]).holds
    assert checked("stochastic", [True, True, True, True, True]).holds


@pytest.mark.parametrize(
    ("model", "counts", "line"),
    [
        ("deterministic", [True, True, True, True], "impression 4 must not count"),
        ("deterministic", [True, False, True], "impression 2 must count"),
        ("stochastic", [True, True, True, False], "impression 4 must count"),
    ],
)
def test_another_impression_counts(model: str, counts: list[bool], line: str) -> None:
    assert checked(model, counts) == Check("handed out", False, line)
