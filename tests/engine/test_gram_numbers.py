"""Bound G: numbers by hand for one landmark, and every pair of small sessions by a plain reference."""

import math

import numpy as np
import pytest
from scipy.special import betaln

from app.engine.arrays import FloatArray, Pair, n_pairs, pair_at, pair_number
from app.engine.bounds.gram import gram_lower_bounds
from app.engine.bounds.gram_counts import Columns, LandmarkBatch, Landmarks, columns_by_version
from app.engine.bounds.gram_residual import Known, core_residual, proxy, reach
from app.engine.evidence import Evidence
from tests.engine.test_gram import EPSILON, KINDS, SHARE, session


def log_price(n: int, s: float, n_0: int, s_0: float) -> float:
    """Returns log M(p_hat) with the prior that n_0 earlier samples left of Jeffreys', straight from its definition."""
    p, a, b = s / n, s_0 + 0.5, n_0 - s_0 + 0.5
    return float(betaln(s + a, n - s + b) - betaln(a, b) - s * math.log(p) - (n - s) * math.log(1 - p))


def even(n: int, s: float, b: float) -> float:
    """Returns the point nearest to 1/2 for s/n < 1/2: the root of n (p - q)^2 = 2 b p (1 - p)."""
    q, c = s / n, b / n
    return min(0.5, (q + c + math.sqrt(c * c + 2 * c * q * (1 - q))) / (1 + 2 * c))


def kearns_saul(p: float) -> float:
    return 0.25 if p == 0.5 else (1 - 2 * p) / (2 * math.log((1 - p) / p))


Counts = dict[str, tuple[int, float]]


def test_one_landmark_by_hand() -> None:
    # Items 0 (landmark), 1, 2. L_01: 400 of 1000, L_02: 300 of 1000, L_00: 3600 of 9000, after a past of 200 a row and
    # 2000 of the core that knew .41, .29, .42.
    share, threshold = 0.1, 0.05
    y, core = np.array([[1.0], [0.976190], [0.690476]]), np.array([[0.42]])
    landmarks = Landmarks(3, (0,), batches=(LandmarkBatch(4, y, threshold, core),))
    past: Counts = {"1": (200, 82.0), "2": (200, 58.0), "core": (2000, 840.0)}
    shown: Counts = {"1": (1000, 400.0), "2": (1000, 300.0), "core": (9000, 3600.0)}
    pairs = {"1": (0, 1), "2": (0, 2), "core": (0, 0)}
    rows = [(*pairs[name], version, *counts[name]) for version, counts in ((1, past), (5, shown)) for name in pairs]
    lower = gram_lower_bounds(Evidence.from_rows(3, rows), landmarks, share, EPSILON)

    level = math.log(3 / (0.15 * share))  # three groups have 15 % of the share
    mean_expected = {"1": 0.4099998, "2": 0.28999992, "core": 0.42}
    expected = {name: (n, n * mean_expected[name]) for name, (n, _) in shown.items()}
    past_expected = {name: (n, n * mean_expected[name]) for name, (n, _) in past.items()}
    K = 1 / 0.42

    def terms(counts: Counts, before: Counts) -> tuple[float, float]:
        """Returns V and the residual of pair (1, 2): row 2 is uncovered before row 1."""
        mean = {name: s / n for name, (n, s) in counts.items()}
        b = {name: level - log_price(*counts[name], *before[name]) for name in counts}
        v = {name: even(n, s, b[name]) for name, (n, s) in counts.items()}
        noise = {name: kearns_saul(v[name]) / counts[name][0] for name in counts}
        wide = {name: math.sqrt(2 * b[name] * v[name] * (1 - v[name]) / counts[name][0]) for name in counts}
        B = 2 * K - K * mean["core"] * K
        at_most = {name: mean[name] + wide[name] for name in ("1", "2")}
        V = noise["1"] * (B * mean["2"]) ** 2 + noise["2"] * (B * at_most["1"]) ** 2
        V += noise["core"] * (K * at_most["1"]) ** 2 * (K * at_most["2"]) ** 2
        omega = wide["core"] / mean["core"]
        k = K * mean["core"]
        return V, (abs(1 - k) + k * omega) ** 2 / (1 - omega) * at_most["1"] * at_most["2"] / mean["core"]

    V, residual = terms(shown, past)
    V_guess, residual_guess = terms(expected, past_expected)
    lam = (0.976190 * 0.690476 * 0.42 - threshold - residual_guess) / V_guess
    f = 0.4 * (2 * K - K * 0.4 * K) * 0.3
    by_hand = f - lam * V / 2 - residual - math.log(1 / (0.85 * share)) / lam
    assert 0.05 < by_hand < 0.25
    assert lower[pair_number(Pair(1, 2), 3)] == pytest.approx(by_hand, abs=1e-6)

    # The pair (0, 1) is its own entry: f = .4, V = s/1000, and lambda from the past's .41.
    v = even(1000, 400.0, level - log_price(1000, 400.0, 200, 82.0))
    v_guess = even(1000, 409.9998, level - log_price(1000, 409.9998, 200, 81.99996))
    lam = (0.4099998 - threshold) / (kearns_saul(v_guess) / 1000)
    by_hand = 0.4 - lam * kearns_saul(v) / 1000 / 2 - math.log(1 / (0.85 * share)) / lam
    assert lower[pair_number(Pair(0, 1), 3)] == pytest.approx(by_hand, abs=1e-6)


