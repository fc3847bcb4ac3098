"""Contrasts: bookkeeping against one impression at a time, what counts, and what is left over."""

import math
from dataclasses import replace

import numpy as np
import pytest

from app.engine.arrays import FloatArray, Pair, n_pairs, pair_number
from app.engine.bounds import Contrasts
from app.engine.bounds.contrast import LEFTOVER_SHARE, MarginalBounds, contrasts, settle_bets, slot_counts
from app.engine.bounds.contrast_bets import Bets
from app.engine.choices import Choices, Guess, Nominee, Outlook
from app.engine.confidence import lower_end, upper_end
from app.engine.evidence import Evidence
from tests.engine.driver import evidence_from_rows

K = 6
EPSILON = 0.1
NOMINEE = Pair(1, 3)
PLANNED = {(1, 3): 40, (0, 1): 30, (2, 4): 25, (3, 5): 10, (0, 3): 20, (1, 5): 5}
"""Rivals that share either item with the nominee, or none; (0, 3), (1, 5) are shown and not among the pairs bet on."""

D = (0.6, 0.5, 0.8, 0.7, 0.9, 0.95)
OUTLOOK = Outlook(
    version=4,
    items=(0, 1, 2, 3, 4, 5),
    shown=tuple(sum(n for pair, n in PLANNED.items() if item in pair) for item in range(K)),
    unclicked=D,
    pairs=((1, 3), (0, 1), (2, 4), (3, 5)),
    planned=(40, 30, 25, 10),
    values=(0.33, 0.35, 0.7, 0.66),
)
OF_PAIRS = replace(OUTLOOK, items=(), shown=(), unclicked=())
NOWHERE = MarginalBounds(np.zeros(n_pairs(K)), np.ones(n_pairs(K)))


