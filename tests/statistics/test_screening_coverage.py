"""Bounds F and I for one pair, looked at again and again: wrong at some time in at most alpha of all runs.

Ten thousand runs at alpha = .2, each polled at 40 growing sample sizes. Ville's inequality is not tight for a joint
region that pays for two unknown entries and is read in one direction only: a correct bound misses in 2 % of the runs or
less. So a share spent twice would not show here; `tests/engine/bounds` holds the levels to the digit instead.
"""

import math

import numpy as np
import pytest
from scipy.stats import binom

from app.engine.arrays import FloatArray, IntArray
from app.engine.bounds import screening
from app.engine.bounds.screening import item_terms, least_excess, multipliers

ALPHA = 0.2
RUNS = 10_000
ALLOWED = int(binom.ppf(0.999, RUNS, ALPHA))
POLLS = np.unique(np.round(np.geomspace(2, 3000, 40)).astype(np.int64))
TRUTHS = ((0.9, 0.8), (0.97, 0.97), (0.6, 0.55))

Path = list[tuple[IntArray, FloatArray]]


def paths(p: float, seed: int) -> Path:
    """Returns (n, S) of all runs at every poll."""
    rng = np.random.default_rng([seed, int(1000 * p)])
    s = np.zeros(RUNS)
    out = []
    for before, after in zip([0, *POLLS], POLLS, strict=False):
        s = s + rng.binomial(after - before, p, size=RUNS)
        out.append((np.full(RUNS, after), s))
    return out


def misses(entries: list[tuple[float, Path]], guesses: list[FloatArray | None], log_level: float) -> int:
    """Returns the runs in which, at some poll, the bound on the sum of the entries less 1 exceeds the truth."""
    truth = sum(p for p, _ in entries) - 1.0
    missed = np.zeros(RUNS, dtype=np.bool_)
    for poll in range(len(POLLS)):
        counts = [path[poll] for _, path in entries]
        m = multipliers(np.concatenate([n for n, _ in counts]), np.concatenate([s for _, s in counts]), log_level)
        terms = sum(item_terms(n, s, guess, m) for (n, s), guess in zip(counts, guesses, strict=True))
        missed |= least_excess(np.asarray(terms), m, log_level) > truth
    return int(missed.sum())


def two(p: float, q: float) -> list[tuple[float, Path]]:
    return [(p, paths(p, 1)), (q, paths(q, 2))]


@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("offset", [None, 0.0, 0.05])
def test_two_entries(truth: tuple[float, float], offset: float | None) -> None:
    guesses = [None if offset is None else np.full(RUNS, min(p + offset, 0.998)) for p in truth]
    assert misses(two(*truth), guesses, math.log(1 / ALPHA)) <= ALLOWED


def test_three_entries() -> None:
    entries = [*two(0.8, 0.75), (0.06, paths(0.06, 3))]
    assert misses(entries, [None, None, None], math.log(1 / ALPHA)) <= ALLOWED


def test_the_blank_that_looked_best_is_not_proof_of_itself() -> None:
    # The mutant counts the samples that made the choice: of 5,000 equal blanks the one with the fewest clicks wins.
    rng = np.random.default_rng(5)
    wrong = fresh_wrong = 0
    for _ in range(1000):
        s_i, s_j = rng.binomial(60, 0.9, size=(2, 5000)).astype(np.float64)
        best = int(np.argmax(s_i + s_j))
        n = np.array([60, 60])
        wrong += int(_bound(n, np.array([s_i[best], s_j[best]])) > 0.8)
        fresh_wrong += int(_bound(n, rng.binomial(60, 0.9, size=2).astype(np.float64)) > 0.8)
    allowed = int(binom.ppf(0.999, 1000, ALPHA))
    assert fresh_wrong <= allowed
    assert wrong > 2 * allowed


def _bound(n: IntArray, s: FloatArray) -> float:
    return float(screening.screening_bounds(n, s, math.log(1 / ALPHA), None)[0])


def no_prices(monkeypatch: pytest.MonkeyPatch) -> None:
    """The entries are taken as known: no price for estimating them."""
    monkeypatch.setattr(screening, "log_price", lambda n, _s, _guess: np.zeros(len(n)))


def test_a_region_that_does_not_pay_for_its_entries_misses_too_often(monkeypatch: pytest.MonkeyPatch) -> None:
    no_prices(monkeypatch)
    assert misses(two(0.6, 0.55), [None, None], math.log(1 / ALPHA)) > ALLOWED


def test_together_and_apart_must_not_be_mixed() -> None:
    # Bound I's mutant: impressions of i and j together enter both items' factors, though clicks come in pairs there.
    # One group in two clicks both items or none: p_i = p_j = .5, clicks always together, L_ij = .5 + .5 - 1 + .5 = .5.
    # Counted as independent, the sum p_i + p_j has twice the variance that the region reckons with.
    allowed = int(binom.ppf(0.999, RUNS, SMALL_ALPHA))
    clicks, others = paths(0.5, 4), paths(0.5, 5)
    assert misses_of_sum([clicks, others], 1.0) <= allowed
    assert misses_of_sum([clicks, clicks], 1.0) > allowed


SMALL_ALPHA = 0.01
"""The mutant's misses fall more slowly with alpha than the region's, so a small one shows it."""


def misses_of_sum(entries: list[Path], truth: float) -> int:
    """Returns the runs in which the bound on the sum itself, not cut off at 1, exceeds the truth at some poll."""
    log_level = math.log(1 / SMALL_ALPHA)
    missed = np.zeros(RUNS, dtype=np.bool_)
    for poll in range(len(POLLS)):
        counts = [path[poll] for path in entries]
        m = multipliers(np.concatenate([n for n, _ in counts]), np.concatenate([s for _, s in counts]), log_level)
        terms = np.asarray(sum(item_terms(n, s, None, m) for n, s in counts))
        missed |= np.max(terms - (m * log_level)[:, None], axis=0) > truth
    return int(missed.sum())