def test_one_landmark_rank_free_by_hand() -> None:
    # L_01 = .4, L_02 = .3, L_00 = .4, L_11 = .45, L_22 = .35, each 2000 times after 500; y = 1 and .75.
    share, threshold = 0.1, 0.05
    y, core = np.array([[1.0], [1.0], [0.75]]), np.array([[0.4]])
    landmarks = Landmarks(3, (0,), True, (LandmarkBatch(4, y, threshold, core),))
    means = {(0, 1): 0.4, (0, 2): 0.3, (0, 0): 0.4, (1, 1): 0.45, (2, 2): 0.35}
    rows = [(*pair, version, n, n * p) for pair, p in means.items() for version, n in ((1, 500), (5, 2000))]
    lower = gram_lower_bounds(Evidence.from_rows(3, rows), landmarks, share, EPSILON)

    level = math.log(3 / (0.05 * share))  # 5 % of the share for three groups: rows with their self pairs, and the core

    def noises(*group: float) -> list[float]:
        b = level - sum(log_price(2000, 2000 * p, 500, 500 * p) for p in group)
        return [kearns_saul(even(2000, 2000 * p, b)) / 2000 for p in group]

    def variance(row_1: list[float], row_2: list[float], core: list[float], z: float) -> float:
        return z**2 * (row_1[0] + row_2[0]) + (row_1[1] + row_2[1]) / 4 + z**4 * core[0] / 4

    z = 1.75
    f = (0.4 + 0.3) * z - z**2 * 0.4 / 2 - (0.45 + 0.35) / 2  # .2125, and L_12 would be .3 at rank one
    proven = variance(noises(0.4, 0.45), noises(0.3, 0.35), noises(0.4), z)
    guessed = variance(noises(0.4, 0.4), noises(0.3, 0.225), noises(0.4), z)  # the past expected y L_01 of self pairs
    loss = 2 * (1 / 0.4) / (8 * 500)  # what errors of y were expected to cost
    lam = (1.0 * 0.75 * 0.4 - threshold - loss) / guessed
    by_hand = f - lam * proven / 2 - math.log(1 / (0.95 * share)) / lam
    assert by_hand > 0.05
    assert lower[pair_number(Pair(1, 2), 3)] == pytest.approx(by_hand, abs=1e-9)


