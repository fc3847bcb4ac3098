"""What it takes to show that no rival is better than the leader by epsilon, and what to stake on it.

A bet on L_rival - L_leader (`bounds.contrast`) with variance V and margin s, the difference and epsilon, wins s^2 / 2V
in the exponent, and log(1/alpha) is to be won. V is made of the scores of both pairs and of the items they do not
share: each item serves all its rivals, and the leader serves everyone, so they are shown more often.
"""

from dataclasses import dataclass

import numpy as np

from app.engine.arrays import BoolArray, FloatArray, IntArray, pair_index, pair_items
from app.engine.bounds import Contrasts
from app.engine.bounds.contrast_stakes import Outlook, margin_of
from app.engine.choices import DIGITS, clear_of_the_ends
from app.engine.demand import Demand
from app.engine.spending.levels import variance, variance_together
from app.engine.spending.screens import Screen

LEADER_SHOWN, ITEM_SHOWN = 3.0, 3.0
"""How many times as often as one rival the leader and the rivals' items are shown, for a first idea of the price."""

ROUNDS = 60
"""Of the allocation: counts are then right to a few percent."""

FOR_ITEMS = 0.8
"""Part of the variance of a bet on a rival that its items may have: the nominee has the rest."""

MOST_ITEMS = 800
"""Items of an outlook: those of its pairs, and those that are clicked most."""

MOST_RIVALS = 128
"""Rivals that a plan stakes on, the lowest."""


@dataclass(frozen=True, eq=False)
class Field:
    """A leader and its rivals, as they are thought to be."""

    leader: int  # pair number
    leader_mean: float
    rivals: IntArray  # (J,) pair numbers
    mean: FloatArray  # (J,) L_hat
    remaining: FloatArray  # (J,) what is still to be won, in the exponent
    epsilon: float
    x: FloatArray | None  # (K,) P(item is not clicked), where answers tell
    n_items: int

    @property
    def margin(self) -> FloatArray:
        """How far each bet should carry, (J,)."""
        return margin_of(self.mean, self.leader_mean, self.epsilon)

    @property
    def tolerated(self) -> FloatArray:
        """The variance with which each bet is won, (J,)."""
        return self.margin**2 / (2 * np.maximum(self.remaining, 0.1))

    def prices(self) -> FloatArray:
        """Returns about how many impressions each rival takes, (J,), the others' company included."""
        of_rival, of_leader = self._variance_of_scores()
        _, squares = self._items()
        items = squares[:2].sum(axis=0) / ITEM_SHOWN + squares[2:].sum(axis=0) / (ITEM_SHOWN * LEADER_SHOWN)
        return np.asarray((of_rival + of_leader / LEADER_SHOWN + items) / self.tolerated)

    def allocation(self) -> FloatArray:
        """Returns how often to show the leader and each rival, (1 + J,): least in all, every bet won.

        Lagrange: a pair's last impression must be worth as much as any other's, in variance weighed by what each rival
        still lacks (mu); counts and mu are moved towards that in turn.
        """
        of_rival, of_leader = self._variance_of_scores()
        scores = np.append(of_leader, of_rival)
        items, squares = self._items()
        some, local = np.unique(items, return_inverse=True)
        local = local.reshape(items.shape)  # (4, J)
        J, wanted = len(of_rival), self.tolerated
        C = np.zeros((J, len(some)))
        for slot in range(4):
            C[np.arange(J), local[slot]] += squares[slot]
        first, second = (np.append(local[2 + k, 0], local[k]) for k in (0, 1))
        count = np.append(LEADER_SHOWN * (scores[1:] / wanted).max(), scores[1:] / wanted)
        mu = scores[1:] / wanted**2
        for _ in range(ROUNDS):
            shown = np.bincount(first, count, len(some)) + np.bincount(second, count, len(some))
            V = scores[1:] / count[1:] + scores[0] / count[0] + C @ (1 / shown)
            mu = mu * np.sqrt(V / wanted)
            of_items = (mu @ C) / shown**2
            worth = np.append(mu.sum(), mu) * scores / count**2 + of_items[first] + of_items[second]
            count = np.maximum(count * np.clip(np.sqrt(worth), 0.5, 2.0), 1.0)
        return count

    def _variance_of_scores(self) -> tuple[FloatArray, FloatArray]:
        """Returns the variances of the rivals' scores, (J,), and of the leader's."""
        index, mean = np.append(self.rivals, self.leader), np.append(self.mean, self.leader_mean)
        if self.x is None:
            spread = variance(mean)
        else:
            i, j = pair_items(index, self.n_items)
            spread = variance_together(self.x[i], self.x[j], mean)
        return spread[:-1], spread[-1:]

    def _items(self) -> tuple[IntArray, FloatArray]:
        """Returns the items of rivals and leader, (4, J), and their squared coefficients times variances.

        Of an item that both pairs have, the coefficients nearly cancel; the leader's slot then has nothing.
        """
        i, j = pair_items(self.rivals, self.n_items)
        (a,), (b,) = pair_items(np.array([self.leader]), self.n_items)
        items = np.stack([i, j, np.full(len(i), a), np.full(len(i), b)])
        if self.x is None:
            return items, np.zeros(items.shape)
        c = self.x[items[[1, 0, 3, 2]]] * np.array([1.0, 1.0, -1.0, -1.0])[:, None]
        for k in (0, 1):
            for own in (2, 3):
                same = items[k] == items[own]
                c[k, same] += c[own, same]
                c[own, same] = 0.0
        return items, c**2 * variance(self.x)[items]


