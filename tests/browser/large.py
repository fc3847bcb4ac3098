"""A large session for measurements: evidence is written directly into the database, plans are computed."""

import asyncio

import numpy as np

from app.engine.arrays import pair_items
from app.sessions.model import Item
from app.simulation.mixtures import mixture
from app.simulation.population import Population
from tests.examples import execute
from tests.session_fixtures import new_session
from tests.store import SessionStore

STAGES = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
"""Shares of the impressions after which a plan is made: points of the progress chart."""
ROWS_PER_INSERT = 5_000


async def fill(url: str, n_items: int, impressions: int, seed: int = 1) -> str:
    """Returns the id of a session with this many items and counted impressions, spread over its pairs."""
    rng = np.random.default_rng(seed)
    population = mixture("ads6", n_items, 2, rng)
    store = SessionStore(url)
    await store.start()
    try:
        services = store.services()
        planner = services.sessions.planner
        items = tuple(Item(f"ad-{number}", f"Advertisement number {number}") for number in range(n_items))
        session = (
            await services.sessions.create(
                new_session(items=items, name=f"{n_items} items", epsilon=0.01, budget=10 * impressions)
            )
        ).session.id
        done = 0
        for part in STAGES:
            count, version = int(impressions * part) - done, (await store.session(session)).plan_version
            done += count
            await asyncio.to_thread(_write, url, session, version, _drawn(population, count, rng))
            await planner.advance(session, plan_anyway=True)
        await planner.stop()
    finally:
        await store.close()
    return session


def _drawn(population: Population, count: int, rng: np.random.Generator) -> list[tuple[int, int, int, float]]:
    """Returns rows (i, j, n, s) of `count` impressions on pairs drawn uniformly."""
    n_items = population.n_items
    index, n = np.unique(rng.integers(0, n_items * (n_items - 1) // 2, count), return_counts=True)
    i, j = pair_items(index, n_items)
    s = rng.binomial(n, population.loss(i, j))
    return list(zip(i.tolist(), j.tolist(), n.tolist(), s.astype(float).tolist(), strict=True))


def _write(url: str, session: str, version: int, rows: list[tuple[int, int, int, float]]) -> None:
    for start in range(0, len(rows), ROWS_PER_INSERT):
        values = ",".join(
            f"('{session}',{i},{j},{version},{n},{s},0,0,0)" for i, j, n, s in rows[start : start + ROWS_PER_INSERT]
        )
        columns = "session_id, i, j, version, n, s, clicks_i, clicks_j, unanswered"
        execute(url, f"INSERT INTO evidence ({columns}) VALUES {values}")  # noqa: S608 - contains only our own values
    count = sum(n for _, _, n, _ in rows)
    execute(
        url,
        "UPDATE sessions SET issued = issued + :n, counted = counted + :n, answered_closed = answered_closed + :n,"
        " next_sequence = next_sequence + :n, watermark = watermark + :n WHERE id = :id",
        {"n": count, "id": session},
    )
