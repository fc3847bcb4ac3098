"""Choices that bounds depend on: guesses, nominees, outlooks, blanks. They are small plain values, stored forever.

A choice is made from past data, so a bound that uses it may count only impressions issued *after* it. `version` is the
last plan whose impressions may have influenced the choice. Impressions with a later version count, beginning with those
of the plan that made the choice: none of them had been issued by then. The k-th choice of a kind spends 1/(k(k+1)) of
the share of delta of that kind, so any number of choices spends at most the whole share. Numbers are rounded before
they are used, so that stored and used values are equal.

The names are those of the stored JSON:

- *guess*: an estimate of every L_ij, used as the prior of intervals.
- *nominee*: a pair that is named as a possible answer before the impressions that support it are issued.
- *blank*: an item that is hardly ever clicked; a pair with it is clicked about as often as the other item alone (bound
  F).
- *outlook*: how often one plan will show pairs and items, their estimated probabilities, and the difference that bets
  are to prove. The bets of bound C are computed from it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import numpy as np

from app.engine.arrays import FloatArray, IntArray, Pair
from app.engine.delta_shares import RemovedBound

DIGITS = 4
"""Decimal places of stored guesses: the rounding error is far below the error of the guess."""

GUESS_MARGIN = 0.002
"""Guesses stay this far from 0 and 1, where a prior would exclude values that are possible."""

MAX_RIVALS_BY_ITEMS = 2000
"""Maximum number of rivals that are bet on through their items alone: those whose items are clicked most."""


@dataclass(frozen=True)
class Guess:
    """An estimate of every L_ij: X_i . X_j."""

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
        """The guessed probability that each item is not clicked, (K,), if the factor has rank one; else None."""
        return clip_guess(self.X[:, 0]) if self.X.shape[1] == 1 else None

    def entries(self, i: IntArray, j: IntArray) -> FloatArray:
        """Returns the guessed L_ij."""
        return clip_guess(np.einsum("er,er->e", self.X[i], self.X[j]))


@dataclass(frozen=True)
class Nominee:
    """A pair that is expected to become the answer, and the guess of its L."""

    version: int
    pair: Pair
    guess: float


@dataclass(frozen=True)
class Blank:
    """An item that is hardly ever clicked, and the guess of L between it and every item."""

    version: int
    item: int
    guess: tuple[float, ...]  # (K,)


@dataclass(frozen=True)
class Outlook:
    """What one plan will show, and the estimated probabilities. Applies only to impressions of plan version + 1."""

    version: int  # the last plan whose impressions may have influenced it
    items: tuple[int, ...]  # (m,) ascending; empty where feedback does not name the clicked items
    shown: tuple[int, ...]  # (m,) how often each item will be shown
    unclicked: tuple[float, ...]  # (m,) the estimates of p, called d in formulas
    pairs: tuple[tuple[int, int], ...]  # (l,) nominees and rivals, lower item first
    planned: tuple[int, ...]  # (l,) how often each pair will be shown
    values: tuple[float, ...]  # (l,) the estimates of L
    epsilon: float | None = None  # the difference that bets are to prove; None in older ones: epsilon of the session

    def __post_init__(self) -> None:
        aligned = len(self.items) == len(self.shown) == len(self.unclicked), len(self.pairs) == len(self.planned)
        if not all((*aligned, len(self.pairs) == len(self.values), list(self.items) == sorted(set(self.items)))):
            raise ValueError(
                "an outlook needs a count and an estimate for every pair and item, and items in ascending order"
            )
        if len(set(self.pairs)) < len(self.pairs) or not all(0 <= i < j for i, j in self.pairs):
            raise ValueError("an outlook has each pair once, its lower item first")
        if not all(0 < value < 1 for value in (*self.unclicked, *self.values)):
            raise ValueError("estimates in an outlook must be strictly between 0 and 1")
        if self.epsilon is not None and not 0 < self.epsilon < 1:
            raise ValueError("epsilon in an outlook must be strictly between 0 and 1")

    @cached_property
    def others(self) -> IntArray:
        """Pairs of `items` that are not in `pairs`, (F, 2): `MAX_RIVALS_BY_ITEMS` at most, with the lowest d_u + d_v.

        If items are sorted by d, at least (u + 1)(v - u) pairs have the same sum as the pair at positions u < v, or a
        lower one. If that number exceeds the maximum, the pair is not among the lowest and is left out. So only about
        ten times the maximum are sorted.
        """
        items, d = np.array(self.items, dtype=np.int64), np.array(self.unclicked)
        order = np.argsort(d, kind="stable")
        places = np.arange(len(items))
        furthest = np.minimum(places + MAX_RIVALS_BY_ITEMS // (places + 1), len(items) - 1)
        u = np.repeat(places, np.maximum(furthest - places, 0))
        v = np.arange(len(u)) - np.repeat(np.searchsorted(u, places), np.maximum(furthest - places, 0)) + u + 1
        lowest = np.argsort(d[order[u]] + d[order[v]], kind="stable")[:MAX_RIVALS_BY_ITEMS]
        both = np.sort(np.stack([items[order[u[lowest]]], items[order[v[lowest]]]], axis=1), axis=1)
        size = max([*self.items, *(j for _, j in self.pairs)]) + 1
        pairs = np.array(self.pairs, dtype=np.int64).reshape(-1, 2)
        return both[~np.isin(both[:, 0] * size + both[:, 1], pairs[:, 0] * size + pairs[:, 1])]

    def by_item(self, column: tuple[float, ...], otherwise: float) -> FloatArray:
        """Returns a column of the outlook as an array indexed by item number; `otherwise` for items not in `items`."""
        values = np.full(max([*self.items, *(j for _, j in self.pairs)]) + 1, otherwise)
        values[list(self.items)] = column
        return values

    def to_json(self) -> dict[str, Any]:
        """Returns the outlook as lists and numbers."""
        plain = {name: _plain(getattr(self, name)) for name in self.__dataclass_fields__}
        return {name: value for name, value in plain.items() if value is not None}

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Self:
        """Returns the outlook that `to_json` wrote."""
        columns = {name: tuple(plain[name]) for name in ("items", "shown", "unclicked", "planned", "values")}
        pairs, epsilon = tuple((int(i), int(j)) for i, j in plain["pairs"]), plain.get("epsilon")
        return cls(int(plain["version"]), pairs=pairs, epsilon=None if epsilon is None else float(epsilon), **columns)


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
            raise ValueError("outlooks must have increasing versions, one per plan: each impression is bet on once")

    def add_nominee(self, nominee: Nominee) -> Self:
        """Returns the choices with one more nominee."""
        return replace(self, nominees=(*self.nominees, nominee))

    def add_outlook(self, outlook: Outlook) -> Self:
        """Returns the choices with the outlook of one more plan."""
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
            "nominees": [{"version": one.version, "pair": list(one.pair), "guess": one.guess} for one in self.nominees],
            "blanks": [{"version": one.version, "item": one.item, "guess": list(one.guess)} for one in self.blanks],
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
            tuple(Nominee(int(one["version"]), Pair(*one["pair"]), float(one["guess"])) for one in plain["nominees"]),
            tuple(Blank(int(one["version"]), int(one["item"]), tuple(one["guess"])) for one in plain["blanks"]),
            tuple(Outlook.from_json(outlook) for outlook in plain.get("outlooks", ())),  # not in older stored choices
        )


def clip_guess(value: FloatArray) -> FloatArray:
    """Returns guesses kept `GUESS_MARGIN` away from 0 and 1."""
    return np.clip(value, GUESS_MARGIN, 1 - GUESS_MARGIN)


def _plain(value: Any) -> Any:  # noqa: ANN401 - plain JSON
    return [_plain(part) for part in value] if isinstance(value, tuple) else value
