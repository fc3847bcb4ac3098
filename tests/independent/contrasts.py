"""Bound C of section 5 of docs/mathematics.md: bets on the difference of a rival and a nominee."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.independent.bounds import Problem
from tests.independent.confidence import high, low
from tests.independent.counts import Counts, Evidence, Floats, place_of

MAX_RIVALS_BY_ITEMS = 2000
MIN_MARGIN = 0.4
MAX_MARGIN = 0.5
MIN_VARIANCE = 0.0002
BET_FRACTION = 0.75
LARGEST_LOSS = 0.7
LEFTOVER_SHARE = 0.05
INTERVAL_ENDS = 8

Pair = tuple[int, int]
UNCLICKED = np.array([[1, 1], [0, 1], [1, 0], [0, 0]], dtype=float)  # (q_x, q_y): neither, only x, only y, both


class Outlook:
    """What a plan foresaw: how often it would show pairs and items, and its estimates."""

    def __init__(self, stored: dict[str, Any], K: int) -> None:
        self.version = int(stored["version"])
        self.epsilon = stored.get("epsilon")
        self.items = [int(item) for item in stored["items"]]
        self.d, self.N = np.zeros(K), np.ones(K)
        self.d[self.items] = stored["unclicked"]
        self.N[self.items] = np.maximum(stored["shown"], 1)
        self.pairs: list[Pair] = [(int(i), int(j)) for i, j in stored["pairs"]]
        self.planned = {pair: max(float(one), 1.0) for pair, one in zip(self.pairs, stored["planned"], strict=True)}
        self.values = dict(zip(self.pairs, map(float, stored["values"]), strict=True))

    def rivals(self, k: Pair, epsilon: float) -> dict[Pair, bool]:
        """Return the rivals of a nominee, and whether each is listed (otherwise it is bet on by its items)."""
        listed = {pair: True for pair in self.pairs if pair != k}
        by_items = (pair for pair in self._lowest_sums() if pair not in self.values)
        margin = {(i, j): ((self.d[i] + self.d[j]) - 1) - self.values[k] + epsilon for i, j in by_items}
        return listed | {pair: False for pair, one in margin.items() if one >= MIN_MARGIN * epsilon}

    def _lowest_sums(self) -> list[Pair]:
        """Return the pairs of items with the lowest sums of d, at most 2000."""
        ordered = sorted(self.items, key=lambda item: (self.d[item], item))
        places = [
            (s, t)
            for s in range(len(ordered))
            for t in range(s + 1, min(s + MAX_RIVALS_BY_ITEMS // (s + 1) + 1, len(ordered)))
        ]
        found = [(ordered[s], ordered[t]) for s, t in places]
        found.sort(key=lambda pair: self.d[pair[0]] + self.d[pair[1]])
        return [(min(pair), max(pair)) for pair in found[:MAX_RIVALS_BY_ITEMS]]

    def score(self, pair: Pair) -> Floats:
        """Return f of a pair for each of the four outcomes."""
        x, y = pair
        centred = (UNCLICKED[:, 0] - self.d[x]) * (UNCLICKED[:, 1] - self.d[y])
        return centred - (self.values[pair] - self.d[x] * self.d[y])

    def variance(self, pair: Pair) -> float:
        """Return the variance of a pair's score by the estimates."""
        z = self.values[pair]
        if not self.items:
            return max(z * (1 - z), MIN_VARIANCE)
        x, y = self.d[pair[0]], self.d[pair[1]]
        both = min(max(z - (x + y - 1), 0.0), 1 - x, 1 - y)
        probability = np.array([z, max(1 - x - both, 0.0), max(1 - y - both, 0.0), both])
        return max(float(probability @ self.score(pair) ** 2), MIN_VARIANCE)


@dataclass(frozen=True)
class Bet:
    """A bet on one rival r = (i, j) against a nominee k = (a, b), in one outlook."""

    outlook: Outlook
    rival: Pair
    nominee: Pair
    listed: bool

    @property
    def coefficients(self) -> Floats:
        """c of the four slots i, j, a, b."""
        d = self.outlook.d
        (i, j), (a, b) = self.rival, self.nominee
        own = (d[j], d[i]) if self.listed else (1.0, 1.0)
        return np.array([*own, -d[b], -d[a]])

    @property
    def rival_value(self) -> float:
        """z_r."""
        i, j = self.rival
        return self.outlook.values[self.rival] if self.listed else float(self.outlook.d[i] + self.outlook.d[j] - 1)

    def weights(self) -> Floats:
        """w_x of all items, 0 for those of neither pair."""
        total = np.zeros_like(self.outlook.d)
        np.add.at(total, [*self.rival, *self.nominee], self.coefficients)
        return total / self.outlook.N

    def size(self, epsilon: float) -> float:
        """lambda."""
        outlook, w, d = self.outlook, self.weights(), self.outlook.d
        N_k, f_k = outlook.planned[self.nominee], outlook.score(self.nominee)
        variance = outlook.variance(self.nominee) / N_k + float(np.sum(w**2 * d * (1 - d) * outlook.N))
        loss = max(*f_k / N_k, 0.0)
        if self.listed:
            N_r = outlook.planned[self.rival]
            variance += outlook.variance(self.rival) / N_r
            loss = max(loss, max(-outlook.score(self.rival)) / N_r)
        worst = float(np.sum(np.maximum(w * d, -w * (1 - d)))) + loss
        margin = epsilon + self.rival_value - outlook.values[self.nominee]
        margin = min(max(margin, MIN_MARGIN * epsilon), MAX_MARGIN)
        return min(BET_FRACTION * margin / variance, LARGEST_LOSS / worst)

    def scores(self, counts: Counts) -> Floats:
        """Return y/lambda of every pair and outcome."""
        w, outlook = self.weights(), self.outlook
        i, j = np.triu_indices(counts.K, 1)
        found = w[i, None] * (UNCLICKED[:, 0] - outlook.d[i, None]) + w[j, None] * (
            UNCLICKED[:, 1] - outlook.d[j, None]
        )
        if self.listed:
            found[place_of(*self.rival, counts.K)] += outlook.score(self.rival) / outlook.planned[self.rival]
        found[place_of(*self.nominee, counts.K)] -= outlook.score(self.nominee) / outlook.planned[self.nominee]
        return found

    def settle(self, counts: Counts, outcomes: Floats, epsilon: float) -> Floats:
        """Return log_wealth, gamma_r, gamma_k, gamma_0 and gamma of the four slots."""
        outlook, size = self.outlook, self.size(epsilon)
        (i, j), (a, b) = self.rival, self.nominee
        shown = counts.items()[0] / outlook.N
        gamma_k = size * counts.n[place_of(a, b, counts.K)] / outlook.planned[self.nominee]
        if self.listed:
            gamma_r = size * counts.n[place_of(i, j, counts.K)] / outlook.planned[self.rival]
        else:
            gamma_r = size * (shown[i] + shown[j]) / 2
        own = np.array([gamma_r, gamma_r, gamma_k, gamma_k])
        slots = [i, j, a, b]
        gamma_x = (size * shown[slots] - own) * self.coefficients
        gamma_0 = gamma_k * outlook.values[self.nominee] - gamma_r * self.rival_value - gamma_x @ outlook.d[slots]
        y = np.where(outcomes > 0, size * self.scores(counts), 0.0)
        log_wealth = np.sum(outcomes * np.log1p(y))
        return np.array([log_wealth, gamma_r, gamma_k, gamma_0, *gamma_x])


