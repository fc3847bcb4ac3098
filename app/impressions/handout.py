"""Handing out the plan: its seeded, shuffled sequence, and the decision what each caller gets.

Every process that knows a plan knows the same sequence, so only a position (the cursor) is shared. The shuffle keeps
time of day from lining up with pairs. A very long demand is cut into chunks, each a fair part of every pair, so that
no process ever holds more than one chunk's worth of positions.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from app.engine.arrays import IntArray
from app.engine.problem import Model
from app.engine.randomness import Purpose as Randomness
from app.engine.randomness import source
from app.errors import SessionStopped
from app.impressions.tickets import exploit_ticket, stored_tickets
from app.sessions.model import HandedOut, Purpose, SessionRecord, State

CHUNK = 100_000
"""Positions shuffled at a time: under 1 MB and a few milliseconds."""


class HandoutSequence:
    """The pairs of one plan in the order they are handed out; after the last it starts again."""

    def __init__(self, pairs: tuple[tuple[int, int, int], ...], seed: int, version: int) -> None:
        self._i = np.array([i for i, _, _ in pairs], dtype=np.int64)
        self._j = np.array([j for _, j, _ in pairs], dtype=np.int64)
        self._count = np.array([count for _, _, count in pairs], dtype=np.int64)
        self._seed = (seed, version)
        self.total = int(self._count.sum())
        self._chunks = max(1, -(-self.total // CHUNK))
        # Chunk c ends where the cumulative share (c+1)/chunks of every pair, rounded down, ends.
        ends = [int((self._count * (c + 1) // self._chunks).sum()) for c in range(self._chunks)]
        self._starts = np.array([0, *ends], dtype=np.int64)
        self._chunk = lru_cache(maxsize=2)(self._shuffled)
        self._unrolled = _Unrolled(0, 0, [])

    def pairs(self, position: int, count: int) -> list[tuple[int, int]]:
        """Returns so many pairs from this position on, counted from 0 and wrapping around at the end."""
        found: list[tuple[int, int]] = []
        while len(found) < count:
            within, unrolled = (position + len(found)) % self.total, self._unrolled
            if not unrolled.start <= within < unrolled.end:
                unrolled = self._unrolled = self._unroll(within)
            start = within - unrolled.start
            found += unrolled.pairs[start : start + count - len(found)]
        return found

    def _unroll(self, within: int) -> "_Unrolled":
        """Returns the chunk around a position as plain pairs: numpy is slow at one value at a time."""
        chunk = int(np.searchsorted(self._starts, within, side="right")) - 1
        pairs = list(zip(self._i.tolist(), self._j.tolist(), strict=True))
        start, end = int(self._starts[chunk]), int(self._starts[chunk + 1])
        return _Unrolled(start, end, [pairs[at] for at in self._chunk(chunk).tolist()])

    def _shuffled(self, chunk: int) -> IntArray:
        share = self._count * (chunk + 1) // self._chunks - self._count * chunk // self._chunks
        rng = source(Randomness.HANDOUT, *self._seed, chunk)
        return rng.permutation(np.repeat(np.arange(len(share)), share))


class _Unrolled(NamedTuple):
    """The pairs of the positions from `start` up to `end`."""

    start: int
    end: int
    pairs: list[tuple[int, int]]


@dataclass
class Desk:
    """One session at the moment of a group commit: read under its lock, changed as callers are served, written back."""

    record: SessionRecord
    sequence: HandoutSequence | None  # None: the plan asks for nothing (certified, exhausted)
    best: tuple[int, int]
    issued: int
    void: int
    next_sequence: int
    cursor: int
    new: list[HandedOut] = field(default_factory=list)  # to be stored, with the sequences before `next_sequence`
    tickets: Iterator[str] = field(default_factory=stored_tickets)

    def serve(self, count: int, rng: random.Random) -> list[HandedOut]:
        """Returns `count` impressions for one caller; those that count are also noted in `new`, to be stored.

        Raises:
            SessionStopped: the session hands out nothing more.
        """
        if self.record.state is State.STOPPED:
            raise SessionStopped(f"session {self.record.id} is stopped; resume is not possible, create a new one")
        given: list[HandedOut] = []
        while len(given) < count:
            n = self._explorable(count - len(given), rng)
            given += self._explore(n, rng) if n else [self._exploit(rng)]
        return given

    def _explorable(self, wanted: int, rng: random.Random) -> int:
        """Returns how many of the next impressions are given to exploration, up to those wanted."""
        if self.record.state is not State.RUNNING or self.sequence is None or self.sequence.total == 0:
            return 0
        if self.record.budget is not None:
            wanted = min(wanted, self.record.budget - (self.issued - self.void))
        share = self.record.settings.explore_share
        if wanted > 0 and share < 1.0:
            return int(rng.random() < share)
        return max(wanted, 0)

    def _explore(self, count: int, rng: random.Random) -> list[HandedOut]:
        """Returns the next impressions of the plan; a loop with few names, since it runs for every single one."""
        assert self.sequence is not None  # noqa: S101 - `_explorable` has checked it; this tells the type checker
        total, tickets, version = self.sequence.total, self.tickets, self.record.plan_version
        # In the deterministic model an entry is asked once; while all answers are out, repeats fill the time.
        once = self.record.settings.model is Model.DETERMINISTIC
        given = []
        for position, pair in enumerate(self.sequence.pairs(self.cursor, count), self.cursor):
            i, j = _slots(pair, rng)
            counts = not (once and position >= total)
            given.append(HandedOut(next(tickets), i, j, Purpose.EXPLORE, counts, version))
            self.issued += counts
        self.new += given
        self.next_sequence += count
        self.cursor += count
        return given

    def _exploit(self, rng: random.Random) -> HandedOut:
        i, j = _slots(self.best, rng)
        ticket = exploit_ticket(self.record.ticket_key, self.record.id)
        return HandedOut(ticket, i, j, Purpose.EXPLOIT, False, self.record.plan_version)


def _slots(pair: tuple[int, int], rng: random.Random) -> tuple[int, int]:
    """Returns the pair in random order: slots differ, and neither item may always have the better one."""
    return pair if rng.random() < 0.5 else (pair[1], pair[0])
