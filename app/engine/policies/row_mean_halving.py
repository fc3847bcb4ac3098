"""`row_mean_halving`: drop items by their row mean first, then halve the pairs of those left."""

import math
from itertools import pairwise
from typing import ClassVar

import numpy as np

from app.engine.arrays import IntArray, Pair, pair_at, pair_index
from app.engine.demand import Demand, random_rings
from app.engine.evidence import Evidence
from app.engine.memory import int_list
from app.engine.policies.halving import ROUND_DONE, affordable_arms, sequential_halving
from app.engine.policies.policy import Policy, Proposal, Situation
from app.engine.policies.sequential_halving import FIRST_RUN_PER_PAIR
from app.engine.randomness import Purpose, source

KEPT_ITEMS = 32
"""Items that remain for the second half: 496 pairs, few enough to compare by direct samples."""

ITEM_SHARE = 0.5
"""Part of the budget spent on row means."""


class RowMeanHalving(Policy):
    """Halves the *items* by their mean over random partners until 32 are left, then halves their pairs.

    Strong where good pairs consist of good items. It fails where the best pair is complementary, each item weak on
    average, because row means do not show that.
    """

    name: ClassVar[str] = "row_mean_halving"

    def propose(self, now: Situation) -> Proposal:
        """Returns random partners for the surviving items, or the current round of halving their pairs."""
        problem, evidence = now.problem, now.evidence
        item_starts = int_list(now.notes.get("item_starts")) or [now.version]
        pair_starts = int_list(now.notes.get("pair_starts"))
        budget = problem.budget or FIRST_RUN_PER_PAIR * problem.n_pairs
        rounds = max(0, math.ceil(math.log2(problem.n_items / KEPT_ITEMS)))
        per_round = int(ITEM_SHARE * budget / rounds) if rounds else 0
        if 2 * per_round < problem.n_items:  # too little to show every item once a round: pairs only
            rounds = per_round = 0
        alive = _surviving_items(evidence, item_starts)
        by_items = rounds > 0 and not pair_starts
        if by_items and len(alive) > KEPT_ITEMS and evidence.issued(item_starts[-1]).samples >= ROUND_DONE * per_round:
            item_starts = [*item_starts, now.version]
            alive = _surviving_items(evidence, item_starts)
        if by_items and len(alive) > KEPT_ITEMS:
            demand = _random_partners(alive, per_round - evidence.issued(item_starts[-1]).samples, now)
            i, j = sorted(_by_row_mean(evidence, alive)[:2].tolist())
            notes = {"item_starts": list(item_starts)}
            return Proposal(demand, Pair(i, j), f"items {len(item_starts)}", notes)
        pair_starts = pair_starts or [now.version]
        left, right = np.triu_indices(len(alive), 1)
        arms = pair_index(alive[left], alive[right], problem.n_items)
        spent = int(ITEM_SHARE * budget) if rounds else 0
        n_arms = affordable_arms(len(arms), budget - spent)
        rng = source(Purpose.ARMS, problem.seed, pair_starts[0], n_arms)  # the same part in every plan
        arms = np.sort(rng.choice(arms, size=n_arms, replace=False))
        state = sequential_halving(now, arms, budget - spent, pair_starts)
        notes = {"item_starts": list(item_starts), "pair_starts": list(state.starts)}
        phase = "finished" if state.finished else f"pairs {len(state.starts)}"
        return Proposal(state.demand, pair_at(state.best, problem.n_items), phase, notes)


def _surviving_items(evidence: Evidence, starts: list[int]) -> IntArray:
    """Returns the items that survive all rounds but the current one, never fewer than `KEPT_ITEMS` of them."""
    alive = np.arange(evidence.n_items)
    for start, following in pairwise(starts):
        keep = max(KEPT_ITEMS, math.ceil(len(alive) / 2))
        alive = np.sort(_by_row_mean(evidence.issued(start, following - 1), alive)[:keep])
    return alive


def _by_row_mean(evidence: Evidence, items: IntArray) -> IntArray:
    """Returns the items by their mean over all partners shown, lowest no-click rate first; unseen ones last."""
    totals, K = evidence.totals, evidence.n_items
    n = np.bincount(totals.i, totals.n, K) + np.bincount(totals.j, totals.n, K)
    s = np.bincount(totals.i, totals.s, K) + np.bincount(totals.j, totals.s, K)
    mean = np.divide(s, n, out=np.full(K, 2.0), where=n > 0)
    return items[np.argsort(mean[items], kind="stable")]


def _random_partners(items: IntArray, impressions: int, now: Situation) -> Demand:
    """Returns impressions that show every item about equally often, with random partners among the same items.

    Each pass pairs the items up at random: a random order, neighbours on a ring, so that each item appears twice.
    """
    passes = max(1, math.ceil(impressions / len(items)))
    left, right = (side[:impressions] for side in random_rings(items, passes, now.rng))
    index = pair_index(np.minimum(left, right), np.maximum(left, right), now.problem.n_items)
    pairs, count = np.unique(index, return_counts=True)
    return Demand.of_pairs(pairs, count.astype(np.int64), now.problem.n_items)
