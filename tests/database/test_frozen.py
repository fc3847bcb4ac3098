"""Databases of every revision so far: this version opens them, migrates them, and their sessions continue."""

import json
import sqlite3
from pathlib import Path

import pytest

from app.database.migrations import head
from app.impressions.handout_order import Order
from app.planning.memory import read_memory
from app.verification.replay import replay
from tests.database.freeze import FOLDER
from tests.examples import reward
from tests.store import SessionStore

FROZEN = sorted(FOLDER.glob("*.sql"))


def test_the_current_revision_is_frozen() -> None:
    assert head() in {file.stem for file in FROZEN}, "run python -m tests.database.freeze and keep what it writes"


@pytest.mark.parametrize("file", FROZEN, ids=lambda file: file.stem)
async def test_a_frozen_session_continues(file: Path, tmp_path: Path) -> None:
    database = tmp_path / "thawed.sqlite3"
    connection = sqlite3.connect(database)
    connection.executescript(file.read_text())
    connection.close()
    store = SessionStore(f"sqlite:///{database}")
    await store.start()
    try:
        services, planner = store.services(), store.services().sessions.planner
        (view,) = await services.results.sessions(10, None)
        session_id, before = view.session.id, view.counters.counted
        assert before > 10, "version 0.1.0 counted more: some are above the watermark now"
        assert view.counters.answered > 20
        log = [row async for row in services.results.export(session_id)]
        again = replay(log)
        # Another version of the engine may have planned otherwise; counts, and what it had chosen, must be the same.
        counts = (await store.planning_input(session_id)).evidence
        assert again.evidence == counts, "its counts still follow from its log"
        assert all(read_memory(plan["memory"]) is not None for plan in again.stored), "no choice is lost"
        for _ in range(5):
            order = Order(session_id, 60, "next-pair/batch", None, "")
            _, given = await services.impressions.next_pairs(order)
            answers = [reward(one, 0.0) for one in given if one.counts]
            await services.impressions.feedback_batch(session_id, answers)
            await planner.advance(session_id)
        view = await services.results.session(session_id)
        assert view.counters.counted > before + 100
        assert view.session.plan_version > again.stored[-1]["version"], "new plans were made"
        best = json.loads(view.snapshot.body)
        assert best["samples"] > before
        assert {entry["kind"] for entry in best["health"]} <= {"epsilon_too_large"}, "20 points, and no clicks"
    finally:
        await store.close()
