"""The matrices of the experiments at a fixed budget: the paper's, and mixtures that it does not have."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from app.simulation.mixtures import mixture
from app.simulation.movielens import Grouping, sample_movies
from app.simulation.movielens_files import Ratings, read_ratings
from app.simulation.population import InvalidPopulation, Population
from app.simulation.synthetic import synthetic

SYNTHETIC, MOVIELENS_100K, MOVIELENS_1M = "synthetic", "movielens-100k", "movielens-1m"


@dataclass(frozen=True)
class Matrix:
    """A kind of random matrix L: each seed draws another one (other factors, other movies)."""

    kind: str  # SYNTHETIC, a MovieLens data set, or a family of mixtures
    n_items: int
    rank: int

    @property
    def name(self) -> str:
        """How it is called in tables."""
        return f"{self.kind} K={self.n_items} r={self.rank}"

    @property
    def slug(self) -> str:
        """How it is called in files."""
        return f"{self.kind}-{self.n_items}-{self.rank}"

    @property
    def needs_folder(self) -> bool:
        """Whether it is made from ratings that the user has."""
        return self.kind in {MOVIELENS_100K, MOVIELENS_1M}


FIGURES = (
    Matrix(SYNTHETIC, 200, 2),
    Matrix(SYNTHETIC, 200, 4),
    Matrix(MOVIELENS_100K, 800, 2),
    Matrix(MOVIELENS_100K, 800, 4),
    Matrix(MOVIELENS_100K, 200, 2),
    Matrix(MOVIELENS_100K, 200, 4),
    Matrix(MOVIELENS_1M, 200, 2),
)
"""The paper's: its figure 1, and those of its appendix."""

TABLE = (
    Matrix(SYNTHETIC, 200, 2),
    Matrix(SYNTHETIC, 200, 4),
    Matrix("ads6", 200, 4),
    Matrix("trap", 200, 2),
    Matrix(MOVIELENS_100K, 800, 2),
)
"""What a fixed budget is compared on; `trap` is made to mislead whoever looks at items one by one."""


@lru_cache(maxsize=4)  # policies come one after another on the same matrix
def population(matrix: Matrix, seed: int, folder: Path | None = None) -> Population:
    """Returns the matrix of this seed; the folder is that of the ratings, where there are any.

    Two groups of viewers are the genders, as in the paper; any other number merges occupations.
    """
    rng = np.random.default_rng([seed, matrix.n_items, matrix.rank])
    if matrix.kind == SYNTHETIC:
        return synthetic(matrix.n_items, matrix.rank, rng)
    if not matrix.needs_folder:
        return mixture(matrix.kind, matrix.n_items, matrix.rank, rng)
    if folder is None:
        raise InvalidPopulation("movielens", f"{matrix.name} needs the folder of the data set")
    grouping = Grouping.GENDER if matrix.rank == 2 else Grouping.OCCUPATION
    return sample_movies(_ratings(folder), matrix.n_items, matrix.rank, rng, grouping=grouping).population


@lru_cache(maxsize=2)
def _ratings(folder: Path) -> Ratings:
    return read_ratings(folder)


def available(matrices: tuple[Matrix, ...], folders: dict[str, Path | None]) -> list[Matrix]:
    """Returns those that can be made: MovieLens only where its folder is given."""
    return [matrix for matrix in matrices if not matrix.needs_folder or folders.get(matrix.kind) is not None]
