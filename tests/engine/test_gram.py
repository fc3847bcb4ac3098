"""Bound G: identities on exact entries, and what counts and what does not."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.arrays import FloatArray, IntArray, Pair, n_pairs, pair_items, pair_number
from app.engine.bounds import gram
from app.engine.bounds.gram import gram_lower_bounds, stacked_lower_bounds
from app.engine.bounds.gram_counts import Columns, LandmarkBatch, Landmarks, columns_by_version
from app.engine.evidence import Evidence
from app.engine.landmarks import entries, next_batch

KINDS = ["by rank", "two sets", "rank free"]
SHARE, EPSILON = 0.2, 0.05


def world(seed: int, K: int = 8, rank: int = 2) -> FloatArray:
    """Returns L of a random mixture; items 0 and 2 are liked by one group, 1 and 3 by another: good landmarks."""
    rng = np.random.default_rng(seed)
    clicks = rng.uniform(0.05, 0.7, size=(K, rank))
    clicks[:4, :2] = [[0.05, 0.8], [0.75, 0.1], [0.15, 0.7], [0.8, 0.05]]
    X = (1 - clicks) * np.sqrt(rng.dirichlet(np.full(rank, 20.0)))
    return np.asarray(X @ X.T)


def bare(kind: str, rank: int = 2, version: int = 1) -> Landmarks:
    """Returns the first items as landmarks, without coefficients."""
    q = 2 * rank if kind == "two sets" else rank
    return Landmarks(version, tuple(range(q)), kind == "rank free", (), kind == "two sets")


def core_of(L: FloatArray, landmarks: Landmarks) -> FloatArray:
    items = list(landmarks.items)
    return np.asarray(np.where(landmarks.in_core, L[np.ix_(items, items)], 0.0))


def exact(L: FloatArray, landmarks: Landmarks, n: float) -> Evidence:
    """Returns evidence that shows every needed entry n times with exactly its mean, before the choice and after."""
    i, j = entries(landmarks, len(L))
    count = np.full(len(i), int(n))
    first = Evidence.empty(len(L)).add(i, j, 1, count, count * L[i, j])
    return first.add(i, j, 3, count, count * L[i, j])


def noisy(
    L: FloatArray, landmarks: Landmarks, n: int, core: int, version: int, rng: np.random.Generator
) -> tuple[IntArray, IntArray, int, IntArray, FloatArray]:
    """Returns what `Evidence.add` takes: every needed entry shown n times, the core's `core` times."""
    i, j = entries(landmarks, len(L))
    of_core = np.isin(i, landmarks.items) & np.isin(j, landmarks.items)
    count = np.where(of_core, core, n)
    return i, j, version, count, rng.binomial(count, L[i, j]).astype(np.float64)


def session(kind: str, seed: int, versions: int = 3, K: int = 8) -> tuple[FloatArray, Evidence, Landmarks]:
    """Returns a short session: samples, coefficients from the past, samples, ..."""
    rng = np.random.default_rng([seed, 5])
    L, landmarks = world(seed, K), bare(kind)
    evidence = Evidence.empty(K).add(*noisy(L, landmarks, 50, 2000, 1, rng))
    for version in range(2, 2 + versions):
        batch = next_batch(evidence, landmarks, version, 0.1)
        landmarks = replace(landmarks, batches=(*landmarks.batches, batch))
        evidence = evidence.add(*noisy(L, landmarks, 400, 20_000, version, rng))
    return L, evidence, landmarks


def rows_of(evidence: Evidence) -> tuple[IntArray, IntArray, IntArray, IntArray, FloatArray]:
    """Returns what `Evidence.add` takes."""
    return evidence.i, evidence.j, evidence.version, evidence.n, evidence.s


def upper_triangle(L: FloatArray) -> FloatArray:
    i, j = pair_items(np.arange(n_pairs(len(L))), len(L))
    return np.asarray(L[i, j])


