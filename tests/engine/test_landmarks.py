"""Landmarks: which items are chosen, what the past says of their columns, and the audit of the rank."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from app.engine.arrays import FloatArray
from app.engine.bounds.gram_counts import Landmarks
from app.engine.evidence import Evidence
from app.engine.landmarks import audit, choose, entries, next_batch, shortlist
from app.simulation.mixtures import mixture


def shown(
    L: FloatArray, items: list[int], n: int, rng: np.random.Generator | None = None, version: int = 1
) -> Evidence:
    """Returns evidence of all pairs of the items, self pairs too; exact means without `rng`."""
    a, b = np.triu_indices(len(items))
    i, j = np.array(items)[a], np.array(items)[b]
    count = np.full(len(i), n)
    s = count * L[i, j] if rng is None else rng.binomial(count, L[i, j]).astype(np.float64)
    return Evidence.empty(len(L)).add(i, j, version, count, s)


def pref(seed: int, K: int = 12, rank: int = 2) -> FloatArray:
    return mixture("pref", K, rank, np.random.default_rng(seed)).loss_matrix()


def sigma_min(L: FloatArray, items: tuple[int, ...], two_sets: bool) -> float:
    half = len(items) // 2
    rows, columns = (items[:half], items[half:]) if two_sets else (items, items)
    return float(np.linalg.svd(L[np.ix_(rows, columns)], compute_uv=False)[-1])


@pytest.mark.parametrize("two_sets", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_chosen_landmarks_are_nearly_the_best_there_are(seed: int, two_sets: bool) -> None:
    L = pref(seed, K=8)
    choice = choose(shown(L, list(range(8)), 10**9), range(8), 2, two_sets=two_sets, rank_free=True)
    assert choice.items is not None
    assert len(set(choice.items)) == (4 if two_sets else 2)
    assert choice.sigma == pytest.approx(sigma_min(L, choice.items, two_sets), abs=0.003)  # two sets guess the diagonal
    every = itertools.permutations(range(8), 4) if two_sets else itertools.combinations(range(8), 2)
    best = max(sigma_min(L, items, two_sets) for items in every)
    assert choice.sigma >= 0.9 * best


def test_clones_are_not_chosen_together() -> None:
    L = pref(1)
    twins = [0, 0, 1, 1, 2, 2, 3, 3]
    choice = choose(shown(L[np.ix_(twins, twins)], list(range(8)), 10**6), range(8), 2, rank_free=True)
    assert choice.items is not None
    assert len({twins[item] for item in choice.items}) == 2


def test_pool_items_keep_their_own_numbers() -> None:
    L = pref(2)
    pool = [11, 3, 7, 5, 9]
    choice = choose(shown(L, pool, 10**6), pool, 2, rank_free=True)
    assert choice.items is not None
    assert set(choice.items) <= set(pool)
    assert choice.sigma == pytest.approx(sigma_min(L, choice.items, False), abs=1e-4)


def test_reasons() -> None:
    L = pref(2)
    evidence = shown(L, [0, 1, 2, 3], 100)
    assert choose(evidence, [0, 1, 2, 4], 2).reason == "not every pair of the pool has been shown"
    assert choose(evidence, [0, 1, 2], 2, two_sets=True).reason == "4 landmarks need as many items, the pool has 3"
    flat = np.outer(np.linspace(0.5, 0.9, 6), np.linspace(0.5, 0.9, 6))
    nearly = choose(shown(flat, list(range(6)), 10**6), range(6), 2)
    assert nearly.items is None
    assert nearly.reason.startswith("the core is nearly singular")
    assert choose(shown(flat, list(range(6)), 10**6), range(6), 2, rank_free=True).items is not None


def test_two_sets_need_no_self_pairs() -> None:
    L = pref(3, K=40)
    every = shown(L, list(range(40)), 10**6)
    off = every.i != every.j
    without = Evidence.empty(40).add(every.i[off], every.j[off], 1, every.n[off], every.s[off])
    choice = choose(without, range(40), 2, two_sets=True)
    assert choice.items is not None
    assert choice.reason == ""
    assert choice == choose(every, range(40), 2, two_sets=True)  # and would not look at them
    assert choose(without, range(40), 2).items is None


def test_a_play_off_sees_through_lucky_items() -> None:
    # The best of the pool's noisy sigma_min is an overestimate; knowing a short list ten times better is not.
    flattered, honest = [], []
    for seed in range(12):
        rng = np.random.default_rng([seed, 1])
        L = pref(seed, K=40)
        pool = list(range(40))
        evidence = shown(L, pool, 100, rng)
        first = choose(evidence, pool, 2, rank_free=True)
        few = shortlist(evidence, pool, 2)
        assert len(set(few)) == 6
        assert first.items is not None
        assert set(first.items) <= set(few)
        more = shown(L, list(few), 1000, rng, 2)
        second = choose(evidence.add(more.i, more.j, 2, more.n, more.s), list(few), 2, rank_free=True)
        assert second.items is not None
        flattered.append(first.sigma / sigma_min(L, first.items, False))
        honest.append(second.sigma / sigma_min(L, second.items, False))
    assert np.median(flattered) > 1.3
    assert np.median(honest) < 1.15


@pytest.mark.parametrize(("rank_free", "two_sets"), [(False, False), (True, False), (False, True)])
def test_coefficients_invert_the_core(rank_free: bool, two_sets: bool) -> None:
    L = pref(5)
    chosen = choose(shown(L, list(range(12)), 10**8), range(12), 2, two_sets=two_sets, rank_free=True).items
    assert chosen is not None
    landmarks = Landmarks(1, chosen, rank_free, (), two_sets)
    i, j = entries(landmarks, 12)
    n = np.full(len(i), 10**8)
    batch = next_batch(Evidence.empty(12).add(i, j, 1, n, n * L[i, j]), landmarks, 2, 0.25)
    others = np.setdiff1d(np.arange(12), chosen)
    assert (batch.version, batch.threshold) == (2, 0.25)
    np.testing.assert_allclose((batch.y @ batch.core)[others], L[others][:, list(chosen)], atol=1e-5)
    guesses = landmarks.h * batch.y @ batch.core @ batch.y.T
    np.testing.assert_allclose(guesses[np.ix_(others, others)], L[np.ix_(others, others)], atol=1e-4)
    np.testing.assert_array_equal(batch.y[list(chosen)], np.eye(len(chosen)))
    np.testing.assert_allclose(batch.mixer @ batch.core, np.eye(len(chosen)), atol=1e-9)
    np.testing.assert_array_equal(batch.y, np.round(batch.y, 6))
    np.testing.assert_array_equal(batch.core, np.round(batch.core, 6))


def test_coefficients_use_every_past_sample_and_start_from_the_columns_mean() -> None:
    L = pref(5, K=6)
    landmarks = Landmarks(3, (0, 1))
    every = shown(L, list(range(6)), 10**6, version=1)  # before the choice
    keep = (every.i < 2) & (every.j < 5)
    evidence = Evidence.empty(6).add(every.i[keep], every.j[keep], 1, every.n[keep], every.s[keep])
    batch = next_batch(evidence, landmarks, 4, 0.0)
    np.testing.assert_allclose((batch.y @ batch.core)[2:5], L[2:5, :2], atol=1e-4)
    column = np.mean(L[:5, :2], axis=0)
    ridge = np.linalg.solve(L[:2, :2] + 0.5 * np.eye(2), column)  # item 5 was never shown: n = 1 sample of the mean
    np.testing.assert_allclose(batch.y[5], ridge, atol=1e-4)


def test_nothing_seen_gives_coefficients_all_the_same() -> None:
    batch = next_batch(Evidence.empty(4), Landmarks(1, (0, 1)), 2, 0.1)
    np.testing.assert_array_equal(batch.y[2:], 0.0)
    assert np.all(np.isfinite(batch.mixer))


def test_entries_by_hand() -> None:
    def listed(landmarks: Landmarks) -> list[tuple[int, int]]:
        i, j = entries(landmarks, 5)
        return list(zip(i.tolist(), j.tolist(), strict=True))

    by_rank = [(0, 1), (0, 3), (1, 1), (1, 2), (1, 3), (1, 4), (2, 3), (3, 3), (3, 4)]
    assert listed(Landmarks(1, (3, 1))) == by_rank
    assert listed(Landmarks(1, (3, 1), rank_free=True)) == sorted([*by_rank, (0, 0), (2, 2), (4, 4)])
    assert listed(Landmarks(1, (3, 1), two_sets=True)) == [(0, 1), (0, 3), (1, 2), (1, 3), (1, 4), (2, 3), (3, 4)]
    four = listed(Landmarks(1, (3, 1, 0, 2), two_sets=True))  # B = {3, 1}, A = {0, 2}; only item 4 is no landmark
    assert four == [(0, 1), (0, 3), (0, 4), (1, 2), (1, 4), (2, 3), (2, 4), (3, 4)]


def test_a_core_estimate_with_a_negative_eigenvalue_is_not_inverted_there() -> None:
    # W = [[.3, .4], [.4, .3]] as measured; no Gram matrix has it, so (1, -1) says nothing: y is along (1, 1) only.
    means = {(0, 0): 0.3, (0, 1): 0.4, (1, 1): 0.3, (0, 2): 0.5, (1, 2): 0.2}
    evidence = Evidence.from_rows(3, [(*pair, 1, 10**6, 10**6 * mean) for pair, mean in means.items()])
    batch = next_batch(evidence, Landmarks(1, (0, 1)), 2, 0.1)
    np.testing.assert_allclose(batch.y[2], [0.5, 0.5], atol=1e-4)


def audited(
    rank: int, seed: int, *, two_sets: bool = False, pilot: int = 4000, core: int = 50_000, refit: bool = True
) -> float:
    """Returns the audit of two landmarks (two sets: 2 + 2) after three versions, in a world of this rank."""
    rng = np.random.default_rng([seed, rank])
    L = pref(seed, K=30, rank=rank)
    chosen = choose(shown(L, list(range(30)), 10**6), range(30), 2, two_sets=two_sets, rank_free=True).items
    assert chosen is not None
    landmarks = Landmarks(1, chosen, two_sets=two_sets)
    i, j = entries(replace(landmarks, rank_free=not two_sets), 30)
    if two_sets:
        i, j = np.append(i, np.arange(30)), np.append(j, np.arange(30))
    in_core = np.isin(i, chosen) & np.isin(j, chosen)
    evidence = Evidence.empty(30)
    for version in (1, 2, 3, 4):
        if version == 2 or (version > 2 and refit):
            batch = next_batch(evidence, landmarks, version, 0.1)
            landmarks = replace(landmarks, batches=(*landmarks.batches, batch))
        n = np.where(in_core, core, pilot if version == 1 else 4000)
        evidence = evidence.add(i, j, version, n, rng.binomial(n, L[i, j]).astype(np.float64))
    return audit(evidence, landmarks)


@pytest.mark.parametrize("two_sets", [False, True])
def test_audit_tells_a_higher_rank_from_a_right_one(two_sets: bool) -> None:
    right = [audited(2, seed, two_sets=two_sets) for seed in range(20)]
    wrong = [audited(4, seed, two_sets=two_sets) for seed in range(20)]
    assert max(right) < 3.5
    assert np.sum(np.array(wrong) > 4) >= 15
    assert audit(Evidence.empty(5), Landmarks(1, (0, 1))) == 0.0


def test_audit_forgives_poor_coefficients() -> None:
    # Twenty samples a row leave y far off, and L_ii - 2 y.x + y'W y well above 0 without any fault of the rank.
    assert max(audited(2, seed, pilot=20, refit=False) for seed in range(12)) < 3.5


def test_audit_knows_that_all_items_share_the_noise_of_the_core() -> None:
    z = np.array([audited(2, seed, core=400) for seed in range(60)])
    assert np.sqrt(np.mean(z**2)) < 1.4  # 1 if the variance is right, but for the bias that is taken off
