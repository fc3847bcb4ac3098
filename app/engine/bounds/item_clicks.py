"""Bound I, item-level clicks: every impression of an item tells how often it is clicked, whatever its partner.

Where answers name the clicked items, p_i is the probability that item i is not clicked, m_ij that both i and j are:

    L_ij = p_i + p_j - 1 + m_ij >= p_i + p_j - 1.

Assumptions: `mixture`, and `slots-independent`: what a user does with an item does not depend on its partner (a click
that navigates away hides the other slot and breaks this). Self pairs are left out.

A pair that was shown has more to say: what clicks on the two together tell of L_ij is in `shown_together`. Of a pair
that was not shown, the weighted mean of parts there is M_i M_j whatever the weights: both are one anytime statement.

An impression of i and j together must not enter M_i and M_j both: those factors would be dependent, a user who clicks
one tends to click the other. Where a guess was made, samples up to it have served it, and later ones count with the
guess as prior. It says all that F could say and more, but for the price of having been shown (`NO_BET`), and takes F's
place.
"""

import numpy as np

from app.engine.arrays import FloatArray, pair_index
from app.engine.bounds.screening import screening_bounds
from app.engine.bounds.shown_together import Apart, Together, lower_together
from app.engine.choices import Guess
from app.engine.evidence import Evidence, ItemClicks, PairClicks

CHUNK_PAIRS = 2**15
"""Shown pairs worked on at a time: some 30 MB."""

UNGUESSED = 0.8
"""What an item is thought to be of which nothing was guessed: any fixed number is sound."""


def item_click_bounds(evidence: Evidence, guess: Guess | None, log_level: float) -> FloatArray:
    """Returns lower bounds of L_ij for all pairs, (P,). Cost O(K^2 + shown pairs)."""
    unclicked = None if guess is None else guess.unclicked
    prior = np.full(evidence.n_items, UNGUESSED) if unclicked is None else unclicked
    if guess is not None:
        evidence = evidence.issued(guess.version + 1)
    items, shown = evidence.item_clicks(), evidence.together
    lower = screening_bounds(items.n, items.n - items.clicks, log_level, prior)
    index = pair_index(shown.i, shown.j, evidence.n_items)
    for start in range(0, len(index), CHUNK_PAIRS):
        part = slice(start, start + CHUNK_PAIRS)
        lower[index[part]] = _of_shown(shown.part(part), items, prior, log_level)
    return lower


def _of_shown(pairs: PairClicks, items: ItemClicks, prior: FloatArray, log_level: float) -> FloatArray:
    """Returns the bounds of shown pairs, from their own impressions and those of their items beside others."""
    i, j = (
        Apart(items.n[item] - pairs.n, (items.n - items.clicks)[item] - (pairs.n - clicks), prior[item])
        for item, clicks in ((pairs.i, pairs.clicks_i), (pairs.j, pairs.clicks_j))
    )
    together = Together(pairs.n, pairs.s, pairs.clicks_i - pairs.both, pairs.clicks_j - pairs.both)
    return lower_together(together, i, j, log_level)
