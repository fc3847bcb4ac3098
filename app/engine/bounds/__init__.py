"""Sound bounds for the entries of L, one module each: proof in the docstring, share of delta as an argument."""

from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from app.engine.arrays import FloatArray, IntArray
from app.engine.problem import Goal


class Kind(IntEnum):
    """Which bound a pair's lower bound comes from."""

    DIRECT = 0
    SCREENING = 1
    ITEM_CLICKS = 2


class Contrasts(NamedTuple):
    """Proven differences between one nominee and its rivals."""

    nominee: int  # pair number
    rivals: IntArray  # (R,) pair numbers
    difference: FloatArray  # (R,) L of the rival minus L of the nominee is at least this
    weight: FloatArray  # (R,) how much log wealth a difference that is larger by 1 would take


class Bounds(NamedTuple):
    """Bounds of every distinct pair's L_ij, in the order of `arrays.pair_index`."""

    lower: FloatArray  # (P,)
    upper: FloatArray  # (P,)
    assumptions: tuple[str, ...]  # what must hold beyond independent draws and outcome-independent loss
    binding: npt.NDArray[np.int8] | None = None  # (P,) the Kind of each lower bound; None: exact throughout
    contrasts: tuple[Contrasts, ...] = ()  # of nominees

    def lower_given_leader(self, pair: int) -> FloatArray:
        """Returns lower bounds of all pairs, (P,), if the leader `pair` has the L of its upper bound."""
        lower = self.lower
        for one in self.contrasts:
            if one.nominee == pair:
                lower = lower.copy() if lower is self.lower else lower
                lower[one.rivals] = np.maximum(lower[one.rivals], self.upper[pair] + one.difference)
        return lower

    def lowest_of_others(self, pair: int) -> float | None:
        """Returns the lowest lower bound of all other pairs if this one leads; None if there is no other."""
        lower = self.lower_given_leader(pair)
        if len(lower) == 1:
            return None
        return float(min(lower[:pair].min(initial=np.inf), lower[pair + 1 :].min(initial=np.inf)))

    def gap_of(self, pair: int) -> float:
        """Returns U of this pair minus the lowest LB of all others, at least 0."""
        others = self.lowest_of_others(pair)
        return 0.0 if others is None else max(float(self.upper[pair]) - others, 0.0)

    def leader(self, goal: Goal) -> int:
        """Returns the pair with the smallest gap: the lowest upper bound, or the lowest lower bound, or a nominee.

        Gaps are compared in the terms of the goal. Only for the pair with the lowest lower bound is the lowest of the
        *others* higher, and only nominees have contrasts, so no other pair can have a smaller gap. Among equal upper
        bounds (all 1 before the first sample) the lowest lower bound leads.
        """
        lowest = np.flatnonzero(self.upper == self.upper.min())
        first = int(lowest[np.argmin(self.lower[lowest])])
        second = int(np.argmin(self.lower))
        candidates = (first, second, *(one.nominee for one in self.contrasts))
        return min(candidates, key=lambda pair: goal.distance(self.gap_of(pair), float(self.upper[pair])))
