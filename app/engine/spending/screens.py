"""What a screen knows of each item: through a blank (bound F), or from clicks on items (bound I)."""

from dataclasses import dataclass

import numpy as np

from app.engine.arrays import FloatArray, IntArray
from app.engine.bounds.item_clicks import TWO_WAYS
from app.engine.choices import Blank, Guess
from app.engine.confidence import log_price
from app.engine.evidence import Evidence

TRUST = 20.0
"""Samples that a guess from the fit is worth beside real ones."""

SHRINK = 4.0
"""Samples that the overall mean is worth in an item's click rate: an item hardly seen is like the others."""

LEAST_PRICE = 1.0
MARGIN = 0.3
"""The price of not knowing an entry is at least about 1 once it matters, and still grows a little."""

NO_BLANK = -1


@dataclass(frozen=True, eq=False)
class Screen:
    """p_i of each item: estimates, samples, and half the level that a joint region of two items costs."""

    x: FloatArray  # (K,) estimates of L_ic, or of the probability that i is not clicked
    n: IntArray | FloatArray  # (K,) samples that count for the bound
    half_level: FloatArray  # (K,) log(1/alpha)/2 + price of this entry
    cost: float  # impressions per sample: half an impression where one serves both its items
    blank: int = NO_BLANK


def planned_blank(x: FloatArray, item: int, log_level: float) -> Screen:
    """Returns the screen that this item would be, judged by a rank-one fit x; nothing has been counted for it."""
    K = len(x)
    half = np.full(K, log_level / 2 + LEAST_PRICE + MARGIN)
    return Screen(x * x[item], np.zeros(K), half, 1.0, item)


def through_blank(evidence: Evidence, blank: Blank, log_level: float) -> Screen:
    """Returns the screen through a chosen blank."""
    K = evidence.n_items
    n, s = evidence.issued(blank.version + 1).entries(np.arange(K), np.full(K, blank.item))
    guess = np.array(blank.guess)
    x = (s + TRUST * guess) / (n + TRUST)
    return Screen(x, n, _half_level(n, s, guess, log_level), 1.0, blank.item)


def by_item_clicks(evidence: Evidence, guess: Guess | None, log_level: float) -> Screen:
    """Returns the screen that clicks on single items give: every impression serves both its items."""
    items = evidence.item_clicks()
    s = items.n - items.clicks
    overall = (s.sum() + 1) / (items.n.sum() + 2)
    x = (s + SHRINK * overall) / (items.n + SHRINK)
    log_level += TWO_WAYS  # near the end, most pairs that matter were shown
    if guess is None:
        return Screen(x, items.n, _half_level(items.n, s, None, log_level), 0.5)
    fresh = evidence.issued(guess.version + 1).item_clicks()
    return Screen(x, fresh.n, _half_level(fresh.n, fresh.n - fresh.clicks, guess.unclicked, log_level), 0.5)


def _half_level(n: IntArray, s: FloatArray, guess: FloatArray | None, log_level: float) -> FloatArray:
    return log_level / 2 + np.maximum(-log_price(n, s, guess), LEAST_PRICE) + MARGIN
