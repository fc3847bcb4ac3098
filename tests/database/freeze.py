"""Writes a small database of the current revision as SQL, to be kept: python -m tests.database.freeze

Later revisions must open it and continue its session (tests/database/test_frozen.py). Run it once for each revision.
"""

import asyncio
import sqlite3
import tempfile
from pathlib import Path

from app.database.migrations import head
from app.impressions.handout_order import Order
from app.sessions.model import Item
from tests.examples import execute, feedback
from tests.session_fixtures import new_session
from tests.store import SessionStore

FOLDER = Path(__file__).parent / "frozen"


async def fill(url: str) -> None:
    """Fills a database with a session that has plans, evidence and open impressions."""
    store = SessionStore(url)
    await store.start()
    try:
        services, planner = store.services(), store.services().sessions.planner
        items = tuple(Item(f"ad-{n}", f"Ad {n}") for n in range(4))
        new = new_session(items=items, name="frozen", policy="lucb", epsilon=0.2, ticket_ttl_seconds=1, seed=1)
        session_id = (await services.sessions.create(new)).session.id
        for number in range(6):
            order = Order(session_id, 12, "next-pair/batch", f"key-{number}", "digest")
            _, given = await services.impressions.next_pairs(order)
            answers = [
                feedback(one.ticket, reward=float((one.i + number + place) % 3 == 0))
                for place, one in enumerate(given[:-1])
            ]
            await services.impressions.feedback_batch(session_id, answers)
            await planner.advance(session_id)
        execute(url, "UPDATE impressions SET issued_at = issued_at - 2 WHERE outcome IS NULL")  # they become void
        await planner.advance(session_id)
    finally:
        await store.close()


def main() -> None:
    """Writes frozen/<revision>.sql."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "frozen.sqlite3"
        asyncio.run(fill(f"sqlite:///{file}"))
        connection = sqlite3.connect(file)
        (FOLDER / f"{head()}.sql").write_text("\n".join(connection.iterdump()) + "\n")
        connection.close()


if __name__ == "__main__":
    main()
