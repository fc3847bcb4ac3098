"""What to show next: pairs and how often; and how to divide a batch among pairs."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from app.engine.arrays import BoolArray, FloatArray, IntArray, pair_items


@dataclass(frozen=True, eq=False)
class Demand:
    """Pairs to show and how many times each; self pairs allowed where the problem allows them."""

    i: IntArray  # (m,)
    j: IntArray  # (m,) i <= j
    count: IntArray  # (m,) at least 1

    @classmethod
    def nothing(cls) -> Self:
        """Returns the empty demand."""
        none = np.zeros(0, dtype=np.int64)
        return cls(none, none, none)

    @classmethod
    def of_entries(cls, i: IntArray, j: IntArray, count: IntArray) -> Self:
        """Returns the demand for entries in any order; repeated entries keep the largest count, zeros are left out."""
        asked = np.flatnonzero(count > 0)
        low, high, count = np.minimum(i, j)[asked], np.maximum(i, j)[asked], count[asked]
        order = np.lexsort((-count, high, low))
        low, high, count = low[order], high[order], count[order]
        keep = np.ones(len(count), dtype=np.bool_)
        keep[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
        return cls(low[keep], high[keep], count[keep])

    @classmethod
    def of_pairs(cls, index: IntArray, count: IntArray, n_items: int) -> Self:
        """Returns the demand for distinct pairs given by number."""
        asked = np.flatnonzero(count > 0)
        i, j = pair_items(index[asked], n_items)
        return cls.of_entries(i, j, count[asked])

    @property
    def total(self) -> int:
        """All impressions asked for."""
        return int(self.count.sum())

    def distinct(self) -> Self:
        """Returns the part that asks for two different items."""
        apart = self.i != self.j
        return type(self)(self.i[apart], self.j[apart], self.count[apart])

    def of_items(self, n_items: int) -> IntArray:
        """Returns how often each item is asked for, (K,), a self pair twice."""
        both = np.bincount(self.i, self.count, n_items) + np.bincount(self.j, self.count, n_items)
        return both.astype(np.int64)

    def limited(self, room: int, rng: np.random.Generator) -> Self:
        """Returns this demand cut down to `room` impressions, every pair in proportion, rounding at random."""
        if self.total <= room:
            return self
        share = self.count * (max(room, 0) / self.total)
        count = np.floor(share).astype(np.int64)
        # Systematic rounding: fractions are added up in random order, and each whole unit adds one to its entry.
        order = rng.permutation(len(count))
        hits = np.diff(np.floor(np.cumsum(share[order] - count[order]) + rng.random()), prepend=0.0) > 0
        count[order[hits]] += 1
        while (excess := int(count.sum()) - max(room, 0)) > 0:  # at most one unit, by rounding
            count[np.flatnonzero(count)[:excess]] -= 1
        keep = count > 0
        return type(self)(self.i[keep], self.j[keep], count[keep])


def fill_lowest(n: IntArray, amount: int, rng: np.random.Generator) -> IntArray:
    """Returns how many to add to each count so that `amount` more are spread and the lowest are raised first.

    The lowest counts are raised to one level; the remainder goes to random ones at that level.
    """
    if len(n) == 0 or amount <= 0:
        return np.zeros(len(n), dtype=np.int64)
    ordered = np.sort(n)
    below = np.arange(1, len(n) + 1) * ordered - np.cumsum(ordered)  # filling to ordered[k] costs below[k]
    raised = int(np.searchsorted(below, amount, side="right"))  # this many are below the level
    level = int((amount + ordered[:raised].sum()) // raised)
    extra = np.maximum(level - n, 0)
    rest = amount - int(extra.sum())
    at_level = np.flatnonzero(n + extra == level)
    extra[rng.choice(at_level, size=rest, replace=False)] += 1
    return extra


def lowest(value: FloatArray, n: IntArray, among: BoolArray | None, rng: np.random.Generator) -> int:
    """Returns the place of the smallest value; ties go to the larger count, then to chance.

    Not the first one: early on thousands of pairs tie, and the order of the items must not decide.
    """
    candidates = np.arange(len(value)) if among is None else np.flatnonzero(among)
    tied = candidates[value[candidates] == value[candidates].min()]
    tied = tied[n[tied] == n[tied].max()]
    return int(rng.choice(tied))


def random_rings(items: IntArray, rings: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Returns the two items of every impression if neighbours on random rings are shown: each item twice on a ring."""
    order = rng.permuted(np.tile(items, (rings, 1)), axis=1)  # (rings, items)
    return order.ravel(), np.roll(order, -1, axis=1).ravel()
