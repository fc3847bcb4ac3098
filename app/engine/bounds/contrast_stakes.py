"""Stakes of contrasts as they are stored: how much is bet, impression by impression, on each rival of a nominee.

Bound `contrast` bets that a rival's L is higher than the nominee's. What is staked on an impression must be known
before it is shown; so a plan writes down how often everything is going to be shown and what it is thought to be, and
stakes follow from that, from epsilon, and from the constants here. (To change one of these is to lay the stakes of
sessions under way anew, after the fact: such a change needs another name for the share of contrasts, and a test says
so.)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from app.engine.arrays import BoolArray, FloatArray, IntArray, Pair

MOST_STAKED = 0.7
"""No outcome of an impression may cost more than this part of the purse: stakes on a rival shrink until it holds."""

MOST_BY_ITEMS = 2000
"""Rivals bet on through their items alone, at most: those that are clicked most."""

LEAST_VARIANCE = 2e-4
"""Of a pair's score, for sizes of stakes only: a pair whose answers were all alike may still vary."""


BOLDNESS = 0.75
"""Of the stake that would win most if margins were right. It then wins 94 % as much, and still something if they are
overestimated 2.6 times, as those of a lucky nominee are; the whole stake wins nothing from 2 times on."""

LEAST_MARGIN, MOST_MARGIN = 0.4, 0.5
"""A rival that seems better than the nominee is bet on with this part of epsilon; none with more than the second."""


