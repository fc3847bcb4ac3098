"""How delta is divided among the bounds, decided before the first sample. Each policy chooses the parts (`shares`)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self


class RemovedBound(ValueError):
    """Stored values that use bound G, which relied on a stated rank. Version 0.1.0 is the last one that has it."""

    def __init__(self) -> None:
        super().__init__("bound G (rank) is used, which this version does not have; version 0.1.0 has it")


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
    clicks: float = 0.0  # I, where feedback names the clicked items
    contrasts: float = 0.0  # differences between rivals and nominees, all nominees together

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """Returns stored shares; a kind of bound that is not named has its default.

        Raises RemovedBound if bound G has a share. Version 0.1.0 wrote `"gram": 0.0`, which is ignored.
        """
        if plain.get("gram", 0.0) != 0.0:
            raise RemovedBound
        return cls(**{name: part for name, part in plain.items() if name != "gram"})


def portion(share: float, ordinal: int) -> float:
    """Returns what the k-th choice of a kind (`ordinal`, from 1) may spend: share / (k(k+1)), `share` in total."""
    return share / (ordinal * (ordinal + 1))