def contrast_bounds(problem: Problem, evidence: Evidence, upper: Floats, lower: Floats) -> dict[int, Floats]:
    """Return D of all rivals of each nominee with contrasts, by the nominee's number; -inf for other pairs."""
    found: dict[int, Floats] = {}
    if problem.shares["contrasts"] <= 0:
        return found
    for o, nominee in enumerate(problem.choices["nominees"], 1):
        k = (int(nominee["pair"][0]), int(nominee["pair"][1]))
        alpha = problem.shares["contrasts"] / (o * (o + 1))
        settled = _settled(problem, evidence, k, nominee["version"])
        if settled is None:
            continue
        intervals = _intervals(problem, evidence, nominee["version"], alpha)
        place = place_of(*k, problem.K)
        bound = np.full(problem.n_pairs, -np.inf)
        for rival, sums in settled.items():
            at = place_of(*rival, problem.K)
            bound[at] = _difference(sums, rival, k, intervals, alpha, upper[place], lower[at])
        found[place] = np.maximum(found.get(place, bound), bound)
    return found


def _settled(problem: Problem, evidence: Evidence, k: Pair, version: int) -> dict[Pair, Floats] | None:
    """Return the sums over outlooks for each rival; None if no outlook has the nominee."""
    outlooks = [Outlook(one, problem.K) for one in problem.choices["outlooks"] if one["version"] >= version]
    outlooks = [one for one in outlooks if k in one.values]
    sums: dict[Pair, Floats] = {}
    for outlook in outlooks:
        counts = evidence.of(outlook.version + 1)
        outcomes = counts.outcomes() if problem.item_clicks else _without_clicks(counts)
        epsilon = outlook.epsilon or problem.goal.epsilon
        assert epsilon is not None, "only sessions with an absolute goal have outlooks without an epsilon"
        for rival, listed in outlook.rivals(k, epsilon).items():
            bet = Bet(outlook, rival, k, listed)
            sums[rival] = sums.get(rival, np.zeros(8)) + bet.settle(counts, outcomes, epsilon)
    return sums if outlooks else None


def _without_clicks(counts: Counts) -> Floats:
    """Return outcomes with feedback "pair": neither, or both in place of any click."""
    zero = np.zeros_like(counts.n)
    return np.stack([counts.s, zero, zero, counts.n - counts.s], axis=1)


def _intervals(problem: Problem, evidence: Evidence, version: int, alpha: float) -> list[tuple[Floats, Floats]]:
    """Return [low, high] of p of all items, for items of rivals and for items of the nominee."""
    b = float(np.log(INTERVAL_ENDS / (LEFTOVER_SHARE * alpha)))
    guess = problem.item_guesses()
    found = []
    for start in (problem.guess_version, max(problem.guess_version, version)):
        n, S = evidence.after(start).items()
        found.append((low(n, S, b, guess), high(n, S, b, guess)))
    return found


def _difference(
    sums: Floats, rival: Pair, k: Pair, intervals: list[tuple[Floats, Floats]], alpha: float, upper: float, lower: float
) -> float:
    """Return D_r of steps 9 and 10."""
    log_wealth, gamma_r, gamma_k, gamma_0 = sums[:4]
    gamma_x = sums[4:].copy()
    for slot, item in enumerate(k, 2):
        if item in rival:
            gamma_x[rival.index(item)] += gamma_x[slot]
            gamma_x[slot] = 0.0
    rest = 0.0
    for slot, item in enumerate((*rival, *k)):
        least, most = intervals[slot // 2]
        rest += gamma_x[slot] * (most[item] if gamma_x[slot] > 0 else least[item])
    known = log_wealth + np.log((1 - LEFTOVER_SHARE) * alpha) - gamma_0 - rest
    known += -(gamma_r - gamma_k) * upper if gamma_r > gamma_k else (gamma_k - gamma_r) * lower
    largest = max(gamma_r, gamma_k)
    return float(np.clip(known / largest, -1, 1)) if largest > 0 else -1.0
