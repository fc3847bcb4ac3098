"""The heat map: the most relevant items, what was measured between them, and what is imputed."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from app.engine.arrays import FloatArray, IntArray
from app.engine.bounds import Bounds
from app.engine.certificate import assess, displayed
from app.engine.completion import complete
from app.engine.evidence import Evidence
from app.engine.problem import Model, Problem
from app.sessions.model import SessionRecord

DISPLAY_RANK = 10
DISPLAY_STEPS = 10_000.0
"""Rewards are told to a hundredth of a point."""

USUAL = 50.0
"""Impressions that a pair is thought to have had beyond its own, with the outcomes all pairs have."""

Race = Sequence[tuple[int, int, float | None, float, float, int]]
"""Contenders as a report holds them: i, j, reward, low, high, shown."""


def estimates_of(record: SessionRecord, evidence: Evidence, top: int, race: Race = ()) -> dict[str, Any]:
    """Returns the items with the best pairs and a triangle of cells: reward, interval, shown, measured or imputed.

    Cells are columns, row by row as `triu_indices` numbers them, so that nothing is said twice. Intervals are
    simultaneous over all pairs at 1 - delta, for display. Imputed values come from a low-rank completion and prove
    nothing. `race` are the contenders that the last plan named.
    """
    problem = record.settings.problem(len(record.items), record.budget)
    items = _most_relevant(evidence, top)
    left, right = np.triu_indices(len(items), 1)
    i, j = items[left], items[right]
    n, _ = evidence.entries(i, j)
    shown = displayed(problem, evidence, _bounds(problem, evidence), np.minimum(i, j), np.maximum(i, j))
    imputed = _imputed(problem, evidence, i, j)
    value = shown.value if imputed is None else np.where(np.isnan(shown.value), imputed, shown.value)
    names = [{"i": int(item), "id": record.items[item].id, "label": record.items[item].label} for item in items]
    return {
        "plan_version": record.plan_version,
        "samples": evidence.samples,
        "items": names,
        "cells": {
            "reward": [None if math.isnan(each) else each for each in _rounded(1.0 - value).tolist()],
            "low": _rounded(1.0 - shown.high, np.floor).tolist(),
            "high": _rounded(1.0 - shown.low, np.ceil).tolist(),
            "shown": n.tolist(),
            "measured": (n > 0).tolist(),
        },
        "contenders": [_contender(record, *entry) for entry in race],
    }


def _bounds(problem: Problem, evidence: Evidence) -> Bounds:
    """Returns the bounds that are displayed: exact ones in the deterministic model; elsewhere intervals need none."""
    if problem.model is Model.DETERMINISTIC:
        return assess(problem, evidence).bounds
    return Bounds(np.zeros(0), np.zeros(0), ())


def _rounded(values: FloatArray, towards: Callable[[FloatArray], FloatArray] = np.rint) -> FloatArray:
    """Returns values with as many digits as are shown; ends of intervals go outwards, so that they stay true."""
    return np.clip(towards(values * DISPLAY_STEPS) / DISPLAY_STEPS, 0.0, 1.0)


def _contender(
    record: SessionRecord, i: int, j: int, reward: float | None, low: float, high: float, shown: int
) -> dict[str, Any]:
    pair = (record.items[i].id, record.items[j].id)
    return {"i": i, "j": j, "pair": pair, "reward": reward, "interval": (low, high), "shown": shown}


def _most_relevant(evidence: Evidence, top: int) -> IntArray:
    """Returns the items of the lowest mean pairs, best pair first, filled up in order with the rest."""
    t, K = evidence.totals, evidence.n_items
    off = t.i != t.j
    overall = t.s.sum() / max(t.n.sum(), 1)
    mean = (t.s[off] + USUAL * overall) / (t.n[off] + USUAL)  # shrunk: a pair shown a few times says little
    order = np.argsort(mean, kind="stable")
    ranked = np.column_stack([t.i[off][order], t.j[off][order]]).ravel()
    _, first = np.unique(ranked, return_index=True)
    best_first = ranked[np.sort(first)]
    rest = np.setdiff1d(np.arange(K), best_first)
    return np.concatenate([best_first, rest])[: min(top, K)].astype(np.int64)


def _imputed(problem: Problem, evidence: Evidence, i: IntArray, j: IntArray) -> FloatArray | None:
    """Returns completed values, None while there is too little to complete from."""
    rank = min(problem.rank or 1, DISPLAY_RANK)  # completion costs the fourth power of it
    if len(evidence.totals.n) < max(rank * problem.n_items, 2) or rank >= problem.n_items:
        return None
    return complete(evidence.totals, problem.n_items, rank).entries(i, j)