def terms_of_a_pair(
    i: int,
    j: int,
    batch: LandmarkBatch,
    x: FloatArray,
    M: FloatArray,
    selves: FloatArray,
    n: Columns,
    known: Known,
    landmarks: Landmarks,
) -> tuple[float, float, float]:
    """Returns f, V and the residual of one pair of items that are no landmarks, entry by entry."""
    q, h = len(landmarks.items), landmarks.h
    s = {item: [float(proxy(known.most_even.rows[item, a])) / n.n[item, a] for a in range(q)] for item in (i, j)}
    core = {
        (a, b): float(proxy(known.most_even.core[a, b])) / n.n[landmarks.items[a], b]
        for a in range(q)
        for b in range(a, q)
        if landmarks.in_core[a, b]
    }
    if landmarks.rank_free:
        z = batch.y[i] + batch.y[j]
        f = (x[i] + x[j]) @ z - z @ M @ z / 2 - (selves[i] + selves[j]) / 2
        V = sum(z[a] ** 2 * (s[i][a] + s[j][a]) for a in range(q))
        V += sum(noise * (z[a] * z[b] * (0.5 if a == b else 1)) ** 2 for (a, b), noise in core.items())
        V += sum(float(proxy(known.most_even.selves[item])) / n.n_self[item] / 4 for item in (i, j))
        return float(f), float(V), 0.0
    K = batch.mixer
    B = 2 * K - K @ M @ K
    y_i, y_j = reach(K, known)[i], reach(K, known)[j]
    V = sum(s[i][a] * (B @ x[j])[a] ** 2 + s[j][a] * reach(B, known)[i, a] ** 2 for a in range(q))
    V += sum(noise * (y_i[a] * y_j[b] + (a != b) * y_i[b] * y_j[a]) ** 2 for (a, b), noise in core.items())
    size = [float(np.linalg.norm(reach(known.core.T, known)[item])) for item in (i, j)]
    return h * float(x[i] @ B @ x[j]), h**2 * float(V), h * float(core_residual(K, known.core)) * size[0] * size[1]


@pytest.mark.parametrize("kind", KINDS)
def test_every_pair_agrees_with_a_plain_reference(kind: str) -> None:
    _, evidence, landmarks = session(kind, 6, versions=2)
    lower = gram_lower_bounds(evidence, landmarks, SHARE, EPSILON)
    columns = columns_by_version(evidence, landmarks.items)
    fresh = {version: part for version, part in columns.items() if version > 1}
    regions = (0.05 if landmarks.rank_free else 0.15) * SHARE
    pilot = Columns.total([columns[1], columns[2]])
    known = Known.of(columns[3], pilot, landmarks, math.log(3 / regions))
    compared = 0
    for index in range(n_pairs(8)):
        i, j = pair_at(index, 8)
        if i in landmarks.items or j in landmarks.items:
            continue
        gain, weight = -math.log(1 / (SHARE - regions)), 0.0
        for version, part in fresh.items():
            batch = landmarks.batch_of(version)
            assert batch is not None
            _, mean = part.entries(landmarks)
            f, V, residual = terms_of_a_pair(i, j, batch, mean.rows, mean.core, mean.selves, part, known, landmarks)
            past = Columns.total([fresh[v] for v in fresh if v <= version])
            x = np.clip(batch.y @ batch.core, 0.02, 0.98)
            selves = np.clip(landmarks.h * np.sum((batch.y @ batch.core) * batch.y, axis=1), 0.02, 0.98)
            M = np.where(landmarks.in_core, np.clip(batch.core, 0.02, 0.98), 0.0)
            x[list(landmarks.items)] = np.clip(batch.core, 0.02, 0.98)
            counts, before = (Columns(part.n, part.n * x, part.n_self, part.n_self * selves) for part in (past, pilot))
            foreseen = Known.of(counts, before, landmarks, math.log(3 / regions))
            _, V_guess, residual_guess = terms_of_a_pair(i, j, batch, x, M, selves, part, foreseen, landmarks)
            if landmarks.rank_free:
                had = Columns.total([columns[v] for v in columns if v < version]).n
                errors = np.abs(np.diagonal(batch.mixer)) / 8
                residual_guess = sum(float(np.sum(errors / had[item])) for item in (i, j))
            guess = landmarks.h * float(batch.y[i] @ x[j])
            gap = min(max(max(guess - batch.threshold, EPSILON / 4) - residual_guess, 0.0), 0.5)
            lam = gap / V_guess
            gain += lam * f - lam**2 * V / 2 - lam * residual
            weight += lam
        assert lower[index] == pytest.approx(max(gain / weight, 0.0), abs=1e-10)
        compared += lower[index] > 0
    assert compared >= 5
