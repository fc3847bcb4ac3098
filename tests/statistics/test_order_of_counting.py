"""Why the fold counts in issue order: with clicks arriving before non-clicks, counting by arrival breaks the bound."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from app.counting.rules import fold
from app.database.heartbeat import Uptime
from app.engine.confidence import upper_end
from app.impressions.feedback import StoredImpression
from app.sessions.creation import settle
from app.sessions.model import Item
from tests.session_fixtures import new_session

ALPHA = 0.1
NO_CLICK = 0.6  # L of the one pair
RUNS, IMPRESSIONS = 200, 300
SETTINGS = settle(new_session(items=(Item("a", "a"), Item("b", "b")), ticket_ttl_seconds=1e5, seed=1))
UP = [Uptime(0.0, 1e9)]


def history(rng: np.random.Generator, lag: float) -> tuple[np.ndarray, np.ndarray]:
    """Returns rewards and arrival times of impressions issued one a second: non-clicks arrive `lag` later."""
    rewards = (rng.random(IMPRESSIONS) >= NO_CLICK).astype(float)
    return rewards, np.arange(IMPRESSIONS) + np.where(rewards == 1, 0.5, 0.5 + lag * rng.exponential(size=IMPRESSIONS))


def counts_by_fold(rewards: np.ndarray, arrives: np.ndarray, now: float) -> tuple[int, float]:
    opened = [
        StoredImpression(
            place + 1, 0, 1, 1, True, float(place), rewards[place] if there else None, None, None, not_shown=False
        )
        for place, there in enumerate((arrives <= now)[: int(now) + 1])
    ]
    evidence = fold(opened, SETTINGS, now, UP, (0, b"")).evidence
    return sum(evidence.n), sum(evidence.s)


def counts_by_arrival(rewards: np.ndarray, arrives: np.ndarray, now: float) -> tuple[int, float]:
    """The mutant: what has arrived is counted."""
    there = arrives <= now
    return int(there.sum()), float((1 - rewards[there]).sum())


def misses(count: object, lag: float) -> int:
    rng = np.random.default_rng(17)
    missed = 0
    for _ in range(RUNS):
        rewards, arrives = history(rng, lag)
        polls = [count(rewards, arrives, now) for now in range(5, IMPRESSIONS, 6)]  # type: ignore[operator]
        n, s = (np.array(column) for column in zip(*polls, strict=True))
        missed += bool(np.any(upper_end(n, s.astype(float), math.log(1 / ALPHA)) < NO_CLICK))
    return missed


ALLOWED = int(binom.ppf(0.999, RUNS, ALPHA))


@pytest.mark.parametrize("lag", [20.0, 50.0])
def test_issue_order_keeps_the_bound(lag: float) -> None:
    assert misses(counts_by_fold, lag) <= ALLOWED


def test_counting_by_arrival_breaks_it() -> None:
    assert misses(counts_by_arrival, 20.0) > 2 * ALLOWED
    assert misses(counts_by_arrival, 50.0) > 4 * ALLOWED
