"""One batch: which pairs a plan shows and how often, by purpose; and the first demand of a session."""

import numpy as np

from app.engine.allocation.contrasts import LeaderAndRivals
from app.engine.allocation.screens import NO_BLANK, Levels, Screen
from app.engine.allocation.targets import ProofTarget
from app.engine.arrays import FloatArray, IntArray, n_pairs, pair_index, pair_items
from app.engine.demand import Demand, random_rings

LEADER_PART = 0.3
LEADER_PART_BEFORE_NOMINATION = 0.1
"""The largest part of a batch that the leader gets, after and before its nomination."""

NOMINEE_PART = 0.08
"""The least part of what a plan with contrasts shows that the leader gets."""

SEARCH_PART = 0.3
CLEARLY_BETTER = 0.2
"""Up to `SEARCH_PART` of a batch goes to pairs that may be better than the leader by `CLEARLY_BETTER` * the allowed
gap: a better leader lowers the threshold for all other pairs."""

FIRST_LOOKS = 4
"""Samples of a pair in its first search; each later search adds half the samples that it has."""

SHARED_PART = 0.7
FIRST_LEVEL = 12
"""Up to `SHARED_PART` of what is left of a batch goes to shared entries. One plan at most doubles the samples of an
item, or gives it `FIRST_LEVEL` if it has fewer."""

STALLED = 0.98
STALLED_PULLS = 8
"""If more than `STALLED` of a batch is unused, pairs with the lowest lower bounds get `STALLED_PULLS` samples each."""

DIRECT_STEP = 0.25
MIN_STEP = 3
"""A pair gets a quarter of the samples that it needs at a time, but `MIN_STEP` at least. The need is computed from the
estimated mean, and is not more accurate."""

OPTIMISM = 1.5
"""The pair with the lowest mean minus this many standard deviations comes first: if it turns out to be the better
leader, samples of the others are saved."""

PARTNERS = 12
PARTNERS_WITH_ITEM_CLICKS = 6
PULLS = 3
"""In the first demand each item has this many random partners, each shown `PULLS` times: this gives x with an error of
about .07. Half as many partners are enough where feedback names the clicked items: each impression is then a sample of
both its items, not only of the pair."""


