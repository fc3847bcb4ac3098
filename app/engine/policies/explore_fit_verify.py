"""`explore_fit_verify`: for a budget that is too small to certify; a low-rank fit guesses, direct samples decide.

Explore: every item is shown with random partners. Then round after round: fit all samples, choose the most promising
pairs, show them equally often; each round has fewer pairs. Unlike in plain halving no pair is dropped forever: the next
fit, more accurate among the good items, may choose it again. Two rules choose the pairs of a round:

- *trust*: the lowest posterior means, the fit as prior. Best where low rank holds.
- *doubt*: the highest odds that the pair is at the target t = best mean - `TARGET_GAP` and not where the fit has it, m:
  S log(t/m) + (n-S) log((1-t)/(1-m)) - `DOUBT` (m - t). It finds the complementary pair that a fit with few samples
  cannot see: evidence against the fit counts, a lack of samples does not.

Nothing is proven here; the verdict comes from the certificate.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.special import expit, logit

from app.engine.arrays import FloatArray, IntArray, Pair, pair_at, pair_index, pair_items
from app.engine.demand import Demand, fill_lowest
from app.engine.evidence import Evidence
from app.engine.fit import Fit, fit
from app.engine.memory import Json, Notes
from app.engine.policies.policy import Policy, Proposal, Situation
from app.engine.policies.sequential_halving import FIRST_RUN_PER_PAIR

EXPLORE_PART = 0.15
"""Part of the budget for random partners. The wide rounds after it continue to explore, among the better items."""

ROUNDS = 16
SMALLEST_ROUND = 100
"""Impressions, on average. A small budget has fewer rounds: a plan for a handful of impressions decides nothing."""

LARGEST_EXPLORATION = 2_000_000
"""Impressions of exploring asked for in one plan: some 50 MB while it is made."""

SWAP_ROUNDS = 8
"""Rounds of swaps that remove self pairs from random pairs; the few that remain are left out."""

WIDE_ROUNDS = 2
"""This many rounds show `widest` pairs; then the number falls geometrically to the last two."""

FRONT_LOAD = 2.0
"""Rounds shrink by exp(-FRONT_LOAD / rounds): a good pair that is lost early cannot profit from the precise late
rounds."""

BUDGET_PER_PAIR = 80
MIN_WIDE = 64
MAX_WIDE = 4096
"""The widest rounds show budget / BUDGET_PER_PAIR pairs, within these limits."""

ROUND_DONE = 0.5
"""A round ends once this part of it is counted; lost impressions are asked for in the next round, so that losses up to
a half add plans at the end only."""

DOUBTED_PART = 0.6
TARGET_GAP = 0.04
DOUBT = 5.0
"""Log-odds lost per unit that the fit lies above the target: large deviations are rarer, not impossible."""

POOL = 4
"""Pairs that were never shown are taken from the POOL * widest lowest of the fit minus one standard deviation."""

TRUSTED = 0.01
DEVIANT = 0.2
DEVIANT_PART = 0.03
"""Pairs deviate from the fit by about TRUSTED, and this part of them by about DEVIANT."""

NOTE = "explore_fit_verify"

LOWEST_GUESS = 0.003
"""A fit may give 0 or 1, a prior must not."""


class ExploreFitVerify(Policy):
    """Spends a fixed budget on the best guess; it needs no rank and no self pairs.

    Without a budget it makes one run of 20 impressions a pair and ends.
    """

    name: ClassVar[str] = "explore_fit_verify"

    def propose(self, now: Situation) -> Proposal:
        """Returns the demand of the round in progress."""
        return explore_fit_verify(now, now.problem.budget or FIRST_RUN_PER_PAIR * now.problem.n_pairs)


def divides(notes: Notes, budget: int) -> bool:
    """Returns whether the notes are from a run with this budget, not from one before the budget was changed."""
    schedule = _Schedule.read(notes)
    return schedule is not None and schedule.began + schedule.total == budget


def explore_fit_verify(now: Situation, budget: int) -> Proposal:
    """Returns the demand of the round in progress, of the run in the notes or of a new one.

    A run may begin late: all evidence is used, items with enough samples are not explored again, and what is left of
    the budget is divided. The round follows from the samples counted since the run began, so lost, late and additional
    feedback does no harm.
    """
    schedule = _Schedule.read(now.notes) if divides(now.notes, budget) else None
    schedule = schedule or _Schedule.starting(now.evidence, budget)
    spent = now.evidence.samples - schedule.began
    number = schedule.round_at(spent)
    if number == 0:
        demand = _random_partners(_missing_views(now.evidence, budget), schedule.ends[0] - spent, now)
        pair = _PairEstimates(now.evidence, now.rng, MIN_WIDE).best if now.evidence.samples else Pair(0, 1)
        return Proposal(demand, pair, "explore", schedule.notes(now.notes))
    estimates = _PairEstimates(now.evidence, now.rng, schedule.widest)
    if spent >= schedule.total:
        return Proposal(Demand.nothing(), estimates.best, "finished", schedule.notes(now.notes), estimates.diagnostics)
    chosen = estimates.promising(schedule.width(number))
    count = fill_lowest(np.zeros(len(chosen), dtype=np.int64), schedule.ends[number] - spent, now.rng)
    demand = Demand.of_pairs(chosen, count, now.problem.n_items)
    return Proposal(demand, estimates.best, f"round {number}", schedule.notes(now.notes), estimates.diagnostics)


@dataclass(frozen=True)
class _Schedule:
    """How the rest of the budget, from the beginning of the run, is divided: exploring, then rounds."""

    began: int  # samples counted before the run
    total: int  # samples of the run
    explore: int  # of them for random partners

    @classmethod
    def read(cls, notes: Notes) -> "_Schedule | None":
        """Returns the schedule in the notes, None if there is none."""
        kept = notes.get(NOTE)
        if not isinstance(kept, Mapping):
            return None
        began, total, explore = (_whole(kept.get(key)) for key in ("began", "total", "explore"))
        return None if began is None or total is None or explore is None else cls(began, total, explore)

    @classmethod
    def starting(cls, evidence: Evidence, budget: int) -> "_Schedule":
        """Returns the schedule of a run that begins with this evidence."""
        total = max(budget - evidence.samples, 0)
        missing = int(_missing_views(evidence, budget).sum()) // 2
        return cls(evidence.samples, total, min(missing, math.ceil(EXPLORE_PART * total)))

    def notes(self, others: Notes) -> Notes:
        """Returns the notes with this schedule added."""
        return {**others, NOTE: {"began": self.began, "total": self.total, "explore": self.explore}}

    @property
    def rounds(self) -> int:
        """Rounds after exploring."""
        return min(max(self.total // SMALLEST_ROUND, 2), ROUNDS)

    @property
    def widest(self) -> int:
        """Pairs in the wide rounds."""
        return min(max(self.total // BUDGET_PER_PAIR, MIN_WIDE), MAX_WIDE)

    @cached_property
    def ends(self) -> list[int]:
        """Samples of the run at which exploring and each round end."""
        part = np.exp(-FRONT_LOAD * np.arange(self.rounds) / self.rounds)
        ends = self.explore + (self.total - self.explore) * np.cumsum(part) / part.sum()
        return [self.explore, *(int(end) for end in ends[:-1]), self.total]

    def round_at(self, spent: int) -> int:
        """Returns the round in progress, 0 for exploring; the last one lasts until the budget is spent."""
        starts = [0, *self.ends[:-1]]
        over = (spent >= start + ROUND_DONE * (end - start) for start, end in zip(starts, self.ends, strict=True))
        return min(sum(over), self.rounds)

    def width(self, number: int) -> int:
        """Returns how many pairs a round shows."""
        narrowing = max(0, number - WIDE_ROUNDS) / max(self.rounds - WIDE_ROUNDS, 1)
        return round(self.widest * (2 / self.widest) ** narrowing)


class _PairEstimates:
    """Estimates of the pairs that matter: all that were shown, and the lowest of the fit."""

    def __init__(self, evidence: Evidence, rng: np.random.Generator, widest: int) -> None:
        K, shown = evidence.n_items, evidence.totals
        self.n_items = K
        self.fit: Fit = fit(shown, K, rng)
        off = shown.i != shown.j
        liked = self.fit.smallest_pairs(POOL * widest, caution=1.0)
        self.pairs: IntArray = np.union1d(pair_index(shown.i[off], shown.j[off], K), liked)
        i, j = pair_items(self.pairs, K)
        self.n, self.s = evidence.entries(i, j)
        self.guess = np.clip(self.fit.entries(i, j), LOWEST_GUESS, 1 - LOWEST_GUESS)
        self.variance = self.fit.spread(i, j) ** 2

    @cached_property
    def trusting(self) -> FloatArray:
        """Posterior means with the fit as prior."""
        return self._posterior_mean(TRUSTED)

    @cached_property
    def mean(self) -> FloatArray:
        """Posterior means under both priors, weighed by how well each predicted the pair's own samples."""
        log_odds = logit(DEVIANT_PART) + self._evidence_for(DEVIANT) - self._evidence_for(TRUSTED)
        deviant = expit(log_odds)
        return (1 - deviant) * self.trusting + deviant * self._posterior_mean(DEVIANT)

    @property
    def best(self) -> Pair:
        """The pair with the lowest mean among those shown; the lowest of the fit if none was."""
        mean = np.where(self.n > 0, self.mean, 1.0 + self.mean)  # pairs never shown come after all that were
        return pair_at(int(self.pairs[np.argmin(mean)]), self.n_items)

    def promising(self, count: int) -> IntArray:
        """Returns the pairs of a round: the most trusted, then the most doubted of the others."""
        trusted = np.argsort(self.trusting, kind="stable")[: math.ceil((1 - DOUBTED_PART) * count)]
        odds = self._odds_of_target()
        odds[trusted] = -math.inf
        doubted = np.argsort(-odds, kind="stable")[: max(min(count, len(odds)) - len(trusted), 0)]
        return self.pairs[np.concatenate([trusted, doubted])]

    @property
    def diagnostics(self) -> dict[str, float]:
        """The rank of the fit."""
        return {"fit_rank": float(self.fit.rank)}

    def _odds_of_target(self) -> FloatArray:
        lowest = float(self.trusting[self.n > 0].min(initial=1.0))
        target = max(lowest - TARGET_GAP, LOWEST_GUESS / 2)
        fitted = np.clip(self.guess, target + 0.01, 1 - LOWEST_GUESS / 2)  # a fit below the target is not evidence
        likelihood = self.s * np.log(target / fitted) + (self.n - self.s) * np.log((1 - target) / (1 - fitted))
        return likelihood - DOUBT * (fitted - target)

    def _posterior_mean(self, deviation: float) -> FloatArray:
        """Returns means under a prior with the weight of guess (1 - guess) / variance impressions."""
        worth = np.maximum(self.guess * (1 - self.guess) / (self.variance + deviation**2), 1.0)
        return (worth * self.guess + self.s) / (worth + self.n)

    def _evidence_for(self, deviation: float) -> FloatArray:
        """Returns the log-density of each pair's own mean, as a normal; 0 where there is none."""
        n = np.maximum(self.n, 1)
        variance = self.guess * (1 - self.guess) / n + self.variance + deviation**2
        log_density = -0.5 * np.log(variance) - 0.5 * (self.s / n - self.guess) ** 2 / variance
        return np.where(self.n > 0, log_density, 0.0)


