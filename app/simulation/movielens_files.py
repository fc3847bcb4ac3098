"""Reads a MovieLens folder that the user provides, in the 100K or the 1M format. bestpair contains no ratings.

100K: `u.data` (user, movie, rating, time; tabs), `u.user` (id|age|gender|occupation|zip).
1M: `ratings.dat` (user::movie::rating::time), `users.dat` (id::gender::age::occupation::zip).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.engine.arrays import FloatArray, IntArray
from app.simulation.population import InvalidPopulation

RATINGS_RANGE = (1.0, 5.0)  # stars, in both formats
ACCEPTED = "MovieLens 100K (u.data and u.user) or 1M (ratings.dat and users.dat)"


@dataclass(frozen=True)
class Format:
    """The files and columns of a release of MovieLens."""

    ratings: str
    users: str
    ratings_separator: str
    users_separator: str
    gender_column: int
    occupation_column: int


FORMATS = (
    Format("u.data", "u.user", "\t", "|", gender_column=2, occupation_column=3),
    Format("ratings.dat", "users.dat", "::", "::", gender_column=1, occupation_column=3),
)


@dataclass(frozen=True, eq=False)
class Ratings:
    """All ratings, users and rated movies numbered from 0 in the order of their ids."""

    user: IntArray  # (n,) number of the user
    movie: IntArray  # (n,) number of the movie
    stars: FloatArray  # (n,)
    genders: tuple[str, ...]  # by user
    occupations: tuple[str, ...]  # by user
    n_movies: int  # with at least one rating

    @property
    def n_users(self) -> int:
        """All users of the folder, with or without ratings."""
        return len(self.genders)


def read_ratings(folder: Path) -> Ratings:
    """Returns the ratings of a MovieLens folder; of two ratings of a movie by a user the later line counts.

    Raises:
        InvalidPopulation: no such folder or files (field `folder`), or a malformed line (field: the file).
    """
    layout = _layout(folder)
    users = _read_users(folder / layout.users, layout)
    triples = _read_triples(folder / layout.ratings, layout.ratings_separator)  # (n, 3)
    user_ids = np.array(sorted(users), dtype=np.int64)
    movie_ids, movie = np.unique(triples[:, 1].astype(np.int64), return_inverse=True)
    rater = triples[:, 0].astype(np.int64)
    unknown = np.setdiff1d(rater, user_ids)
    if len(unknown):
        raise InvalidPopulation(layout.ratings, f"user {unknown[0]} rates movies but is not in {layout.users}")
    user = np.searchsorted(user_ids, rater)
    last = _last_of_each(user * len(movie_ids) + movie)
    return Ratings(
        user[last],
        movie[last],
        triples[last, 2],
        genders=tuple(users[number][0] for number in user_ids.tolist()),
        occupations=tuple(users[number][1] for number in user_ids.tolist()),
        n_movies=len(movie_ids),
    )


def _layout(folder: Path) -> Format:
    """Returns the format whose ratings file exists."""
    if not folder.is_dir():
        raise InvalidPopulation("folder", f"there is no folder {folder}")
    for layout in FORMATS:
        if (folder / layout.ratings).is_file():
            if not (folder / layout.users).is_file():
                raise InvalidPopulation("folder", f"{folder} has {layout.ratings} but no {layout.users}")
            return layout
    raise InvalidPopulation("folder", f"{folder} has no ratings; accepted is {ACCEPTED}")


def _rows(path: Path, separator: str, at_least: int) -> Iterator[tuple[int, list[str]]]:
    """Yields (line number, fields) of every line that is not blank. Both releases are encoded as Latin-1."""
    with path.open(encoding="latin-1") as lines:
        for number, line in enumerate(lines, start=1):
            fields = line.rstrip("\n").split(separator)
            if len(fields) >= at_least:
                yield number, fields
            elif line.strip():
                raise _malformed(path, number, f"expected at least {at_least} fields separated by {separator!r}")


def _read_triples(path: Path, separator: str) -> FloatArray:
    """Returns (n, 3): user id, movie id, stars."""
    triples = []
    low, high = RATINGS_RANGE
    for number, fields in _rows(path, separator, at_least=3):
        try:
            triple = (int(fields[0]), int(fields[1]), float(fields[2]))
        except ValueError as error:
            raise _malformed(path, number, "user and movie must be whole numbers, the rating a number") from error
        if not low <= triple[2] <= high:
            raise _malformed(path, number, f"a rating must lie between {low:g} and {high:g}, got {triple[2]:g}")
        triples.append(triple)
    if not triples:
        raise InvalidPopulation(path.name, "has no ratings")
    return np.array(triples, dtype=np.float64)


def _read_users(path: Path, layout: Format) -> dict[int, tuple[str, str]]:
    """Returns (gender, occupation) by user id."""
    users = {}
    for number, fields in _rows(path, layout.users_separator, at_least=4):
        users[_id(path, number, fields[0])] = (fields[layout.gender_column], fields[layout.occupation_column])
    return users


def _id(path: Path, number: int, text: str) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise _malformed(path, number, f"an id must be a whole number, got {text!r}") from error


def _malformed(path: Path, number: int, advice: str) -> InvalidPopulation:
    return InvalidPopulation(path.name, f"line {number}: {advice}")


def _last_of_each(keys: IntArray) -> IntArray:
    """Returns the index of the last occurrence of each distinct key, in the order of the keys."""
    _, first_from_end = np.unique(keys[::-1], return_index=True)
    return len(keys) - 1 - first_from_end
