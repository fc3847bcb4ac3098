"""Choices that bounds rest on: guesses, nominees, outlooks, blanks. Small, plain, and kept for ever.

A choice is made from the past, so only what was issued *after* it may prove anything through it. Its `version` is the
last plan whose impressions it may have seen; what carries a later version counts, beginning with the plan that made the
choice, none of whose impressions had gone out by then. The k-th choice of a kind spends 1/(k(k+1)) of the kind's share
of delta, which sums to the whole share however many there will be. Numbers are rounded before use, so that stored and
used agree.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import numpy as np

from app.engine.arrays import FloatArray, IntArray, Pair
from app.engine.bounds.contrast_stakes import Outlook
from app.engine.shares import RemovedBound

DIGITS = 4
"""Of stored guesses: far below their error."""

CLEAR_OF_THE_ENDS = 0.002
"""Guesses stay this far from 0 and 1, where a prior would rule out what can happen."""


@dataclass(frozen=True)
class Guess:
    """What every pair's L_ij was thought to be: X_i . X_j."""

    version: int
    factor: tuple[tuple[float, ...], ...]  # (K, r)

    @classmethod
    def of(cls, version: int, X: FloatArray) -> Self:
        """Returns the guess with this factor, rounded as it will be stored."""
        return cls(version, tuple(tuple(row) for row in np.round(X, DIGITS).tolist()))

    @cached_property
    def X(self) -> FloatArray:  # noqa: N802 - the factor's letter
        """The factor, (K, r)."""
        return np.array(self.factor, dtype=np.float64)

    @property
    def unclicked(self) -> FloatArray | None:
        """The guessed probability that each item is not clicked, (K,): what a rank-one factor says; else None."""
        return clear_of_the_ends(self.X[:, 0]) if self.X.shape[1] == 1 else None

    def entries(self, i: IntArray, j: IntArray) -> FloatArray:
        """Returns the guessed L_ij."""
        return clear_of_the_ends(np.einsum("er,er->e", self.X[i], self.X[j]))


@dataclass(frozen=True)
class Nominee:
    """A pair expected to become the answer, and what its L was thought to be."""

    version: int
    pair: Pair
    guess: float


@dataclass(frozen=True)
class Blank:
    """An item that is hardly ever clicked, and what L between it and every item was thought to be."""

    version: int
    item: int
    guess: tuple[float, ...]  # (K,)


@dataclass(frozen=True)
class Choices:
    """All choices of a session in the order they were made."""

    guess: Guess | None = None
    nominees: tuple[Nominee, ...] = ()
    blanks: tuple[Blank, ...] = ()
    outlooks: tuple[Outlook, ...] = ()

    def __post_init__(self) -> None:
        versions = [outlook.version for outlook in self.outlooks]
        if any(later <= earlier for earlier, later in pairwise(versions)):
            raise ValueError("a plan has one outlook, and later plans have later ones: impressions are bet on once")

    def nominate(self, nominee: Nominee) -> Self:
        """Returns the choices with one more nominee."""
        return replace(self, nominees=(*self.nominees, nominee))

    def expect(self, outlook: Outlook) -> Self:
        """Returns the choices with what one more plan is going to show."""
        return replace(self, outlooks=(*self.outlooks, outlook))

    def add_blank(self, blank: Blank) -> Self:
        """Returns the choices with one more blank."""
        return replace(self, blanks=(*self.blanks, blank))

    def to_plain(self) -> dict[str, Any]:
        """Returns the choices as lists and numbers."""
        guess = self.guess
        return {
            "guess": None
            if guess is None
            else {"version": guess.version, "factor": [list(row) for row in guess.factor]},
            "nominees": [{"version": n.version, "pair": list(n.pair), "guess": n.guess} for n in self.nominees],
            "blanks": [{"version": b.version, "item": b.item, "guess": list(b.guess)} for b in self.blanks],
            "outlooks": [outlook.to_json() for outlook in self.outlooks],
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """Returns the choices that `to_plain` wrote.

        Raises RemovedBound if there are landmarks of bound G. Version 0.1.0 wrote an empty list of them and
        `"gram_refuted": false`, which are ignored.
        """
        if plain.get("landmarks") or plain.get("gram_refuted"):
            raise RemovedBound
        guess = plain["guess"]
        return cls(
            None if guess is None else Guess(int(guess["version"]), tuple(tuple(row) for row in guess["factor"])),
            tuple(Nominee(int(n["version"]), Pair(*n["pair"]), float(n["guess"])) for n in plain["nominees"]),
            tuple(Blank(int(b["version"]), int(b["item"]), tuple(b["guess"])) for b in plain["blanks"]),
            tuple(Outlook.from_json(outlook) for outlook in plain.get("outlooks", ())),  # older ones have none
        )


def clear_of_the_ends(value: FloatArray) -> FloatArray:
    """Returns guesses kept away from 0 and 1."""
    return np.clip(value, CLEAR_OF_THE_ENDS, 1 - CLEAR_OF_THE_ENDS)
