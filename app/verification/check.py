"""The result of one check, and what all checks need."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Row = Mapping[str, Any]
"""A row of an export, or a certificate."""


@dataclass(frozen=True)
class Check:
    """The result of one check; `detail` is a sentence for people."""

    name: str
    holds: bool
    detail: str
    skipped: bool = False  # it says what cannot be checked; such a check holds


def check(name: str, holds: bool, if_true: str, if_false: str) -> Check:
    """Returns a check with the sentence that applies."""
    return Check(name, holds, if_true if holds else if_false)


def unless(name: str, wrong: str, if_right: str) -> Check:
    """Returns a check that fails if there is a sentence about what is wrong."""
    return Check(name, not wrong, wrong or if_right)


def pair_of(row: Row) -> tuple[int, int]:
    """Returns the items of an impression, the lower number first."""
    return min(row["i"], row["j"]), max(row["i"], row["j"])


def items(pair: tuple[int, int]) -> str:
    """Returns a pair in words."""
    return f"items {pair[0]} and {pair[1]}"
