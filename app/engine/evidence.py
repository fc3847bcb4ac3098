"""The evidence: counts by pair and by the plan version the impressions were issued under.

Counts are the only input of the engine besides the problem: n impressions of a pair, S of them without a click (in the
deterministic model, S is the sum of the exact no-click probabilities). A bound that depends on a choice (`choices`)
counts only impressions whose plan version is higher than the version of the choice.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np

from app.engine.arrays import FloatArray, IntArray, n_pairs, pair_index


class InvalidEvidence(ValueError):
    """Counts that no sequence of impressions can produce."""


class PairCounts(NamedTuple):
    """Counts of some pairs, aligned arrays sorted by (i, j)."""

    i: IntArray  # (m,)
    j: IntArray  # (m,) i <= j
    n: IntArray  # (m,) impressions
    s: FloatArray  # (m,) impressions without a click


class DenseCounts(NamedTuple):
    """Counts of every distinct pair, in the order of `arrays.pair_index`."""

    n: IntArray  # (K(K-1)/2,)
    s: FloatArray  # (K(K-1)/2,)

    def mean(self, unseen: float) -> FloatArray:
        """Returns S/n of each pair, and `unseen` where n = 0."""
        return np.divide(self.s, self.n, out=np.full(self.s.shape, unseen), where=self.n > 0)


class PairClicks(NamedTuple):
    """Counts of shown pairs of two different items, by what was clicked, sorted by (i, j)."""

    i: IntArray  # (m,)
    j: IntArray  # (m,) i < j
    n: IntArray  # (m,) impressions
    s: FloatArray  # (m,) impressions without a click
    clicks_i: IntArray  # (m,) impressions with a click on i
    clicks_j: IntArray  # (m,)

    @property
    def both(self) -> FloatArray:
        """Impressions with clicks on both items: the sum of the clicks on i and on j counts them twice."""
        return self.clicks_i + self.clicks_j - (self.n - self.s)

    def part(self, some: slice) -> "PairClicks":
        """Returns the pairs in this slice."""
        return PairClicks(*(column[some] for column in self))  # type: ignore[arg-type] # columns of two types


class ItemClicks(NamedTuple):
    """Impressions of each item, without self pairs, and how many of them had a click on this item."""

    n: IntArray  # (K,)
    clicks: FloatArray  # (K,)


@dataclass(frozen=True, eq=False)
class Evidence:
    """Counts by (pair, plan version); rows are unique, sorted by pair and then version."""

    n_items: int
    i: IntArray  # (m,)
    j: IntArray  # (m,) i <= j
    version: IntArray  # (m,) plan version the impressions were issued under, from 1
    n: IntArray  # (m,) impressions
    s: FloatArray  # (m,) impressions without a click
    clicks_i: IntArray  # (m,) impressions with a click on item i; 0 where feedback does not name the clicked items
    clicks_j: IntArray  # (m,) the same for item j

    @classmethod
    def empty(cls, n_items: int) -> Self:
        """Returns the evidence before the first impression."""
        none = np.zeros(0, dtype=np.int64)
        return cls(n_items, none, none, none, none, np.zeros(0), none, none)

    def add(
        self,
        i: IntArray,
        j: IntArray,
        version: IntArray | int,
        n: IntArray,
        s: FloatArray,
        clicks: tuple[IntArray, IntArray] | None = None,
    ) -> Self:
        """Returns this evidence with more counts; items may come in either order, `clicks` are those on i and on j."""
        version = np.broadcast_to(np.asarray(version, dtype=np.int64), i.shape)
        on_i, on_j = clicks or (np.zeros(len(i), dtype=np.int64), np.zeros(len(i), dtype=np.int64))
        self._check(i, j, version, n, s)
        if not (np.all((on_i >= 0) & (on_i <= n - s)) and np.all((on_j >= 0) & (on_j <= n - s))):
            raise InvalidEvidence("clicks on an item must be between 0 and the impressions with a click")
        if np.any((i != j) & (on_i + on_j > 0) & (on_i + on_j < n - s)):
            raise InvalidEvidence("every impression with a click must have a click on i, on j, or on both")
        low, high = np.minimum(i, j), np.maximum(i, j)
        on_low, on_high = np.where(i <= j, on_i, on_j), np.where(i <= j, on_j, on_i)
        all_i, all_j = np.concatenate([self.i, low]), np.concatenate([self.j, high])
        all_version = np.concatenate([self.version, version])
        all_n = np.concatenate([self.n, n])
        shown = all_n > 0
        order = np.flatnonzero(shown)[np.lexsort((all_version[shown], all_j[shown], all_i[shown]))]
        first = _starts_of_runs(all_i[order], all_j[order], all_version[order])
        kept = order[first]
        summed = (
            np.add.reduceat(np.concatenate(parts)[order], first) if len(first) else np.concatenate(parts)[order]
            for parts in ((self.n, n), (self.s, s), (self.clicks_i, on_low), (self.clicks_j, on_high))
        )
        return type(self)(self.n_items, all_i[kept], all_j[kept], all_version[kept], *summed)

    def _check(self, i: IntArray, j: IntArray, version: IntArray, n: IntArray, s: FloatArray) -> None:
        if not len(i) == len(j) == len(n) == len(s):
            raise InvalidEvidence("i, j, n and s must have the same length")
        if len(i) == 0:
            return
        if min(i.min(), j.min()) < 0 or max(i.max(), j.max()) >= self.n_items:
            raise InvalidEvidence(f"items are numbered 0 to {self.n_items - 1}")
        if version.min() < 1:
            raise InvalidEvidence("plan versions start at 1")
        if n.min() < 0 or not np.all((s >= 0) & (s <= n)):
            raise InvalidEvidence("counts must satisfy 0 <= s <= n")

    @property
    def samples(self) -> int:
        """All impressions counted."""
        return int(self.n.sum())

    def issued(self, first: int, last: int | None = None) -> Self:
        """Returns the part issued under plan versions `first` to `last`, both included; no `last`: all later ones."""
        keep = self.version >= first
        if last is not None:
            keep &= self.version <= last
        return type(self)(
            self.n_items,
            self.i[keep],
            self.j[keep],
            self.version[keep],
            self.n[keep],
            self.s[keep],
            self.clicks_i[keep],
            self.clicks_j[keep],
        )

    @cached_property
    def totals(self) -> PairCounts:
        """Counts by pair, all versions together, self pairs included."""
        first = _starts_of_runs(self.i, self.j)
        if len(first) == 0:
            return PairCounts(self.i, self.j, self.n, self.s)
        n, s = np.add.reduceat(self.n, first), np.add.reduceat(self.s, first)
        return PairCounts(self.i[first], self.j[first], n, s)

    @cached_property
    def distinct(self) -> DenseCounts:
        """Counts of every pair of two different items; memory 16 bytes a pair, freed with this object."""
        totals = self.totals
        off = totals.i != totals.j
        index = pair_index(totals.i[off], totals.j[off], self.n_items)
        n, s = np.zeros(n_pairs(self.n_items), dtype=np.int64), np.zeros(n_pairs(self.n_items))
        n[index], s[index] = totals.n[off], totals.s[off]
        return DenseCounts(n, s)

    def entries(self, i: IntArray, j: IntArray) -> tuple[IntArray, FloatArray]:
        """Returns (n, S) of the pairs, i and j in either order, self pairs included; zeros for pairs not shown yet."""
        totals = self.totals
        keys = totals.i * self.n_items + totals.j  # sorted, because rows are sorted by (i, j)
        wanted = np.minimum(i, j) * self.n_items + np.maximum(i, j)
        if len(keys) == 0:
            return np.zeros(wanted.shape, dtype=np.int64), np.zeros(wanted.shape)
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        found = keys[at] == wanted
        return np.where(found, totals.n[at], 0), np.where(found, totals.s[at], 0.0)

    @cached_property
    def pair_clicks(self) -> PairClicks:
        """Counts by pair of two different items with the clicks on each, all versions together."""
        off = self.i != self.j
        i, j = self.i[off], self.j[off]
        first = _starts_of_runs(i, j)
        columns = (self.n[off], self.s[off], self.clicks_i[off], self.clicks_j[off])
        n, s, on_i, on_j = (np.add.reduceat(column, first) if len(first) else column for column in columns)
        return PairClicks(i[first], j[first], n, s, on_i, on_j)

    def item_clicks(self) -> "ItemClicks":
        """Returns impressions of each item with another one, and clicks on it, all partners together."""
        K, off = self.n_items, self.i != self.j
        n = np.bincount(self.i[off], self.n[off], K) + np.bincount(self.j[off], self.n[off], K)
        clicks = np.bincount(self.i[off], self.clicks_i[off], K) + np.bincount(self.j[off], self.clicks_j[off], K)
        return ItemClicks(n.astype(np.int64), clicks.astype(np.float64))


def _starts_of_runs(*columns: IntArray) -> IntArray:
    """Returns where a new combination of values begins, in rows sorted by these columns."""
    changes = np.zeros(len(columns[0]), dtype=bool)
    if len(changes):
        changes[0] = True
        for column in columns:
            changes[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(changes)
