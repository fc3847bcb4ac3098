"""Landmarks of bound G as they are stored, and the counts of the entries that they measure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from app.engine.arrays import BoolArray, FloatArray, IntArray
from app.engine.evidence import Evidence

SMALLEST_EIGENVALUE = 0.01
"""Of a core that is inverted: any K is sound, and a larger one only amplifies noise."""


@dataclass(frozen=True, eq=False)
class LandmarkBatch:
    """What the past knows, for impressions issued under plan versions from `version` on, until the next batch's."""

    version: int
    y: FloatArray  # (K, q) about M^-1 x_i: for guesses h y_i' core y_j, and the coefficients of the rank-free bound
    threshold: float  # what lower bounds should reach
    core: FloatArray  # (q, q) M

    @cached_property
    def mixer(self) -> FloatArray:
        """K, the inverse of the core but for eigenvalues too small to be anything but noise; (q, q)."""
        values, vectors = np.linalg.eigh(self.core)
        safe = np.where(values < 0, -1.0, 1.0) * np.maximum(np.abs(values), SMALLEST_EIGENVALUE)
        return (vectors / safe[..., None, :]) @ np.swapaxes(vectors, -1, -2)


@dataclass(frozen=True, eq=False)
class Landmarks:
    """One choice of landmarks: only samples issued under plan versions after `version` count for it."""

    version: int
    items: tuple[int, ...]
    rank_free: bool = False
    batches: tuple[LandmarkBatch, ...] = ()
    two_sets: bool = False  # items are B and then A

    def __post_init__(self) -> None:
        if self.rank_free and self.two_sets:
            raise ValueError("two sets of landmarks have no self pairs, which the rank-free bound needs")
        if len(set(self.items)) != len(self.items) or (self.two_sets and len(self.items) % 2):
            raise ValueError(f"landmarks must be different items, an even number for two sets: {self.items}")

    @property
    def pilot(self) -> int:
        """The first version that coefficients apply to: regions rest on later samples, with those up to it as prior."""
        first = self.batches[0].version if self.batches else self.version
        return max(first, self.version + 1)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Landmarks) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash((self.version, self.items))

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What must hold for bounds through these landmarks."""
        rank = len(self.items) // 2 if self.two_sets else len(self.items)
        return ("mixture",) if self.rank_free else ("mixture", f"rank<={rank}")

    @property
    def h(self) -> float:
        """The factor of the bilinear form: 1/2 for two sets, which measure everything both ways."""
        return 0.5 if self.two_sets else 1.0

    @cached_property
    def in_core(self) -> BoolArray:
        """Which entries of M are measured, (q, q): all, but for two sets only those between the sets."""
        first = np.arange(len(self.items)) < len(self.items) // 2
        return np.asarray(first[:, None] != first) if self.two_sets else np.ones((len(first),) * 2, dtype=np.bool_)

    def batch_of(self, version: int) -> LandmarkBatch | None:
        """Returns the batch whose coefficients are in force for this version's samples; None if there is none."""
        in_force = [batch for batch in self.batches if batch.version <= version]
        return in_force[-1] if in_force and version > self.version else None

    def to_json(self) -> dict[str, Any]:
        """Returns lists and numbers, every bit kept."""
        return {
            "version": self.version,
            "items": list(self.items),
            "rank_free": self.rank_free,
            "two_sets": self.two_sets,
            "batches": [
                {"version": b.version, "y": b.y.tolist(), "threshold": b.threshold, "core": b.core.tolist()}
                for b in self.batches
            ],
        }

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Self:
        """Returns the landmarks that `to_json` wrote."""
        batches = tuple(
            LandmarkBatch(int(b["version"]), np.array(b["y"]), float(b["threshold"]), np.array(b["core"]))
            for b in plain["batches"]
        )
        items = tuple(int(item) for item in plain["items"])
        return cls(int(plain["version"]), items, bool(plain["rank_free"]), batches, bool(plain["two_sets"]))


class Core(NamedTuple):
    """Counts of the measured entries a <= b of the symmetric core M; the others are 0 by definition."""

    a: IntArray  # (m,)
    b: IntArray  # (m,)
    n: IntArray  # (..., m)
    s: FloatArray  # (..., m)

    def matrix(self, values: FloatArray | IntArray) -> FloatArray:
        """Returns (..., q, q) with these values (..., m) at the measured entries."""
        q = int(self.b.max()) + 1
        M = np.zeros((*values.shape[:-1], q, q))
        M[..., self.a, self.b] = M[..., self.b, self.a] = values
        return M

    @property
    def mean(self) -> FloatArray:
        """M_hat, (..., q, q)."""
        return self.matrix(self.s / np.maximum(self.n, 1))


