"""Hand-out: the order in which a plan's pairs are shown, what each caller of next-pair gets, and tickets.

The order is a seeded shuffle of the plan: every process computes the same one, so they share only a position (the
cursor). Because of the shuffle, pairs do not correlate with the time of day. A very long demand is divided into chunks
with an equal part of every pair, so that no process has to hold all positions in memory.
"""

import base64
import hashlib
import hmac
import json
import random
import secrets
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import NamedTuple, Self

import numpy as np

from app.engine.arrays import IntArray
from app.engine.problem import Model
from app.engine.randomness import Purpose as Randomness
from app.engine.randomness import source
from app.errors import SessionStopped
from app.sessions.model import Session, Settings
from app.wire.vocabulary import MissingFeedback, State, WhileWaiting

CHUNK = 100_000
"""Positions shuffled at a time: under 1 MB and a few milliseconds."""

HANDOUTS = 8
"""How often `while_waiting: explore` hands out a plan. Of 4, 8 and 16, the only one with which the median time was not
above that of version 0.1.0 in any of eight kinds of sessions (`bestpair experiment waiting`, seeds 0 to 7): .65 to .96
of its time with .12 to .52 of its impressions. With 4, callers wait for plans (up to 1.08 of the time). With 16, the
proof waits for the answers of outdated plans (up to 1.04). Medians of eight sessions are rough, and the times of 8 and
16 differ little; the impressions differ more. On other seeds see docs/results.md."""

_EXPLOIT = "x"
"""First letter of a signed ticket; stored tickets begin with `_STORED`."""
_STORED = "t"
_RANDOM_BYTES, _RANDOM_LETTERS = 18, 24  # base64 turns 3 bytes into 4 letters
_DRAWN_AT_ONCE = 256
_NONCE_BYTES = 12
_SIGNATURE_BYTES = 16


class Purpose(StrEnum):
    """Why a pair was handed out."""

    EXPLORE = "explore"
    EXPLOIT = "exploit"


class Impression(NamedTuple):
    """One impression as the caller gets it; i and j in the order shown. A tuple, because every request makes one."""

    ticket: str
    i: int
    j: int
    purpose: Purpose
    counts: bool
    plan_version: int


Key = tuple[str, str, str]


class Order(NamedTuple):
    """A call of next-pair: which session, how many impressions, and how a retry is recognised."""

    session_id: str
    n_impressions: int
    route: str  # scope of the key: "next-pair" or "next-pair/batch"
    idempotency_key: str | None
    body_digest: str  # of the request's body, compared when the key comes again

    @property
    def key(self) -> Key | None:
        """The stored key of this order, None without an Idempotency-Key."""
        return None if self.idempotency_key is None else (self.session_id, self.route, self.idempotency_key)


@dataclass(frozen=True)
class PairCounts:
    """Pairs and how often each is to be shown, as the text that is stored.

    A plan may ask for tens of thousands. The text is written once, by the process that makes the plan, and parsed only
    where the pairs are needed: storing it does not delay other requests.
    """

    text: str  # JSON: [[i, j, count], ...]

    @classmethod
    def of(cls, triples: Iterable[tuple[int, int, int]]) -> Self:
        """Returns these triples of i, j and count."""
        listed = tuple(triples)
        counts = cls(json.dumps(listed, separators=(",", ":")))
        counts.__dict__["total"] = sum(count for _, _, count in listed)
        return counts

    @property
    def triples(self) -> tuple[tuple[int, int, int], ...]:
        """The pairs, each with its count."""
        return tuple((i, j, count) for i, j, count in json.loads(self.text))

    @cached_property
    def total(self) -> int:
        """The number of impressions asked for."""
        return sum(count for _, _, count in self.triples)


class HandoutSequence:
    """The pairs of one plan in the order they are handed out; after the last one it starts again."""

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
        """Returns `count` pairs from this position on; positions start at 0 and wrap around at the end."""
        pairs: list[tuple[int, int]] = []
        while len(pairs) < count:
            within, unrolled = (position + len(pairs)) % self.total, self._unrolled
            if not unrolled.start <= within < unrolled.end:
                unrolled = self._unrolled = self._unroll(within)
            start = within - unrolled.start
            pairs += unrolled.pairs[start : start + count - len(pairs)]
        return pairs

    def _unroll(self, within: int) -> "_Unrolled":
        """Returns the chunk that contains a position as Python tuples: numpy is slow at single values."""
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


def stored_tickets() -> Iterator[str]:
    """Yields tickets for impressions that get a row: the time, then 144 random bits, drawn many at a time.

    The time is not a secret, and nothing relies on it. It places new tickets next to each other in the database's
    index; otherwise every new ticket would change another page.
    """
    count = 1
    while True:
        drawn = base64.urlsafe_b64encode(secrets.token_bytes(_RANDOM_BYTES * count)).decode()
        prefix = f"{_STORED}{time.time_ns() // 1_000_000:011x}"  # of equal length until the year 2527
        for start in range(0, len(drawn), _RANDOM_LETTERS):
            yield prefix + drawn[start : start + _RANDOM_LETTERS]
        count = min(4 * count, _DRAWN_AT_ONCE)


def exploit_ticket(key: bytes, session_id: str) -> str:
    """Returns a ticket that needs no row: a nonce and its signature under the session's key."""
    nonce = secrets.token_bytes(_NONCE_BYTES)
    return _EXPLOIT + _text(nonce + _signature(key, session_id, nonce))


