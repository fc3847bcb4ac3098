"""Bound I, item-level clicks: every impression of an item counts for its click rate, with any partner.

Where feedback names the clicked items, p_i is the probability that item i is not clicked, and m_ij the probability that
both i and j are clicked:

    L_ij = p_i + p_j - 1 + m_ij >= p_i + p_j - 1.

Assumptions: `mixture`, and `slots-independent`: whether a user clicks an item does not depend on its partner (a click
that navigates away hides the other slot and violates this). Self pairs are left out.

M_i is the martingale of `confidence` for p_i. For a pair that was never shown, M_i M_j is a martingale of mean 1, and
p_i + p_j is bounded as in `screening`. An impression of i and j together must not be a factor of both M_i and M_j: the
two factors would be dependent, because a user who clicks one item tends to click the other. It may count for i, or for
j. Either alternative is a product of two martingales that have no impression in common, so it is a martingale of mean
1. The average of the two products is one too: by Ville's inequality it stays below 1/alpha with probability 1 - alpha,
and then each product stays below 2/alpha. So both alternatives hold at the level log(1/alpha) + log 2, and the higher
bound is used. As long as the pair has not been shown, both products are equal to M_i M_j, so the level is log(1/alpha).
All of this follows from one event, that the average stays below 1/alpha, so alpha is spent only once.

If a guess exists, only samples issued after it count, with the guess as prior: the guess was computed from the earlier
ones. Apart from the log 2, bound I is at least as strong as bound F (`screening`) and replaces it.
"""

import math

import numpy as np

from app.engine.arrays import FloatArray, pair_index
from app.engine.bounds.screening import item_terms, least_excess, multipliers, screening_bounds
from app.engine.choices import Guess
from app.engine.evidence import Evidence, ItemClicks, PairClicks

CHUNK_PAIRS = 2**13
"""Number of shown pairs that are processed at a time; with all multipliers, their arrays take about 30 MB."""

UNGUESSED = 0.8
"""The prior guess of every p_i if no guess was made; the bounds hold with any fixed number."""

TWO_WAYS = math.log(2)
"""Added to the log level of shown pairs, because a pair's own impressions count for the item that gives the higher
bound."""


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
    """Returns lower bounds of L of shown pairs, (m,).

    A pair's own impressions count for one of its items: for the one that gives the higher bound.
    """
    log_level += TWO_WAYS
    unclicked = items.n - items.clicks
    m = multipliers(items.n, unclicked, log_level)
    all_impressions = item_terms(items.n, unclicked, prior, m)  # (q, K)
    best = np.zeros(len(pairs.n))
    # The pair's own impressions count for `item`; for `partner`, only those with other items count.
    for item, partner, clicks in ((pairs.i, pairs.j, pairs.clicks_j), (pairs.j, pairs.i, pairs.clicks_i)):
        with_others = items.n[partner] - pairs.n, unclicked[partner] - (pairs.n - clicks)
        terms = all_impressions[:, item] + item_terms(*with_others, prior[partner], m)
        best = np.maximum(best, least_excess(terms, m, log_level))
    return best
