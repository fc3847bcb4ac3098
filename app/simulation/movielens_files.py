"""Reads a MovieLens folder the user provides, in the 100K or the 1M format. The data itself is never part of bestpair.

100K: `u.data` (user, movie, rating, time; tabs), `u.user` (id|age|gender|occupation|zip), `u.item` (id|title|...).
1M: `ratings.dat` (user::movie::rating::time), `users.dat` (id::gender::age::occupation::zip), `movies.dat` (id::title).
The movie files are optional: they only name the movies.
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
    """Where a release of MovieLens keeps what."""

    ratings: str
    users: str
    movies: str
    ratings_separator: str
    separator: str  # of the other two files
    gender_column: int
    occupation_column: int


FORMATS = (
    Format("u.data", "u.user", "u.item", "\t", "|", gender_column=2, occupation_column=3),
    Format("ratings.dat", "users.dat", "movies.dat", "::", "::", gender_column=1, occupation_column=3),
)


@dataclass(frozen=True, eq=False)
class Ratings:
    """All ratings, users and rated movies numbered from 0 in the order of their ids."""

    user: IntArray  # (n,) number of the user
    movie: IntArray  # (n,) number of the movie
    stars: FloatArray  # (n,)
    genders: tuple[str, ...]  # by user
    occupations: tuple[str, ...]  # by user
    titles: tuple[str, ...]  # by movie

    @property
    def n_users(self) -> int:
        """All users of the folder, whether they rated or not."""
        return len(self.genders)

    @property
    def n_movies(self) -> int:
        """Movies with at least one rating."""
        return len(self.titles)


def read_ratings(folder: Path) -> Ratings:
    """Returns the ratings of a MovieLens folder; a movie rated twice by a user counts with the later line.

    Raises:
        InvalidPopulation: no such folder or files (field `folder`), or a line that makes no sense (field: the file).
    """
    layout = _layout(folder)
    users = _read_users(folder / layout.users, layout)
    triples = _read_triples(folder / layout.ratings, layout.ratings_separator)  # (n, 3)
    user_ids = np.array(sorted(users), dtype=np.int64)
    movie_ids, movie = np.unique(triples[:, 1].astype(np.int64), return_inverse=True)
    rater = triples[:, 0].astype(np.int64)
    strangers = np.setdiff1d(rater, user_ids)
    if len(strangers):
        raise InvalidPopulation(layout.ratings, f"user {strangers[0]} rates movies but is not in {layout.users}")
    user = np.searchsorted(user_ids, rater)
    last = _last_of_each(user * len(movie_ids) + movie)
    titles = _read_titles(folder / layout.movies, layout.separator)
    return Ratings(
        user[last],
        movie[last],
        triples[last, 2],
        genders=tuple(users[number][0] for number in user_ids.tolist()),
        occupations=tuple(users[number][1] for number in user_ids.tolist()),
        titles=tuple(titles.get(number, f"movie {number}") for number in movie_ids.tolist()),
    )


def _layout(folder: Path) -> Format:
    """Returns the format whose ratings file is there."""
    if not folder.is_dir():
        raise InvalidPopulation("folder", f"there is no folder {folder}")
    for layout in FORMATS:
        if (folder / layout.ratings).is_file():
            if not (folder / layout.users).is_file():
                raise InvalidPopulation("folder", f"{folder} has {layout.ratings} but no {layout.users}")
            return layout
    raise InvalidPopulation("folder", f"{folder} has no ratings; accepted is {ACCEPTED}")


def _rows(path: Path, separator: str, at_least: int) -> Iterator[tuple[int, list[str]]]:
    """Yields (line number, fields) of every line that is not blank. Latin-1 is what both releases are written in."""
    with path.open(encoding="latin-1") as lines:
        for number, line in enumerate(lines, start=1):
            fields = line.rstrip("\n").split(separator)
            if len(fields) >= at_least:
                yield number, fields
            elif line.strip():
                raise _nonsense(path, number, f"expected at least {at_least} fields separated by {separator!r}")


def _read_triples(path: Path, separator: str) -> FloatArray:
    """Returns (n, 3): user id, movie id, stars."""
    triples = []
    low, high = RATINGS_RANGE
    for number, fields in _rows(path, separator, at_least=3):
        try:
            triple = (int(fields[0]), int(fields[1]), float(fields[2]))
        except ValueError as error:
            raise _nonsense(path, number, "user and movie must be whole numbers, the rating a number") from error
        if not low <= triple[2] <= high:
            raise _nonsense(path, number, f"a rating must lie between {low:g} and {high:g}, got {triple[2]:g}")
        triples.append(triple)
    if not triples:
        raise InvalidPopulation(path.name, "has no ratings")
    return np.array(triples, dtype=np.float64)


def _read_users(path: Path, layout: Format) -> dict[int, tuple[str, str]]:
    """Returns gender and occupation by user id."""
    users = {}
    for number, fields in _rows(path, layout.separator, at_least=4):
        users[_id(path, number, fields[0])] = (fields[layout.gender_column], fields[layout.occupation_column])
    return users


def _read_titles(path: Path, separator: str) -> dict[int, str]:
    """Returns titles by movie id; none if there is no such file."""
    if not path.is_file():
        return {}
    return {_id(path, number, fields[0]): fields[1] for number, fields in _rows(path, separator, at_least=2)}


def _id(path: Path, number: int, text: str) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise _nonsense(path, number, f"an id must be a whole number, got {text!r}") from error


def _nonsense(path: Path, number: int, advice: str) -> InvalidPopulation:
    return InvalidPopulation(path.name, f"line {number}: {advice}")


def _last_of_each(keys: IntArray) -> IntArray:
    """Returns, in the order of the keys, where each distinct key occurs for the last time."""
    _, first_from_behind = np.unique(keys[::-1], return_index=True)
    return len(keys) - 1 - first_from_behind
