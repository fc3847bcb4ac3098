"""One batch: how the impressions of a plan are divided among what is wanted of it."""

import numpy as np

from app.engine.arrays import FloatArray, IntArray, pair_items
from app.engine.demand import Demand
from app.engine.spending.contrasts import Field
from app.engine.spending.levels import Levels
from app.engine.spending.race import Aim
from app.engine.spending.screens import NO_BLANK, Screen

LEADER_PART = 0.3
UNNAMED_LEADER_PART = 0.1
"""Parts of a batch that a leader gets at most, once nominated and before."""

SEARCH_PART = 0.3
CLEARLY_BETTER = 0.2
"""Pairs that may be better than the leader by this part of epsilon are looked at with up to this part of a batch: a
better leader lowers the threshold for everyone else."""

FIRST_LOOKS = 4
"""Samples of a pair that is looked at for the first time; later its samples grow by half."""

SHARED_PART = 0.7
FIRST_LEVEL = 12
"""What is left goes to shared entries up to this part; an item's entry at most doubles, and begins with so many."""

STALLED = 0.98
STALLED_PULLS = 8
"""If nearly all of a batch is left over, it goes to the lowest lower bounds, some samples each."""

DIRECT_STEP = 0.25
LEAST_STEP = 3
"""A pair gets a quarter of its need at a time, lowest first: its need is known only as well as its mean."""


class Batch:
    """Collects what to show; sizes are guides, every count is rounded up."""

    def __init__(self, size: int, n_items: int) -> None:
        self.size = size
        self.left = float(size)
        self.n_items = n_items
        self._asked: list[tuple[IntArray, IntArray, IntArray]] = []
        self.purposes: dict[str, float] = {}

    def ask(self, purpose: str, i: IntArray, j: IntArray, count: FloatArray) -> None:
        """Adds entries, each so many times."""
        whole = np.ceil(count).astype(np.int64)
        self._asked.append((i, j, whole))
        self.left -= float(whole.sum())
        self.purposes[purpose] = self.purposes.get(purpose, 0.0) + float(whole.sum())

    def leader(self, aim: Aim, wanted: float, *, nominated: bool) -> None:
        """Asks for the leader."""
        part = LEADER_PART if nominated else UNNAMED_LEADER_PART
        i, j = pair_items(np.array([aim.leader]), self.n_items)
        self.ask("leader", i, j, np.array([min(wanted, part * self.size)]))

    def rest_to_leader(self, aim: Aim, wanted: float) -> None:
        """Gives what is left to the leader: where few pairs are open, smaller batches would only mean more plans."""
        room = min(wanted - self.purposes.get("leader", 0.0), self.left)
        if room > 0:
            self.ask("leader", *pair_items(np.array([aim.leader]), self.n_items), np.array([room]))

    def search(self, aim: Aim, epsilon: float) -> None:
        """Asks for pairs that may be better than the leader, the most promising first."""
        pairs = aim.open_pairs
        better = np.flatnonzero(pairs.mean - pairs.spread < aim.mean - CLEARLY_BETTER * epsilon)
        order = better[np.argsort((pairs.mean - 1.5 * pairs.spread)[better], kind="stable")]
        wanted = np.maximum(0.5 * pairs.seen[order], FIRST_LOOKS)
        self._in_order("search", pairs.i[order], pairs.j[order], wanted, SEARCH_PART * self.size)

    def shared(self, screen: Screen, levels: Levels, turn: int, *, all_of_it: bool) -> None:
        """Asks for entries that serve many pairs: with the blank, or items side by side where clicks are told apart."""
        # Where clicks are told apart, whatever else is shown of an item serves it too.
        extra = levels.extra if screen.blank != NO_BLANK else np.maximum(levels.extra - self._shown_of_items(), 0.0)
        wanted = extra if all_of_it else np.minimum(extra, np.maximum(screen.n, FIRST_LEVEL))
        room = max(SHARED_PART * self.left, 0.0)
        if not all_of_it and screen.cost * wanted.sum() > room:
            wanted = wanted * (room / (screen.cost * wanted.sum()))
        everyone = np.arange(self.n_items)
        if screen.blank != NO_BLANK:
            others = everyone[everyone != screen.blank]
            self.ask("shared", others, np.full(len(others), screen.blank), wanted[others])
            return
        # Neighbours in the order of what is wanted want about the same; the turn changes who is whose neighbour.
        order = np.roll(np.argsort(-wanted, kind="stable"), turn % 2)
        left, right = order[0 : len(order) - 1 : 2], order[1::2]
        self.ask("shared", left, right, np.maximum(wanted[left], wanted[right]))

    def direct(self, aim: Aim, todo: IntArray, part: float = 1.0) -> None:
        """Asks for open pairs themselves, the lowest first, all they need if this part of what is left is enough."""
        order = todo[np.argsort(aim.open_pairs.mean[todo], kind="stable")]
        need, room = aim.direct[order], part * self.left
        enough = float(need.sum()) <= room
        wanted = need if enough else np.maximum(DIRECT_STEP * need, np.minimum(need, LEAST_STEP))
        self._in_order("direct", aim.open_pairs.i[order], aim.open_pairs.j[order], wanted, room)

    def race(self, field: Field, room: float) -> float:
        """Asks for the leader and its rivals in the cheapest proportions; returns what settling them all would take."""
        if len(field.rivals) == 0:
            return 0.0
        count = field.allocation()
        wanted = float(count.sum())
        count = count * min(1.0, room / wanted)
        i, j = pair_items(np.append(field.leader, field.rivals), self.n_items)
        self.ask("race", i, j, count)
        return wanted

    def lowest_bounds(self, contenders: IntArray, lower: FloatArray) -> None:
        """Asks for the contenders with the lowest lower bounds: prices said that nothing is needed, and were wrong."""
        order = contenders[np.argsort(lower[contenders], kind="stable")][: max(1, self.size // STALLED_PULLS)]
        i, j = pair_items(order, self.n_items)
        self.ask("direct", i, j, np.full(len(order), STALLED_PULLS))

    def _shown_of_items(self) -> FloatArray:
        """Returns how often each item will be shown by what was asked for so far."""
        shown = np.zeros(self.n_items)
        for i, j, count in self._asked:
            shown += np.bincount(i, count, self.n_items) + np.bincount(j, count, self.n_items)
        return shown

    def _in_order(self, purpose: str, i: IntArray, j: IntArray, wanted: FloatArray, room: float) -> None:
        wanted = np.ceil(wanted)
        given = np.clip(room - (np.cumsum(wanted) - wanted), 0, wanted)
        some = given > 0
        self.ask(purpose, i[some], j[some], given[some])

    def demand(self) -> Demand:
        """Returns all that was asked for."""
        i, j, count = (np.concatenate(column) for column in zip(*self._asked, strict=True))
        return Demand.of_entries(i, j, count)
