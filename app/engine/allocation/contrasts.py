"""The cost of proving by bets that no rival is better than the leader by a given gap, and the outlook for the bets.

A bet on L_rival - L_leader (`bounds.contrast`) with variance V and margin s (the difference plus the allowed gap) gains
s^2 / 2V of log wealth, and log(1/alpha) is needed. V is the sum of the variances of both pairs' scores and of the items
that the pairs do not share. Impressions of an item count for all rivals that contain it, and those of the leader for
all rivals, so items and leader are shown more often than one rival.
"""

from dataclasses import dataclass

import numpy as np

from app.engine.allocation.costs import score_variance, variance
from app.engine.allocation.screens import Screen
from app.engine.arrays import BoolArray, FloatArray, IntArray, pair_index, pair_items
from app.engine.bounds import Contrasts
from app.engine.bounds.contrast_bets import margin_of
from app.engine.choices import DIGITS, Outlook, clip_guess
from app.engine.demand import Demand

LEADER_SHOWN, ITEM_SHOWN = 3.0, 3.0
"""The leader and the items of rivals are shown this many times as often as one rival, for a first estimate of the
cost."""

ROUNDS = 60
"""Iterations of the allocation: counts are then accurate to a few percent."""

FOR_ITEMS = 0.8
"""Part of the variance of a bet that comes from the items of the rival: the rest comes from the nominee."""

MAX_ITEMS = 800
"""Maximum number of items in an outlook: the items of its pairs, then those that are clicked most."""

MAX_RIVALS = 128
"""Maximum number of rivals that a plan shows and bets on: those with the lowest estimates."""


MAX_EPSILON = 0.999
"""Maximum epsilon of an outlook. A relative goal above .5 may allow more, but no two pairs differ by more than 1."""


@dataclass(frozen=True, eq=False)
class LeaderAndRivals:
    """A leader and its rivals with their estimates."""

    leader: int  # pair number
    leader_mean: float
    rivals: IntArray  # (J,) pair numbers
    mean: FloatArray  # (J,) L_hat
    remaining: FloatArray  # (J,) log wealth still missing
    epsilon: float  # the difference to prove: no rival is better than the leader by more
    x: FloatArray | None  # (K,) P(item is not clicked), where feedback names the clicked items
    n_items: int

    @property
    def margin(self) -> FloatArray:
        """The margin of each bet, (J,)."""
        return margin_of(self.mean, self.leader_mean, self.epsilon)

    @property
    def tolerated(self) -> FloatArray:
        """The largest variance with which each bet is expected to reach its log wealth, (J,)."""
        return self.margin**2 / (2 * np.maximum(self.remaining, 0.1))

    def prices(self) -> FloatArray:
        """Returns the approximate cost of each rival in impressions, (J,), if it shares the leader with many others."""
        of_rival, of_leader = self._variance_of_scores()
        _, squares = self._items()
        items = squares[:2].sum(axis=0) / ITEM_SHOWN + squares[2:].sum(axis=0) / (ITEM_SHOWN * LEADER_SHOWN)
        return np.asarray((of_rival + of_leader / LEADER_SHOWN + items) / self.tolerated)

    def allocation(self) -> FloatArray:
        """Returns how often to show the leader and each rival, (1 + J,): the smallest total that wins every bet.

        At the optimum (Lagrange multipliers) the last impression of every pair reduces the weighted variance by the
        same amount; mu is the weight of each rival. Every iteration adjusts first mu, then the counts.
        """
        of_rival, of_leader = self._variance_of_scores()
        scores = np.append(of_leader, of_rival)
        items, squares = self._items()
        distinct, local = np.unique(items, return_inverse=True)
        local = local.reshape(items.shape)  # (4, J)
        J, tolerated = len(of_rival), self.tolerated
        squared = np.zeros((J, len(distinct)))
        for slot in range(4):
            squared[np.arange(J), local[slot]] += squares[slot]
        first, second = (np.append(local[2 + k, 0], local[k]) for k in (0, 1))
        count = np.append(LEADER_SHOWN * (scores[1:] / tolerated).max(), scores[1:] / tolerated)
        mu = scores[1:] / tolerated**2
        for _ in range(ROUNDS):
            shown = np.bincount(first, count, len(distinct)) + np.bincount(second, count, len(distinct))
            V = scores[1:] / count[1:] + scores[0] / count[0] + squared @ (1 / shown)
            mu = mu * np.sqrt(V / tolerated)
            of_items = (mu @ squared) / shown**2
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
            spread = score_variance(self.x[i], self.x[j], mean)
        return spread[:-1], spread[-1:]

    def _items(self) -> tuple[IntArray, FloatArray]:
        """Returns the items of rivals and leader, (4, J), and their squared coefficients times variances.

        If an item is in both pairs, its two coefficients nearly cancel. Their sum is then in the rival's slot, and the
        leader's slot is 0.
        """
        i, j = pair_items(self.rivals, self.n_items)
        (a,), (b,) = pair_items(np.array([self.leader]), self.n_items)
        items = np.stack([i, j, np.full(len(i), a), np.full(len(i), b)])
        if self.x is None:
            return items, np.zeros(items.shape)
        c = self.x[items[[1, 0, 3, 2]]] * np.array([1.0, 1.0, -1.0, -1.0])[:, None]
        for of_rival in (0, 1):
            for of_leader in (2, 3):
                same = items[of_rival] == items[of_leader]
                c[of_rival, same] += c[of_leader, same]
                c[of_leader, same] = 0.0
        return items, c**2 * variance(self.x)[items]


