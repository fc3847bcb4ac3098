"""Bound G: a few landmark columns bound every pair from below, because L is a Gram matrix.

L_ij = <phi_i, phi_j> for some vectors phi (assumption `mixture`). Let C be q landmark items and x_i = (L_ic, c in C)
the row of item i. Three ways to lean on them:

*By rank* (assumption `rank<=r`, q = r; self pairs of landmarks only). M = L_CC; L_ij = x_i'M^-1 x_j if M is invertible.

*Two sets* (assumption `rank<=r`, q = 2r, no self pairs). The first r landmarks are B, the others A, N = L_BA, and
M = [[0, N], [N', 0]]. If N is invertible, L_ij = L_iA N^-1 L_Bj = L_jA N^-1 L_Bi; their sum is 2 L_ij = x_i'M^-1 x_j.

With h = 1 by rank and h = 1/2 for two sets, for *any* symmetric K (wanted: about M^-1)

    L_ij = h x_i' B x_j + h x_i' (M^-1 - 2K + K M K) x_j,   B = 2K - K M K,

where the second part is quadratic in M^-1 - K: only errors of the core matter, and the core has few entries
(`gram_residual.core_residual`). The first part has the unbiased estimate f = h xb_i' (2K - K Mb K) xb_j from means of
fresh samples, because row i, row j and the core are independent.

*Rank free* (self pairs of every item). For any y, Z_ij = <phi_i - sum_c y_ic phi_c, the same for j> is a Gram matrix,
so Z_ij >= -(Z_ii + Z_jj)/2; written out, with z = y_i + y_j and W = L_CC,

    L_ij >= (x_i + x_j).z - z'W z/2 - (L_ii + L_jj)/2,

linear in what is measured: f is the same at fresh means, with no residual, but about four times the variance.

**Why it is sound.** One factor per plan version v. K, y and lambda_ij >= 0 depend on what was known when v was planned,
and lambda on how many answers came in (never on which). A mean of m coins has E exp(z (mean - p)) <= exp(z^2 s(p)/2m)
(Kearns and Saul). By rank, uncover the core's samples of v first, then row j, then row i. With Bb = 2K - K Mb K,

    given the core and row j, f moves with row i by h (xb_i - x_i)' Bb xb_j:  V_1 = h^2 sum_a s_ia (Bb xb_j)_a^2 / m_ia,
    its mean given the core, with row j by h x_i' Bb (xb_j - x_j):            V_2 = h^2 sum_a s_ja (Bb x_i)_a^2 / m_ja,
    the mean of that, with the core by -h (K x_i)' (Mb - M) (K x_j):          V_3, the same sum over its entries,

each of mean zero given what was uncovered before, and each V known by then: E exp(lambda (f - E f) - lambda^2 V/2) <= 1
with V = V_1 + V_2 + V_3. (Rank free: f is linear and V its one variance.) The product over versions is a
supermartingale; with probability 1 - delta_1, at all times, its logarithm stays below log 1/delta_1 (Ville), that is

    L_ij >= (sum lambda f - sum (lambda^2 V/2 + lambda |residual|) - log 1/delta_1) / sum lambda.

What is not known exactly (s(p), x_i in V_2 and V_3, the residual) is replaced by its largest value over joint regions
of three groups, row i, row j, core, each at delta_2/3. They hold for the truth at all times, so they may use samples
of v and later ones: all but those of the first version with coefficients, the pilot, which serve them as a prior.
delta_1 + delta_2 = share, for one fixed pair.

A version is the unit although coefficients may serve several: what a plan asks for depends on earlier outcomes, so
counts pooled over plans would depend on the outcomes they average. A pair gains nothing from a version that left an
entry of its rows or of the core without an answer. Answers that come in after a version was first looked at change the
weights of the earlier ones a little (not if all m_e grow in proportion: lambda grows with them); that they do not
depend on the outcomes is asked of delay here, as it is of loss everywhere.

A pair with a landmark c is its own measured entry: f = the mean of (j, c), and no residual.
"""

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple, Self

import numpy as np

from app.engine.arrays import BoolArray, FloatArray, IntArray, n_pairs
from app.engine.bounds.gram_counts import Columns, Entries, LandmarkBatch, Landmarks, columns_by_version
from app.engine.bounds.gram_residual import Known, core_residual, reach
from app.engine.evidence import Evidence

