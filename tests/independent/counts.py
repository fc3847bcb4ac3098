"""The counts that bounds use: the evidence of a certificate, summed over plan versions."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def place_of(i: int, j: int, K: int) -> int:
    """Return the number of the pair (i, j), row by row from 0."""
    first, second = min(i, j), max(i, j)
    return first * (2 * K - first - 1) // 2 + second - first - 1


@dataclass(frozen=True)
class Counts:
    """Impressions n, those without a click s, and clicks on the lower and the higher item, for all P pairs."""

    K: int
    n: Floats
    s: Floats
    clicks_i: Floats
    clicks_j: Floats

    def items(self) -> tuple[Floats, Floats]:
        """Return n_x and S_x of all items."""
        i, j = np.triu_indices(self.K, 1)
        shown, clicks = np.zeros(self.K), np.zeros(self.K)
        for item, clicked in ((i, self.clicks_i), (j, self.clicks_j)):
            np.add.at(shown, item, self.n)
            np.add.at(clicks, item, clicked)
        return shown, shown - clicks

    def outcomes(self) -> Floats:
        """Return how often neither item, only i, only j and both were clicked: four columns."""
        both = self.clicks_i + self.clicks_j - (self.n - self.s)
        return np.stack([self.s, self.clicks_i - both, self.clicks_j - both, both], axis=1)


class Evidence:
    """The table `evidence` of a certificate."""

    def __init__(self, table: dict[str, list[Any]], K: int) -> None:
        self.K = K
        self.i, self.j, self.version = (np.array(table[name], dtype=np.int64) for name in ("i", "j", "version"))
        self.n, self.s, self.clicks_i, self.clicks_j = (
            np.array([value or 0 for value in table[name]], dtype=float) for name in ("n", "s", "clicks_i", "clicks_j")
        )

    def after(self, version: int) -> Counts:
        """Return the sums over all versions greater than this one."""
        return self._sums(self.version > version)

    def of(self, version: int) -> Counts:
        """Return the counts of one version."""
        return self._sums(self.version == version)

    def _sums(self, rows: NDArray[np.bool_]) -> Counts:
        rows = rows & (self.i != self.j)
        places = [place_of(int(i), int(j), self.K) for i, j in zip(self.i[rows], self.j[rows], strict=True)]
        n_pairs = self.K * (self.K - 1) // 2
        columns = (self.n, self.s, self.clicks_i, self.clicks_j)
        return Counts(self.K, *(np.bincount(places, column[rows], n_pairs).astype(float) for column in columns))

    def values(self) -> Floats:
        """Return s/n of all entries, self pairs included, as a symmetric matrix; NaN where nothing was shown."""
        n, s = np.zeros((self.K, self.K)), np.zeros((self.K, self.K))
        np.add.at(n, (self.i, self.j), self.n)
        np.add.at(s, (self.i, self.j), self.s)
        value = np.divide(s, n, out=np.full_like(s, np.nan), where=n > 0)
        return np.where(np.isnan(value), value.T, value)
