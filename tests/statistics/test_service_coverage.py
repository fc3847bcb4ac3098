"""The direct bound through the service, non-clicks arriving later than clicks: it holds; by arrival it breaks."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom
from sqlalchemy import func, select

from app.counting import rules
from app.counting import sql as counting
from app.database.tables import impressions
from app.engine.confidence import upper_end
from app.impressions.handout_order import Order
from app.services import Services
from tests.examples import LARGE, a_session, feedback
from tests.store import SessionStore

ALPHA = 0.1
NO_CLICK = 0.6  # of every pair
SESSIONS, IMPRESSIONS, CHUNK = 120, 120, 12
ALLOWED = int(binom.ppf(0.999, SESSIONS, ALPHA))
N_ITEMS = 3


async def missed(services: Services, store: SessionStore, rng: np.random.Generator) -> bool:
    """Runs one session; returns whether the upper bound of some pair was ever below the truth, at any fold."""
    session_id = await a_session(store, n_items=N_ITEMS, demand=LARGE)
    _, given = await services.impressions.next_pairs(Order(session_id, IMPRESSIONS, "next-pair/batch", None, ""))
    rewards = (rng.random(IMPRESSIONS) >= NO_CLICK).astype(float)
    arrives = np.arange(IMPRESSIONS) + np.where(rewards == 1, 0.0, 200 * rng.exponential(size=IMPRESSIONS))
    order = np.argsort(arrives)
    for start in range(0, IMPRESSIONS, CHUNK):
        answers = [feedback(given[place].ticket, reward=rewards[place]) for place in order[start : start + CHUNK]]
        results = await services.impressions.feedback_batch(session_id, answers)
        assert {result.status for result in results} == {"accepted"}
        await store.fold(session_id)
        counts = (await store.planning_input(session_id)).evidence.to_evidence(N_ITEMS).distinct
        upper = upper_end(counts.n, counts.s, math.log(len(counts.n) / ALPHA))
        if np.any(upper < NO_CLICK):
            return True
    return False


async def misses(folder: Path) -> int:
    store = SessionStore(f"sqlite:///{folder / 'coverage.db'}")
    await store.start()
    try:
        services, rng = store.services(), np.random.default_rng(23)
        return sum([await missed(services, store, rng) for _ in range(SESSIONS)])
    finally:
        await store.close()


async def test_bound_holds_through_the_service(tmp_path: Path) -> None:
    assert await misses(tmp_path) <= ALLOWED


async def test_counting_by_arrival_would_break_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mutant: an impression that is not final does not block the later ones of its pair."""
    original = rules.fold

    def by_arrival(impressions, *given):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN002, ANN202
        """Counts every answer that is there: what is not answered is skipped, and never looked at again."""
        return original((one for one in impressions if one.outcome is not None), *given)

    def all_answered(connection, session_id):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        """The reader that looks for what can be counted must not stop at an open one either."""
        overview = read_overview(connection, session_id)
        is_answered = (impressions.c.session_id == session_id, impressions.c.outcome.is_not(None))
        last = connection.scalar(select(func.max(impressions.c.sequence)).where(*is_answered))
        return replace(overview, last=last or 0)

    read_overview = counting.read_overview
    monkeypatch.setattr(counting, "read_overview", all_answered)
    monkeypatch.setattr(counting, "fold", by_arrival)
    assert await misses(tmp_path) > 2 * ALLOWED