def remaining(rivals: IntArray, found: Contrasts | None, epsilon: float, log_level: float) -> FloatArray:
    """Returns what is still to be won on each rival, (J,): all of it without stakes, nothing if it was won."""
    left = np.full(len(rivals), log_level)
    if found is not None and len(found.rivals):
        at = np.minimum(np.searchsorted(found.rivals, rivals), len(found.rivals) - 1)
        known = found.rivals[at] == rivals
        left[known] = (-found.weight * (found.difference + epsilon))[at[known]]
        left[known & (found.weight[at] <= 0)] = log_level
    return np.maximum(left, 0.0)


def tolerated_by_items(items: Screen, field: Field) -> FloatArray:
    """Returns e_i + e_j at which contrasts settle rivals by their items alone, (J,); see `levels.tolerated`.

    What is still to be won must come from new samples: e counts those that there are, too.
    """
    i, j = pair_items(field.rivals, field.n_items)
    x, v = items.x, variance(items.x)
    slack = np.maximum(x[i] + x[j] - 1 - field.leader_mean + field.epsilon, 0.0)
    further = variance(x[i] - slack / 6) + variance(x[j] - slack / 6)
    T = FOR_ITEMS * slack**2 / (2 * np.maximum(field.remaining, 0.1)) * (v[i] + v[j]) / further
    there = v[i] / np.maximum(items.n[i], 1e-9) + v[j] / np.maximum(items.n[j], 1e-9)
    return np.asarray(T * there / (T + there))


def outlook_of(field: Field, nominees: IntArray, values: FloatArray, demand: Demand, version: int) -> Outlook:
    """Returns what the plan of this demand will show of nominees, thought to have these values, and of rivals."""
    demand = demand.distinct()  # self pairs have no number, and tell nothing of items
    asked = pair_index(demand.i, demand.j, field.n_items)
    named = np.flatnonzero(np.isin(nominees, asked))
    _, first = np.unique(nominees[named], return_index=True)
    named = named[first]
    shown = np.flatnonzero(np.isin(field.rivals, asked) & ~np.isin(field.rivals, nominees))
    of_items = demand.of_items(field.n_items)
    shown = shown[_better_shown(field, shown, _counts(demand, asked, field.rivals[shown]), of_items)]
    shown = shown[np.argsort(field.mean[shown], kind="stable")[:MOST_RIVALS]]
    index = np.append(nominees[named], field.rivals[shown])
    i, j = pair_items(index, field.n_items)
    items = np.zeros(0, dtype=np.int64)
    if field.x is not None:
        own = np.unique(np.concatenate([i, j]))
        rest = np.setdiff1d(np.unique(np.concatenate(pair_items(field.rivals, field.n_items))), own)
        rest = rest[of_items[rest] > 0]
        rest = rest[np.argsort(field.x[rest], kind="stable")[: max(MOST_ITEMS - len(own), 0)]]
        items = np.sort(np.concatenate([own, rest]))
    return Outlook(
        version=version - 1,
        items=tuple(items.tolist()),
        shown=tuple(of_items[items].tolist()),
        unclicked=() if field.x is None else _rounded(clear_of_the_ends(field.x[items])),
        pairs=tuple(zip(i.tolist(), j.tolist(), strict=True)),
        planned=tuple(_counts(demand, asked, index).tolist()),
        values=_rounded(clear_of_the_ends(np.append(values[named], field.mean[shown]))),
    )


def _better_shown(field: Field, shown: IntArray, counts: IntArray, of_items: IntArray) -> BoolArray:
    """Returns which rivals win more by their own impressions than by their items alone: all, if these are not told."""
    if field.x is None:
        return np.ones(len(shown), dtype=np.bool_)
    i, j = pair_items(field.rivals[shown], field.n_items)
    p, q = field.x[i], field.x[j]
    e_i, e_j = (variance(field.x[k]) / np.maximum(of_items[k], 1) for k in (i, j))
    s = field.margin[shown]
    own = variance_together(p, q, field.mean[shown]) + s * np.maximum((1 - p) * q, p * (1 - q))
    by_items = np.maximum(p + q - 1 - field.leader_mean + field.epsilon, 0.0)
    worth_shown = s**2 / (own / counts + q**2 * e_i + p**2 * e_j)
    reach = by_items * np.maximum(1 / np.maximum(of_items[i], 1), 1 / np.maximum(of_items[j], 1))
    return np.asarray(worth_shown >= by_items**2 / (e_i + e_j + reach))


def _counts(demand: Demand, asked: IntArray, index: IntArray) -> IntArray:
    """Returns how often pairs are asked for, by number, all of which are."""
    order = np.argsort(asked)
    return demand.count[order[np.searchsorted(asked, index, sorter=order)]]


def _rounded(values: FloatArray) -> tuple[float, ...]:
    return tuple(np.round(values, DIGITS).tolist())
