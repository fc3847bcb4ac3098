"""Databases of every revision so far: this version opens them, migrates them, and their sessions go on."""

import json
import sqlite3
from pathlib import Path

import pytest

from app.database.migrations import head
from app.database.store import SqlStore
from app.planning.memory import read_memory
from app.planning.planner import Planner
from app.sessions.ports import Order
from app.sessions.service import Answer, Sessions
from app.verification.replay import replay
from tests.database.freeze import FOLDER

FROZEN = sorted(FOLDER.glob("*.sql"))


def test_the_present_revision_is_frozen() -> None:
    assert head() in {file.stem for file in FROZEN}, "run python -m tests.database.freeze and keep what it writes"


@pytest.mark.parametrize("file", FROZEN, ids=lambda file: file.stem)
async def test_a_frozen_session_goes_on(file: Path, tmp_path: Path) -> None:
    database = tmp_path / "thawed.sqlite3"
    connection = sqlite3.connect(database)
    connection.executescript(file.read_text())
    connection.close()
    store = SqlStore(f"sqlite:///{database}")
    await store.start()
    try:
        sessions, planner = Sessions(store), Planner(store)
        (view,) = await sessions.page(10, None)
        session, before = view.record.id, view.counters.counted
        assert before > 20
        log = [row async for row in sessions.export(session)]
        again = replay(log)
        # Another version of the engine may have planned otherwise; counts, and what it had chosen, must be the same.
        assert again.evidence == (await store.planning_input(session)).evidence, "its counts still follow from its log"
        assert all(read_memory(plan.memory) is not None for plan in again.stored), "no choice is lost"
        for _ in range(5):
            shown = await sessions.next_pairs(session, Order(60, "next-pair/batch", None, ""))
            answers = [Answer(one.handed_out.ticket, reward=0.0) for one in shown if one.handed_out.counts]
            await sessions.feedback_batch(session, answers)
            await planner.advance(session)
        view = await sessions.get(session)
        assert view.counters.counted > before + 100
        assert view.record.plan_version > again.stored[-1].version, "new plans were made"
        best = json.loads(view.snapshot.body)
        assert best["samples"] > before
        assert {entry["kind"] for entry in best["health"]} <= {"epsilon_too_large"}, "20 points, and nobody clicks"
    finally:
        await store.close()
