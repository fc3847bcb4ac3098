"""Landmarks of bound G: which items to choose, what the past knows of their columns, and an audit of the rank.

Nothing here has to be right for the bound to hold: it holds for any landmarks and any guesses from the past.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from app.engine.arrays import FloatArray, IntArray
from app.engine.bounds.gram_counts import Columns, Entries, LandmarkBatch, Landmarks, columns_by_version
from app.engine.evidence import Evidence

SMALLEST_SIGMA, SMALLEST_SIGMA_BY_RANK = 0.03, 0.3
"""Landmarks whose core has sigma_min below max(.03, .3/r^2) are not worth their samples."""

WORTH_A_SWAP = 0.03
"""A swap must raise sigma_min by this part; the pool's noise is larger than less."""

SHORTLIST_ROUNDS = 3
"""Choices that enter a play-off: six items for two landmarks, whose 21 pairs are cheap to know ten times better."""

DIAGONAL_STEPS = 30
"""Steps of filling in a diagonal that was not measured; it settles to well below the noise in these."""

PSEUDO = 1.0
"""Samples that a column's mean is worth as a guess of a row's entry."""

DIGITS = 6
"""Of stored coefficients, rounded before use."""


class Choice(NamedTuple):
    """Landmarks, or why there are none."""

    items: tuple[int, ...] | None
    reason: str  # empty if there are
    sigma: float  # smallest singular value of the core, as the pool has it


def choose(
    evidence: Evidence, pool: Sequence[int], rank: int, *, rank_free: bool = False, two_sets: bool = False
) -> Choice:
    """Returns `rank` landmarks of the pool (two sets: B and then A, `rank` each) with a core far from singular.

    The pool's entries must all have been shown, self pairs too but for two sets. They are truncated to the rank,
    pivoted Cholesky picks columns, and swaps raise sigma_min of the core. A rank-free bound takes any core.
    """
    n_sets = 2 if two_sets else 1
    if len(pool) < n_sets * rank:
        return Choice(None, f"{n_sets * rank} landmarks need as many items, the pool has {len(pool)}", 0.0)
    items = np.array(pool, dtype=np.int64)
    n, s = evidence.entries(items[:, None], items[None, :])
    if np.any((n == 0) & ~(two_sets & np.eye(len(items), dtype=np.bool_))):
        return Choice(None, "not every pair of the pool has been shown", 0.0)
    X = _truncated(s / np.maximum(n, 1), rank, guess_diagonal=two_sets)
    picked = _pivots(X, rank)
    if two_sets:
        rest = np.setdiff1d(np.arange(len(items)), picked)
        picked = [*rest[_pivots(X[rest], rank)].tolist(), *picked]
    picked, sigma = _swapped(X, picked, two_sets)
    needed = max(SMALLEST_SIGMA, SMALLEST_SIGMA_BY_RANK / rank**2)
    if sigma < needed and not rank_free:
        return Choice(None, f"the core is nearly singular: sigma_min {sigma:.3f}, {needed:.3f} is needed", sigma)
    return Choice(tuple(items[picked].tolist()), "", sigma)


def shortlist(
    evidence: Evidence, pool: Sequence[int], rank: int, *, two_sets: bool = False, rounds: int = SHORTLIST_ROUNDS
) -> tuple[int, ...]:
    """Returns the items of several disjoint choices, for a play-off.

    The best of many noisy sigma_min flatters itself (twice the truth is usual after 100 samples a pair). Show the pairs
    of these few items more often, then `choose` among them.
    """
    left, listed = list(pool), list[int]()
    for _ in range(rounds):
        items = choose(evidence, left, rank, rank_free=True, two_sets=two_sets).items
        if items is None:
            break
        listed += items
        left = [item for item in left if item not in items]
    return tuple(listed)