class World:
    """Chances of each pair's four outcomes: neither, only i, only j, both clicked."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.p = rng.uniform(0.3, 0.95, K)
        self.L = {}
        for i, j in PLANNED:
            low, high = max(self.p[i] + self.p[j] - 1, 0.0), min(self.p[i], self.p[j])
            self.L[i, j] = rng.uniform(low, high)

    def chances(self, i: int, j: int) -> FloatArray:
        p, q, none = self.p[i], self.p[j], self.L[i, j]
        return np.array([none, q - none, p - none, 1 - p - q + none])


def shown(
    world: World, seed: int, part: float = 1.0, version: int = 5
) -> tuple[Evidence, dict[tuple[int, int], list[int]]]:
    """Impressions of the plan, or of a part of them, by cell."""
    rng = np.random.default_rng(seed)
    cells = {
        pair: rng.multinomial(math.ceil(part * n * rng.uniform(part, 1)), world.chances(*pair))
        for pair, n in PLANNED.items()
    }
    seen = Evidence.empty(K)
    for (i, j), (neither, only_i, only_j, both) in cells.items():
        clicks = (np.array([only_i + both]), np.array([only_j + both]))
        n = neither + only_i + only_j + both
        seen = seen.add(np.array([i]), np.array([j]), version, np.array([n]), np.array([float(neither)]), clicks)
    return seen, {pair: list(found) for pair, found in cells.items()}


def one_by_one(
    bets: Bets, row: int, pair: tuple[int, int], cell: int, d: dict[int, float], outlook: Outlook = OUTLOOK
) -> float:
    """y of one impression, from the definition."""
    (i, j), rival = pair, tuple(bets.rivals[row])
    q = {i: 1.0 - (cell in (1, 3)), j: 1.0 - (cell in (2, 3))}
    listed = bool(bets.listed[row])
    c = dict.fromkeys(range(K), 0.0)
    c[rival[0]] += d[rival[1]] if listed else 1.0
    c[rival[1]] += d[rival[0]] if listed else 1.0
    c[NOMINEE.i] -= d[NOMINEE.j]
    c[NOMINEE.j] -= d[NOMINEE.i]
    planned = dict(zip(outlook.items, outlook.shown, strict=True)) or dict.fromkeys(range(K), 1)
    score = sum(c[x] * (q[x] - d[x]) / planned[x] for x in pair)
    Z = (q[i] - d[i]) * (q[j] - d[j])
    if pair == rival and listed:
        at = outlook.pairs.index(pair)
        score += (Z - (outlook.values[at] - d[i] * d[j])) / outlook.planned[at]
    if pair == NOMINEE:
        score -= (Z - (outlook.values[0] - d[i] * d[j])) / outlook.planned[0]
    return float(bets.bet_size[row] * score)


def found_by(
    evidence: Evidence, outlook: Outlook, share: float = 0.05, marginal: MarginalBounds = NOWHERE, version: int = 4
) -> Contrasts:
    choices = Choices(nominees=(Nominee(version, NOMINEE, 0.3),), outlooks=(outlook,))
    found = contrasts(evidence, choices, choices.nominees[0], share, EPSILON, marginal)
    assert found is not None
    return found


@pytest.mark.parametrize("outlook", [OUTLOOK, OF_PAIRS])
@pytest.mark.parametrize("seed", range(5))
def test_sums_are_those_of_single_impressions(outlook: Outlook, seed: int) -> None:
    """Log wealth, and the sum of E[y], which is linear in the truth with the stored coefficients."""
    world = World(seed)
    evidence, cells = shown(world, seed, part=0.6)
    bets = Bets(outlook, NOMINEE, EPSILON)
    d = dict(zip(range(K), D if outlook.items else [0.0] * K, strict=True))
    sums = settle_bets(bets, slot_counts(bets, evidence))
    for row in range(len(bets.rivals)):
        won = mean = 0.0
        for pair, counts in cells.items():
            y = [one_by_one(bets, row, pair, cell, d) for cell in range(4)]
            won += sum(n * math.log1p(one) for n, one in zip(counts, y, strict=True))
            mean += sum(counts) * float(world.chances(*pair) @ np.array(y))
        i, j = bets.rivals[row]
        items = [i, j, NOMINEE.i, NOMINEE.j]
        least = world.p[i] + world.p[j] - 1
        L = world.L[i, j] if bets.listed[row] else least  # of others only p is known: L is at least this
        stated = sums.of_rival[row] * L - sums.of_nominee[row] * world.L[NOMINEE] + sums.constant[row]
        stated += float(sums.of_items[:, row] @ world.p[items])
        assert sums.log_wealth[row] == pytest.approx(won, abs=1e-9)
        assert stated == pytest.approx(mean, abs=1e-9)


def as_planned(version: int = 5) -> Evidence:
    """All that was planned, and nothing else."""
    rng, evidence = np.random.default_rng(version), Evidence.empty(K)
    for (i, j), n in PLANNED.items():
        cells = rng.multinomial(n, [0.4, 0.2, 0.2, 0.2])
        clicks = (np.array([cells[1] + cells[3]]), np.array([cells[2] + cells[3]]))
        neither = np.array([float(cells[0])])
        evidence = evidence.add(np.array([i]), np.array([j]), version, np.array([n]), neither, clicks)
    return evidence


def test_nothing_is_left_over_if_all_that_was_planned_came_in() -> None:
    bets = Bets(OUTLOOK, NOMINEE, EPSILON)
    sums = settle_bets(bets, slot_counts(bets, as_planned()))
    assert np.abs(sums.of_items).max() < 1e-9
    assert sums.of_rival == pytest.approx(sums.of_nominee)
    assert sums.of_rival == pytest.approx(bets.bet_size)
    # So neither the items' intervals nor other bounds matter.
    found = found_by(as_planned(), OUTLOOK)
    other = found_by(as_planned(), OUTLOOK, marginal=MarginalBounds(np.full(n_pairs(K), 0.2), np.full(n_pairs(K), 0.9)))
    assert found.difference == pytest.approx(other.difference)


def test_levels_to_the_digit() -> None:
    bets, share = Bets(OUTLOOK, NOMINEE, EPSILON), 0.02
    sums = settle_bets(bets, slot_counts(bets, as_planned()))
    expected = (sums.log_wealth - math.log(1 / (0.95 * share)) - sums.constant) / bets.bet_size
    found = found_by(as_planned(), OUTLOOK, share)
    place = [pair_number(Pair(*pair), K) for pair in bets.rivals.tolist()]
    at = np.searchsorted(found.rivals, place)
    assert found.difference[at] == pytest.approx(np.maximum(expected, -1))
    assert np.count_nonzero(expected > -1) > 4
    assert found.weight[at] == pytest.approx(bets.bet_size)


def test_what_is_left_over_is_taken_at_its_worst() -> None:
    """A plan of which parts did not come in, with items known to an interval and pairs to their other bounds."""
    evidence, _ = shown(World(6), 6, part=0.5)
    bets, share = Bets(OUTLOOK, NOMINEE, EPSILON), 0.1
    sums = settle_bets(bets, slot_counts(bets, evidence))
    items = evidence.item_clicks()
    ends = [
        end(items.n, items.n - items.clicks, math.log(8 / (LEFTOVER_SHARE * share))) for end in (lower_end, upper_end)
    ]
    lower, upper = np.full(n_pairs(K), 0.25), np.full(n_pairs(K), 0.8)
    found = found_by(evidence, OUTLOOK, share, MarginalBounds(lower, upper))
    for row, (i, j) in enumerate(bets.rivals.tolist()):
        slopes = dict.fromkeys((i, j, *NOMINEE), 0.0)
        for slot, item in enumerate((i, j, *NOMINEE)):
            slopes[item] += float(sums.of_items[slot, row])
        most = sum(max(slope * ends[0][x], slope * ends[1][x]) for x, slope in slopes.items())
        K_r, K_k = float(sums.of_rival[row]), float(sums.of_nominee[row])
        level = math.log(1 / ((1 - LEFTOVER_SHARE) * share))
        # The least L_r - L_k with K_r L_r - K_k L_k >= known, L_r >= .25, L_k <= .8: at a corner of that region.
        known = float(sums.log_wealth[row]) - level - float(sums.constant[row]) - most
        least = (known + K_k * 0.8) / K_r - 0.8 if K_r > K_k else 0.25 - (K_r * 0.25 - known) / K_k
        at = int(np.searchsorted(found.rivals, pair_number(Pair(i, j), K)))
        assert found.difference[at] == pytest.approx(max(least, -1.0))


def test_only_impressions_of_the_outlooks_own_version_count() -> None:
    evidence, _ = shown(World(3), 3)
    mixed = together(evidence, shown(World(4), 4, version=4)[0], shown(World(5), 5, version=6)[0])
    # Weights do not depend on outcomes, so they show what was counted.
    assert found_by(evidence, OUTLOOK).weight == pytest.approx(found_by(mixed, OUTLOOK).weight)


def test_bets_use_the_epsilon_that_was_written_into_their_outlook() -> None:
    """Another epsilon later, such as what a relative goal allows by then, does not change bets already placed."""
    evidence, _ = shown(World(3), 3)

    def difference(of_session: float, of_outlook: float | None) -> FloatArray:
        outlook = replace(OUTLOOK, epsilon=of_outlook)
        choices = Choices(nominees=(Nominee(4, NOMINEE, 0.3),), outlooks=(outlook,))
        found = contrasts(evidence, choices, choices.nominees[0], 0.05, of_session, NOWHERE)
        assert found is not None
        return found.difference

    written = difference(0.1, 0.1)
    np.testing.assert_array_equal(difference(0.3, 0.1), written)
    np.testing.assert_array_equal(difference(0.1, None), written)  # as in outlooks of older versions
    assert not np.array_equal(difference(0.1, 0.3), written)


def test_outlooks_from_before_the_nomination_do_not_count() -> None:
    evidence, _ = shown(World(3), 3)
    choices = Choices(nominees=(Nominee(5, NOMINEE, 0.3),), outlooks=(OUTLOOK,))
    assert contrasts(evidence, choices, choices.nominees[0], 0.05, EPSILON, NOWHERE) is None


def test_one_plan_has_one_outlook() -> None:
    with pytest.raises(ValueError, match="bet on once"):
        Choices(outlooks=(OUTLOOK, OUTLOOK))
    with pytest.raises(ValueError, match="bet on once"):
        Choices(outlooks=(OUTLOOK,)).add_outlook(replace(OUTLOOK, version=3))


def together(*parts: Evidence) -> Evidence:
    """All the counts."""
    total = parts[0]
    for one in parts[1:]:
        total = total.add(one.i, one.j, int(one.version[0]), one.n, one.s, (one.clicks_i, one.clicks_j))
    return total


def test_plans_add_up_for_rivals_bet_on_directly_and_by_items() -> None:
    """(2, 4) is listed in the first plan and bet on by its items in the second, (0, 1) is in the second alone."""
    epsilon, share = 0.4, 0.05
    first = replace(OUTLOOK, pairs=((1, 3), (2, 4)), planned=(40, 25), values=(0.33, 0.7))
    second = replace(OUTLOOK, version=5, pairs=((1, 3), (0, 1), (3, 5)), planned=(40, 30, 10), values=(0.4, 0.35, 0.66))
    evidence = together(as_planned(), as_planned(version=6))
    choices = Choices(nominees=(Nominee(4, NOMINEE, 0.3),), outlooks=(first, second))
    found = contrasts(evidence, choices, choices.nominees[0], share, epsilon, NOWHERE)
    assert found is not None
    total: dict[tuple[int, ...], FloatArray] = {}
    forms: dict[tuple[int, ...], list[bool]] = {}
    for outlook in (first, second):
        bets = Bets(outlook, NOMINEE, epsilon)
        sums = settle_bets(bets, slot_counts(bets, evidence.issued(outlook.version + 1, outlook.version + 1)))
        for row, rival in enumerate(bets.rivals.tolist()):
            pair = tuple(rival)
            won = np.array([sums.log_wealth[row] - sums.constant[row], sums.of_rival[row]])
            total[pair] = total.get(pair, np.zeros(2)) + won
            forms.setdefault(pair, []).append(bool(bets.listed[row]))
    assert forms[2, 4] == [True, False]
    assert forms[0, 1][-1]
    for pair, (won, weight) in total.items():
        at = int(np.searchsorted(found.rivals, pair_number(Pair(*pair), K)))
        expected = (won - math.log(1 / ((1 - LEFTOVER_SHARE) * share))) / weight
        assert found.difference[at] == pytest.approx(max(expected, -1.0))


class TestItemsLeftOver:
    """Intervals of p for what did not come in as planned."""

    GUESS = Guess(2, ((0.6,), (0.5,), (0.8,), (0.7,), (0.9,), (0.95,)))

    def found(self, *before: Evidence, guess: Guess | None = None) -> float:
        """What is proven of (0, 5), which has no item of the nominee, by its items."""
        outlook = replace(
            OUTLOOK, planned=tuple(40 * n for n in OUTLOOK.planned), shown=tuple(40 * n for n in OUTLOOK.shown)
        )
        partly = Evidence.empty(K)
        for (i, j), part in zip(PLANNED, (0.9, 0.7, 1.0, 0.8, 0.6, 1.0), strict=True):
            n = np.array([round(40 * PLANNED[i, j] * part)])
            clicks = (n * 3 // 10, n * 2 // 10)
            partly = partly.add(np.array([i]), np.array([j]), 5, n, (n - sum(clicks)).astype(np.float64), clicks)
        choices = Choices(guess, nominees=(Nominee(4, NOMINEE, 0.3),), outlooks=(outlook,))
        found = contrasts(together(partly, *before), choices, choices.nominees[0], 0.1, EPSILON, NOWHERE)
        assert found is not None
        return float(found.difference[np.searchsorted(found.rivals, pair_number(Pair(0, 5), K))])

    def test_the_nominees_items_are_known_from_later_samples_only(self) -> None:
        """Chance may have chosen them. No data chose the items of the rival."""
        assert self.found(evidence_from_rows(K, [(1, 3, 3, 900, 500.0)])) == self.found()
        assert self.found(evidence_from_rows(K, [(0, 5, 3, 900, 500.0)])) != self.found()

    def test_samples_up_to_the_guess_do_not_count(self) -> None:
        early, late = (evidence_from_rows(K, [(0, 5, version, 900, 500.0)]) for version in (2, 3))
        alone = self.found(guess=self.GUESS)
        assert self.found(early, guess=self.GUESS) == alone
        assert self.found(late, guess=self.GUESS) != alone
        assert self.found() != alone, "the guess is the prior"


def test_a_plan_that_does_not_show_the_nominee_has_no_bets_on_its_rivals() -> None:
    evidence, _ = shown(World(3), 3)
    choices = Choices(nominees=(Nominee(4, Pair(0, 2), 0.3),), outlooks=(OUTLOOK,))
    assert contrasts(evidence, choices, choices.nominees[0], 0.05, EPSILON, NOWHERE) is None
