"""MovieLens folders in both formats, written here: reading, groups and likes, and every error."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from app.engine.arrays import FloatArray
from app.simulation.movielens import LIKED_FROM, Grouping, complete, merge_labels, sample_movies
from app.simulation.movielens_files import Ratings, read_ratings
from app.simulation.population import InvalidPopulation, Population

# Four users with ids out of order, three rated movies (ids 10, 20, 30), all pairs rated: nothing to complete.
USERS = {7: ("F", "writer"), 1: ("M", "student"), 2: ("M", "writer"), 3: ("M", "artist")}
STARS = {
    (1, 10): 5, (2, 10): 4, (3, 10): 3, (7, 10): 4,
    (1, 20): 1, (2, 20): 2, (3, 20): 3, (7, 20): 5,
    (1, 30): 4, (2, 30): 4, (3, 30): 5, (7, 30): 1,
}  # fmt: skip


def write_100k(folder: Path) -> None:
    (folder / "u.data").write_text("".join(f"{a}\t{b}\t{stars}\t880000000\n" for (a, b), stars in STARS.items()))
    (folder / "u.user").write_text("".join(f"{a}|30|{g}|{job}|12345\n" for a, (g, job) in USERS.items()))


def write_1m(folder: Path) -> None:
    (folder / "ratings.dat").write_text("".join(f"{a}::{b}::{stars}::97\n" for (a, b), stars in STARS.items()))
    (folder / "users.dat").write_text("".join(f"{a}::{g}::25::{job}::12345\n" for a, (g, job) in USERS.items()))


def movielens(folder: Path, n_items: int, seed: int, threshold: float = LIKED_FROM) -> Population:
    return sample_movies(read_ratings(folder), n_items, 2, np.random.default_rng(seed), threshold=threshold)


def sampled(n_movies: int, n_items: int, seed: int) -> list[int]:
    """Returns the numbers of the movies in a sample: they are drawn first."""
    movies: list[int] = np.random.default_rng(seed).choice(n_movies, size=n_items, replace=False).tolist()
    return movies


def random_ratings(n_users: int, n_movies: int, share: float, seed: int) -> tuple[Ratings, FloatArray]:
    """Returns a share of the ratings of a matrix of rank 2, and the matrix."""
    rng = np.random.default_rng(seed)
    stars = 3 + rng.uniform(-1, 1, (n_users, 2)) @ rng.uniform(-1, 1, (2, n_movies))
    user, movie = np.nonzero(rng.random(stars.shape) < share)
    genders = ("F", "M") * (n_users // 2)
    return Ratings(user, movie, stars[user, movie], genders, genders, n_movies), stars


@pytest.mark.parametrize("write", [write_100k, write_1m])
def test_both_formats_are_read_by_id(tmp_path: Path, write: Callable[[Path], None]) -> None:
    write(tmp_path)
    ratings = read_ratings(tmp_path)
    assert (ratings.n_users, ratings.n_movies) == (4, 3)
    assert ratings.genders == ("M", "M", "M", "F")  # ids 1, 2, 3, 7
    assert ratings.occupations == ("student", "writer", "artist", "writer")
    table = np.zeros((4, 3))
    table[ratings.user, ratings.movie] = ratings.stars
    assert table.tolist() == [[5, 1, 4], [4, 2, 4], [3, 3, 5], [4, 5, 1]]


def test_the_later_of_two_ratings_counts(tmp_path: Path) -> None:
    write_100k(tmp_path)
    with (tmp_path / "u.data").open("a") as file:
        file.write("1\t10\t2\t880000001\n\n")  # a blank line is ignored
    ratings = read_ratings(tmp_path)
    assert len(ratings.stars) == 12
    assert ratings.stars[(ratings.user == 0) & (ratings.movie == 0)].tolist() == [2]


@pytest.mark.parametrize("write", [write_100k, write_1m])
def test_likes_by_gender_by_hand(tmp_path: Path, write: Callable[[Path], None]) -> None:
    write(tmp_path)
    population = movielens(tmp_path, 3, seed=1)
    assert population.shares is not None
    assert population.shares.tolist() == [0.75, 0.25], "men, women"
    assert population.click_probabilities is not None
    likes = dict(zip(sampled(3, 3, seed=1), population.click_probabilities.T.tolist(), strict=True))
    assert likes == {0: [2 / 3, 1.0], 1: [0.0, 1.0], 2: [1.0, 0.0]}


def test_a_threshold_of_three_stars_is_included(tmp_path: Path) -> None:
    write_100k(tmp_path)
    population = movielens(tmp_path, 3, seed=1, threshold=3.0)
    assert population.click_probabilities is not None
    by_men = sorted(population.click_probabilities[0].tolist())
    assert by_men == [1 / 3, 1.0, 1.0]


def test_likes_by_merged_occupations(tmp_path: Path) -> None:
    write_100k(tmp_path)
    ratings = read_ratings(tmp_path)
    population = sample_movies(ratings, 3, 2, np.random.default_rng(1), grouping=Grouping.OCCUPATION)
    assert population.shares is not None
    assert population.shares.tolist() == [0.5, 0.5]
    assert population.click_probabilities is not None
    likes = dict(zip(sampled(3, 3, seed=1), population.click_probabilities.T.tolist(), strict=True))
    assert likes == {0: [1.0, 0.5], 1: [0.5, 0.0], 2: [0.5, 1.0]}, "two writers; an artist and a student"
    assert sample_movies(ratings, 2, 1, np.random.default_rng(1), grouping=Grouping.OCCUPATION).rank == 1


def test_merged_labels_are_balanced() -> None:
    labels = ("a",) * 5 + ("b",) * 4 + ("c",) * 3 + ("d",) * 3 + ("e",) * 1
    assert merge_labels(labels, 2) == [["a", "d"], ["b", "c", "e"]]  # 5+3 and 4+3+1
    assert merge_labels(labels, 5) == [["a"], ["b"], ["c"], ["d"], ["e"]]


def test_completion_finds_ratings_that_were_not_given() -> None:
    ratings, stars = random_ratings(n_users=120, n_movies=80, share=0.4, seed=2)
    fitted = complete(ratings, np.random.default_rng(3)).stars(np.arange(80))
    missing = np.ones(stars.shape, dtype=np.bool_)
    missing[ratings.user, ratings.movie] = False
    residual = np.mean((fitted - stars)[missing] ** 2)
    by_effects_alone = np.mean((stars - stars.mean(0) - stars.mean(1)[:, None] + stars.mean())[missing] ** 2)
    assert residual < 0.3 * by_effects_alone


def test_given_ratings_are_kept_and_missing_ones_completed() -> None:
    ratings, stars = random_ratings(n_users=200, n_movies=60, share=0.6, seed=4)
    population = sample_movies(ratings, 60, 2, np.random.default_rng(5), threshold=3.0)
    truth = np.stack([(stars[group::2] >= 3).mean(axis=0) for group in (0, 1)])  # (2, 60)
    assert population.click_probabilities is not None
    assert np.abs(population.click_probabilities - truth[:, sampled(60, 60, seed=5)]).mean() < 0.05


def test_a_user_without_ratings_is_completed_from_the_movies() -> None:
    ratings, _ = random_ratings(n_users=20, n_movies=10, share=0.8, seed=6)
    someone_else = (*ratings.genders, "F", "F")
    more = Ratings(ratings.user, ratings.movie, ratings.stars, someone_else, someone_else, ratings.n_movies)
    fitted = complete(more, np.random.default_rng(1)).stars(np.arange(10))
    np.testing.assert_allclose(fitted[-1], fitted[-2])
    assert np.all(np.isfinite(fitted))


def test_the_seed_determines_the_population(tmp_path: Path) -> None:
    ratings, _ = random_ratings(n_users=400, n_movies=30, share=0.5, seed=7)
    first, again, other = (sample_movies(ratings, 8, 2, np.random.default_rng(k), threshold=3.0) for k in (1, 1, 2))
    np.testing.assert_array_equal(first.factor, again.factor)
    assert not np.allclose(first.factor, other.factor)
    assert len({tuple(column) for column in first.factor.tolist()}) == 8, "different movies"
    write_100k(tmp_path)
    one, two = (movielens(tmp_path, 2, seed=3) for _ in range(2))
    np.testing.assert_array_equal(one.factor, two.factor)


def test_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(InvalidPopulation, match="no folder") as caught:
        read_ratings(tmp_path / "none")
    assert caught.value.field == "folder"


def test_the_error_for_a_folder_without_ratings_lists_the_formats(tmp_path: Path) -> None:
    with pytest.raises(InvalidPopulation, match=r"u\.data and u\.user.*ratings\.dat and users\.dat") as caught:
        read_ratings(tmp_path)
    assert caught.value.field == "folder"


@pytest.mark.parametrize(("present", "absent"), [("u.data", "u.user"), ("ratings.dat", "users.dat")])
def test_the_error_for_a_folder_without_users_names_the_missing_file(tmp_path: Path, present: str, absent: str) -> None:
    (tmp_path / present).write_text("")
    with pytest.raises(InvalidPopulation, match=f"no {absent}") as caught:
        read_ratings(tmp_path)
    assert caught.value.field == "folder"


@pytest.mark.parametrize(
    ("file", "content", "advice"),
    [
        ("u.data", "1\t10\t5\t0\n1 10 5 0\n", "line 2: expected at least 3 fields"),
        ("u.data", "1\tten\t5\t0\n", "line 1: user and movie must be whole numbers"),
        ("u.data", "1\t10\tgood\t0\n", "line 1: .*rating a number"),
        ("u.data", "1\t10\t6\t0\n", "line 1: a rating must lie between 1 and 5, got 6"),
        ("u.data", "1\t10\tnan\t0\n", "line 1: a rating must lie"),
        ("u.data", "5\t10\t3\t0\n", "user 5 .* not in u.user"),
        ("u.data", "", "has no ratings"),
        ("u.user", "1|30|M\n", "line 1: expected at least 4 fields"),
        ("u.user", "one|30|M|artist|0\n", "line 1: an id must be a whole number"),
    ],
)
def test_the_error_for_a_malformed_line_names_file_and_line(
    tmp_path: Path, file: str, content: str, advice: str
) -> None:
    write_100k(tmp_path)
    (tmp_path / file).write_text(content)
    with pytest.raises(InvalidPopulation, match=advice) as caught:
        read_ratings(tmp_path)
    assert caught.value.field == file


@pytest.mark.parametrize(
    ("n_items", "rank", "grouping", "field"),
    [
        (4, 2, Grouping.GENDER, "items"),
        (1, 2, Grouping.GENDER, "items"),
        (3, 3, Grouping.GENDER, "rank"),
        (3, 4, Grouping.OCCUPATION, "rank"),
        (3, 0, Grouping.OCCUPATION, "rank"),
    ],
)
def test_sizes_the_ratings_do_not_allow_name_the_field(
    tmp_path: Path, n_items: int, rank: int, grouping: Grouping, field: str
) -> None:
    write_100k(tmp_path)
    with pytest.raises(InvalidPopulation) as caught:
        sample_movies(read_ratings(tmp_path), n_items, rank, np.random.default_rng(1), grouping=grouping)
    assert caught.value.field == field


@pytest.mark.parametrize("threshold", [0.9, 5.5, float("nan")])
def test_a_threshold_that_is_no_rating_is_refused(tmp_path: Path, threshold: float) -> None:
    write_100k(tmp_path)
    with pytest.raises(InvalidPopulation) as caught:
        movielens(tmp_path, 3, seed=1, threshold=threshold)
    assert caught.value.field == "threshold"