def _truncated(L: FloatArray, rank: int, *, guess_diagonal: bool) -> FloatArray:
    """Returns X (p, rank) with X X' near L; a diagonal to be guessed is filled in by what X X' says of it.

    The guess starts at the row's largest other entry.
    """
    L = L.copy()
    if guess_diagonal:
        np.fill_diagonal(L, 0.0)
        np.fill_diagonal(L, L.max(axis=1))
    for _ in range(DIAGONAL_STEPS if guess_diagonal else 1):
        values, vectors = np.linalg.eigh(L)
        X = vectors[:, -rank:] * np.sqrt(np.maximum(values[-rank:], 0.0))
        np.fill_diagonal(L, np.sum(X**2, axis=1))
    return np.asarray(X)


def _pivots(X: FloatArray, rank: int) -> list[int]:
    """Returns the rows that pivoted Cholesky of X X' takes: each the one that those before explain least."""
    rest, picked = X.copy(), list[int]()
    for _ in range(rank):
        norms = np.sum(rest**2, axis=1)
        norms[picked] = -1.0
        picked.append(int(np.argmax(norms)))
        direction = rest[picked[-1]] / np.sqrt(max(norms[picked[-1]], 1e-300))
        rest = rest - np.outer(rest @ direction, direction)
    return picked


def _swapped(X: FloatArray, picked: list[int], two_sets: bool) -> tuple[list[int], float]:
    """Returns the landmarks after swaps that each raise sigma_min by `WORTH_A_SWAP`, and sigma_min."""
    sigma = float(_sigma(X, np.array([picked]), two_sets)[0])
    place, unchanged = 0, 0
    while unchanged < len(picked):
        others = np.setdiff1d(np.arange(len(X)), picked)
        tried = np.tile(picked, (len(others), 1))
        tried[:, place] = others
        values = _sigma(X, tried, two_sets)
        unchanged += 1
        if len(others) and values.max() > sigma * (1 + WORTH_A_SWAP):
            picked, sigma, unchanged = tried[int(np.argmax(values))].tolist(), float(values.max()), 0
        place = (place + 1) % len(picked)
    return picked, sigma


def _sigma(X: FloatArray, picked: IntArray, two_sets: bool) -> FloatArray:
    """Returns sigma_min of the core of each choice (m, q)."""
    chosen = X[picked]  # (m, q, r)
    half = picked.shape[1] // 2
    B, A = (chosen[:, :half], chosen[:, half:]) if two_sets else (chosen, chosen)
    return np.asarray(np.linalg.svd(B @ np.swapaxes(A, 1, 2), compute_uv=False)[:, -1])


def next_batch(evidence: Evidence, landmarks: Landmarks, version: int, threshold: float) -> LandmarkBatch:
    """Returns what is known now, for impressions issued under plan versions from `version` on.

    From all samples of the columns so far, those before the choice too. `threshold` is what lower bounds should reach.
    """
    y, core = coefficients(_columns(evidence, landmarks), landmarks)
    return LandmarkBatch(version, y, threshold, core)


def coefficients(past: Columns, landmarks: Landmarks) -> tuple[FloatArray, FloatArray]:
    """Returns y (..., K, q), about M^-1 x, and the core (..., q, q), rounded as they will be stored.

    With w_k, v_k the eigenvalues and eigenvectors of the core's means, y = sum_k v_k v_k'x sign(w_k) / (|w_k| + 1/2n):
    the ridge of a row measured n times, if |phi_i|^2 is about twice the variance of a coin; directions below the core's
    own noise are left out. A row starts from the columns' means, as if seen `PSEUDO` times. A landmark has its unit
    vector.
    """
    items = np.array(landmarks.items)
    column = past.s.sum(axis=-2, keepdims=True) / np.maximum(past.n.sum(axis=-2, keepdims=True), 1)  # (..., 1, q)
    x = (past.s + PSEUDO * column) / (past.n + PSEUDO)
    measured = past.core(landmarks)
    core = np.round(measured.mean, DIGITS)
    values, vectors = np.linalg.eigh(core)
    if not landmarks.two_sets:
        values = np.maximum(values, 0.0)  # W is positive semidefinite
    size = np.abs(values)
    noise = np.sqrt(len(items) / np.maximum(4 * measured.n.min(axis=-1, keepdims=True), 1))
    clear = np.where(size > np.minimum(noise, size.max(axis=-1, keepdims=True) / 2), np.sign(values), 0.0)  # (..., q)
    ridge = np.mean(0.5 / (past.n + PSEUDO), axis=-1, keepdims=True)  # (..., K, 1)
    filtered = (x @ vectors) * clear[..., None, :] / (size[..., None, :] + ridge)
    y = filtered @ np.swapaxes(vectors, -1, -2)
    y[..., items, :] = np.eye(len(items))
    return np.round(y, DIGITS), core


