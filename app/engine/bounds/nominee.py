"""Upper bound of a nominee: a pair named in advance need not pay for all the others.

The leader is chosen from the data, so upper bounds that all pairs share pay a union over P pairs. A pair *named* from
what was issued up to version v is no longer chosen by what is issued after v: those samples give an anytime upper end
that pays for its place in the order of nominations only, share / (k(k+1)) for the k-th (`shares.portion`). All of them
hold together with probability 1 - share, so a leader may lean on whichever is lower, this or the shared one.
"""

import math

import numpy as np

from app.engine.arrays import FloatArray, pair_number
from app.engine.choices import Choices
from app.engine.confidence import upper_end
from app.engine.evidence import Evidence
from app.engine.shares import portion


def lower_with_nominees(upper: FloatArray, evidence: Evidence, choices: Choices, share: float) -> FloatArray:
    """Returns the upper bounds, (P,), with those of nominees lowered where their fresh samples say more."""
    upper = upper.copy()
    for ordinal, nominee in enumerate(choices.nominees, start=1):
        pair = nominee.pair
        n, s = evidence.issued(nominee.version + 1).entries(np.array([pair.i]), np.array([pair.j]))
        level = math.log(1 / portion(share, ordinal))
        index = pair_number(pair, evidence.n_items)
        upper[index] = min(upper[index], float(upper_end(n, s, level, np.array([nominee.guess]))[0]))
    return upper