def log_wealth_missing(rivals: IntArray, found: Contrasts | None, epsilon: float, log_level: float) -> FloatArray:
    """Returns the log wealth that bets on each rival still lack, (J,): `log_level` without bets, 0 if proven."""
    left = np.full(len(rivals), log_level)
    if found is not None and len(found.rivals):
        at = np.minimum(np.searchsorted(found.rivals, rivals), len(found.rivals) - 1)
        known = found.rivals[at] == rivals
        left[known] = (-found.weight * (found.difference + epsilon))[at[known]]
        left[known & (found.weight[at] <= 0)] = log_level
    return np.maximum(left, 0.0)


def tolerated_by_items(items: Screen, group: LeaderAndRivals) -> FloatArray:
    """Returns e_i + e_j at which contrasts settle rivals by their items alone, (J,); see `screens.tolerated`.

    Only new samples can add the missing log wealth, but e includes the existing samples too.
    """
    i, j = pair_items(group.rivals, group.n_items)
    x, v = items.x, variance(items.x)
    slack = np.maximum(x[i] + x[j] - 1 - group.leader_mean + group.epsilon, 0.0)
    further = variance(x[i] - slack / 6) + variance(x[j] - slack / 6)
    T = FOR_ITEMS * slack**2 / (2 * np.maximum(group.remaining, 0.1)) * (v[i] + v[j]) / further
    existing = v[i] / np.maximum(items.n[i], 1e-9) + v[j] / np.maximum(items.n[j], 1e-9)
    return np.asarray(T * existing / (T + existing))


def outlook_of(group: LeaderAndRivals, nominees: IntArray, values: FloatArray, demand: Demand, version: int) -> Outlook:
    """Returns the outlook of a plan with this demand: nominees with these estimated values, and rivals."""
    demand = demand.distinct()  # self pairs have no pair number and do not count for items
    asked = pair_index(demand.i, demand.j, group.n_items)
    named = np.flatnonzero(np.isin(nominees, asked))
    _, first = np.unique(nominees[named], return_index=True)
    named = named[first]
    shown = np.flatnonzero(np.isin(group.rivals, asked) & ~np.isin(group.rivals, nominees))
    of_items = demand.of_items(group.n_items)
    shown = shown[_better_shown(group, shown, _counts(demand, asked, group.rivals[shown]), of_items)]
    shown = shown[np.argsort(group.mean[shown], kind="stable")[:MAX_RIVALS]]
    index = np.append(nominees[named], group.rivals[shown])
    i, j = pair_items(index, group.n_items)
    items = np.zeros(0, dtype=np.int64)
    if group.x is not None:
        own = np.unique(np.concatenate([i, j]))
        rest = np.setdiff1d(np.unique(np.concatenate(pair_items(group.rivals, group.n_items))), own)
        rest = rest[of_items[rest] > 0]
        rest = rest[np.argsort(group.x[rest], kind="stable")[: max(MAX_ITEMS - len(own), 0)]]
        items = np.sort(np.concatenate([own, rest]))
    return Outlook(
        version=version - 1,
        items=tuple(items.tolist()),
        shown=tuple(of_items[items].tolist()),
        unclicked=() if group.x is None else _rounded(clip_guess(group.x[items])),
        pairs=tuple(zip(i.tolist(), j.tolist(), strict=True)),
        planned=tuple(_counts(demand, asked, index).tolist()),
        values=_rounded(clip_guess(np.append(values[named], group.mean[shown]))),
        epsilon=min(float(f"{group.epsilon:.{DIGITS}g}"), MAX_EPSILON),
    )


def _better_shown(group: LeaderAndRivals, shown: IntArray, counts: IntArray, of_items: IntArray) -> BoolArray:
    """Returns a mask of the rivals that gain more by their own impressions than by their items alone."""
    if group.x is None:  # without item clicks there are no bets by items
        return np.ones(len(shown), dtype=np.bool_)
    i, j = pair_items(group.rivals[shown], group.n_items)
    p, q = group.x[i], group.x[j]
    e_i, e_j = (variance(group.x[k]) / np.maximum(of_items[k], 1) for k in (i, j))
    s = group.margin[shown]
    own = score_variance(p, q, group.mean[shown]) + s * np.maximum((1 - p) * q, p * (1 - q))
    by_items = np.maximum(p + q - 1 - group.leader_mean + group.epsilon, 0.0)
    worth_shown = s**2 / (own / counts + q**2 * e_i + p**2 * e_j)
    reach = by_items * np.maximum(1 / np.maximum(of_items[i], 1), 1 / np.maximum(of_items[j], 1))
    return np.asarray(worth_shown >= by_items**2 / (e_i + e_j + reach))


def _counts(demand: Demand, asked: IntArray, index: IntArray) -> IntArray:
    """Returns how often pairs given by number are asked for; all of them must be in the demand."""
    order = np.argsort(asked)
    return demand.count[order[np.searchsorted(asked, index, sorter=order)]]


def _rounded(values: FloatArray) -> tuple[float, ...]:
    return tuple(np.round(values, DIGITS).tolist())
