"""Bound D: each pair by its own samples, with no assumption about the other pairs.

For one pair the anytime interval of `confidence` holds at all times with probability 1 - alpha. Two levels are used
(why they differ is shown in `certificate`):

    upper ends: all P of them must hold, so each takes delta_U / P (union bound);
    lower ends: only the one true best pair's must hold, so each takes delta_D whole.
"""

import math

from app.engine.bounds import Bounds
from app.engine.confidence import lower_end, upper_end
from app.engine.evidence import DenseCounts


def direct_bounds(counts: DenseCounts, delta_upper: float, delta_lower: float) -> Bounds:
    """Returns bounds from each pair's own counts; [0, 1] where nothing was shown. Cost O(P)."""
    n_pairs = len(counts.n)
    return Bounds(
        lower=lower_end(counts.n, counts.s, math.log(1 / delta_lower)),
        upper=upper_end(counts.n, counts.s, math.log(n_pairs / delta_upper)),
        assumptions=(),
    )
