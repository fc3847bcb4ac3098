"""Sound bounds for the entries of L, one file each: derivation in the docstring, share of delta as an argument."""

from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from app.engine.arrays import FloatArray


class Kind(IntEnum):
    """Which bound a pair's lower bound comes from."""

    DIRECT = 0
    SCREENING = 1
    ITEM_CLICKS = 2
    GRAM = 3


class Bounds(NamedTuple):
    """Bounds of every distinct pair's L_ij, in the order of `arrays.pair_index`."""

    lower: FloatArray  # (P,)
    upper: FloatArray  # (P,)
    assumptions: tuple[str, ...]  # what must hold beyond independent draws and outcome-independent loss
    # Whether bound G said more than the pairs' own samples allow: its rank is wrong, and it was left out.
    gram_refuted: bool = False
    binding: npt.NDArray[np.int8] | None = None  # (P,) the Kind of each lower bound; None: exact throughout
