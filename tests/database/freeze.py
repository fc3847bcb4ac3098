"""Writes a small database of the present revision as SQL, to be kept for ever: python -m tests.database.freeze

Later revisions must open it and go on with its session (tests/database/test_frozen.py). Run it once for each revision.
"""

import asyncio
import sqlite3
import tempfile
from pathlib import Path

from app.sessions.service import Answer, Sessions

from app.database.migrations import head
from app.impressions.handout import Order
from app.planning.planner import Planner
from app.sessions.model import Item
from tests.examples import execute
from tests.session_fixtures import new_session
from tests.store import SessionStore

FOLDER = Path(__file__).parent / "frozen"


async def a_lived_in_database(url: str) -> None:
    """Fills a database with a session that has plans, evidence, and answers on their way."""
    store = SessionStore(url)
    await store.start()
    try:
        sessions, planner = Sessions(store), Planner(store)
        items = tuple(Item(f"ad-{n}", f"Ad {n}") for n in range(4))
        new = new_session(items=items, name="frozen", policy="lucb", epsilon=0.2, ticket_ttl_seconds=1, seed=1)
        session = (await sessions.create(new)).record.id
        for number in range(6):
            shown = await sessions.next_pairs(session, Order(12, "next-pair/batch", f"key-{number}", "digest"))
            answers = [
                Answer(one.handed_out.ticket, reward=float((one.handed_out.i + number + place) % 3 == 0))
                for place, one in enumerate(shown[:-1])
            ]
            await sessions.feedback_batch(session, answers)
            await planner.advance(session)
        execute(url, "UPDATE impressions SET issued_at = issued_at - 2")  # those that nobody answered are given up
        await planner.advance(session)
    finally:
        await store.close()


def main() -> None:
    """Writes frozen/<revision>.sql."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "frozen.sqlite3"
        asyncio.run(a_lived_in_database(f"sqlite:///{file}"))
        connection = sqlite3.connect(file)
        (FOLDER / f"{head()}.sql").write_text("\n".join(connection.iterdump()) + "\n")
        connection.close()


if __name__ == "__main__":
    main()
