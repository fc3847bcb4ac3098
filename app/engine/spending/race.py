"""Who leads, and how wide the leader's bound may stay: the aim that costs least to prove.

With leader k at L_k and an upper bound w above it, every other pair must be shown to lie above L_k + w - epsilon, the
threshold. A narrow bound costs samples of the leader, a wide one costs samples of everyone else.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from app.engine.arrays import FloatArray, IntArray, pair_items, pair_number
from app.engine.certificate import Assessment
from app.engine.choices import Choices
from app.engine.evidence import Evidence
from app.engine.nystrom import smallest_pair
from app.engine.problem import Problem
from app.engine.shares import Shares, portion
from app.engine.spending.beliefs import Beliefs
from app.engine.spending.levels import OpenPairs, settles, shown_together_need, tolerated
from app.engine.spending.needs import samples_to_separate
from app.engine.spending.screens import Screen

WIDTHS = (0.12, 0.2, 0.3, 0.4, 0.5, 0.6)
"""Leader's widths that are priced, as parts of epsilon."""

WIDEST = 0.95
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
        self.open_pairs = self._collect(float(self.leader_mean.max()) - (1 - WIDEST) * problem.epsilon, rng)

    def rough_aim(self) -> Aim:
        """Returns the aim at the likeliest leader with a middling width: shows what screening would be worth."""
        k = int(np.argmin(self.leader_mean))
        return self._aim(int(self.leaders[k]), float(self.leader_mean[k]), WIDTHS[len(WIDTHS) // 2], math.inf)

    def best_aim(self, screen: Screen | None, e: FloatArray | None) -> Aim:
        """Returns the cheapest aim, pairs that the levels e of a screen settle being free."""

        def cost(aim: Aim) -> float:
            direct = aim.direct * aim.open_pairs.weight
            if screen is not None and e is not None:
                i, j = aim.open_pairs.i, aim.open_pairs.j
                direct = direct[~settles(e, tolerated(screen, aim.threshold, i, j), i, j)]
            return aim.leader_need + float(direct.sum())

        return min(self._aims(), key=cost)

    def nominated(self, pair: int) -> bool:
        """Returns whether this pair is the latest nominee."""
        nominees = self.choices.nominees
        return bool(nominees) and pair_number(nominees[-1].pair, self.problem.n_items) == pair

    def _aims(self) -> Iterator[Aim]:
        epsilon, upper = self.problem.epsilon, self.assessment.bounds.upper
        for leader, mean in zip(self.leaders.tolist(), self.leader_mean.tolist(), strict=True):
            reached = (float(upper[leader]) - mean) / epsilon
            for width in (*(w for w in WIDTHS if w < reached), *([reached] if reached < WIDEST else [])):
                yield self._aim(leader, mean, width, reached)
            if reached <= 0:  # the bound is below the mean that is believed: nothing is cheaper than what is there
                yield self._aim(leader, mean, 0.0, 0.0)

    def _aim(self, leader: int, mean: float, width: float, reached: float) -> Aim:
        epsilon, log_level = self.problem.epsilon, math.log(1 / (self.shares.direct * self.problem.delta))
        threshold = max(mean + width * epsilon - epsilon, 1e-6)
        need = 0.0 if width >= reached else self._leader_need(leader, mean, width)
        pairs = self.open_pairs
        pairs = pairs.where((pairs.lower < threshold) & (pairs.index != leader))
        above = np.clip(pairs.mean, threshold + LEAST_DISTANCE * epsilon, 1 - 1e-6)
        direct = samples_to_separate(above, threshold, log_level, pairs.counted)
        if self.items is not None:
            direct = np.minimum(direct, shown_together_need(self.items, threshold, pairs.i, pairs.j, above, pairs.seen))
        return Aim(leader, mean, width, threshold, need, pairs, np.minimum(direct, DEAREST * log_level / epsilon**2))

    def _leader_need(self, leader: int, mean: float, width: float) -> float:
        """Returns the samples that bring the upper bound of a nominee to this width."""
        ordinal, have = len(self.choices.nominees) + 1, 0
        if self.nominated(leader):
            ordinal, latest = ordinal - 1, self.choices.nominees[-1]
            i, j = np.array([latest.pair.i]), np.array([latest.pair.j])
            have = int(self.evidence.issued(latest.version + 1).entries(i, j)[0][0])
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
        if self.choices.nominees:
            found.add(pair_number(self.choices.nominees[-1].pair, K))
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


def as_open_pairs(aim: Aim) -> OpenPairs:
    """Returns the aim's open pairs for the choice of levels."""
    return OpenPairs(aim.open_pairs.i, aim.open_pairs.j, aim.direct * aim.open_pairs.weight)
