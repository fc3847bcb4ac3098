"""Bound I, item-level clicks: every impression of an item tells how often it is clicked, whatever its partner.

Where answers name the clicked items, p_i is the probability that item i is not clicked, m_ij that both i and j are:

    L_ij = p_i + p_j - 1 + m_ij >= p_i + p_j - 1.

Assumptions: `mixture`, and `slots-independent`: what a user does with an item does not depend on its partner (a click
that navigates away hides the other slot and breaks this). Self pairs are left out.

For one pair (i, j), p_i and p_j are taken from impressions that do *not* show the two together, m_ij from the others.
These are three sets of different impressions, so M_i M_j M_ij is a martingale of mean 1 and the joint region of
`screening`, now of three probabilities, holds at all times with probability 1 - alpha. (An impression of i and j
together must not enter M_i and M_j as well: those factors would be dependent, a user who clicks one tends to click the
other.) A pair never shown has m_ij >= 0 and nothing to pay for it. A pair shown often gains most: m_ij is small, so its
mean is known several times better than that of L_ij from the same impressions.

Where a guess was made, samples up to it have served it, and later ones count with the guess as prior (of m_ij: the two
click rates multiplied). It says all that F can say and more, and takes F's share.
"""

from typing import NamedTuple

import numpy as np

from app.engine.arrays import FloatArray, IntArray, pair_index
from app.engine.bounds.screening import item_terms, least_excess, multipliers, screening_bounds
from app.engine.choices import Guess, clear_of_the_ends
from app.engine.evidence import Evidence, ItemClicks

CHUNK_PAIRS = 2**15
"""Shown pairs worked on at a time: some 30 MB."""


class _Shown(NamedTuple):
    """Pairs of different items that were shown: impressions, clicks on either item, clicks on both."""

    i: IntArray  # (m,)
    j: IntArray  # (m,)
    n: IntArray  # (m,)
    clicks_i: IntArray  # (m,)
    clicks_j: IntArray  # (m,)
    both: FloatArray  # (m,)

    def part(self, some: slice) -> "_Shown":
        """Returns some of the pairs."""
        return _Shown(*(column[some] for column in self))  # type: ignore[arg-type] # columns of two types


def item_click_bounds(evidence: Evidence, guess: Guess | None, log_level: float) -> FloatArray:
    """Returns lower bounds of L_ij for all pairs, (P,). Cost O(K^2 + shown pairs)."""
    prior = None if guess is None else guess.unclicked
    if guess is not None:
        evidence = evidence.issued(guess.version + 1)
    items = evidence.item_clicks()
    unclicked = items.n - items.clicks
    lower = screening_bounds(items.n, unclicked, log_level, prior)
    m = multipliers(items.n, unclicked, log_level)
    shown = _shown_together(evidence)
    index = pair_index(shown.i, shown.j, evidence.n_items)
    for start in range(0, len(index), CHUNK_PAIRS):
        part = slice(start, start + CHUNK_PAIRS)
        lower[index[part]] = _of_shown(shown.part(part), items, prior, m, log_level)
    return lower


def _of_shown(
    pairs: _Shown, items: ItemClicks, prior: FloatArray | None, m: FloatArray, log_level: float
) -> FloatArray:
    """Returns the bounds of pairs that were shown: three entries each."""
    both = None if prior is None else clear_of_the_ends((1 - prior[pairs.i]) * (1 - prior[pairs.j]))
    terms = item_terms(pairs.n, pairs.both, both, m)  # (q, pairs)
    for item, clicks in ((pairs.i, pairs.clicks_i), (pairs.j, pairs.clicks_j)):
        apart = items.n[item] - pairs.n
        known = None if prior is None else prior[item]
        terms = terms + item_terms(apart, apart - (items.clicks[item] - clicks), known, m)
    return least_excess(terms, m, log_level)


def _shown_together(evidence: Evidence) -> _Shown:
    """Returns the counts by pair, plan versions together."""
    first = np.flatnonzero(np.diff(evidence.i * evidence.n_items + evidence.j, prepend=-1))
    i, j = evidence.i[first], evidence.j[first]
    columns = (evidence.n, evidence.s, evidence.clicks_i, evidence.clicks_j)
    n, s, clicks_i, clicks_j = (np.add.reduceat(column, first) if len(first) else column for column in columns)
    off = i != j
    both = clicks_i + clicks_j - (n - s)  # an impression with a click has one on i, one on j, or both
    return _Shown(i[off], j[off], n[off], clicks_i[off], clicks_j[off], both[off])