@dataclass(frozen=True)
class Outlook:
    """What one plan is going to show, and what it is thought to be: about impressions of version + 1, and no others."""

    version: int  # the last plan whose impressions it may have seen
    items: tuple[int, ...]  # (m,) in order; none where answers tell of the pair only
    shown: tuple[int, ...]  # (m,) how often each item will be shown
    unclicked: tuple[float, ...]  # (m,) d: what p is thought to be
    pairs: tuple[tuple[int, int], ...]  # (l,) nominees and rivals, lower item first
    planned: tuple[int, ...]  # (l,) how often each pair will be shown
    values: tuple[float, ...]  # (l,) what L is thought to be

    def __post_init__(self) -> None:
        whole = len(self.items) == len(self.shown) == len(self.unclicked), len(self.pairs) == len(self.planned)
        if not all((*whole, len(self.pairs) == len(self.values), list(self.items) == sorted(set(self.items)))):
            raise ValueError("an outlook needs a count and a value for every pair, and for every item, in order")
        if len(set(self.pairs)) < len(self.pairs) or not all(0 <= i < j for i, j in self.pairs):
            raise ValueError("an outlook has each pair once, its lower item first")
        if not all(0 < value < 1 for value in (*self.unclicked, *self.values)):
            raise ValueError("what an outlook expects must lie strictly between 0 and 1")

    @cached_property
    def others(self) -> IntArray:
        """Pairs of the items that are not among the pairs, (F, 2), the lowest by d_u + d_v: `MOST_BY_ITEMS` at most.

        In order of d, (u + 1)(v - u) pairs at least are as low as the pair in places u < v: more than so many, and it
        is not one of the lowest. That leaves some ten times as many as are wanted, and not all.
        """
        items, d = np.array(self.items, dtype=np.int64), np.array(self.unclicked)
        order = np.argsort(d, kind="stable")
        places = np.arange(len(items))
        furthest = np.minimum(places + MOST_BY_ITEMS // (places + 1), len(items) - 1)
        u = np.repeat(places, np.maximum(furthest - places, 0))
        v = np.arange(len(u)) - np.repeat(np.searchsorted(u, places), np.maximum(furthest - places, 0)) + u + 1
        lowest = np.argsort(d[order[u]] + d[order[v]], kind="stable")[:MOST_BY_ITEMS]
        both = np.sort(np.stack([items[order[u[lowest]]], items[order[v[lowest]]]], axis=1), axis=1)
        size = max([*self.items, *(j for _, j in self.pairs)]) + 1
        pairs = np.array(self.pairs, dtype=np.int64).reshape(-1, 2)
        return both[~np.isin(both[:, 0] * size + both[:, 1], pairs[:, 0] * size + pairs[:, 1])]

    def by_item(self, column: tuple[float, ...], otherwise: float) -> FloatArray:
        """Returns a column of the items by item number, `otherwise` for items that are not among them."""
        values = np.full(max([*self.items, *(j for _, j in self.pairs)]) + 1, otherwise)
        values[list(self.items)] = column
        return values

    def to_json(self) -> dict[str, Any]:
        """Returns it as lists and numbers."""
        return {name: _plain(getattr(self, name)) for name in self.__dataclass_fields__}

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Self:
        """Returns what `to_json` wrote."""
        columns = {name: tuple(plain[name]) for name in ("items", "shown", "unclicked", "planned", "values")}
        return cls(int(plain["version"]), pairs=tuple((int(i), int(j)) for i, j in plain["pairs"]), **columns)


class Stakes:
    """What an outlook stakes on the rivals of one of its pairs.

    The rivals are the other pairs of the outlook and then, by their items alone, more pairs of its items: R in all.
    """

    def __init__(self, outlook: Outlook, nominee: Pair, epsilon: float) -> None:
        self.outlook, self.nominee, self.epsilon = outlook, nominee, epsilon
        own = outlook.pairs.index(tuple(nominee))
        planned, values = np.array(outlook.planned, dtype=np.float64), np.array(outlook.values)
        self.planned_own, self.value_own = max(float(planned[own]), 1.0), float(values[own])
        self._pairs = np.delete(np.array(outlook.pairs, dtype=np.int64).reshape(-1, 2), own, axis=0)
        self._values = np.delete(values, own)
        self._planned = np.maximum(np.delete(planned, own), 1.0)

    @cached_property
    def rivals(self) -> IntArray:
        """Both items of each rival, (R, 2), lower one first."""
        return np.concatenate([self._pairs, self._by_items])

    @cached_property
    def listed(self) -> BoolArray:
        """Which rivals are pairs of the outlook, (R,)."""
        return np.arange(len(self.rivals)) < len(self._pairs)

    @cached_property
    def planned(self) -> FloatArray:
        """How often each rival will be shown, (R,); 1 for those bet on by their items."""
        return np.append(self._planned, np.ones(len(self._by_items)))

    @cached_property
    def slots(self) -> IntArray:
        """The items i, j of each rival and a, b of the nominee, (4, R)."""
        own = np.repeat(np.array([self.nominee], dtype=np.int64).T, len(self.rivals), axis=1)
        return np.concatenate([self.rivals.T, own])

    @cached_property
    def d(self) -> FloatArray:
        """What p of the slots' items is thought to be, (4, R); 0 where answers tell of the pair only."""
        return self.outlook.by_item(self.outlook.unclicked, 0.0)[self.slots]

    @cached_property
    def value(self) -> FloatArray:
        """What L of each rival is thought to be, (R,): of one bet on by its items, the least that it can be."""
        return np.append(self._values, (self.d[0] + self.d[1] - 1)[len(self._values) :])

    @cached_property
    def coefficient(self) -> FloatArray:
        """Of the slots' p in L_rival - L_nominee, the pairs' scores apart, (4, R)."""
        i, j, a, b = self.d
        one = np.ones(len(self.rivals))
        return np.stack([np.where(self.listed, j, one), np.where(self.listed, i, one), -b, -a])

    @cached_property
    def live(self) -> BoolArray:
        """Slots that stand for an item, (4, R): one that both pairs have is the rival's."""
        i, j, a, b = self.slots
        yes = np.ones(len(self.rivals), dtype=np.bool_)
        return np.stack([yes, yes, (a != i) & (a != j), (b != i) & (b != j)])

    @cached_property
    def purse(self) -> FloatArray:
        """lambda, (R,): margin over variance, as much as `MOST_STAKED` allows."""
        own = self.scores(np.full(len(self.rivals), self.value_own), 2, 3)
        theirs = self.scores(self.value, 0, 1) * self.listed[:, None]
        V_own, V_theirs = self._variance(own, self.value_own, 2, 3), self._variance(theirs, self.value, 0, 1)
        V = V_own / self.planned_own + np.where(self.listed, V_theirs, 0.0) / self.planned
        per_item = self.merged / self.planned_of_items
        V = V + (per_item**2 * self.d * (1 - self.d) * self.planned_of_items).sum(axis=0)
        worst = np.maximum(per_item * self.d, -per_item * (1 - self.d)).sum(axis=0)
        worst = worst + np.maximum(-theirs.min(axis=1) / self.planned, own.max(axis=1) / self.planned_own)
        margin = margin_of(self.value, self.value_own, self.epsilon)
        return np.asarray(np.minimum(BOLDNESS * margin / V, MOST_STAKED / worst))

    @cached_property
    def merged(self) -> FloatArray:
        """Coefficients by item, (4, R): one that both pairs have gets the sum of two, which nearly cancel."""
        c = self.coefficient.copy()
        for k in (0, 1):
            for own in (2, 3):
                c[k] += np.where(self.slots[k] == self.slots[own], self.coefficient[own], 0.0)
        return np.where(self.live, c, 0.0)

    @cached_property
    def planned_of_items(self) -> FloatArray:
        """How often the slots' items will be shown, (4, R)."""
        return np.maximum(self.outlook.by_item(self.outlook.shown, 1.0)[self.slots], 1.0)

    def scores(self, value: FloatArray, u: int, v: int) -> FloatArray:
        """Returns Z - z of the pairs in two slots after neither, only u, only v, both were clicked, (R, 4)."""
        p, q = self.d[u], self.d[v]
        Z = np.stack([(1 - p) * (1 - q), -p * (1 - q), -(1 - p) * q, p * q], axis=1)
        return np.asarray(Z - (value - p * q)[:, None])

    def _variance(self, scores: FloatArray, value: FloatArray | float, u: int, v: int) -> FloatArray:
        """Returns the variance of scores, (R,), if values are right."""
        if not self.outlook.items:
            return np.maximum(np.asarray(value * (1 - np.asarray(value))) * np.ones(len(scores)), LEAST_VARIANCE)
        p, q = self.d[u], self.d[v]
        both = np.clip(value - (p + q - 1), 0.0, np.minimum(1 - p, 1 - q))
        chances = np.stack([value * np.ones(len(p)), 1 - p - both, 1 - q - both, both], axis=1)
        return np.maximum((np.maximum(chances, 0.0) * scores**2).sum(axis=1), LEAST_VARIANCE)

    @cached_property
    def _by_items(self) -> IntArray:
        """Rivals that are thought to lose by their items alone, (F, 2)."""
        others = self.outlook.others
        least = self.outlook.by_item(self.outlook.unclicked, 0.0)[others].sum(axis=1) - 1
        return others[least - self.value_own + self.epsilon >= LEAST_MARGIN * self.epsilon]


def margin_of(value: FloatArray, of_nominee: float, epsilon: float) -> FloatArray:
    """Returns how far each bet should carry: about L_rival - L_nominee + epsilon."""
    return np.clip(epsilon + value - of_nominee, LEAST_MARGIN * epsilon, MOST_MARGIN)


def _plain(value: Any) -> Any:  # noqa: ANN401 - plain JSON
    return [_plain(part) for part in value] if isinstance(value, tuple) else value