def is_exploit_ticket(ticket: str, key: bytes, session_id: str) -> bool:
    """Returns whether this session signed this ticket; compared in constant time."""
    if not ticket.startswith(_EXPLOIT):
        return False
    try:
        raw = base64.b64decode(ticket[1:] + "=" * (-len(ticket[1:]) % 4), altchars=b"-_", validate=True)
    except ValueError:
        return False
    nonce, signature = raw[:_NONCE_BYTES], raw[_NONCE_BYTES:]
    genuine = hmac.compare_digest(signature, _signature(key, session_id, nonce))
    return genuine and _EXPLOIT + _text(raw) == ticket  # only the canonical encoding: unused bits must not be altered


def _signature(key: bytes, session_id: str, nonce: bytes) -> bytes:
    return hmac.digest(key, session_id.encode() + b"\0" + nonce, hashlib.sha256)[:_SIGNATURE_BYTES]


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def times_handed_out(while_waiting: WhileWaiting, model: Model) -> int:
    """Returns how often a plan is handed out until it is *out*.

    Then callers get the best pair until the next plan, with two exceptions (`explores_when_out`).
    """
    once = while_waiting is WhileWaiting.EXPLOIT or model is Model.DETERMINISTIC
    return 1 if once else HANDOUTS


def is_out(settings: Settings, cursor: int, total: int) -> bool:
    """Returns whether a plan with a hand-out of `total` pairs is out."""
    return cursor >= times_handed_out(settings.while_waiting, settings.model) * total


def explores_when_out(settings: Settings) -> bool:
    """Returns whether `explore` hands out a plan without limit.

    It does in the deterministic model, where repeats do not count and hold nothing up. And it does where silence means
    "no click": nothing is known before a window closes, all impressions wait equally long, and the next plan is a
    window away. With a limit of 8, simulated sessions with 50 impressions a second took 1.7 to 3 times as long (windows
    of 600 s, 7 sessions) and 1 to 1.9 times (120 s, 6 sessions).
    """
    is_silence_known_late = settings.missing_feedback is MissingFeedback.NO_CLICK
    explores = settings.while_waiting is WhileWaiting.EXPLORE
    return explores and (settings.model is Model.DETERMINISTIC or is_silence_known_late)


@dataclass
class HandoutState:
    """One session during a group commit: read under its lock, changed as callers are served, then written back."""

    session: Session
    sequence: HandoutSequence | None  # None: the plan asks for nothing (certified, exhausted)
    best: tuple[int, int]
    issued: int
    void: int
    next_sequence: int
    cursor: int
    new: list[Impression] = field(default_factory=list)  # to be stored, numbered up to `next_sequence` - 1
    tickets: Iterator[str] = field(default_factory=stored_tickets)

    def hand_out(self, count: int, rng: random.Random) -> list[Impression]:
        """Returns `count` impressions for one caller; those that explore are also added to `new`, to be stored.

        Raises:
            SessionStopped: the session hands out no more pairs.
        """
        if self.session.state is State.STOPPED:
            raise SessionStopped(f"session {self.session.id} is stopped and cannot be resumed; create a new one")
        impressions: list[Impression] = []
        while len(impressions) < count:
            n = self._explorable(count - len(impressions), rng)
            impressions += self._explore(n, rng) if n else [self._exploit(rng)]
        return impressions

    def _explorable(self, wanted: int, rng: random.Random) -> int:
        """Returns how many of the next impressions explore, at most `wanted`."""
        if self.session.state is not State.RUNNING or self.sequence is None or self.sequence.total == 0:
            return 0
        settings = self.session.settings
        if not explores_when_out(settings):
            times = times_handed_out(settings.while_waiting, settings.model)
            wanted = min(wanted, times * self.sequence.total - self.cursor)
        if self.session.budget is not None:
            wanted = min(wanted, self.session.budget - (self.issued - self.void))
        share = self.session.settings.explore_share
        if wanted > 0 and share < 1.0:
            return int(rng.random() < share)
        return max(wanted, 0)

    def _explore(self, count: int, rng: random.Random) -> list[Impression]:
        """Returns the next impressions of the plan; the loop uses local names, because it runs for every impression."""
        assert self.sequence is not None  # noqa: S101 - `_explorable` has checked it; for the type checker
        total, tickets, version = self.sequence.total, self.tickets, self.session.plan_version
        # In the deterministic model an entry counts once; repeats are handed out while answers are outstanding.
        once = self.session.settings.model is Model.DETERMINISTIC
        impressions = []
        for position, pair in enumerate(self.sequence.pairs(self.cursor, count), self.cursor):
            i, j = _random_order(pair, rng)
            counts = not (once and position >= total)
            impressions.append(Impression(next(tickets), i, j, Purpose.EXPLORE, counts, version))
            self.issued += counts
        self.new += impressions
        self.next_sequence += count
        self.cursor += count
        return impressions

    def _exploit(self, rng: random.Random) -> Impression:
        i, j = _random_order(self.best, rng)
        ticket = exploit_ticket(self.session.ticket_key, self.session.id)
        return Impression(ticket, i, j, Purpose.EXPLOIT, False, self.session.plan_version)


def _random_order(pair: tuple[int, int], rng: random.Random) -> tuple[int, int]:
    """Returns the pair in random order: one slot may get more clicks, and no item may always be in it."""
    return pair if rng.random() < 0.5 else (pair[1], pair[0])