def _missing_views(evidence: Evidence, budget: int) -> IntArray:
    """Returns how often each item must still be shown for its part of the exploration (K,)."""
    K, shown = evidence.n_items, evidence.totals
    views = np.bincount(shown.i, shown.n, K) + np.bincount(shown.j, shown.n, K)
    return np.maximum(np.ceil(2 * EXPLORE_PART * budget / K - views), 0).astype(np.int64)


def _random_partners(missing: IntArray, impressions: int, now: Situation) -> Demand:
    """Returns impressions with random partners: every item as often as it lacks views, evenly beyond that.

    Each item is listed as often as it is to be shown, in random order, and neighbours in the list form pairs.
    """
    K = len(missing)
    impressions = min(impressions, LARGEST_EXPLORATION)
    beyond = max(2 * impressions - int(missing.sum()), 0)
    views = missing + beyond // K + (now.rng.permutation(K) < beyond % K)
    laid_out = now.rng.permutation(np.repeat(np.arange(K), views))[: 2 * impressions]
    i, j = laid_out[::2], laid_out[1::2].copy()
    for _ in range(SWAP_ROUNDS):  # a self pair swaps one item with some other pair
        alone, others = np.flatnonzero(i == j), now.rng.permutation(np.flatnonzero(i != j))
        n = min(len(alone), len(others))
        j[alone[:n]], j[others[:n]] = j[others[:n]], j[alone[:n]]
    apart = i != j
    index = pair_index(np.minimum(i, j)[apart], np.maximum(i, j)[apart], K)
    pairs, count = np.unique(index, return_counts=True)
    return Demand.of_pairs(pairs, count.astype(np.int64), K)


def _whole(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
