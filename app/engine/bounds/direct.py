"""Bound D: each pair by its own samples, with no assumption about the other pairs; and upper bounds of nominees.

For one pair the anytime interval of `confidence` holds at all times with probability 1 - alpha. Two levels are used
(why they differ is shown in `certificate`):

    upper ends: all P of them must hold, so each takes delta_U / P (union bound);
    lower ends: only that of the true best pair must hold, so each takes all of delta_D.

If a guess of all entries exists (`choices.Guess`), only samples issued after it count, with the guess as prior: the
guess was computed from the earlier ones.

**Nominees.** The leader is chosen from the data, so the upper bounds above need a union bound over all P pairs. A
*nominee* is chosen from impressions issued up to version v. Later impressions did not influence the choice, so their
anytime upper end needs no union bound over pairs: the k-th nominee takes share / (k(k+1)) (`shares.portion`). The upper
ends of all nominees hold together with probability 1 - share, so the lower of the two upper bounds may be used.
"""

import math

import numpy as np

from app.engine.arrays import FloatArray, n_pairs, pair_index, pair_number
from app.engine.bounds import Bounds
from app.engine.choices import Choices, Guess
from app.engine.confidence import lower_end, upper_end
from app.engine.delta_shares import portion
from app.engine.evidence import Evidence


def direct_bounds(evidence: Evidence, guess: Guess | None, delta_upper: float, delta_lower: float) -> Bounds:
    """Returns bounds from each pair's own counts; [0, 1] for pairs not shown. Cost O(P), plus roots for shown pairs."""
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


def lower_with_nominees(upper: FloatArray, evidence: Evidence, choices: Choices, share: float) -> FloatArray:
    """Returns the upper bounds, (P,), lowered for nominees where samples issued after the nomination allow it."""
    upper = upper.copy()
    for ordinal, nominee in enumerate(choices.nominees, start=1):
        pair = nominee.pair
        n, s = evidence.issued(nominee.version + 1).entries(np.array([pair.i]), np.array([pair.j]))
        level = math.log(1 / portion(share, ordinal))
        index = pair_number(pair, evidence.n_items)
        upper[index] = min(upper[index], float(upper_end(n, s, level, np.array([nominee.guess]))[0]))
    return upper