class Batch:
    """Collects the pairs to show. Sizes are approximate: every count is rounded up."""

    def __init__(self, size: int, n_items: int) -> None:
        self.size = size
        self.left = float(size)
        self.n_items = n_items
        self._asked: list[tuple[IntArray, IntArray, IntArray]] = []
        self.purposes: dict[str, float] = {}

    def ask(self, purpose: str, i: IntArray, j: IntArray, count: FloatArray) -> None:
        """Adds entries with their counts."""
        whole = np.ceil(count).astype(np.int64)
        self._asked.append((i, j, whole))
        self.left -= float(whole.sum())
        self.purposes[purpose] = self.purposes.get(purpose, 0.0) + float(whole.sum())

    def leader(self, target: ProofTarget, wanted: float, *, nominated: bool) -> None:
        """Asks for `wanted` samples of the leader, up to the part of the batch that the leader may get."""
        part = LEADER_PART if nominated else LEADER_PART_BEFORE_NOMINATION
        i, j = pair_items(np.array([target.leader]), self.n_items)
        self.ask("leader", i, j, np.array([min(wanted, part * self.size)]))

    def rest_to_leader(self, target: ProofTarget, wanted: float) -> None:
        """Gives the rest of the batch to the leader, up to `wanted` samples in all.

        Used when few pairs are open: smaller batches would only lead to more plans.
        """
        room = min(wanted - self.purposes.get("leader", 0.0), self.left)
        if room > 0:
            self.ask("leader", *pair_items(np.array([target.leader]), self.n_items), np.array([room]))

    def search(self, target: ProofTarget) -> None:
        """Asks for pairs that may be better than the leader, the most promising first."""
        pairs = target.open_pairs
        better = np.flatnonzero(pairs.mean - pairs.spread < target.mean - CLEARLY_BETTER * target.allowed)
        order = better[np.argsort((pairs.mean - OPTIMISM * pairs.spread)[better], kind="stable")]
        wanted = np.maximum(0.5 * pairs.seen[order], FIRST_LOOKS)
        self._in_order("search", pairs.i[order], pairs.j[order], wanted, SEARCH_PART * self.size)

    def shared(self, screen: Screen, levels: Levels, turn: int, *, all_of_it: bool) -> None:
        """Asks for entries that many pairs use: with the blank, or pairs of items with item-level feedback."""
        # Where feedback names the clicked items, other impressions of an item in this batch count too.
        extra = levels.extra if screen.blank != NO_BLANK else np.maximum(levels.extra - self._shown_of_items(), 0.0)
        wanted = extra if all_of_it else np.minimum(extra, np.maximum(screen.n, FIRST_LEVEL))
        room = max(SHARED_PART * self.left, 0.0)
        if not all_of_it and screen.cost * wanted.sum() > room:
            wanted = wanted * (room / (screen.cost * wanted.sum()))
        all_items = np.arange(self.n_items)
        if screen.blank != NO_BLANK:
            others = all_items[all_items != screen.blank]
            self.ask("shared", others, np.full(len(others), screen.blank), wanted[others])
            return
        # Neighbours in this order want similar numbers of samples. An odd turn shifts the order by one item, so that an
        # item gets another partner.
        order = np.roll(np.argsort(-wanted, kind="stable"), turn % 2)
        left, right = order[0 : len(order) - 1 : 2], order[1::2]
        self.ask("shared", left, right, np.maximum(wanted[left], wanted[right]))

    def direct(self, target: ProofTarget, todo: IntArray, part: float = 1.0) -> None:
        """Asks for the open pairs `todo`, the most promising first, within this part of what is left of the batch.

        They get all the samples that they need if there are enough, otherwise `DIRECT_STEP` of them.
        """
        lowest = target.open_pairs.mean - OPTIMISM * target.open_pairs.spread
        order = todo[np.argsort(lowest[todo], kind="stable")]
        need, room = target.direct[order], part * self.left
        enough = float(need.sum()) <= room
        wanted = need if enough else np.maximum(DIRECT_STEP * need, np.minimum(need, MIN_STEP))
        self._in_order("direct", target.open_pairs.i[order], target.open_pairs.j[order], wanted, room)

    def contrasts(self, group: LeaderAndRivals, room: float) -> float:
        """Asks for the leader and its rivals in the cheapest proportions; returns the cost of settling all of them."""
        if len(group.rivals) == 0:
            return 0.0
        count = group.allocation()
        wanted = float(count.sum())
        count = count * min(1.0, room / wanted)
        i, j = pair_items(np.append(group.leader, group.rivals), self.n_items)
        self.ask("race", i, j, count)  # the stored name of this purpose
        return wanted

    def nominee(self, target: ProofTarget) -> None:
        """Asks for `NOMINEE_PART` of the batch for the leader, less what it gets so far: bets need both sides."""
        i, j = pair_items(np.array([target.leader]), self.n_items)
        has = sum(float(count[(a == i) & (b == j)].sum()) for a, b, count in self._asked)
        self.ask("nominee", i, j, np.array([max(NOMINEE_PART * (self.size - self.left) - has, 0.0)]))

    def lowest_bounds(self, contenders: IntArray, lower: FloatArray) -> None:
        """Asks for the contenders with the lowest lower bounds; used when the computed costs ask for too little."""
        order = contenders[np.argsort(lower[contenders], kind="stable")][: max(1, self.size // STALLED_PULLS)]
        i, j = pair_items(order, self.n_items)
        self.ask("direct", i, j, np.full(len(order), STALLED_PULLS))

    def _shown_of_items(self) -> FloatArray:
        """Returns how often each item is shown by the entries asked for so far."""
        shown = np.zeros(self.n_items)
        for i, j, count in self._asked:
            shown += np.bincount(i, count, self.n_items) + np.bincount(j, count, self.n_items)
        return shown

    def _in_order(self, purpose: str, i: IntArray, j: IntArray, wanted: FloatArray, room: float) -> None:
        """Asks for the wanted samples of the entries, in this order, until `room` is used up."""
        wanted = np.ceil(wanted)
        given = np.clip(room - (np.cumsum(wanted) - wanted), 0, wanted)
        some = given > 0
        self.ask(purpose, i[some], j[some], given[some])

    def demand(self) -> Demand:
        """Returns everything asked for as one demand."""
        i, j, count = (np.concatenate(column) for column in zip(*self._asked, strict=True))
        return Demand.of_entries(i, j, count)


def first_look(n_items: int, rng: np.random.Generator, *, item_clicks: bool = False) -> Demand:
    """Returns the first demand: random rings, in each of which every item has two neighbours."""
    partners = PARTNERS_WITH_ITEM_CLICKS if item_clicks else PARTNERS
    if n_pairs(n_items) <= n_items * partners // 2:
        i, j = np.triu_indices(n_items, 1)
        return Demand.of_entries(i.astype(np.int64), j.astype(np.int64), np.full(len(i), PULLS, dtype=np.int64))
    left, right = random_rings(np.arange(n_items), partners // 2, rng)
    index = pair_index(np.minimum(left, right), np.maximum(left, right), n_items)
    pairs, times = np.unique(index, return_counts=True)
    return Demand.of_pairs(pairs, PULLS * times.astype(np.int64), n_items)
