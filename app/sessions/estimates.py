"""The heat map: the most relevant items, what was measured between them, and what is imputed."""

import math
from typing import Any

import numpy as np

from app.engine.arrays import FloatArray, IntArray
from app.engine.completion import complete
from app.engine.confidence import lower_end, upper_end
from app.engine.evidence import Evidence
from app.engine.problem import Model, Problem
from app.sessions.model import SessionRecord


def estimates_of(record: SessionRecord, evidence: Evidence, top: int) -> dict[str, Any]:
    """Returns the items with the best pairs and a triangle of cells: reward, interval, shown, measured or imputed.

    Intervals are simultaneous over all pairs at 1 - delta, for display. Imputed values come from a low-rank
    completion and prove nothing.
    """
    problem = record.settings.problem(len(record.items), record.budget)
    items = _most_relevant(evidence, top)
    left, right = np.triu_indices(len(items), 1)
    i, j = items[left], items[right]
    n, s = evidence.entries(i, j)
    low, high = _intervals(problem, n, s)
    imputed = _imputed(problem, evidence, i, j)
    cells = [
        {
            "a": int(a),
            "b": int(b),
            "reward": 1.0 - float(s[k] / n[k]) if n[k] else _optional(imputed, k),
            "interval": [1.0 - float(high[k]), 1.0 - float(low[k])],
            "shown": int(n[k]),
            "measured": bool(n[k]),
        }
        for k, (a, b) in enumerate(zip(left, right, strict=True))
    ]
    names = [{"i": int(item), "id": record.items[item].id, "label": record.items[item].label} for item in items]
    return {"plan_version": record.plan_version, "samples": evidence.samples, "items": names, "cells": cells}


def _optional(imputed: FloatArray | None, k: int) -> float | None:
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


def _intervals(problem: Problem, n: IntArray, s: FloatArray) -> tuple[FloatArray, FloatArray]:
    if problem.model is Model.DETERMINISTIC:
        value = np.divide(s, n, out=np.zeros(len(s)), where=n > 0)
        return value, np.where(n > 0, value, 1.0)
    level = math.log(problem.n_pairs / problem.delta)
    return lower_end(n, s, level), upper_end(n, s, level)


def _imputed(problem: Problem, evidence: Evidence, i: IntArray, j: IntArray) -> FloatArray | None:
    """Returns completed values, None while there is too little to complete from."""
    rank = problem.rank or 1
    if len(evidence.totals.n) < max(rank * problem.n_items, 2) or rank >= problem.n_items:
        return None
    return complete(evidence.totals, problem.n_items, rank).entries(i, j)
