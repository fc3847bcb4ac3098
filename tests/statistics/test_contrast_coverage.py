"""A contrast of one rival, looked at again and again: wrong at some time in at most alpha of all runs.

Ten thousand runs at alpha = .2, polled after each of forty plans. The rival is as much better than the nominee as the
bet tries to refute, so the bet is fair: its bet_size is a martingale, and any mistake in its favour shows.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.stats import binom

from app.engine.arrays import FloatArray, Pair
from app.engine.bounds.contrast import (
    LEFTOVER_SHARE,
    SLOT_PAIRS,
    SlotCounts,
    Sums,
    largest_item_sum,
    proven,
    settle_bets,
)
from app.engine.bounds.contrast_bets import Bets
from app.engine.choices import Outlook
from app.engine.confidence import lower_end, upper_end

ALPHA = 0.2
RUNS = 10_000
ALLOWED = int(binom.ppf(0.999, RUNS, ALPHA))
PLANS = 40
MARGIN = 0.2
"""How far bets are made to carry: large enough for all plans together to decide them."""


@dataclass(frozen=True)
class Comparison:
    """A nominee and a rival, chances of what is clicked, and what plans think."""

    nominee: Pair
    rival: Pair
    p: tuple[float, ...]  # of not being clicked, by item
    L: dict[Pair, float]
    planned: dict[Pair, int]  # in each plan
    listed: bool = True
    offset: float = 0.0  # how far off plans think p and L are
    part: float = 1.0  # of what is planned comes in

    def outlook(self) -> Outlook:
        thought = {pair: min(max(self.L[pair] + self.offset, 0.01), 0.99) for pair in (self.nominee, self.rival)}
        pairs = (self.nominee, self.rival) if self.listed else (self.nominee,)
        return Outlook(
            version=1,
            items=tuple(range(len(self.p))),
            shown=tuple(sum(n for pair, n in self.planned.items() if x in pair) for x in range(len(self.p))),
            unclicked=tuple(min(max(p + self.offset, 0.01), 0.99) for p in self.p),
            pairs=tuple((pair.i, pair.j) for pair in pairs),
            planned=tuple(self.planned[pair] for pair in pairs),
            values=tuple(thought[pair] for pair in pairs),
        )

    def chances(self, pair: Pair) -> list[float]:
        p, q, none = self.p[pair.i], self.p[pair.j], self.L[pair]
        return [none, q - none, p - none, 1 - p - q + none]


SHARING = Comparison(
    Pair(0, 1), Pair(0, 2), (0.5, 0.7, 0.68, 0.9),
    {Pair(0, 1): 0.33, Pair(0, 2): 0.25, Pair(1, 2): 0.5, Pair(2, 3): 0.6},
    {Pair(0, 1): 4, Pair(0, 2): 3, Pair(1, 2): 1, Pair(2, 3): 1},
)  # fmt: skip
APART = Comparison(
    Pair(0, 1), Pair(2, 3), (0.7, 0.6, 0.65, 0.6),
    {Pair(0, 1): 0.42, Pair(2, 3): 0.34, Pair(0, 2): 0.45, Pair(1, 3): 0.3},
    {Pair(0, 1): 4, Pair(2, 3): 3, Pair(0, 2): 2, Pair(1, 3): 2},
)  # fmt: skip
BY_ITEMS = Comparison(
    Pair(0, 1), Pair(0, 2), (0.5, 0.85, 0.78, 0.9),
    {Pair(0, 1): 0.38, Pair(0, 2): 0.28, Pair(1, 2): 0.66, Pair(2, 3): 0.7},
    {Pair(0, 1): 4, Pair(0, 2): 1, Pair(1, 2): 3, Pair(2, 3): 3},
    listed=False,
)  # fmt: skip
"""The rival's two items are never both clicked: L is as low as its items allow."""


