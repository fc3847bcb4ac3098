"""Bound I, item-level clicks: every impression of an item counts for its click rate, with any partner.

Where feedback names the clicked items, p_i is the probability that item i is not clicked, m_ij that both i and j are:

    L_ij = p_i + p_j - 1 + m_ij >= p_i + p_j - 1.

Assumptions: `mixture`, and `slots-independent`: whether a user clicks an item does not depend on its partner (a click
that navigates away hides the other slot and violates this). Self pairs are left out.

For a pair that was never shown, M_i M_j is a martingale of mean 1, and p_i + p_j is bounded as in `screening`. An
impression of i and j together must not enter M_i and M_j both: those factors would be dependent, a user who clicks one
tends to click the other. It may count for i, or for j. Each way gives a product of two factors that no impression has
in common, a martingale of mean 1; so is half the sum of the two, and by Ville's inequality it stays below 1/alpha, and
neither product exceeds 2/alpha: both ways hold at log(1/alpha) + log 2, and the better one is taken. While a pair was
not shown the two are the same M_i M_j, at log(1/alpha): one statement for all times.

Where a guess was made, it used the samples up to then, and later ones count with the guess as prior. Apart from the
log 2, bound I is at least as strong as F and takes its place.
"""

import math

import numpy as np

from app.engine.arrays import FloatArray, pair_index
from app.engine.bounds.screening import item_terms, least_excess, multipliers, screening_bounds
from app.engine.choices import Guess
from app.engine.evidence import Evidence, ItemClicks, PairClicks

CHUNK_PAIRS = 2**13
"""Shown pairs worked on at a time, with all multipliers: some 30 MB."""

UNGUESSED = 0.8
"""The guess for an item without one: any fixed number is sound."""

TWO_WAYS = math.log(2)
"""The price of counting a pair's own impressions for the item where they help more."""


def item_click_bounds(evidence: Evidence, guess: Guess | None, log_level: float) -> FloatArray:
    """Returns lower bounds of L_ij for all pairs, (P,). Cost O(K^2 + shown pairs)."""
    unclicked = None if guess is None else guess.unclicked
    prior = np.full(evidence.n_items, UNGUESSED) if unclicked is None else unclicked
    if guess is not None:
        evidence = evidence.issued(guess.version + 1)
    items, shown = evidence.item_clicks(), evidence.pair_clicks
    lower = screening_bounds(items.n, items.n - items.clicks, log_level, prior)
    index = pair_index(shown.i, shown.j, evidence.n_items)
    for start in range(0, len(index), CHUNK_PAIRS):
        part = slice(start, start + CHUNK_PAIRS)
        lower[index[part]] = lower_of_shown(shown.part(part), items, prior, log_level)
    return lower


def lower_of_shown(pairs: PairClicks, items: ItemClicks, prior: FloatArray, log_level: float) -> FloatArray:
    """Returns the bounds of shown pairs, (m,): their own impressions count for the one item or for the other."""
    log_level += TWO_WAYS
    unclicked = items.n - items.clicks
    m = multipliers(items.n, unclicked, log_level)
    whole = item_terms(items.n, unclicked, prior, m)  # (q, K)
    best = np.zeros(len(pairs.n))
    for full, rest, clicks in ((pairs.i, pairs.j, pairs.clicks_j), (pairs.j, pairs.i, pairs.clicks_i)):
        with_others = items.n[rest] - pairs.n, unclicked[rest] - (pairs.n - clicks)
        terms = whole[:, full] + item_terms(*with_others, prior[rest], m)
        best = np.maximum(best, least_excess(terms, m, log_level))
    return best