REGION_SHARE = 0.15
"""Part of the share for the regions: they matter in the second order only, b grows by 1 if this is cut to a third."""

REGION_SHARE_RANK_FREE = 0.05
"""The same where regions serve for s(p) alone: 1/4 would do for all of them, at no share."""

LARGEST_GAP, SMALLEST_GAP = 0.5, 0.25
"""lambda aims at gaps up to this, and at least at this part of epsilon: beyond, V or the guess is what limits."""

_CLEAR_OF_THE_ENDS = 0.02
"""Guessed probabilities, for lambda only, are kept this far from 0 and 1."""

_TILE_ENTRIES = 2**15
"""Pairs handled at a time: a dozen such arrays stay in the processor's cache."""

_NO_VARIANCE = 1e-9
"""lambda is finite where y = 0 makes f a constant."""


def gram_lower_bounds(evidence: Evidence, landmarks: Landmarks, share: float, epsilon: float) -> FloatArray:
    """Returns lower bounds of all pairs, (P,), each at all times with probability 1 - share; 0 where nothing is proven.

    Cost O(K^2 q^2) a plan version; O(K q) memory a version beside the answer.
    """
    columns = columns_by_version(evidence, landmarks.items)
    if not any(landmarks.batch_of(version) for version in columns):
        return np.zeros(n_pairs(evidence.n_items))
    return stacked_lower_bounds(columns, landmarks, share, epsilon)


