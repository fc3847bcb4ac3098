"""The heat map: the most relevant items, what was measured between them, and what is imputed."""

import math
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


def estimates_of(record: SessionRecord, evidence: Evidence, top: int) -> dict[str, Any]:
    """Returns the items with the best pairs and a triangle of cells: reward, interval, shown, measured or imputed.

    Intervals are simultaneous over all pairs at 1 - delta, for display. Imputed values come from a low-rank
    completion and prove nothing.
    """
    problem = record.settings.problem(len(record.items), record.budget)
    items = _most_relevant(evidence, top)
    left, right = np.triu_indices(len(items), 1)
    i, j = items[left], items[right]
    n, _ = evidence.entries(i, j)
    shown = displayed(problem, evidence, _bounds(problem, evidence), np.minimum(i, j), np.maximum(i, j))
    imputed = _imputed(problem, evidence, i, j)
    cells = [
        {
            "a": int(a),
            "b": int(b),
            "reward": _reward(shown.value[k], imputed, k),
            "interval": [1.0 - float(shown.high[k]), 1.0 - float(shown.low[k])],
            "shown": int(n[k]),
            "measured": bool(n[k]),
        }
        for k, (a, b) in enumerate(zip(left, right, strict=True))
    ]
    names = [{"i": int(item), "id": record.items[item].id, "label": record.items[item].label} for item in items]
    return {"plan_version": record.plan_version, "samples": evidence.samples, "items": names, "cells": cells}


def _bounds(problem: Problem, evidence: Evidence) -> Bounds:
    """Returns the bounds that are displayed: exact ones in the deterministic model; elsewhere intervals need none."""
    if problem.model is Model.DETERMINISTIC:
        return assess(problem, evidence).bounds
    return Bounds(np.zeros(0), np.zeros(0), ())


def _reward(value: float, imputed: FloatArray | None, k: int) -> float | None:
    """Returns what is known of a cell, else what is imputed, else nothing."""
    if not math.isnan(value):
        return 1.0 - float(value)
    return None if imputed is None else float(np.clip(1.0 - imputed[k], 0.0, 1.0))


def _most_relevant(evidence: Evidence, top: int) -> IntArray:
    """Returns the items of the lowest mean pairs, best pair first, filled up in order with the rest."""
    t, K = evidence.totals, evidence.n_items
    off = t.i != t.j
    mean = (t.s[off] + 0.5) / (t.n[off] + 1)  # shrunk: a pair shown once says little
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
