"""The first look: every item with a few random partners, and the rank-one fit that it allows."""

import math

import numpy as np

from app.engine.arrays import FloatArray, n_pairs, pair_index
from app.engine.demand import Demand, random_rings
from app.engine.evidence import Evidence
from app.engine.spending.screens import SHRINK

PARTNERS = 12
PARTNERS_IF_CLICKS_ARE_TOLD = 6
PULLS = 3
"""Each item meets so many random partners this often, for an error of about .07 of x. Half of it where answers tell the
clicked items: each impression then says as much of both its items as of the pair."""

MOST_WEIGHT = 200
"""A pair shown more often than this says no more about its items: what is left then is not noise but higher rank."""

ITERATIONS = 12
"""Damped by half, the fit is at its fixed point to a few thousandths: far below its noise."""


def first_look(n_items: int, rng: np.random.Generator, *, item_clicks: bool = False) -> Demand:
    """Returns the first demand: random rings, in each of which every item has two neighbours."""
    partners = PARTNERS_IF_CLICKS_ARE_TOLD if item_clicks else PARTNERS
    if n_pairs(n_items) <= n_items * partners // 2:
        i, j = np.triu_indices(n_items, 1)
        return Demand.of_entries(i.astype(np.int64), j.astype(np.int64), np.full(len(i), PULLS, dtype=np.int64))
    left, right = random_rings(np.arange(n_items), partners // 2, rng)
    index = pair_index(np.minimum(left, right), np.maximum(left, right), n_items)
    pairs, times = np.unique(index, return_counts=True)
    return Demand.of_pairs(pairs, PULLS * times.astype(np.int64), n_items)


def rank_one(evidence: Evidence) -> FloatArray:
    """Returns x (K,) with L_ij about x_i x_j: weighted least squares item by item, shrunk to the overall mean."""
    t, K = evidence.totals, evidence.n_items
    off = t.i != t.j
    i, j = t.i[off], t.j[off]
    weight = np.minimum(t.n[off], MOST_WEIGHT).astype(np.float64)
    value = weight * t.s[off] / t.n[off]
    overall = math.sqrt((value.sum() + 1) / (weight.sum() + 2))
    x = np.full(K, overall)
    for _ in range(ITERATIONS):
        top = np.bincount(i, value * x[j], K) + np.bincount(j, value * x[i], K) + SHRINK * overall**3
        bottom = np.bincount(i, weight * x[j] ** 2, K) + np.bincount(j, weight * x[i] ** 2, K) + SHRINK * overall**2
        x = 0.5 * x + 0.5 * np.clip(top / bottom, 0.02, 1.0)
    return x