def stacked_lower_bounds(
    columns: Mapping[int, Columns], landmarks: Landmarks, share: float, epsilon: float
) -> FloatArray:
    """Returns the lower bounds (..., P) from counts by version; leading dimensions are separate sessions."""
    for_regions = share * (REGION_SHARE_RANK_FREE if landmarks.rank_free else REGION_SHARE)
    price = math.log(1 / (share - for_regions))
    factors = list(_factors(columns, landmarks, math.log(3 / for_regions)))
    *sessions, K, _ = next(iter(columns.values())).n.shape
    lower = np.zeros((*sessions, n_pairs(K)))
    height = max(1, _TILE_ENTRIES // K)
    for top in range(0, K - 1, height):
        rows = slice(top, min(top + height, K - 1))
        gain = np.full((*sessions, rows.stop - top, K - top), -price)
        weight = np.zeros_like(gain)
        for factor in factors:
            tile = _tile(rows, factor, landmarks)
            lam = _lambda(tile, factor.batch.threshold, epsilon)
            lost = np.multiply(lam, tile.residual, out=np.zeros_like(lam), where=lam > 0)  # it may be infinite
            gain += lam * (tile.f - lam * tile.V / 2) - lost
            weight += lam
        bound = np.divide(gain, weight, out=np.zeros_like(gain), where=weight > 0)
        for i in range(top, rows.stop):
            at = slice(i * (2 * K - i - 1) // 2, (i + 1) * (2 * K - i - 2) // 2)
            lower[..., at] = bound[..., i - top, i - top + 1 :]
    return np.clip(lower, 0.0, 1.0)


class _Tile(NamedTuple):
    """One version's terms for some rows and the columns from the first of them on; lambda sees only the last four."""

    f: FloatArray
    V: FloatArray
    residual: FloatArray
    used: BoolArray
    guess: FloatArray  # of L_ij
    V_guess: FloatArray
    residual_guess: FloatArray


def _lambda(tile: _Tile, threshold: float, epsilon: float) -> FloatArray:
    """Returns lambda = gap/V, as guessed: where L_ij is that far above the threshold, this reaches it first.

    0 where the residual was expected to eat the gap up: such a version would only hold the others back.
    """
    gap = np.maximum(tile.guess - threshold, SMALLEST_GAP * epsilon) - tile.residual_guess
    return np.where(tile.used, np.clip(gap, 0.0, LARGEST_GAP) / np.maximum(tile.V_guess, _NO_VARIANCE), 0.0)


class _Form(NamedTuple):
    """Numbers for all pairs as left_i . right_j: tiles are matrix products, and nothing is K x K."""

    left: FloatArray  # (..., K, m)
    right: FloatArray  # (..., K, m)

    @classmethod
    def of(cls, *terms: tuple[FloatArray, FloatArray]) -> Self:
        """Returns the sum of the terms."""
        return cls(*(np.concatenate(side, axis=-1) for side in zip(*terms, strict=True)))

    def tile(self, rows: slice) -> FloatArray:
        """Returns the numbers of these rows and the columns from the first of them on."""
        return self.left[..., rows, :] @ np.swapaxes(self.right[..., rows.start :, :], -1, -2)


class _Factor(NamedTuple):
    """What one plan version contributes, before pairs are formed: forms by the names of `_Tile`."""

    batch: LandmarkBatch
    complete: BoolArray  # (..., K) whether all that a pair of this item needs has an answer
    forms: Mapping[str, _Form]
    seen: BoolArray  # (..., K, q) which entries of the landmark columns have an answer
    measured: Mapping[str, FloatArray]  # (..., K, q) the terms of pairs that are such entries; 0 if left out


def _tile(rows: slice, factor: _Factor, landmarks: Landmarks) -> _Tile:
    """Returns the terms of a tile; a pair with a landmark is an entry of the landmark's column."""
    tile = _Tile(
        used=factor.complete[..., rows, None] & factor.complete[..., None, rows.start :],
        **{name: form.tile(rows) for name, form in factor.forms.items()},
    )
    columns = {"used": factor.seen, **factor.measured}
    for place, item in enumerate(landmarks.items):
        for name, term in tile._asdict().items():
            column = columns.get(name)
            if item >= rows.start:
                term[..., :, item - rows.start] = 0 if column is None else column[..., rows, place]
            if rows.start <= item < rows.stop:
                term[..., item - rows.start, :] = 0 if column is None else column[..., rows.start :, place]
    return tile


def _factors(columns: Mapping[int, Columns], landmarks: Landmarks, log_level: float) -> Iterator[_Factor]:
    """Yields the factor of each version that has coefficients, with regions at log(1/alpha) = log_level a group."""
    before = _issued(columns, 0, landmarks.pilot)
    known = Known.of(_issued(columns, landmarks.pilot + 1, max(columns)), before, landmarks, log_level)
    for version, part in sorted(columns.items()):
        batch = landmarks.batch_of(version)
        if batch is None:
            continue
        n, mean = part.entries(landmarks)
        complete = np.all(part.n > 0, axis=-1) & np.all((n.core > 0) | ~landmarks.in_core, axis=(-2, -1))[..., None]
        if landmarks.rank_free:
            complete &= part.n_self > 0
        expected = _expected(batch, landmarks)
        # Of the past and of this version only counts are used here: so many samples, as the past expected them.
        so_far = _issued(columns, landmarks.version + 1, version)
        foreseen = Known.of(so_far.with_means(expected), before.with_means(expected), landmarks, log_level)
        terms = _rank_free_terms if landmarks.rank_free else _by_rank_terms
        noise, noise_guess = known.noise(n), foreseen.noise(n)
        f, V, residual = terms(batch, mean, noise, known, landmarks.h)
        _, V_guess, residual_guess = terms(batch, expected, noise_guess, foreseen, landmarks.h)
        if landmarks.rank_free:
            residual_guess = _expected_loss(batch, _issued(columns, 0, batch.version - 1).n)
        guess = _Form(landmarks.h * batch.y, expected.rows)
        forms = {"f": f, "V": V, "residual": residual}
        forms |= {"guess": guess, "V_guess": V_guess, "residual_guess": residual_guess}
        measured = {"f": mean.rows, "V": noise.rows, "guess": expected.rows, "V_guess": noise_guess.rows}
        yield _Factor(batch, complete, forms, part.n > 0, measured)


def _issued(columns: Mapping[int, Columns], first: int, last: int) -> Columns:
    """Returns the counts of the versions from first to last."""
    return Columns.total(
        [part if first <= version <= last else part.nothing_like() for version, part in columns.items()]
    )


def _expected(batch: LandmarkBatch, landmarks: Landmarks) -> Entries:
    """Returns the means that the past expected, kept clear of 0 and 1, where variances vanish."""
    rows = batch.y @ batch.core
    rows[..., landmarks.items, :] = batch.core
    selves = landmarks.h * np.sum(rows * batch.y, axis=-1)
    low, high = _CLEAR_OF_THE_ENDS, 1 - _CLEAR_OF_THE_ENDS
    core = np.where(landmarks.in_core, np.clip(batch.core, low, high), 0.0)
    return Entries(np.clip(rows, low, high), core, np.clip(selves, low, high))


def _by_rank_terms(
    batch: LandmarkBatch, mean: Entries, noise: Entries, known: Known, h: float
) -> tuple[_Form, _Form, _Form]:
    """Returns f = h xb_i' Bb xb_j, V = V_1 + V_2 + V_3 and the residual of pairs (i, j).

    V_3/h^2 is the sum over a <= b of N_ab (y_ia y_jb + y_ib y_ja [a != b])^2, y the largest |K x|: the sum over a != b
    of N_ab y_ia^2 y_jb^2, and the sum over all a, b of N_ab y_ia y_ib y_ja y_jb.
    """
    K = batch.mixer
    Bb = 2 * K - K @ mean.core @ K
    through = mean.rows @ Bb
    y = reach(K, known)
    across = noise.core * (1 - np.eye(K.shape[-1]))
    V = _Form.of(
        (h**2 * noise.rows, through**2),
        (h**2 * reach(Bb, known) ** 2, noise.rows),
        (h**2 * y**2 @ across, y**2),
        (h**2 * _products(y, noise.core), _products(y)),
    )
    size = np.linalg.norm(reach(known.core.T, known), axis=-1, keepdims=True)  # (..., K, 1) the largest |T x_i|
    residual = np.sqrt(h * core_residual(K, known.core))[..., None, None] * size
    return _Form(h * mean.rows, through), V, _Form(residual, residual)


def _rank_free_terms(
    batch: LandmarkBatch, mean: Entries, noise: Entries, _known: Known, _h: float
) -> tuple[_Form, _Form, _Form]:
    """Returns f = (x_i + x_j).z - z'W z/2 - (L_ii + L_jj)/2 at the means, its V and no residual; z = y_i + y_j.

    f = x_i.y_j + y_i.x_j - y_i'W y_j + o_i + o_j with o = x.y - y'W y/2 - L_ii/2. V = sum_a z_a^2 (N_ia + N_ja)
    + (N_ii + N_jj)/4 + t'D t with t_a = z_a^2 and D = N_ab/2 but N_aa/4; t_a = y_ia^2 + 2 y_ia y_ja + y_ja^2.
    """
    y, x, W = batch.y, mean.rows, mean.core
    one = np.ones((*y.shape[:-1], 1))
    own = np.sum((x - y @ W / 2) * y, axis=-1, keepdims=True) - mean.selves[..., None] / 2
    f = _Form.of((x, y), (y, x - y @ W), (own, one), (one, own))
    N, D = noise.rows, noise.core * (0.5 - 0.25 * np.eye(y.shape[-1]))
    y2, Dy2 = y**2, y**2 @ D
    alone = np.sum((N + Dy2) * y2, axis=-1, keepdims=True) + noise.selves[..., None] / 4
    V = _Form.of(
        (alone, one),
        (one, alone),
        (y2, N + 2 * Dy2),
        (N, y2),
        (2 * y * N + 4 * y * Dy2, y),
        (y, 2 * y * N + 4 * y * Dy2),
        (4 * _products(y, D), _products(y)),
    )
    return f, V, _Form(0 * one, one)


def _expected_loss(batch: LandmarkBatch, past: IntArray) -> _Form:
    """Returns what errors of y were expected to cost a rank-free pair: half of E z'W z, z the errors of y_i + y_j.

    y from n samples of an entry has errors K (coin noise), so E z'W z is at most the sum of K_aa/4n over both rows.
    """
    diagonal = np.diagonal(batch.mixer, axis1=-2, axis2=-1)[..., None, :]
    loss = np.sum(np.abs(diagonal) / (8 * np.maximum(past, 1)), axis=-1, keepdims=True)  # (..., K, 1)
    one = np.ones_like(loss)
    return _Form.of((loss, one), (one, loss))


def _products(y: FloatArray, weight: FloatArray | None = None) -> FloatArray:
    """Returns the products y_a y_b (..., K, q^2), times weight_ab (..., q, q) if there are weights."""
    products = y[..., :, None] * y[..., None, :]
    return (products if weight is None else products * weight[..., None, :, :]).reshape(*y.shape[:-1], -1)