def runs_of(comparison: Comparison) -> tuple[Bets, list[Sums], list[FloatArray], float]:
    """Returns what each plan adds, the items' counts after it, and the true difference."""
    rng = np.random.default_rng(
        [int(100 * comparison.p[1]), int(100 * comparison.offset) + 50, int(10 * comparison.part), comparison.listed]
    )
    true = comparison.L[comparison.rival] - comparison.L[comparison.nominee]
    bets = Bets(comparison.outlook(), comparison.nominee, MARGIN - true)
    row = [tuple(pair) for pair in bets.rivals.tolist()].index(tuple(comparison.rival))
    bets = _only(bets, row)
    added, counts = [], []
    for _ in range(PLANS):
        n, clicks = np.zeros((4, RUNS)), np.zeros((4, RUNS))
        beside = np.zeros((6, RUNS, 4))
        slots = bets.slots[:, 0].tolist()
        for pair, planned in comparison.planned.items():
            came = rng.binomial(planned, comparison.part, RUNS) if comparison.part < 1 else np.full(RUNS, planned)
            cells = rng.multinomial(came, comparison.chances(pair)).astype(np.float64)
            for slot, item in enumerate(slots):
                if item in pair:
                    n[slot] += cells.sum(axis=1)
                    clicks[slot] += cells[:, 3] + cells[:, 1 if item == pair.i else 2]
            for at, (u, v) in enumerate(SLOT_PAIRS):
                if {slots[u], slots[v]} == set(pair) and bets.live[u, 0] and bets.live[v, 0]:
                    beside[at] = cells if slots[u] == pair.i else cells[:, [0, 2, 1, 3]]
        added.append(settle_bets(bets, SlotCounts(n, clicks, beside)))
        counts.append(np.stack([n, clicks]))
    return bets, added, counts, true


class _only(Bets):  # noqa: N801 - reads as a word
    """The bets on one rival alone."""

    def __init__(self, bets: Bets, row: int) -> None:
        super().__init__(bets.outlook, bets.nominee, bets.epsilon)
        keep = slice(row, row + 1)
        self.__dict__.update(
            rivals=bets.rivals[keep], listed=bets.listed[keep], planned=bets.planned[keep],
            value=bets.value[keep], bet_size=bets.bet_size[keep],
            slots=bets.slots[:, keep], d=bets.d[:, keep], coefficient=bets.coefficient[:, keep],
            live=bets.live[:, keep], merged=bets.merged[:, keep], planned_of_items=bets.planned_of_items[:, keep],
        )  # fmt: skip


def misses(comparison: Comparison, share: float = ALPHA) -> int:
    """Returns the runs in which the bound exceeds the true difference at some poll."""
    bets, added, counts, true = runs_of(comparison)
    total, seen = added[0], np.zeros_like(counts[0])
    missed = np.zeros(RUNS, dtype=np.bool_)
    items = np.repeat(bets.slots, RUNS, axis=1)
    for k, more in enumerate(added):
        total = more if k == 0 else Sums(*(a + b for a, b in zip(total, more, strict=True)))
        seen = seen + counts[k]
        n, s = seen[0].ravel().astype(np.int64), (seen[0] - seen[1]).ravel()
        level = math.log(8 / (LEFTOVER_SHARE * share))
        ends = lower_end(n, s, level).reshape(4, RUNS), upper_end(n, s, level).reshape(4, RUNS)
        left_over = largest_item_sum(items, total.of_items, ends)
        found = proven(
            total, left_over, np.full(RUNS, comparison.L[comparison.rival]), comparison.L[comparison.nominee], share
        )
        missed |= found > true + 1e-9
    return int(missed.sum())


@pytest.mark.parametrize("comparison", [SHARING, APART, BY_ITEMS], ids=["sharing", "apart", "by-items"])
@pytest.mark.parametrize(("offset", "part"), [(0.0, 1.0), (0.08, 1.0), (-0.08, 1.0), (0.0, 0.7)])
def test_it_covers(comparison: Comparison, offset: float, part: float) -> None:
    assert misses(replace(comparison, offset=offset, part=part)) <= ALLOWED


@pytest.mark.parametrize("comparison", [SHARING, APART, BY_ITEMS], ids=["sharing", "apart", "by-items"])
def test_a_share_that_is_spent_twice_is_noticed(comparison: Comparison) -> None:
    assert misses(comparison, 2 * ALPHA) > ALLOWED
