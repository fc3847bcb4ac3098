"""MovieLens as a population: groups of users as groups, movies as items, "likes it" as "clicks it".

As in the paper (section "Experiments"): missing ratings are filled by low-rank completion, ratings become likes by a
threshold, users are grouped by gender or by occupation, and a random sample of the movies is used.

The completion has user and movie effects plus a low-rank part, fitted by alternating least squares:
stars[a, b] ~ mean + user_effect[a] + movie_effect[b] + A[a] . B[b]
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from scipy import sparse

from app.engine.arrays import BoolArray, FloatArray, IntArray
from app.simulation.movielens_files import RATINGS_RANGE, Ratings
from app.simulation.population import InvalidPopulation, Population

LIKED_FROM = 4.0  # stars

# On MovieLens 100K, a random tenth of the ratings held out, root mean square error in stars: .921 with rank 10 and a
# ridge of .1 for every rating; .920 with .15, .953 with .05, .924 with rank 4 or 20. The differences are small; of the
# two best, .1 gives eigenvalues of L closer to earlier experiments (536 and .25 for 800 movies and two genders).
RANK = 10
RIDGE_PER_RATING = 0.1
SWEEPS = 15  # twice as many change 2-3 % of the likes, and the leading eigenvalue of L by less than .01 %
# Effects are shrunk as if each user and movie had one more, average rating. Otherwise every movie with a single rating
# of 5 stars would be liked by all users, and thousands of pairs would tie for the best.
PSEUDO_RATINGS = 1.0
EFFECT_SWEEPS = 20
START_SCALE = 0.1  # small, so that the first sweep follows the ratings and not the random start


class Grouping(StrEnum):
    """The property by which users are grouped."""

    GENDER = "gender"
    OCCUPATION = "occupation"


def sample_movies(
    ratings: Ratings,
    n_items: int,
    rank: int,
    rng: np.random.Generator,
    *,
    grouping: Grouping = Grouping.GENDER,
    threshold: float = LIKED_FROM,
) -> Population:
    """Returns `n_items` random movies: p = shares of the groups, u = share of a group's users who like the movie.

    A user likes a movie with a rating of `threshold` or more, given or (if there is none) completed.
    Draws: the movies, then the start of the completion, so the movies depend only on the seed.

    Raises:
        InvalidPopulation: `items`, `rank` or `threshold` out of the range of these ratings.
    """
    if not 2 <= n_items <= ratings.n_movies:
        raise InvalidPopulation("items", f"must be between 2 and {ratings.n_movies} (the rated movies), got {n_items}")
    low, high = RATINGS_RANGE
    if not low <= threshold <= high:
        raise InvalidPopulation("threshold", f"must be a rating between {low:g} and {high:g}, got {threshold}")
    group_of = _groups(ratings, grouping, rank)
    movies = rng.choice(ratings.n_movies, size=n_items, replace=False)  # (K,)
    likes = _likes(ratings, movies, threshold, rng)  # (n_users, K)
    p = np.bincount(group_of, minlength=rank) / ratings.n_users  # (r,)
    u = np.stack([likes[group_of == k].mean(axis=0) for k in range(rank)])  # (r, K)
    return Population.mixture(p, u)


def _likes(ratings: Ratings, movies: IntArray, threshold: float, rng: np.random.Generator) -> BoolArray:
    """Returns which users like which of these movies (n_users, K); given ratings are used unchanged."""
    stars = complete(ratings, rng).stars(movies)  # (n_users, K)
    place = np.full(ratings.n_movies, -1)
    place[movies] = np.arange(len(movies))
    wanted = place[ratings.movie] >= 0
    stars[ratings.user[wanted], place[ratings.movie[wanted]]] = ratings.stars[wanted]
    return stars >= threshold


def _groups(ratings: Ratings, grouping: Grouping, rank: int) -> IntArray:
    """Returns the number of the group of each user (n_users,)."""
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
    return np.array([number[label] for label in labels], dtype=np.int64)


def merge_labels(labels: tuple[str, ...], n_groups: int) -> list[list[str]]:
    """Returns the distinct labels in groups of about equal counts: the most frequent first, each to the smallest group.

    There must be at least as many distinct labels as groups; ties are broken by name and by group number.
    """
    names, counts = np.unique(np.array(labels), return_counts=True)
    groups: list[list[str]] = [[] for _ in range(n_groups)]
    sizes = [0] * n_groups
    for place in np.argsort(-counts, kind="stable").tolist():
        smallest = sizes.index(min(sizes))
        groups[smallest].append(str(names[place]))
        sizes[smallest] += int(counts[place])
    return groups


@dataclass(frozen=True, eq=False)
class Completion:
    """A rating for every user and movie."""

    mean: float
    user_effect: FloatArray  # (n_users,)
    movie_effect: FloatArray  # (n_movies,)
    user_factor: FloatArray  # (n_users, RANK) A
    movie_factor: FloatArray  # (n_movies, RANK) B

    def stars(self, movies: IntArray) -> FloatArray:
        """Returns the fitted ratings (n_users, len(movies)) of these movies by all users."""
        effects = self.mean + self.user_effect[:, None] + self.movie_effect[movies]
        return effects + self.user_factor @ self.movie_factor[movies].T


def complete(ratings: Ratings, rng: np.random.Generator) -> Completion:
    """Returns the fit to the ratings; `rng` only draws the start of the movies' factor.

    The ridge grows with the number of ratings of each user and movie ("weighted lambda", Zhou et al. 2008), so the
    regularisation does not fade for those with many ratings. Cost O(n RANK^2) per sweep: seconds for a million ratings.
    """
    mean = float(ratings.stars.mean())
    user_effect, movie_effect = _effects(ratings, mean)
    rest = ratings.stars - mean - user_effect[ratings.user] - movie_effect[ratings.movie]  # (n,)
    shape = (ratings.n_users, ratings.n_movies)
    residual = sparse.csr_array((rest, (ratings.user, ratings.movie)), shape=shape)
    rated = sparse.csr_array((np.ones_like(rest), (ratings.user, ratings.movie)), shape=shape)
    residual_by_movie, rated_by_movie = residual.T.tocsr(), rated.T.tocsr()
    B = START_SCALE * rng.standard_normal((ratings.n_movies, RANK))
    A = _ridge(residual, rated, B)
    for _ in range(SWEEPS):
        B = _ridge(residual_by_movie, rated_by_movie, A)
        A = _ridge(residual, rated, B)
    return Completion(mean, user_effect, movie_effect, A, B)


def _effects(ratings: Ratings, mean: float) -> tuple[FloatArray, FloatArray]:
    """Returns the users' and the movies' mean deviations, fitted alternately EFFECT_SWEEPS times."""
    user, movie, deviation = ratings.user, ratings.movie, ratings.stars - mean
    n_by_user = np.bincount(user, minlength=ratings.n_users) + PSEUDO_RATINGS
    n_by_movie = np.bincount(movie, minlength=ratings.n_movies) + PSEUDO_RATINGS
    user_effect = np.zeros(ratings.n_users)
    movie_effect = np.zeros(ratings.n_movies)
    for _ in range(EFFECT_SWEEPS):
        movie_effect = np.bincount(movie, deviation - user_effect[user], ratings.n_movies) / n_by_movie
        user_effect = np.bincount(user, deviation - movie_effect[movie], ratings.n_users) / n_by_user
    return user_effect, movie_effect


def _ridge(residual: sparse.csr_array, rated: sparse.csr_array, factor: FloatArray) -> FloatArray:
    """Returns for each row the ridge regression (rows, RANK) of its residuals on the factor rows of its ratings."""
    n_rows, rank = residual.shape[0], factor.shape[1]
    outer = (factor[:, :, None] * factor[:, None, :]).reshape(len(factor), -1)  # (columns, RANK^2)
    gram = (rated @ outer).reshape(n_rows, rank, rank)
    n_rated = np.maximum(rated.sum(axis=1), 1.0)  # a row without ratings needs a ridge too
    gram += (RIDGE_PER_RATING * n_rated)[:, None, None] * np.eye(rank)
    solution: FloatArray = np.linalg.solve(gram, (residual @ factor)[:, :, None])[:, :, 0]
    return solution
