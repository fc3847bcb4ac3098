"""Who leads, and how wide the leader's bound may stay: the aim that costs least to prove.

With leader k at L_k and an upper bound w above it, every other pair must be shown to lie above L_k + w - epsilon, the
threshold. A narrow bound costs samples of the leader, a wide one costs samples of everyone else.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from app.engine.arrays import FloatArray, IntArray, pair_items, pair_number
from app.engine.bounds.contrast import LEFTOVER
from app.engine.certificate import Assessment
from app.engine.choices import Choices
from app.engine.evidence import Evidence
from app.engine.nystrom import smallest_pair
from app.engine.problem import Problem
from app.engine.shares import Shares, portion
from app.engine.spending.beliefs import Beliefs
from app.engine.spending.contrasts import Field, remaining, tolerated_by_items
from app.engine.spending.levels import OpenPairs, settles, tolerated
from app.engine.spending.needs import samples_to_separate
from app.engine.spending.screens import Screen

WIDTHS = (0.12, 0.2, 0.3, 0.4, 0.5, 0.6)
"""Leader's widths that are priced, as parts of epsilon."""

WIDER = (0.8, 1.0, 1.4, 2.0)
"""More widths where contrasts settle the nearest rivals: the bound then serves for the others only."""

WIDEST, WIDEST_BESIDE_CONTRASTS = 0.95, 3.0
"""A bound already reached is worth keeping if it is below this."""

CAUTION = (1.5, 0.75)
"""Leaders are the pairs with the lowest L_hat + this many deviations: the lowest L_hat of 10^5 pairs is mostly luck."""

LEAST_DISTANCE = 0.05
"""A pair thought to lie below the threshold is priced as if it were this part of epsilon above."""

DEAREST = 4.0
"""No pair is priced above this many times log(1/alpha)/epsilon^2: by then it would have become the leader."""

WORKING_PAIRS = 2_000_000
"""Beyond this many open pairs the rest is represented by a sample."""


@dataclass(frozen=True, eq=False)
class Open:
    """Open pairs with what is believed of them; `weight` pairs stand behind each."""

    index: IntArray  # (m,)
    i: IntArray  # (m,)
    j: IntArray  # (m,)
    mean: FloatArray  # (m,) L_hat
    spread: FloatArray  # (m,)
    lower: FloatArray  # (m,)
    seen: IntArray  # (m,) samples
    counted: IntArray  # (m,) samples that bound D counts
    weight: FloatArray  # (m,)

    def where(self, keep: np.ndarray) -> "Open":
        """Returns some of them."""
        return Open(*(getattr(self, name)[keep] for name in self.__dataclass_fields__))


class ByContrast(NamedTuple):
    """What contrasts with a leader can do about pairs."""

    left: FloatArray  # (m,) what is still to be won
    price: FloatArray  # (m,) impressions
    T: FloatArray  # (m,) e_i + e_j at which the items alone settle it, 0 if they cannot

    def where(self, keep: np.ndarray) -> "ByContrast":
        """Returns some of them."""
        return ByContrast(*(column[keep] for column in self))


@dataclass(frozen=True, eq=False)
class Aim:
    """What to prove next: the leader to within `width` of epsilon, all open pairs above the threshold."""

    leader: int  # pair number
    mean: float
    width: float
    threshold: float
    leader_need: float  # samples of the leader still to take
    open_pairs: Open
    direct: FloatArray  # (m,) what settling each open pair by itself would take
    by_contrast: ByContrast  # of the open pairs


