"""Prepared heat maps: one for all who look, a new one for a new plan."""

import asyncio
import json
from dataclasses import replace
from typing import Any, cast

import pytest

from app.errors import StorageUnavailable
from app.results.estimating import MOST_KEPT, STALE_SECONDS, Estimating
from app.sessions.model import EvidenceRows, SessionRecord
from app.sessions.ports import Measured, Store
from tests.session_fixtures import MakeRecord

COUNTS = EvidenceRows([0, 0], [1, 2], [1, 1], [10, 20], [5.0, 4.0], [0, 0], [0, 0], [0, 0])


class Shelves:
    """A store of one session, and a note of how often its evidence was read."""

    def __init__(self, record: SessionRecord) -> None:
        self.record = record
        self.reads = 0
        self.away = False

    async def session(self, _: str) -> SessionRecord:
        return self.record

    async def measured(self, _: str) -> Measured:
        self.reads += 1
        if self.away:
            raise StorageUnavailable("the database is away")
        return Measured(self.record, COUNTS, [[1, 2, None, 0.0, 1.0, 0]])


@pytest.fixture
def store(make_record: MakeRecord) -> Shelves:
    return Shelves(make_record(n_items=3))


def estimating(store: Shelves, now: list[float]) -> Estimating:
    return Estimating(cast("Store", store), lambda: now[0])


def content(body: str) -> dict[str, Any]:
    return dict(json.loads(body))


async def test_many_callers_share_one_reading(store: Shelves) -> None:
    maps = estimating(store, [0.0])
    answers = await asyncio.gather(*(maps.read("a", 3) for _ in range(20)))
    assert (store.reads, len(set(answers))) == (1, 1)
    told = content(answers[0].body)
    assert told["cells"]["reward"] == [0.8, 0.5, None], "the best pair comes first"
    assert told["contenders"] == [
        {"i": 1, "j": 2, "pair": ["ad-1", "ad-2"], "reward": None, "interval": [0.0, 1.0], "shown": 0}
    ]


async def test_a_new_plan_makes_a_new_one_and_folds_do_so_now_and_then(store: Shelves) -> None:
    now = [0.0]
    maps = estimating(store, now)
    await maps.read("a", 3)
    now[0] = 100 * STALE_SECONDS
    await maps.read("a", 3)
    assert store.reads == 1, "nothing has changed"
    store.record = replace(store.record, plan_version=store.record.plan_version + 1)
    await maps.read("a", 3)
    assert store.reads == 2
    store.record = replace(store.record, epoch=store.record.epoch + 1)
    await maps.read("a", 3)
    assert store.reads == 2, "a fold alone may wait"
    now[0] += STALE_SECONDS
    await maps.read("a", 3)
    assert store.reads == 3


async def test_sizes_are_apart_and_the_number_kept_is_limited(store: Shelves) -> None:
    maps = estimating(store, [0.0])
    for top in range(2, MOST_KEPT + 3):
        await maps.read("a", top)
    await maps.read("a", MOST_KEPT + 2)
    assert store.reads == MOST_KEPT + 1
    await maps.read("a", 2)
    assert store.reads == MOST_KEPT + 2, "the oldest one had to go"


async def test_a_failure_is_told_and_not_kept(store: Shelves) -> None:
    maps = estimating(store, [0.0])
    store.away = True
    with pytest.raises(StorageUnavailable):
        await maps.read("a", 3)
    store.away = False
    assert content((await maps.read("a", 3)).body)["samples"] == 30
