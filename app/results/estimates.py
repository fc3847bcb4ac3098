"""The heat map: the most relevant items, with measured and imputed rewards of their pairs."""

import asyncio
import hashlib
import json
import math
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from app.database.store import Store
from app.engine.arrays import FloatArray, IntArray
from app.engine.bounds import Bounds
from app.engine.certificate import assess, displayed
from app.engine.completion import complete
from app.engine.evidence import Evidence
from app.engine.problem import Model, Problem
from app.results.report import RankedPair
from app.results.sql import Measured, read_measured
from app.sessions.model import Session, Snapshot
from app.sessions.sql import SessionCache, SessionLookup

MAX_RANK = 10
"""Largest rank of the completion, whose cost grows with the fourth power of the rank."""
STEPS = 10_000.0
"""Rewards are rounded to 1 / STEPS: a hundredth of a percentage point."""

PRIOR_IMPRESSIONS = 50.0
"""Every pair is treated as if it had this many more impressions, with the average outcome of all pairs."""

FRESH_SECONDS = 10.0
"""A new plan always leads to a new map; folds between plans lead to one at most this often."""
CACHED_MAPS = 64
"""Each is text of at most half a megabyte."""


def estimates_of(session: Session, evidence: Evidence, top: int, race: Sequence[RankedPair] = ()) -> dict[str, Any]:
    """Returns the items with the best pairs, and a cell for each pair of them: reward, interval, shown, measured.

    Cells are lists, in the order of `triu_indices`, so that each pair occurs once. Intervals hold for all pairs
    together at 1 - delta, for display. Imputed values come from a low-rank completion and prove nothing. `race` are
    the contenders in the last plan's report.
    """
    problem = session.problem
    items = _most_relevant(evidence, top)
    left, right = np.triu_indices(len(items), 1)
    i, j = items[left], items[right]
    n, _ = evidence.entries(i, j)
    shown = displayed(problem, evidence, _bounds(problem, evidence), np.minimum(i, j), np.maximum(i, j))
    imputed = _imputed(problem, evidence, i, j)
    value = shown.value if imputed is None else np.where(np.isnan(shown.value), imputed, shown.value)
    names = [{"i": int(item), "id": session.items[item].id, "label": session.items[item].label} for item in items]
    return {
        "plan_version": session.plan_version,
        "samples": evidence.samples,
        "items": names,
        "cells": {
            "reward": [None if math.isnan(each) else each for each in _rounded(1.0 - value).tolist()],
            "low": _rounded(1.0 - shown.high, np.floor).tolist(),
            "high": _rounded(1.0 - shown.low, np.ceil).tolist(),
            "shown": n.tolist(),
            "measured": (n > 0).tolist(),
        },
        "contenders": [_contender(session, entry) for entry in race],
    }


def _bounds(problem: Problem, evidence: Evidence) -> Bounds:
    """Returns the bounds to display; none in the stochastic model, where displayed intervals do not depend on them."""
    if problem.model is Model.DETERMINISTIC:
        return assess(problem, evidence).bounds
    return Bounds(np.zeros(0), np.zeros(0), ())


def _rounded(values: FloatArray, towards: Callable[[FloatArray], FloatArray] = np.rint) -> FloatArray:
    """Returns values rounded for display; ends of intervals must be rounded outwards, so that they still hold."""
    return np.clip(towards(values * STEPS) / STEPS, 0.0, 1.0)


def _contender(session: Session, entry: RankedPair) -> dict[str, Any]:
    pair = (session.items[entry.i].id, session.items[entry.j].id)
    interval = (entry.low, entry.high)
    return {
        "i": entry.i,
        "j": entry.j,
        "pair": pair,
        "reward": entry.reward,
        "interval": interval,
        "shown": entry.shown,
    }


def _most_relevant(evidence: Evidence, top: int) -> IntArray:
    """Returns `top` items: those of the best pairs first, then the others in order."""
    t, K = evidence.totals, evidence.n_items
    off = t.i != t.j
    overall = t.s.sum() / max(t.n.sum(), 1)
    # Shrunk towards the average: a few impressions say little about a pair.
    mean = (t.s[off] + PRIOR_IMPRESSIONS * overall) / (t.n[off] + PRIOR_IMPRESSIONS)
    order = np.argsort(mean, kind="stable")
    ranked = np.column_stack([t.i[off][order], t.j[off][order]]).ravel()
    _, first = np.unique(ranked, return_index=True)
    best_first = ranked[np.sort(first)]
    rest = np.setdiff1d(np.arange(K), best_first)
    return np.concatenate([best_first, rest])[: min(top, K)].astype(np.int64)


def _imputed(problem: Problem, evidence: Evidence, i: IntArray, j: IntArray) -> FloatArray | None:
    """Returns completed values, None if there is too little evidence for a completion."""
    rank = min(problem.rank or 1, MAX_RANK)
    if len(evidence.totals.n) < max(rank * problem.n_items, 2) or rank >= problem.n_items:
        return None
    return complete(evidence.totals, problem.n_items, rank).entries(i, j)


class _Cached(NamedTuple):
    plan: tuple[int, str]  # version and id
    watermark: int
    made_at: float
    task: asyncio.Task[Snapshot]


class EstimatesCache:
    """Heat maps by session and size. A large one has to read all evidence of its session, so callers share it.

    All calls come from one event loop.
    """

    def __init__(
        self,
        store: Store,
        lookup: SessionLookup,
        session_cache: SessionCache,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._lookup = lookup
        self._session_cache = session_cache
        self._monotonic = monotonic
        self._cached: dict[tuple[str, int], _Cached] = {}

    async def read(self, session_id: str, top: int) -> Snapshot:
        """Returns the heat map of the most relevant items; simultaneous callers share one. Raises SessionNotFound."""
        session = await self._lookup.read(session_id)
        cached = self._cached.pop((session_id, top), None)
        if cached is None or not self._is_usable(cached, session):
            task = asyncio.ensure_future(self._make(session_id, top))
            cached = _Cached((session.plan_version, session.plan_id), session.watermark, self._monotonic(), task)
        self._cached[session_id, top] = cached  # at the end: the least recently used one is dropped first
        if len(self._cached) > CACHED_MAPS:
            self._cached.pop(next(iter(self._cached)))
        # Shielded: a caller that leaves must not cancel the map of the others.
        return await asyncio.shield(cached.task)

    def _is_usable(self, cached: _Cached, session: Session) -> bool:
        failed = cached.task.done() and (cached.task.cancelled() or cached.task.exception() is not None)
        fresh = self._monotonic() - cached.made_at < FRESH_SECONDS or cached.watermark == session.watermark
        return not failed and cached.plan == (session.plan_version, session.plan_id) and fresh

    async def _make(self, session_id: str, top: int) -> Snapshot:
        measured = await self._store.read(read_measured, session_id, self._session_cache)
        return await asyncio.to_thread(_snapshot, measured, top)


def _snapshot(measured: Measured, top: int) -> Snapshot:
    session = measured.session
    evidence = measured.counts.to_evidence(len(session.items))
    body = json.dumps(estimates_of(session, evidence, top, measured.race), separators=(",", ":"))
    return Snapshot(body, f'"{hashlib.sha256(body.encode()).hexdigest()[:32]}"')
