"""Files are loaded bit-equal, and a file that is not a population is refused with the field."""

import pickle
import zipfile
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from app.simulation.mixtures import mixture, synthetic
from app.simulation.population import InvalidPopulation
from app.simulation.population_file import load_population, save_population

GOOD = {"p": np.array([0.25, 0.75]), "u": np.array([[0.5, 0.0, 0.8], [0.2, 0.6, 0.0]])}


def refused(path: Path) -> InvalidPopulation:
    with pytest.raises(InvalidPopulation) as caught:
        load_population(path)
    return caught.value


def test_a_mixture_is_loaded_bit_equal(tmp_path: Path) -> None:
    for seed in range(20):
        population = mixture("ads6", 17, 3, np.random.default_rng(seed))
        save_population(population, tmp_path / "p.npz")
        again = load_population(tmp_path / "p.npz")
        np.testing.assert_array_equal(again.factor, population.factor)
        np.testing.assert_array_equal(again.shares, population.shares)
        np.testing.assert_array_equal(again.click_probabilities, population.click_probabilities)


def test_a_factor_is_loaded_bit_equal_without_groups(tmp_path: Path) -> None:
    population = synthetic(17, 3, np.random.default_rng(1))
    save_population(population, tmp_path / "p.npz")
    again = load_population(tmp_path / "p.npz")
    np.testing.assert_array_equal(again.factor, population.factor)
    assert again.shares is None


def test_the_file_holds_p_and_u_under_exactly_the_name_given(tmp_path: Path) -> None:
    path = tmp_path / "no-suffix"
    save_population(mixture("pref", 5, 2, np.random.default_rng(1)), path)
    with np.load(path) as content:
        assert {name: content[name].shape for name in content.files} == {"p": (2,), "u": (2, 5)}


def test_whole_numbers_and_single_precision_are_numbers(tmp_path: Path) -> None:
    np.savez(tmp_path / "p.npz", p=np.array([1]), u=np.array([[0, 1, 0.5]], dtype=np.float32))
    assert load_population(tmp_path / "p.npz").best_pair() == (0, 1, 0.0)


def test_no_such_file(tmp_path: Path) -> None:
    error = refused(tmp_path / "none.npz")
    assert error.field == "path"
    assert "no file" in error.advice


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04 not really a zip", pickle.dumps({"p": [1.0]})])
def test_not_an_npz(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "p.npz"
    path.write_bytes(content)
    assert refused(path).field == "path"


def test_a_single_array_or_a_folder_is_not_an_npz(tmp_path: Path) -> None:
    np.save(tmp_path / "p.npy", np.zeros(3))
    assert refused(tmp_path / "p.npy").field == "path"
    assert refused(tmp_path).field == "path"


def test_a_truncated_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.npz"
    np.savez(path, p=GOOD["p"], u=GOOD["u"])
    whole = path.read_bytes()
    for length in range(0, len(whole), 29):
        path.write_bytes(whole[:length])
        assert refused(path).field in {"path", "p", "u"}


def test_a_damaged_array_is_refused_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "p.npz"
    np.savez(path, p=GOOD["p"], u=GOOD["u"])
    whole = path.read_bytes()
    path.write_bytes(whole.replace(GOOD["u"].tobytes(), b"\x01" * GOOD["u"].nbytes))  # the checksum no longer fits
    assert refused(path).field == "u"


def test_a_member_that_is_not_an_array_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("p", "hello")
        archive.writestr("u", "hello")
    assert refused(path).field == "p"


def test_pickled_objects_are_never_loaded(tmp_path: Path) -> None:
    np.savez(tmp_path / "p.npz", p=GOOD["p"], u=np.array([[{}, 0.5], [0.5, 0.5]], dtype=object), allow_pickle=True)
    assert refused(tmp_path / "p.npz").field == "u"


X = np.full((3, 1), 0.5)


@pytest.mark.parametrize(
    ("arrays", "field"),
    [
        ({}, "p"),
        ({"other": X}, "p"),
        ({"p": GOOD["p"]}, "u"),
        ({"u": GOOD["u"]}, "p"),
        ({"x": X, "p": GOOD["p"]}, "x"),
        ({**GOOD, "x": X}, "x"),
        ({**GOOD, "u": GOOD["u"].T}, "u"),
        ({**GOOD, "u": GOOD["u"] * np.nan}, "u"),
        ({**GOOD, "u": GOOD["u"] * 2}, "u"),
        ({**GOOD, "u": GOOD["u"].astype(str)}, "u"),
        ({**GOOD, "p": GOOD["p"] / 2}, "p"),
        ({**GOOD, "p": GOOD["p"].astype("datetime64[s]")}, "p"),
        ({"x": X * 3}, "x"),
        ({"x": X[:, 0]}, "x"),
        ({"x": X * np.inf}, "x"),
    ],
)
def test_invalid_arrays_are_named(tmp_path: Path, arrays: dict[str, npt.NDArray[np.generic]], field: str) -> None:
    path = tmp_path / "p.npz"
    with path.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)
    assert refused(path).field == field


def test_a_path_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InvalidPopulation) as caught:
        save_population(synthetic(3, 1, np.random.default_rng(1)), tmp_path / "no" / "p.npz")
    assert caught.value.field == "path"
