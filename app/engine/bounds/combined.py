"""All bounds together: for each pair the lowest upper and the highest lower bound, and what they assume.

Every kind of bound holds at all times with probability 1 minus its share. So all of them hold together with probability
1 minus the sum of the shares, and the best of them may be taken.
"""

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from app.engine.arrays import FloatArray
from app.engine.bounds import Bounds, Contrasts, Kind
from app.engine.bounds.contrast import MarginalBounds, contrasts
from app.engine.bounds.direct import direct_bounds, lower_with_nominees
from app.engine.bounds.item_clicks import item_click_bounds
from app.engine.bounds.screening import blank_bounds
from app.engine.choices import Choices
from app.engine.delta_shares import Shares, portion
from app.engine.evidence import Evidence
from app.engine.problem import Problem


def combined_bounds(problem: Problem, evidence: Evidence, choices: Choices, shares: Shares) -> Bounds:
    """Returns the best bounds of every pair. Cost O(P)."""
    delta = problem.delta
    direct = direct_bounds(evidence, choices.guess, shares.upper * delta, shares.direct * delta)
    upper = lower_with_nominees(direct.upper, evidence, choices, shares.nominees * delta)
    structural = [*_screening(problem, evidence, choices, shares)]
    direct = direct._replace(upper=upper)
    separate = _with_structure(direct, structural)
    bounds = separate._replace(contrasts=tuple(_contrasts(problem, evidence, choices, shares, separate)))
    return bounds._replace(assumptions=assumptions_of(problem, direct.lower, structural, bounds))


class _Structural(NamedTuple):
    """Lower bounds that use the structure of L."""

    kind: Kind
    lower: FloatArray  # (P,)
    assumptions: tuple[str, ...]


def _screening(problem: Problem, evidence: Evidence, choices: Choices, shares: Shares) -> Iterator[_Structural]:
    """Yields bound I where feedback names the clicked items, and bound F of each blank."""
    if problem.item_clicks and shares.clicks > 0:
        lower = item_click_bounds(evidence, choices.guess, math.log(1 / (shares.clicks * problem.delta)))
        yield _Structural(Kind.ITEM_CLICKS, lower, ("mixture", "slots-independent"))
    share = shares.screening * problem.delta
    for ordinal, blank in enumerate(choices.blanks, start=1):
        lower = blank_bounds(evidence, blank, math.log(1 / portion(share, ordinal)))
        yield _Structural(Kind.SCREENING, lower, ("mixture",))


def _with_structure(bounds: Bounds, structural: Iterable[_Structural]) -> Bounds:
    """Returns the highest lower bound of each pair, and its kind."""
    lower, binding = bounds.lower, np.zeros(len(bounds.lower), dtype=np.int8)
    for one in structural:
        better = one.lower > lower
        binding[better] = one.kind
        lower = np.where(better, one.lower, lower)
    return bounds._replace(lower=lower, binding=binding)


def assumptions_of(
    problem: Problem, direct: FloatArray, structural: Iterable[_Structural], bounds: Bounds
) -> tuple[str, ...]:
    """Returns the assumptions of the leader's certificate.

    The threshold is what all other pairs must reach (`Goal.threshold`). The assumptions of a kind of bound are needed
    only if it raises the lower bound of a pair that the kinds before it leave below the threshold. Contrasts come last,
    and only the leader's matter.
    """
    leader = bounds.leader(problem.goal)
    threshold = problem.goal.threshold(float(bounds.upper[leader]))
    lower, found = direct, dict.fromkeys(bounds.assumptions)
    for one in structural:
        if np.any((one.lower > lower) & (lower < threshold)):
            found |= dict.fromkeys(one.assumptions)
        lower = np.maximum(lower, one.lower)
    if problem.item_clicks and np.any((bounds.lower_given_leader(leader) > lower) & (lower < threshold)):
        found["slots-independent"] = None  # scores assume the same click rate of an item with all partners
    return tuple(found)


def _contrasts(
    problem: Problem, evidence: Evidence, choices: Choices, shares: Shares, separate: Bounds
) -> Iterator[Contrasts]:
    """Yields the contrasts of each nominee with its rivals."""
    if shares.contrasts == 0:
        return
    marginal = MarginalBounds(separate.lower, separate.upper)
    for ordinal, nominee in enumerate(choices.nominees, start=1):
        share = portion(shares.contrasts * problem.delta, ordinal)
        found = contrasts(evidence, choices, nominee, share, problem.goal.epsilon, marginal)
        if found is not None:
            yield found
