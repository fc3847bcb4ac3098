"""Sound bounds for the entries of L, one file each: derivation in the docstring, share of delta as an argument."""

from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from app.engine.arrays import FloatArray, IntArray


class Kind(IntEnum):
    """Which bound a pair's lower bound comes from."""

    DIRECT = 0
    SCREENING = 1
    ITEM_CLICKS = 2


class Contrasts(NamedTuple):
    """What is proven of the rivals of one nominee, beside it."""

    nominee: int  # pair number
    rivals: IntArray  # (R,) pair numbers
    difference: FloatArray  # (R,) L of the rival less L of the nominee is at least this
    weight: FloatArray  # (R,) how much log(1/alpha) could be lowered for a difference that is lower by 1


class Bounds(NamedTuple):
    """Bounds of every distinct pair's L_ij, in the order of `arrays.pair_index`."""

    lower: FloatArray  # (P,)
    upper: FloatArray  # (P,)
    assumptions: tuple[str, ...]  # what must hold beyond independent draws and outcome-independent loss
    binding: npt.NDArray[np.int8] | None = None  # (P,) the Kind of each lower bound; None: exact throughout
    contrasts: tuple[Contrasts, ...] = ()  # of nominees

    def lower_beside(self, pair: int) -> FloatArray:
        """Returns what the L of all pairs is proven to be at least, (P,), if that of `pair` is at its upper bound."""
        lower = self.lower
        for one in self.contrasts:
            if one.nominee == pair:
                lower = lower.copy() if lower is self.lower else lower
                lower[one.rivals] = np.maximum(lower[one.rivals], self.upper[pair] + one.difference)
        return lower

    def lowest_of_others(self, pair: int) -> float | None:
        """Returns the lowest lower bound of all other pairs, beside this one; None if there is no other."""
        lower = self.lower_beside(pair)
        if len(lower) == 1:
            return None
        return float(min(lower[:pair].min(initial=np.inf), lower[pair + 1 :].min(initial=np.inf)))

    def gap_of(self, pair: int) -> float:
        """Returns U of this pair less the lowest LB of all others, at least 0."""
        others = self.lowest_of_others(pair)
        return 0.0 if others is None else max(float(self.upper[pair]) - others, 0.0)

    def leader(self) -> int:
        """Returns the pair with the smallest gap: the lowest upper bound, or the lowest lower bound, or a nominee.

        Only for the pair with the lowest lower bound is the lowest of the *others* higher, and only nominees have
        contrasts, so no other pair can win. Among equal upper bounds (all 1 before the first sample) the lowest lower
        bound leads.
        """
        lowest = np.flatnonzero(self.upper == self.upper.min())
        first = int(lowest[np.argmin(self.lower[lowest])])
        second = int(np.argmin(self.lower))
        return min((first, second, *(one.nominee for one in self.contrasts)), key=self.gap_of)
