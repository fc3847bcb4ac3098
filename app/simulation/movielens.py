"""MovieLens as a population: groups of users as groups, movies as items, "likes it" as "clicks it".

As in the paper (section "Experiments"): missing ratings are filled by low-rank completion, ratings become likes by a
threshold, users are grouped by gender or by occupation, movies are sub-sampled.
"""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np

from app.engine.arrays import BoolArray, IntArray
from app.simulation.movielens_files import RATINGS_RANGE, Ratings, read_ratings
from app.simulation.population import InvalidPopulation, Population
from app.simulation.ratings_completion import complete

LIKED_FROM = 4.0  # stars


class Grouping(StrEnum):
    """What the users are grouped by."""

    GENDER = "gender"
    OCCUPATION = "occupation"


@dataclass(frozen=True, eq=False)
class MovieSample:
    """Some movies as a population, with the names of what is in it."""

    population: Population
    titles: tuple[str, ...]  # by item
    groups: tuple[str, ...]  # by group: a gender, or occupations joined by ", "


def movielens(
    folder: Path,
    n_items: int,
    rank: int,
    rng: np.random.Generator,
    *,
    grouping: Grouping = Grouping.GENDER,
    threshold: float = LIKED_FROM,
) -> Population:
    """Returns the population of `sample_movies` for the MovieLens folder the user gives."""
    return sample_movies(read_ratings(folder), n_items, rank, rng, grouping=grouping, threshold=threshold).population


def sample_movies(
    ratings: Ratings,
    n_items: int,
    rank: int,
    rng: np.random.Generator,
    *,
    grouping: Grouping = Grouping.GENDER,
    threshold: float = LIKED_FROM,
) -> MovieSample:
    """Returns `n_items` random movies: p = shares of the groups, u = share of a group's users who like the movie.

    A user likes a movie with a rating, given or (where there is none) completed, of `threshold` or more.
    Draws: the movies, then the start of the completion, so the movies depend on the seed alone.

    Raises:
        InvalidPopulation: fields `items`, `rank`, `threshold`, where the ratings do not allow them.
    """
    if not 2 <= n_items <= ratings.n_movies:
        raise InvalidPopulation("items", f"must be between 2 and {ratings.n_movies} (the rated movies), got {n_items}")
    low, high = RATINGS_RANGE
    if not low <= threshold <= high:
        raise InvalidPopulation("threshold", f"must be a rating between {low:g} and {high:g}, got {threshold}")
    group_of, names = _groups(ratings, grouping, rank)
    movies = rng.choice(ratings.n_movies, size=n_items, replace=False)  # (K,)
    likes = _likes(ratings, movies, threshold, rng)  # (n_users, K)
    p = np.bincount(group_of, minlength=rank) / ratings.n_users  # (r,)
    u = np.stack([likes[group_of == k].mean(axis=0) for k in range(rank)])  # (r, K)
    return MovieSample(Population.mixture(p, u), tuple(ratings.titles[movie] for movie in movies), names)


def _likes(ratings: Ratings, movies: IntArray, threshold: float, rng: np.random.Generator) -> BoolArray:
    """Returns who likes which of these movies (n_users, K); a rating that was given is kept as it is."""
    stars = complete(ratings, rng).stars(movies)  # (n_users, K)
    place = np.full(ratings.n_movies, -1)
    place[movies] = np.arange(len(movies))
    wanted = place[ratings.movie] >= 0
    stars[ratings.user[wanted], place[ratings.movie[wanted]]] = ratings.stars[wanted]
    return stars >= threshold


def _groups(ratings: Ratings, grouping: Grouping, rank: int) -> tuple[IntArray, tuple[str, ...]]:
    """Returns the group of each user (n_users,) and the groups' names."""
    if grouping is Grouping.GENDER:
        labels = ratings.genders
        n_genders = len(set(labels))
        if rank != n_genders:
            raise InvalidPopulation("rank", f"must be {n_genders}, the genders in the data, got {rank}")
    else:
        labels = ratings.occupations
        n_occupations = len(set(labels))
        if not 1 <= rank <= n_occupations:
            raise InvalidPopulation("rank", f"must be between 1 and {n_occupations} (the occupations), got {rank}")
    merged = merge_labels(labels, rank)
    number = {label: k for k, group in enumerate(merged) for label in group}
    return np.array([number[label] for label in labels], dtype=np.int64), tuple(", ".join(group) for group in merged)


def merge_labels(labels: tuple[str, ...], n_groups: int) -> list[list[str]]:
    """Returns the distinct labels in groups of about equal counts: the most frequent first, each to the smallest group.

    There must be at least as many distinct labels as groups; ties are settled by name and by group number.
    """
    names, counts = np.unique(np.array(labels), return_counts=True)
    groups: list[list[str]] = [[] for _ in range(n_groups)]
    sizes = [0] * n_groups
    for place in np.argsort(-counts, kind="stable").tolist():
        smallest = sizes.index(min(sizes))
        groups[smallest].append(str(names[place]))
        sizes[smallest] += int(counts[place])
    return groups
