"""The proof target that costs least: which pair leads, and how wide its upper bound may stay.

If the upper bound of the leader k is U = L_k + w, every other pair must be proven to be above the threshold
(`Goal.threshold`; U - epsilon for an absolute goal). A narrow bound costs samples of the leader, a wide one costs
samples of all other pairs.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, count
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from app.engine.allocation.contrasts import LeaderAndRivals, log_wealth_missing, tolerated_by_items
from app.engine.allocation.costs import samples_to_separate
from app.engine.allocation.estimates import PairEstimates
from app.engine.allocation.screens import PairsToScreen, Screen, best_levels, settles, tolerated
from app.engine.arrays import FloatArray, IntArray, pair_items, pair_number
from app.engine.bounds.contrast import LEFTOVER_SHARE
from app.engine.certificate import Assessment
from app.engine.choices import Choices
from app.engine.delta_shares import Shares, portion
from app.engine.evidence import Evidence
from app.engine.nystrom import smallest_pair
from app.engine.problem import Problem

WIDTHS = (0.12, 0.2, 0.3, 0.4, 0.5, 0.6)
"""Widths of the leader's bound for which the cost is computed, as parts of `Goal.width`: at 1, other pairs must be
proven to be above L_k."""

WIDER = 1.5
"""Beyond `WIDTHS`, each width is this many times the last one, for as long as the cost falls: a leader that is far
ahead needs no narrow bound. The width that the bound already has is considered too, even if the bound is 1."""

WIDEST_WITH_CONTRASTS = 3.0
"""With contrasts no wider bound is considered: these settle the nearest rivals, and the other pairs need the bound."""

EXACT_PAIRS = 30_000
"""With more open pairs, and with contrasts, the costs of targets are approximate. Exact ones take a tenth fewer
impressions (48 tuning sessions; with contrasts no fewer), and .1 s a plan with 200 items, seconds with 1,000."""

CAUTION = (1.5, 0.75)
"""Possible leaders have the lowest L_hat + this many standard deviations: which of 10^5 pairs has the lowest L_hat
alone is mostly chance."""

MIN_DISTANCE = 0.05
"""A pair with an estimate below the threshold gets the cost of a pair that is this part of the allowed gap above it."""

MAX_PRICE = 100.0
"""No pair costs more than this many times v log(1/alpha)/gap^2, with the variance v at the threshold and the allowed
gap: with more samples, it would have become the leader."""

WORKING_PAIRS = 2_000_000
"""Beyond this many open pairs the rest is represented by a sample."""


@dataclass(frozen=True, eq=False)
class OpenPairs:
    """Pairs that are not yet proven to be above the threshold, with estimates; each represents `weight` pairs."""

    index: IntArray  # (m,)
    i: IntArray  # (m,)
    j: IntArray  # (m,)
    mean: FloatArray  # (m,) L_hat
    spread: FloatArray  # (m,)
    lower: FloatArray  # (m,)
    seen: IntArray  # (m,) samples
    counted: IntArray  # (m,) samples that bound D counts
    weight: FloatArray  # (m,)

    def where(self, keep: np.ndarray) -> "OpenPairs":
        """Returns the selected pairs."""
        return OpenPairs(*(getattr(self, name)[keep] for name in self.__dataclass_fields__))


class ContrastCosts(NamedTuple):
    """The cost of settling pairs by contrasts with a leader."""

    left: FloatArray  # (m,) log wealth still missing
    price: FloatArray  # (m,) impressions
    T: FloatArray  # (m,) e_i + e_j at which the items alone settle the pair, 0 if they cannot

    def where(self, keep: np.ndarray) -> "ContrastCosts":
        """Returns the selected pairs."""
        return ContrastCosts(*(column[keep] for column in self))


@dataclass(frozen=True, eq=False)
class ProofTarget:
    """What to prove next: leader <= its mean + `width` * `Goal.width`, and all open pairs above the threshold."""

    leader: int  # pair number
    mean: float
    width: float
    allowed: float  # the gap that certifies the leader then
    threshold: float
    leader_need: float  # samples of the leader still to take
    open_pairs: OpenPairs
    direct: FloatArray  # (m,) samples that settle each open pair by itself
    contrast_costs: ContrastCosts  # of the open pairs


class TargetSelection:
    """Computes possible proof targets and their costs for one plan."""

    def __init__(
        self,
        problem: Problem,
        evidence: Evidence,
        assessment: Assessment,
        estimates: PairEstimates,
        choices: Choices,
        shares: Shares,
        items: Screen | None,
        rng: np.random.Generator,
    ) -> None:
        self.problem, self.evidence, self.assessment = problem, evidence, assessment
        self.estimates, self.choices, self.shares = estimates, choices, shares
        self.items = items  # where feedback names the clicked items
        self.leaders = self._leaders()  # (few,) pair numbers
        self.leader_mean = estimates.mean(self.leaders)
        self._contrast_cache: dict[tuple[int, float], ContrastCosts] = {}
        self.widest = WIDEST_WITH_CONTRASTS if shares.contrasts else math.inf
        self.open_pairs = self._collect(max(self._highest_thresholds()), rng)

    def rough_target(self) -> ProofTarget:
        """Returns the target with the likeliest leader and a medium width: enough to decide about screening."""
        k = int(np.argmin(self.leader_mean))
        return self._target(int(self.leaders[k]), float(self.leader_mean[k]), WIDTHS[len(WIDTHS) // 2], math.inf)

    def best_target(self, screen: Screen | None, e: FloatArray) -> ProofTarget:
        """Returns the cheapest target with this screen; where costs are approximate, its levels stay at e."""

        def cost(target: ProofTarget) -> float:
            pairs, direct = target.open_pairs, target.direct * target.open_pairs.weight
            if screen is not None and not self.shares.contrasts and len(direct) <= EXACT_PAIRS:
                return target.leader_need + best_levels(screen, self.pairs_to_screen(screen, target)).cost
            if screen is not None:
                direct = direct[~settles(e, self.tolerated(screen, target), pairs.i, pairs.j)]
            return target.leader_need + float(direct.sum())

        return min(self._targets(cost), key=itemgetter(0))[1]

    def nominated(self, pair: int) -> int | None:
        """Returns the place of a pair among the nominees, from 0; None if it is not nominated.

        Without contrasts only the latest nominee counts: a pair that leads again is nominated again, which costs
        little. With contrasts, a second nomination would lose the bets of the first.
        """
        first = 0 if self.shares.contrasts else max(len(self.nominees) - 1, 0)
        return next((place for place in range(first, len(self.nominees)) if self.nominees[place] == pair), None)

    @cached_property
    def nominees(self) -> list[int]:
        """All nominees in order, as pair numbers."""
        return [pair_number(nominee.pair, self.problem.n_items) for nominee in self.choices.nominees]

    def _highest_thresholds(self) -> Iterator[float]:
        """Yields the highest threshold that is considered with each leader."""
        for leader, mean in zip(self.leaders.tolist(), self.leader_mean.tolist(), strict=True):
            limit = min(float(self.assessment.bounds.upper[leader]), self._limit(mean, self.widest))
            yield self.problem.goal.threshold(limit)

    def _targets(self, cost: Callable[[ProofTarget], float]) -> Iterator[tuple[float, ProofTarget]]:
        """Yields targets with their costs."""
        for leader, mean in zip(self.leaders.tolist(), self.leader_mean.tolist(), strict=True):
            reached = self._reached(leader, mean)
            if reached < self.widest:
                target = self._target(leader, mean, max(reached, 0.0), reached)  # below 0: no other width is cheaper
                yield cost(target), target
            last = math.inf
            for width in chain(WIDTHS, (WIDTHS[-1] * WIDER**step for step in count(1))):
                if width >= min(reached, self.widest):
                    break
                target = self._target(leader, mean, width, reached)
                yield (found := cost(target)), target
                if width > WIDTHS[-1] and found > last:
                    break
                last = found

    def _reached(self, leader: int, mean: float) -> float:
        """Returns the width that the bound of a leader has."""
        return (float(self.assessment.bounds.upper[leader]) - mean) / self.problem.goal.width(mean)

    def _target(self, leader: int, mean: float, width: float, reached: float) -> ProofTarget:
        limit = self._limit(mean, width)
        allowed = max(self.problem.goal.allowed(limit), 1e-12)  # its square must not be rounded to 0
        threshold = max(self.problem.goal.threshold(limit), 1e-6)
        need = 0.0 if width >= reached else self._leader_need(leader, mean, limit)
        pairs, contrast_costs = self.open_pairs, self._contrast_costs(leader, mean, allowed)
        keep = (pairs.lower < threshold) & (pairs.index != leader) & (contrast_costs.left > 0)
        pairs, contrast_costs = pairs.where(keep), contrast_costs.where(keep)
        direct = np.minimum(self._direct(pairs, threshold, allowed), contrast_costs.price)
        return ProofTarget(leader, mean, width, allowed, threshold, need, pairs, direct, contrast_costs)

    def _limit(self, mean: float, width: float) -> float:
        """Returns the upper bound of a leader with this mean at this width."""
        return min(mean + width * self.problem.goal.width(mean), 1 - 1e-6)

    def _direct(self, pairs: OpenPairs, threshold: float, allowed: float) -> FloatArray:
        """Returns how many samples of each pair prove by bound D that it is above the threshold."""
        log_level = math.log(1 / (self.shares.direct * self.problem.delta))
        above = np.clip(pairs.mean, threshold + MIN_DISTANCE * allowed, 1 - 1e-6)
        direct = samples_to_separate(above, threshold, log_level, pairs.counted)
        return np.minimum(direct, MAX_PRICE * threshold * (1 - threshold) * log_level / allowed**2)

    def with_setbacks(self, target: ProofTarget, setback: float) -> ProofTarget:
        """Returns the target with the costs that it has if every open bet lacks `setback` more log wealth."""
        pairs = target.open_pairs
        left = target.contrast_costs.left + setback
        costs = self._contrast_costs_of(target.leader, target.mean, target.allowed, pairs, left)
        direct = np.minimum(self._direct(pairs, target.threshold, target.allowed), costs.price)
        return replace(target, direct=direct, contrast_costs=costs)

    def tolerated(self, screen: Screen, target: ProofTarget) -> FloatArray:
        """Returns T of each open pair: by the bound of the screen, or by contrasts with the leader."""
        pairs = target.open_pairs
        return np.maximum(tolerated(screen, target.threshold, pairs.i, pairs.j), target.contrast_costs.T)

    def pairs_to_screen(self, screen: Screen, target: ProofTarget) -> PairsToScreen:
        """Returns the open pairs of a target, as `best_levels` takes them."""
        pairs = target.open_pairs
        return PairsToScreen(pairs.i, pairs.j, target.direct * pairs.weight, self.tolerated(screen, target))

    def leader_and_rivals(self, target: ProofTarget, some: IntArray | None = None) -> LeaderAndRivals:
        """Returns the leader of a target with its open pairs, or some of them, as rivals."""
        some = np.arange(len(target.direct)) if some is None else some
        return self._leader_and_rivals(
            target.leader, target.mean, target.allowed, target.open_pairs.where(some), target.contrast_costs.left[some]
        )

    def _leader_and_rivals(
        self, leader: int, mean: float, allowed: float, pairs: OpenPairs, left: FloatArray
    ) -> LeaderAndRivals:
        x = None if self.items is None else self.items.x
        return LeaderAndRivals(leader, mean, pairs.index, pairs.mean, left, allowed, x, self.problem.n_items)

    def _contrast_costs(self, leader: int, mean: float, allowed: float) -> ContrastCosts:
        """Returns the costs of all open pairs by contrasts: infinite if contrasts have no share of delta."""
        key = (leader, allowed)
        if key not in self._contrast_cache:
            zeros = np.zeros(len(self.open_pairs.index))
            costs = ContrastCosts(zeros + np.inf, zeros + np.inf, zeros)
            if self.shares.contrasts:
                left = self._log_wealth_missing(leader, self.open_pairs.index, allowed)
                costs = self._contrast_costs_of(leader, mean, allowed, self.open_pairs, left)
            self._contrast_cache[key] = costs
        return self._contrast_cache[key]

    def _contrast_costs_of(
        self, leader: int, mean: float, allowed: float, pairs: OpenPairs, left: FloatArray
    ) -> ContrastCosts:
        """Returns the costs of these pairs by contrasts, where each bet lacks the log wealth `left`."""
        group = self._leader_and_rivals(leader, mean, allowed, pairs, left)
        T = np.zeros(len(left)) if self.items is None else tolerated_by_items(self.items, group)
        return ContrastCosts(left, group.prices(), T)

    def _log_wealth_missing(self, leader: int, rivals: IntArray, allowed: float) -> FloatArray:
        """Returns the log wealth that bets on each rival still lack: all of it if the leader is not nominated yet."""
        ordinal, found = len(self.choices.nominees) + 1, None
        place = self.nominated(leader)
        if place is not None:
            ordinal = place + 1
            found = next((one for one in reversed(self.assessment.bounds.contrasts) if one.nominee == leader), None)
        share = portion(self.shares.contrasts * self.problem.delta, ordinal)
        return log_wealth_missing(rivals, found, allowed, math.log(1 / (share * (1 - LEFTOVER_SHARE))))

    def _leader_need(self, leader: int, mean: float, limit: float) -> float:
        """Returns how many more samples bring the upper bound of a nominee down to this limit."""
        ordinal, have = len(self.choices.nominees) + 1, 0
        place = self.nominated(leader)
        if place is not None:
            ordinal, nominee = place + 1, self.choices.nominees[place]
            i, j = np.array([nominee.pair.i]), np.array([nominee.pair.j])
            have = int(self.evidence.issued(nominee.version + 1).entries(i, j)[0][0])
        log_level = math.log(1 / portion(self.shares.nominees * self.problem.delta, ordinal))
        return float(samples_to_separate(np.array([mean]), limit, log_level, np.array([have]))[0])

    def _leaders(self) -> IntArray:
        """Returns possible leaders: the likely best pairs, and the latest nominee (with contrasts, all nominees)."""
        estimates, K = self.estimates, self.problem.n_items
        guessed = smallest_pair(estimates.X, estimates.X)[0]
        candidates = np.append(estimates.shown, pair_number(guessed, K))
        mean = estimates.mean(candidates)
        spread = estimates.spread(candidates, mean)
        found = {int(candidates[np.argmin(mean + caution * spread)]) for caution in CAUTION}
        found |= set(self.nominees if self.shares.contrasts else self.nominees[-1:])
        return np.array(sorted(found), dtype=np.int64)

    def _collect(self, threshold: float, rng: np.random.Generator) -> OpenPairs:
        """Returns the pairs with a lower bound below the threshold: all, or the lowest and a sample of the rest."""
        lower, estimates = self.assessment.bounds.lower, self.estimates
        index = np.flatnonzero(lower < threshold)
        weight = np.ones(len(index))
        mean = estimates.mean(index)
        if len(index) > WORKING_PAIRS:
            half = WORKING_PAIRS // 2
            order = np.argpartition(mean, half)
            rest = rng.choice(order[half:], size=half, replace=False)
            keep = np.sort(np.concatenate([order[:half], rest]))
            weight[rest] = (len(index) - half) / half
            index, mean, weight = index[keep], mean[keep], weight[keep]
        i, j = pair_items(index, self.problem.n_items)
        seen, counted = estimates.samples(index)
        return OpenPairs(index, i, j, mean, estimates.spread(index, mean), lower[index], seen, counted, weight)
