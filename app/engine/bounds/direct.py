"""Bound D: each pair by its own samples, with no assumption about the other pairs.

For one pair the anytime interval of `confidence` holds at all times with probability 1 - alpha. Two levels are used
(why they differ is shown in `certificate`):

    upper ends: all P of them must hold, so each takes delta_U / P (union bound);
    lower ends: only the one true best pair's must hold, so each takes delta_D whole.

Where a guess of all entries was made, samples up to it have served it, and only later ones count here, with the guess
as prior (`choices.Guess`).
"""

import math

import numpy as np

from app.engine.arrays import n_pairs, pair_index
from app.engine.bounds import Bounds
from app.engine.choices import Guess
from app.engine.confidence import lower_end, upper_end
from app.engine.evidence import Evidence


def direct_bounds(evidence: Evidence, guess: Guess | None, delta_upper: float, delta_lower: float) -> Bounds:
    """Returns bounds from each pair's own counts; [0, 1] where nothing was shown. Cost O(P), roots for shown pairs."""
    shown = (evidence if guess is None else evidence.issued(guess.version + 1)).totals
    off = shown.i != shown.j
    i, j, n, s = shown.i[off], shown.j[off], shown.n[off], shown.s[off]
    P = n_pairs(evidence.n_items)
    index = pair_index(i, j, evidence.n_items)
    prior = None if guess is None else guess.entries(i, j)
    lower, upper = np.zeros(P), np.ones(P)
    lower[index] = lower_end(n, s, math.log(1 / delta_lower), prior)
    upper[index] = upper_end(n, s, math.log(P / delta_upper), prior)
    return Bounds(lower, upper, ())
