"""How delta is divided among the bounds, decided before the first sample."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Shares:
    """Parts of delta, together at most 1; the default is for policies that make no choices: D alone.

    Upper bounds of all pairs pay a union over pairs; each kind of lower bound must hold for the one true best pair only
    (`certificate`). A wrong certificate needs one of them to fail, so its probability is at most their sum.
    """

    upper: float = 0.1  # all upper bounds together
    nominees: float = 0.0  # upper bounds of nominees together
    direct: float = 0.9  # D
    screening: float = 0.0  # F, all blanks together
    gram: float = 0.0  # G, all landmarks together
    clicks: float = 0.0  # I, where answers tell the clicked items
    contrasts: float = 0.0  # differences between rivals and nominees, all nominees together


def portion(share: float, ordinal: int) -> float:
    """Returns what the ordinal-th choice (from 1) may spend of its kind's share: share / (k(k+1)), 1 in all."""
    return share / (ordinal * (ordinal + 1))
