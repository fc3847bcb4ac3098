"""Sound bounds for the entries of L, one file each: derivation in the docstring, share of delta as an argument."""

from typing import NamedTuple

from app.engine.arrays import FloatArray


class Bounds(NamedTuple):
    """Bounds of every distinct pair's L_ij, in the order of `arrays.pair_index`."""

    lower: FloatArray  # (P,)
    upper: FloatArray  # (P,)
    assumptions: tuple[str, ...]  # what must hold beyond independent draws and outcome-independent loss