class Entries(NamedTuple):
    """One number for each entry that pairs are made of: counts, means, or variances of means."""

    rows: FloatArray  # (..., K, q)
    core: FloatArray  # (..., q, q), 0 where the core is not measured
    selves: FloatArray  # (..., K)


class Columns(NamedTuple):
    """Counts of the landmark columns and of self pairs; leading dimensions are separate sessions."""

    n: IntArray  # (..., K, q)
    s: FloatArray  # (..., K, q)
    n_self: IntArray  # (..., K)
    s_self: FloatArray  # (..., K)

    @classmethod
    def nothing(cls, n_items: int, q: int, *sessions: int) -> Self:
        """Returns zeros."""
        rows, selves = (*sessions, n_items, q), (*sessions, n_items)
        return cls(np.zeros(rows, np.int64), np.zeros(rows), np.zeros(selves, np.int64), np.zeros(selves))

    def nothing_like(self) -> Self:
        """Returns zeros of the same shapes."""
        *sessions, n_items, q = self.n.shape
        return self.nothing(n_items, q, *sessions)

    @classmethod
    def total(cls, parts: Sequence[Self]) -> Self:
        """Returns the sum of the counts of at least one part."""
        return cls(*(np.sum(arrays, axis=0) for arrays in zip(*parts, strict=True)))

    def with_means(self, means: Entries) -> Self:
        """Returns the same counts with these means."""
        return self._replace(s=self.n * means.rows, s_self=self.n_self * means.selves)

    def core(self, landmarks: Landmarks) -> Core:
        """Returns the core: the landmarks' own rows."""
        items = np.array(landmarks.items)
        a, b = np.nonzero(np.triu(landmarks.in_core))
        return Core(a, b, self.n[..., items[a], b], self.s[..., items[a], b])

    def entries(self, landmarks: Landmarks) -> tuple[Entries, Entries]:
        """Returns counts and means of all entries; a mean of nothing is 0."""
        core = self.core(landmarks)
        n = Entries(self.n.astype(np.float64), core.matrix(core.n), self.n_self.astype(np.float64))
        sums = (self.s, core.matrix(core.s), self.s_self)
        return n, Entries(*(s / np.maximum(m, 1) for s, m in zip(sums, n, strict=True)))

    def rows(self, landmarks: Landmarks) -> tuple[IntArray, FloatArray]:
        """Returns n and S of the rows (..., K, q); rank free with self pairs, (..., K, q + 1).

        A landmark's own self pair is in its row already, and not counted again.
        """
        if not landmarks.rank_free:
            return self.n, self.s
        other = ~np.isin(np.arange(self.n.shape[-2]), landmarks.items)
        n = np.concatenate([self.n, np.where(other, self.n_self, 0)[..., None]], axis=-1)
        return n, np.concatenate([self.s, np.where(other, self.s_self, 0.0)[..., None]], axis=-1)


def columns_by_version(evidence: Evidence, items: Sequence[int]) -> dict[int, Columns]:
    """Returns the landmark columns of each plan version that has any; O(rows of the evidence + K q versions)."""
    K, q = evidence.n_items, len(items)
    place = np.full(K, -1)
    place[list(items)] = np.arange(q)
    relevant = np.flatnonzero((place[evidence.i] >= 0) | (place[evidence.j] >= 0) | (evidence.i == evidence.j))
    i, j, n, s = (column[relevant] for column in (evidence.i, evidence.j, evidence.n, evidence.s))
    versions, at = np.unique(evidence.version[relevant], return_inverse=True)
    counts = Columns.nothing(K, q, len(versions))
    for row, column in ((i, j), (j, i)):  # rows are unique by (pair, version), so plain assignment counts all
        landmark = place[column] >= 0
        where = at[landmark], row[landmark], place[column[landmark]]
        counts.n[where], counts.s[where] = n[landmark], s[landmark]
    same = i == j
    counts.n_self[at[same], i[same]], counts.s_self[at[same], i[same]] = n[same], s[same]
    return {int(version): Columns(*(array[t] for array in counts)) for t, version in enumerate(versions)}