@pytest.mark.parametrize("kind", KINDS)
def test_bounds_reach_the_truth_when_all_is_known(kind: str) -> None:
    L, landmarks = world(3), bare(kind)
    core = core_of(L, landmarks)
    y = L[:, landmarks.items] @ np.linalg.inv(core)
    landmarks = replace(landmarks, batches=(LandmarkBatch(2, y, 1.0, core),))
    lower = gram_lower_bounds(exact(L, landmarks, 1e12), landmarks, SHARE, 1e-3)
    truth = upper_triangle(L)
    assert np.all(lower <= truth)
    i, j = pair_items(np.arange(28), 8)
    within_a_set = (i < 4) & (j < 4) & (i // 2 == j // 2) if kind == "two sets" else i < 0
    np.testing.assert_allclose(lower[~within_a_set], truth[~within_a_set], atol=2e-4)
    np.testing.assert_array_equal(lower[within_a_set], 0.0)  # nobody measures them


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10_000), off=st.floats(0.0, 1.0))
def test_no_coefficients_can_lift_a_bound_above_the_truth(kind: str, seed: int, off: float) -> None:
    # Exact means, almost no noise: what is left is the identity and the residual. Kills a residual left out, a wrong
    # sign, a wrong h. A rank-free bound also holds when the rank is higher than there are landmarks.
    rng = np.random.default_rng(seed)
    L, landmarks = world(seed, rank=3 if kind == "rank free" else 2), bare(kind)
    core = core_of(L, landmarks)
    wrong = np.where(landmarks.in_core, off * 0.2 * rng.standard_normal(core.shape), 0.0)
    y = L[:, landmarks.items] @ np.linalg.inv(core) + off * rng.standard_normal((len(L), len(core)))
    batch = LandmarkBatch(2, y, float(rng.uniform(0, 0.5)), core + wrong + wrong.T)
    landmarks = replace(landmarks, batches=(batch,))
    lower = gram_lower_bounds(exact(L, landmarks, 1e12), landmarks, SHARE, 1e-3)
    assert np.all(lower <= upper_triangle(L) + 1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_samples_up_to_the_choice_are_a_prior_and_prove_nothing(kind: str) -> None:
    _, evidence, landmarks = session(kind, 1)
    lower = gram_lower_bounds(evidence, landmarks, SHARE, EPSILON)
    assert lower.max() > 0.1
    rosy = np.where(evidence.version == 1, evidence.n, evidence.s)  # never a click
    misled = gram_lower_bounds(Evidence.empty(8).add(*rows_of(evidence)[:4], rosy), landmarks, SHARE, EPSILON)
    assert np.all(misled <= lower)
    assert misled.sum() < lower.sum()
    nothing = gram_lower_bounds(evidence.issued(1, 1), landmarks, SHARE, EPSILON)
    np.testing.assert_array_equal(nothing, np.zeros(28))
    np.testing.assert_array_equal(gram_lower_bounds(evidence, bare(kind), SHARE, EPSILON), np.zeros(28))
    np.testing.assert_array_equal(gram_lower_bounds(Evidence.empty(8), landmarks, SHARE, EPSILON), np.zeros(28))


@pytest.mark.parametrize("kind", KINDS)
def test_samples_of_other_pairs_do_not_count(kind: str) -> None:
    _, evidence, landmarks = session(kind, 1)
    others = evidence.add(np.array([6]), np.array([7]), 3, np.array([500]), np.array([500.0]))
    np.testing.assert_array_equal(
        gram_lower_bounds(evidence, landmarks, SHARE, EPSILON), gram_lower_bounds(others, landmarks, SHARE, EPSILON)
    )


def test_by_rank_nothing_is_proven_by_the_pilot_alone() -> None:
    _, evidence, landmarks = session("by rank", 1)
    pilot = gram_lower_bounds(evidence.issued(1, 2), landmarks, SHARE, EPSILON)
    assert pilot[pair_number(Pair(4, 5), 8)] == 0.0
    assert gram_lower_bounds(evidence.issued(1, 3), landmarks, SHARE, EPSILON)[pair_number(Pair(4, 5), 8)] > 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_version_without_an_entry_serves_the_pairs_that_do_not_need_it(kind: str) -> None:
    _, evidence, landmarks = session(kind, 1, versions=2)
    lower = gram_lower_bounds(evidence, landmarks, SHARE, EPSILON)
    lost = ~((evidence.i == 0) & (evidence.j == 6))
    less = Evidence.empty(8).add(*(column[lost] for column in rows_of(evidence)))
    after = gram_lower_bounds(less, landmarks, SHARE, EPSILON)
    i, j = pair_items(np.arange(28), 8)
    needs = ((i == 6) | (j == 6)) & ~np.isin(i, landmarks.items)  # (0, 6) itself, and 6 with items that are no landmark
    needs |= (i == 0) & (j == 6)
    np.testing.assert_array_equal(after[needs], 0.0)
    np.testing.assert_array_equal(after[~needs & (i != 6) & (j != 6)], lower[~needs & (i != 6) & (j != 6)])
    assert np.all(after[(i == 1) & (j == 6)] > 0)


@pytest.mark.parametrize("kind", KINDS)
def test_versions_of_one_batch_are_not_pooled(kind: str) -> None:
    # What the second plan asked for may depend on the first one's outcomes: each version is a factor of its own.
    rng = np.random.default_rng(8)
    L, landmarks = world(1), bare(kind)
    evidence = Evidence.empty(8).add(*noisy(L, landmarks, 200, 2000, 1, rng))
    batch = next_batch(evidence, landmarks, 2, 0.1)
    for version, n in ((2, 100), (3, 300), (4, 700)):
        evidence = evidence.add(*noisy(L, landmarks, n, 20_000, version, rng))
    one = gram_lower_bounds(evidence, replace(landmarks, batches=(batch,)), SHARE, EPSILON)
    if kind != "rank free":  # there the date of a batch tells how good its y is expected to be
        two = replace(landmarks, batches=(batch, replace(batch, version=4)))
        np.testing.assert_array_equal(one, gram_lower_bounds(evidence, two, SHARE, EPSILON))
    as_one = np.where(evidence.version == 4, 3, evidence.version)
    pooled = Evidence.empty(8).add(evidence.i, evidence.j, as_one, evidence.n, evidence.s)
    assert np.abs(one - gram_lower_bounds(pooled, replace(landmarks, batches=(batch,)), SHARE, EPSILON)).max() > 1e-6


@pytest.mark.parametrize("kind", KINDS)
def test_lambda_does_not_see_the_outcomes_it_weighs(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _, evidence, landmarks = session(kind, 2)
    used: list[FloatArray] = []
    original = gram._lambda

    def watched(*arguments: object) -> FloatArray:
        used.append(original(*arguments))  # type: ignore[arg-type]
        return used[-1]

    monkeypatch.setattr(gram, "_lambda", watched)
    before = gram_lower_bounds(evidence, landmarks, SHARE, EPSILON)
    other = np.where(evidence.version == 4, np.floor(evidence.n / 2), evidence.s)
    changed = Evidence.empty(8).add(*rows_of(evidence)[:4], other)
    after = gram_lower_bounds(changed, landmarks, SHARE, EPSILON)
    assert np.abs(before - after).max() > 0.01
    assert len(used) == 6
    for first, second in zip(used[:3], used[3:], strict=True):
        assert first.max() > 0
        np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("kind", KINDS)
def test_stored_landmarks_give_the_same_bits(kind: str) -> None:
    _, evidence, landmarks = session(kind, 4)
    again = Landmarks.from_json(json.loads(json.dumps(landmarks.to_json())))
    assert (again.version, again.items, again.rank_free, again.two_sets) == (
        landmarks.version,
        landmarks.items,
        landmarks.rank_free,
        landmarks.two_sets,
    )
    np.testing.assert_array_equal(
        gram_lower_bounds(evidence, landmarks, SHARE, EPSILON), gram_lower_bounds(evidence, again, SHARE, EPSILON)
    )


@pytest.mark.parametrize("kind", KINDS)
def test_tiles_and_stacks_change_nothing(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sessions = [session(kind, seed) for seed in (1, 2)]
    one_by_one = [gram_lower_bounds(evidence, landmarks, SHARE, EPSILON) for _, evidence, landmarks in sessions]
    columns = [columns_by_version(evidence, landmarks.items) for _, evidence, landmarks in sessions]
    fresh = {
        v: Columns(*(np.stack(both) for both in zip(*(part[v] for part in columns), strict=True))) for v in (1, 2, 3, 4)
    }
    _, _, first = sessions[0]
    batches = tuple(
        LandmarkBatch(a.version, np.stack([a.y, b.y]), a.threshold, np.stack([a.core, b.core]))
        for a, b in zip(first.batches, sessions[1][2].batches, strict=True)
    )
    stacked = stacked_lower_bounds(fresh, replace(first, batches=batches), SHARE, EPSILON)
    np.testing.assert_allclose(stacked, np.stack(one_by_one), atol=1e-13)
    monkeypatch.setattr(gram, "_TILE_ENTRIES", 24)  # three rows at a time, the last tile smaller
    again = gram_lower_bounds(sessions[0][1], first, SHARE, EPSILON)
    np.testing.assert_allclose(again, one_by_one[0], atol=1e-13)


def test_rank_free_pairs_need_the_self_pairs_of_their_items() -> None:
    _, evidence, landmarks = session("rank free", 1, versions=1)
    assert gram_lower_bounds(evidence, landmarks, SHARE, EPSILON)[pair_number(Pair(5, 6), 8)] > 0
    kept = ~((evidence.i == 6) & (evidence.j == 6))
    less = Evidence.empty(8).add(*(column[kept] for column in rows_of(evidence)))
    lower = gram_lower_bounds(less, landmarks, SHARE, EPSILON)
    assert lower[pair_number(Pair(5, 6), 8)] == 0.0
    assert lower[pair_number(Pair(5, 7), 8)] > 0


def test_a_self_pair_of_a_landmark_is_in_its_row_once() -> None:
    # Twice in one group, its martingale would be squared, which is no martingale.
    _, evidence, landmarks = session("rank free", 1)
    part = columns_by_version(evidence, landmarks.items)[2]
    n, s = part.rows(landmarks)
    np.testing.assert_array_equal(n[:, 2], [0, 0, 400, 400, 400, 400, 400, 400])
    np.testing.assert_array_equal(s[:, 2], [0, 0, *part.s_self[2:]])
    np.testing.assert_array_equal(n[:2, :2], 20_000)


def test_the_last_batch_before_a_version_is_in_force() -> None:
    def batch(version: int) -> LandmarkBatch:
        return LandmarkBatch(version, np.zeros((3, 1)), 0.1, np.eye(1))

    landmarks = Landmarks(4, (0,), batches=(batch(3), batch(6), batch(8)))
    in_force = {version: found.version for version in range(1, 11) if (found := landmarks.batch_of(version))}
    assert in_force == {5: 3, 6: 6, 7: 6, 8: 8, 9: 8, 10: 8}  # not 3 and 4: the choice was made then
    assert landmarks.pilot == 5
    assert replace(landmarks, batches=(batch(7),)).pilot == 7


def test_landmarks_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="self pairs"):
        Landmarks(1, (0, 1), rank_free=True, two_sets=True)
    with pytest.raises(ValueError, match="even number"):
        Landmarks(1, (0, 1, 2), two_sets=True)
    with pytest.raises(ValueError, match="different"):
        Landmarks(1, (0, 0))


def test_assumptions_are_named() -> None:
    assert set(bare("by rank").assumptions) == {"mixture", "rank<=2"}
    assert set(bare("two sets").assumptions) == {"mixture", "rank<=2"}
    assert set(bare("rank free").assumptions) == {"mixture"}


def test_nothing_is_said_through_a_core_that_may_be_singular() -> None:
    landmarks = bare("by rank")
    L = np.outer([0.9, 0.9, 0.5, 0.4], [0.9, 0.9, 0.5, 0.4])  # rank one: the core is singular
    core = core_of(L, landmarks)
    landmarks = replace(landmarks, batches=(LandmarkBatch(2, L[:, :2] / 1.6, 0.0, core),))
    lower = gram_lower_bounds(exact(L, landmarks, 1e6), landmarks, SHARE, EPSILON)
    i, j = pair_items(np.arange(6), 4)
    np.testing.assert_array_equal(lower[(i >= 2) & (j >= 2)], 0.0)
    assert np.all(lower[i < 2] > 0)  # pairs with a landmark are measured themselves
