"""The bets of bound C: how much is bet, impression by impression, on each rival of a nominee.

Bound `contrast` bets that L of a rival is higher than L of the nominee. A bet must be fixed before its impression is
issued. So a plan stores its outlook: how often it will show pairs and items, their estimated probabilities, and
epsilon, the difference that the bets are to prove. The bets follow from the outlook and from the constants here. Only
their speed depends on how good epsilon is: a relative goal allows another difference at each upper bound of the
nominee, but a bet keeps the epsilon with which it was placed. (Changing a constant would change the bets of
running sessions after the fact. Such a change needs another name for the share of contrasts; a test checks this.)
"""

from functools import cached_property

import numpy as np

from app.engine.arrays import BoolArray, FloatArray, IntArray, Pair
from app.engine.choices import Outlook

LARGEST_LOSS = 0.7
"""No outcome of an impression may cost more than this part of the wealth: bets on a rival are reduced until it
holds."""

MIN_VARIANCE = 2e-4
"""The least variance of a pair's score, for the sizes of bets only: equal outcomes so far may still vary later."""

BET_FRACTION = 0.75
"""Part of the bet that would win most if margins were exact (the Kelly bet). It then wins 94 % as much, and still wins
something if margins are overestimated 2.6 times, as they are for a nominee that led by chance; the whole Kelly bet wins
nothing from 2 times on."""

MIN_MARGIN, MAX_MARGIN = 0.4, 0.5
"""The margin of a bet is at least this part of epsilon, also if the rival seems better than the nominee, and at most
the second number."""


class Bets:
    """The bets of one outlook on the rivals of one of its pairs, the nominee.

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
        """The estimate of p of the slots' items, (4, R); 0 where feedback does not name the clicked items."""
        return self.outlook.by_item(self.outlook.unclicked, 0.0)[self.slots]

    @cached_property
    def value(self) -> FloatArray:
        """The estimate of L of each rival, (R,); for one bet on by its items, its lower bound p_i + p_j - 1."""
        return np.append(self._values, (self.d[0] + self.d[1] - 1)[len(self._values) :])

    @cached_property
    def coefficient(self) -> FloatArray:
        """c: the coefficients of the slots' p in L_rival - L_nominee, without the scores of the pairs, (4, R)."""
        i, j, a, b = self.d
        one = np.ones(len(self.rivals))
        return np.stack([np.where(self.listed, j, one), np.where(self.listed, i, one), -b, -a])

    @cached_property
    def live(self) -> BoolArray:
        """Slots that count, (4, R): an item of both pairs counts in the rival's slot only."""
        i, j, a, b = self.slots
        yes = np.ones(len(self.rivals), dtype=np.bool_)
        return np.stack([yes, yes, (a != i) & (a != j), (b != i) & (b != j)])

    @cached_property
    def bet_size(self) -> FloatArray:
        """lambda, (R,): `BET_FRACTION` of margin over variance, limited by `LARGEST_LOSS`."""
        own = self.scores(np.full(len(self.rivals), self.value_own), 2, 3)
        theirs = self.scores(self.value, 0, 1) * self.listed[:, None]
        V_own, V_theirs = self._variance(own, self.value_own, 2, 3), self._variance(theirs, self.value, 0, 1)
        V = V_own / self.planned_own + np.where(self.listed, V_theirs, 0.0) / self.planned
        per_item = self.merged / self.planned_of_items
        V = V + (per_item**2 * self.d * (1 - self.d) * self.planned_of_items).sum(axis=0)
        worst = np.maximum(per_item * self.d, -per_item * (1 - self.d)).sum(axis=0)
        # 0: the loss by items alone, of another pair that shares one. It matters if estimates contradict each other.
        own_loss, their_loss = own.max(axis=1) / self.planned_own, -theirs.min(axis=1) / self.planned
        worst = worst + np.maximum(np.maximum(own_loss, their_loss), 0.0)
        margin = margin_of(self.value, self.value_own, self.epsilon)
        return np.asarray(np.minimum(BET_FRACTION * margin / V, LARGEST_LOSS / worst))

    @cached_property
    def merged(self) -> FloatArray:
        """Coefficients by item, (4, R): an item of both pairs has the sum of two, which nearly cancel."""
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
        """Returns Z minus its estimate for the pairs in slots u, v if neither, u, v, both were clicked, (R, 4)."""
        p, q = self.d[u], self.d[v]
        Z = np.stack([(1 - p) * (1 - q), -p * (1 - q), -(1 - p) * q, p * q], axis=1)
        return np.asarray(Z - (value - p * q)[:, None])

    def _variance(self, scores: FloatArray, value: FloatArray | float, u: int, v: int) -> FloatArray:
        """Returns the variance of scores, (R,), if the estimates are exact."""
        if not self.outlook.items:
            return np.maximum(np.asarray(value * (1 - np.asarray(value))) * np.ones(len(scores)), MIN_VARIANCE)
        p, q = self.d[u], self.d[v]
        both = np.clip(value - (p + q - 1), 0.0, np.minimum(1 - p, 1 - q))
        chances = np.stack([value * np.ones(len(p)), 1 - p - both, 1 - q - both, both], axis=1)
        return np.maximum((np.maximum(chances, 0.0) * scores**2).sum(axis=1), MIN_VARIANCE)

    @cached_property
    def _by_items(self) -> IntArray:
        """Rivals whose items alone are expected to settle the bet, (F, 2)."""
        others = self.outlook.others
        least = self.outlook.by_item(self.outlook.unclicked, 0.0)[others].sum(axis=1) - 1
        return others[least - self.value_own + self.epsilon >= MIN_MARGIN * self.epsilon]


def margin_of(value: FloatArray, of_nominee: float, epsilon: float) -> FloatArray:
    """Returns the margin of each bet: about L_rival - L_nominee + epsilon."""
    return np.clip(epsilon + value - of_nominee, MIN_MARGIN * epsilon, MAX_MARGIN)
