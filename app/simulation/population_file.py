"""Population files: `.npz` with `p` (r,) and `u` (r, K) for a mixture, or `x` (K, r) for one given by L = x x^T."""

import zipfile
import zlib
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from app.simulation.population import InvalidPopulation, Population

# Raised by zipfile, zlib and numpy for data that are not arrays: damaged, truncated, encrypted, pickled, too large.
UNREADABLE = (ValueError, EOFError, KeyError, RuntimeError, MemoryError, zipfile.BadZipFile, zlib.error)


def save_population(population: Population, path: Path) -> None:
    """Writes the population; `load_population` returns bit-equal numbers.

    Raises:
        InvalidPopulation: the path cannot be written (field `path`).
    """
    arrays = (
        {"x": population.factor}
        if population.shares is None or population.click_probabilities is None
        else {"p": population.shares, "u": population.click_probabilities}
    )
    try:
        # Given an open file, because numpy adds ".npz" to a file name without it.
        with path.open("wb") as file:
            np.savez(file, allow_pickle=False, **arrays)
    except OSError as error:
        raise InvalidPopulation("path", f"cannot write {path}: {error.strerror}") from error


def load_population(path: Path) -> Population:
    """Returns the checked population of a file. Never unpickles: a file from an untrusted source cannot run code.

    Raises:
        InvalidPopulation: no such file or not an `.npz` (field `path`), or a missing or invalid array (its name).
    """
    arrays = _arrays(path)
    if "x" in arrays:
        if "p" in arrays or "u" in arrays:
            raise InvalidPopulation("x", f"{path} must hold either p and u, or x, not both")
        return Population.from_factor(arrays["x"])
    if not arrays:
        raise InvalidPopulation("p", f"{path} must hold the arrays p and u (a mixture), or x (L = x x^T)")
    for name in ("p", "u"):
        if name not in arrays:
            raise InvalidPopulation(name, f"{path} has no array {name}; a mixture needs p (r,) and u (r, items)")
    return Population.mixture(arrays["p"], arrays["u"])


def _arrays(path: Path) -> dict[str, npt.NDArray[np.generic]]:
    """Returns the arrays p, u and x, as far as the file has them."""
    try:
        # Opened here, because numpy does not close a file that starts like a zip archive but is not one.
        with path.open("rb") as file:
            content = _archive(file, path)
            return {name: _array(content, name, path) for name in ("p", "u", "x") if name in content.files}
    except FileNotFoundError as error:
        raise InvalidPopulation("path", f"there is no file {path}") from error
    except OSError as error:
        raise InvalidPopulation("path", f"cannot read {path}: {error.strerror or 'damaged'}") from error


def _archive(file: BinaryIO, path: Path) -> np.lib.npyio.NpzFile:
    try:
        content = np.load(file, allow_pickle=False)
    except UNREADABLE as error:
        raise InvalidPopulation("path", f"{path} is not an .npz file") from error
    if not isinstance(content, np.lib.npyio.NpzFile):
        raise InvalidPopulation("path", f"{path} is not an .npz file but a single array")
    return content


def _array(content: np.lib.npyio.NpzFile, name: str, path: Path) -> npt.NDArray[np.generic]:
    try:
        array = content[name]
    except UNREADABLE as error:
        raise InvalidPopulation(name, f"cannot be read from {path}: damaged, or not an array of numbers") from error
    if not isinstance(array, np.ndarray):  # numpy returns a member without an array header as bytes
        raise InvalidPopulation(name, f"in {path} is not an array")
    return array