class Race:
    """The state of the race, from which aims are priced."""

    def __init__(
        self,
        problem: Problem,
        evidence: Evidence,
        assessment: Assessment,
        beliefs: Beliefs,
        choices: Choices,
        shares: Shares,
        items: Screen | None,
        rng: np.random.Generator,
    ) -> None:
        self.problem, self.evidence, self.assessment = problem, evidence, assessment
        self.beliefs, self.choices, self.shares = beliefs, choices, shares
        self.items = items  # where answers tell the clicked items
        self.leaders = self._leaders()  # (few,) pair numbers
        self.leader_mean = beliefs.mean(self.leaders)
        self._known: dict[int, ByContrast] = {}
        self.widest = WIDEST_BESIDE_CONTRASTS if shares.contrasts else WIDEST
        self.open_pairs = self._collect(float(self.leader_mean.max()) - (1 - self.widest) * problem.epsilon, rng)

    def rough_aim(self) -> Aim:
        """Returns the aim at the likeliest leader with a middling width: shows what screening would be worth."""
        k = int(np.argmin(self.leader_mean))
        return self._aim(int(self.leaders[k]), float(self.leader_mean[k]), WIDTHS[len(WIDTHS) // 2], math.inf)

    def best_aim(self, screen: Screen | None, e: FloatArray | None) -> Aim:
        """Returns the cheapest aim, pairs that the levels e of a screen settle being free."""

        def cost(aim: Aim) -> float:
            direct = aim.direct * aim.open_pairs.weight
            if screen is not None and e is not None:
                direct = direct[~settles(e, self.tolerated(screen, aim), aim.open_pairs.i, aim.open_pairs.j)]
            return aim.leader_need + float(direct.sum())

        return min(self._aims(), key=cost)

    def nominated(self, pair: int) -> int | None:
        """Returns the place of a pair among the nominees, from 0; None if it is none.

        Without contrasts only the latest counts: a pair that leads again is named again, which costs it little. With
        them it would lose its bets.
        """
        first = 0 if self.shares.contrasts else max(len(self.nominees) - 1, 0)
        return next((place for place in range(first, len(self.nominees)) if self.nominees[place] == pair), None)

    @cached_property
    def nominees(self) -> list[int]:
        """All nominees in order, as pair numbers."""
        return [pair_number(nominee.pair, self.problem.n_items) for nominee in self.choices.nominees]

    def _aims(self) -> Iterator[Aim]:
        epsilon, upper = self.problem.epsilon, self.assessment.bounds.upper
        for leader, mean in zip(self.leaders.tolist(), self.leader_mean.tolist(), strict=True):
            reached = (float(upper[leader]) - mean) / epsilon
            widths = (*WIDTHS, *WIDER) if self.shares.contrasts else WIDTHS
            for width in (*(w for w in widths if w < reached), *([reached] if reached < self.widest else [])):
                yield self._aim(leader, mean, width, reached)
            if reached <= 0:  # the bound is below the mean that is believed: nothing is cheaper than what is there
                yield self._aim(leader, mean, 0.0, 0.0)

    def _aim(self, leader: int, mean: float, width: float, reached: float) -> Aim:
        epsilon, log_level = self.problem.epsilon, math.log(1 / (self.shares.direct * self.problem.delta))
        threshold = max(mean + width * epsilon - epsilon, 1e-6)
        need = 0.0 if width >= reached else self._leader_need(leader, mean, width)
        pairs, by_contrast = self.open_pairs, self._by_contrast(leader, mean)
        keep = (pairs.lower < threshold) & (pairs.index != leader) & (by_contrast.left > 0)
        pairs, by_contrast = pairs.where(keep), by_contrast.where(keep)
        above = np.clip(pairs.mean, threshold + LEAST_DISTANCE * epsilon, 1 - 1e-6)
        direct = samples_to_separate(above, threshold, log_level, pairs.counted)
        direct = np.minimum(np.minimum(direct, DEAREST * log_level / epsilon**2), by_contrast.price)
        return Aim(leader, mean, width, threshold, need, pairs, direct, by_contrast)

    def tolerated(self, screen: Screen, aim: Aim) -> FloatArray:
        """Returns what a screen tolerates of each open pair: by its own bound, or by contrasts with the leader."""
        pairs = aim.open_pairs
        return np.maximum(tolerated(screen, aim.threshold, pairs.i, pairs.j), aim.by_contrast.T)

    def to_settle(self, screen: Screen, aim: Aim) -> OpenPairs:
        """Returns the aim's open pairs for the choice of levels."""
        pairs = aim.open_pairs
        return OpenPairs(pairs.i, pairs.j, aim.direct * pairs.weight, self.tolerated(screen, aim))

    def field(self, aim: Aim, some: IntArray | None = None) -> Field:
        """Returns the leader of an aim among its open pairs, or among some of them."""
        some = np.arange(len(aim.direct)) if some is None else some
        return self._field(aim.leader, aim.mean, aim.open_pairs.where(some), aim.by_contrast.left[some])

    def _field(self, leader: int, mean: float, pairs: Open, left: FloatArray) -> Field:
        x = None if self.items is None else self.items.x
        return Field(leader, mean, pairs.index, pairs.mean, left, self.problem.epsilon, x, self.problem.n_items)

    def _by_contrast(self, leader: int, mean: float) -> ByContrast:
        """Returns what contrasts can do about all open pairs: nothing, if no share is theirs."""
        if leader not in self._known:
            none = np.zeros(len(self.open_pairs.index))
            known = ByContrast(none + np.inf, none + np.inf, none)
            if self.shares.contrasts:
                left = self._still_to_win(leader, self.open_pairs.index)
                field = self._field(leader, mean, self.open_pairs, left)
                T = none if self.items is None else tolerated_by_items(self.items, field)
                known = ByContrast(left, field.prices(), T)
            self._known[leader] = known
        return self._known[leader]

    def _still_to_win(self, leader: int, rivals: IntArray) -> FloatArray:
        """Returns what contrasts with this leader still lack, rival by rival: all if it must be nominated first."""
        ordinal, found = len(self.choices.nominees) + 1, None
        place = self.nominated(leader)
        if place is not None:
            ordinal = place + 1
            found = next((one for one in reversed(self.assessment.bounds.contrasts) if one.nominee == leader), None)
        share = portion(self.shares.contrasts * self.problem.delta, ordinal)
        return remaining(rivals, found, self.problem.epsilon, math.log(1 / (share * (1 - LEFTOVER))))

    def _leader_need(self, leader: int, mean: float, width: float) -> float:
        """Returns the samples that bring the upper bound of a nominee to this width."""
        ordinal, have = len(self.choices.nominees) + 1, 0
        place = self.nominated(leader)
        if place is not None:
            ordinal, nominee = place + 1, self.choices.nominees[place]
            i, j = np.array([nominee.pair.i]), np.array([nominee.pair.j])
            have = int(self.evidence.issued(nominee.version + 1).entries(i, j)[0][0])
        log_level = math.log(1 / portion(self.shares.nominees * self.problem.delta, ordinal))
        limit = min(mean + width * self.problem.epsilon, 1 - 1e-6)
        return float(samples_to_separate(np.array([mean]), limit, log_level, np.array([have]))[0])

    def _leaders(self) -> IntArray:
        """Returns the pairs that may be worth leading with: likely best ones, and the latest nominee."""
        beliefs, K = self.beliefs, self.problem.n_items
        guessed = smallest_pair(beliefs.X, beliefs.X)[0]
        candidates = np.append(beliefs.shown, pair_number(guessed, K))
        mean = beliefs.mean(candidates)
        spread = beliefs.spread(candidates, mean)
        found = {int(candidates[np.argmin(mean + caution * spread)]) for caution in CAUTION}
        found |= set(self.nominees if self.shares.contrasts else self.nominees[-1:])
        return np.array(sorted(found), dtype=np.int64)

    def _collect(self, threshold: float, rng: np.random.Generator) -> Open:
        """Returns the pairs with a lower bound below the threshold: all, or the likeliest and some of the rest."""
        lower, beliefs = self.assessment.bounds.lower, self.beliefs
        index = np.flatnonzero(lower < threshold)
        weight = np.ones(len(index))
        mean = beliefs.mean(index)
        if len(index) > WORKING_PAIRS:
            half = WORKING_PAIRS // 2
            order = np.argpartition(mean, half)
            rest = rng.choice(order[half:], size=half, replace=False)
            keep = np.sort(np.concatenate([order[:half], rest]))
            weight[rest] = (len(index) - half) / half
            index, mean, weight = index[keep], mean[keep], weight[keep]
        i, j = pair_items(index, self.problem.n_items)
        seen, counted = beliefs.samples(index)
        return Open(index, i, j, mean, beliefs.spread(index, mean), lower[index], seen, counted, weight)