def entries(landmarks: Landmarks, n_items: int) -> tuple[IntArray, IntArray]:
    """Returns the entries (i, j), i <= j, that a plan version must show for all pairs to gain: columns and core.

    Rank free: every self pair as well. Two sets: no self pair, and of landmarks only the pairs between the sets. The
    few entries of the core should be shown some ten times as often as the others: their errors enter every pair.
    """
    items = np.array(landmarks.items)
    wanted = np.ones((n_items, len(items)), dtype=np.bool_)
    wanted[items] = landmarks.in_core
    i, place = np.nonzero(wanted)
    j = items[place]
    if landmarks.rank_free:
        i, j = np.append(i, np.arange(n_items)), np.append(j, np.arange(n_items))
    keys = np.unique(np.minimum(i, j) * n_items + np.maximum(i, j))
    return keys // n_items, keys % n_items


def audit(evidence: Evidence, landmarks: Landmarks) -> float:
    """Returns the z value of the mean residual of fresh self pairs: far above 0 if the rank is higher than stated.

    For predictable y, L_ii - h (2 y.x - y'M y) is h g'M^-1 g, g = x - M y, if the rank is as stated; otherwise what the
    landmarks leave of phi_i comes on top. The left side is measured by each version's own samples without bias; the
    right side is estimated from all samples and taken off, too much rather than too little, as noise adds to it.
    """
    total = _columns(evidence, landmarks, landmarks.version)
    x_hat, M_hat = total.s / np.maximum(total.n, 1), total.core(landmarks).mean
    excess, weight = 0.0, 0.0
    for version, part in columns_by_version(evidence, landmarks.items).items():
        batch = landmarks.batch_of(version)
        n, mean = part.entries(landmarks)
        tested = np.all(part.n > 0, axis=1) & (part.n_self > 0)
        tested[list(landmarks.items)] = False
        if batch is None or not tested.any() or np.any((n.core == 0) & landmarks.in_core):
            continue
        y, x, h = batch.y[tested], mean.rows[tested], landmarks.h
        measured = mean.selves[tested] - h * np.sum((2 * x - y @ mean.core) * y, axis=1)
        g = x_hat[tested] - y @ M_hat
        allowed = h * np.abs(np.sum((g @ batch.mixer) * g, axis=1))
        variance = Entries(*(_coin_variance(m, p) for m, p in zip(n, mean, strict=True)))
        on_core = h * (y.T @ y)  # coefficients of the sum's core entries, each of a pair a != b twice
        shared = np.sum(np.triu((on_core * (2 - np.eye(len(on_core)))) ** 2 * variance.core * landmarks.in_core))
        spread = np.sum(variance.selves[tested]) + 4 * h**2 * np.sum(y**2 * variance.rows[tested]) + shared
        excess += len(y) * np.sum(measured - allowed) / spread
        weight += len(y) ** 2 / spread
    return float(excess / np.sqrt(weight)) if weight > 0 else 0.0


def _coin_variance(n: FloatArray, mean: FloatArray) -> FloatArray:
    """Returns the variance of a mean of n coins, half a coin of each side added."""
    p = (n * mean + 0.5) / (n + 1)
    return p * (1 - p) / np.maximum(n, 1)


def _columns(evidence: Evidence, landmarks: Landmarks, after: int = 0) -> Columns:
    """Returns all counts of the columns issued under plan versions after this one."""
    nothing = Columns.nothing(evidence.n_items, len(landmarks.items))
    parts = columns_by_version(evidence, landmarks.items).items()
    return Columns.total([nothing, *(part for version, part in parts if version > after)])
