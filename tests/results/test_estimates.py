"""The heat map: which items and cells it has, and how one map is cached for many callers."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import Any, cast

import numpy as np
import pytest

from app.counting.rules import EvidenceRows
from app.database.store import Store
from app.engine.bounds import Bounds
from app.engine.certificate import displayed
from app.engine.evidence import Evidence
from app.errors import StorageUnavailable
from app.results.estimates import CACHED_MAPS, FRESH_SECONDS, EstimatesCache, estimates_of
from app.results.report import RankedPair
from app.results.sql import Measured, read_measured
from app.sessions.model import Session
from app.sessions.sql import SessionCache, SessionLookup, read_session
from tests.engine.driver import evidence_from_rows
from tests.session_fixtures import MakeRecord

COLUMNS = ("reward", "low", "high", "shown", "measured")
COUNTS = EvidenceRows([0, 0], [1, 2], [1, 1], [10, 20], [5.0, 4.0], [0, 0], [0, 0], [0, 0])


def cell(estimates: dict[str, Any], i: int, j: int) -> dict[str, Any]:
    numbers = [item["i"] for item in estimates["items"]]
    place = list(combinations(numbers, 2)).index((i, j) if numbers.index(i) < numbers.index(j) else (j, i))
    return {name: column[place] for name, column in estimates["cells"].items()}


def test_items_of_the_best_pairs_come_first(make_record: MakeRecord) -> None:
    rows = [(0, 1, 1, 100, 90.0), (2, 4, 1, 100, 20.0), (1, 3, 1, 100, 60.0)]
    estimates = estimates_of(make_record(n_items=6), evidence_from_rows(6, rows), top=4)
    assert [item["i"] for item in estimates["items"]] == [2, 4, 1, 3]
    assert estimates["items"][0] == {"i": 2, "id": "ad-2", "label": "Ad 2"}
    assert {name: len(column) for name, column in estimates["cells"].items()} == dict.fromkeys(COLUMNS, 6)
    measured = cell(estimates, 2, 4)
    assert measured["reward"] == pytest.approx(0.8)
    assert measured["low"] < 0.8 < measured["high"]
    assert (measured["shown"], measured["measured"]) == (100, True)


def test_unmeasured_cells_are_empty_until_there_is_enough_to_impute_from(make_record: MakeRecord) -> None:
    sparse = evidence_from_rows(6, [(0, 1, 1, 10, 5.0)])
    assert cell(estimates_of(make_record(n_items=6), sparse, top=6), 2, 3) == {
        "reward": None, "low": 0.0, "high": 1.0, "shown": 0, "measured": False,
    }  # fmt: skip
    x = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    rows = [(i, j, 1, 10**6, x[i] * x[j] * 10**6) for i in range(6) for j in range(i + 1, 6) if (i, j) != (2, 3)]
    imputed = cell(estimates_of(make_record(n_items=6), evidence_from_rows(6, rows), top=6), 2, 3)
    assert not imputed["measured"]
    assert imputed["reward"] == pytest.approx(1 - 0.42, abs=0.01)


def test_a_map_larger_than_the_session_has_all_items(make_record: MakeRecord) -> None:
    assert len(estimates_of(make_record(n_items=3), Evidence.empty(3), top=50)["items"]) == 3


def test_values_are_imputed_from_clicks_alone(make_record: MakeRecord) -> None:
    rows = [(i, j, 1, 2, 0.0) for i in range(5) for j in range(i + 1, 5)]
    assert cell(estimates_of(make_record(n_items=5), evidence_from_rows(5, rows), top=5), 0, 1)["reward"] == 1.0


def test_intervals_are_rounded_outwards(make_record: MakeRecord) -> None:
    rows = [(0, 1, 1, 7_777, 1_234.0), (0, 2, 1, 3_333, 3_000.0), (1, 2, 1, 999, 77.0)]
    record, evidence = make_record(n_items=3), evidence_from_rows(3, rows)
    problem = record.settings.problem(3, None)
    exact = displayed(problem, evidence, Bounds(np.zeros(0), np.zeros(0), ()), np.array([0, 0, 1]), np.array([1, 2, 2]))
    estimates = estimates_of(record, evidence, top=3)
    for k, (i, j) in enumerate(((0, 1), (0, 2), (1, 2))):
        seen = cell(estimates, i, j)
        assert seen["low"] <= 1 - exact.high[k] < seen["low"] + 2e-4
        assert seen["high"] - 2e-4 < 1 - exact.low[k] <= seen["high"]


def test_clicks_by_item_reach_the_engine() -> None:
    rows = EvidenceRows([0, 1], [2, 2], [1, 3], [9, 0], [4.0, 0.0], [3, 0], [2, 0], [1, 5])
    evidence = rows.to_evidence(3)
    assert (evidence.clicks_i.tolist(), evidence.clicks_j.tolist()) == ([3], [2])
    assert evidence.n.tolist() == [9], "impressions without feedback are no evidence"


class StubStore:
    """A store of one session; counts how often its evidence is read."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.reads = 0
        self.is_down = False

    async def read(self, work: Callable[..., object], session_id: str, _: SessionCache) -> object:
        assert session_id == self.session.id
        if work is read_session:
            return self.session
        assert work is read_measured
        self.reads += 1
        if self.is_down:
            raise StorageUnavailable("the database is down")
        return Measured(self.session, COUNTS, (RankedPair(1, 2, None, 0.0, 1.0, 0),))


@pytest.fixture
def store(make_record: MakeRecord) -> StubStore:
    return StubStore(make_record(n_items=3))


def estimates_cache(store: StubStore, now: list[float]) -> EstimatesCache:
    stub = cast("Store", store)
    return EstimatesCache(stub, SessionLookup(stub, SessionCache()), SessionCache(), lambda: now[0])


def content(body: str) -> dict[str, Any]:
    return dict(json.loads(body))


async def test_many_callers_share_one_read(store: StubStore) -> None:
    cache = estimates_cache(store, [0.0])
    snapshots = await asyncio.gather(*(cache.read("s1", 3) for _ in range(20)))
    assert (store.reads, len(set(snapshots))) == (1, 1)
    estimates = content(snapshots[0].body)
    assert estimates["cells"]["reward"] == [0.8, 0.5, None], "the best pair comes first"
    assert estimates["contenders"] == [
        {"i": 1, "j": 2, "pair": ["ad-1", "ad-2"], "reward": None, "interval": [0.0, 1.0], "shown": 0}
    ]


async def test_a_new_plan_makes_a_new_map_and_a_fold_only_after_some_seconds(store: StubStore) -> None:
    now = [0.0]
    cache = estimates_cache(store, now)
    await cache.read("s1", 3)
    now[0] = 100 * FRESH_SECONDS
    await cache.read("s1", 3)
    assert store.reads == 1, "nothing has changed"
    store.session = replace(store.session, plan_version=store.session.plan_version + 1)
    await cache.read("s1", 3)
    assert store.reads == 2
    store.session = replace(store.session, watermark=store.session.watermark + 1)
    await cache.read("s1", 3)
    assert store.reads == 2, "a fold alone may wait"
    now[0] += FRESH_SECONDS
    await cache.read("s1", 3)
    assert store.reads == 3


async def test_a_plan_with_the_same_version_and_another_id_makes_a_new_map(store: StubStore) -> None:
    cache = estimates_cache(store, [0.0])
    await cache.read("s1", 3)
    store.session = replace(store.session, plan_id="other")
    await cache.read("s1", 3)
    assert store.reads == 2


async def test_each_size_has_its_own_map_and_the_number_of_maps_is_limited(store: StubStore) -> None:
    cache = estimates_cache(store, [0.0])
    for top in range(2, CACHED_MAPS + 3):
        await cache.read("s1", top)
    await cache.read("s1", CACHED_MAPS + 2)
    assert store.reads == CACHED_MAPS + 1
    await cache.read("s1", 2)
    assert store.reads == CACHED_MAPS + 2, "the least recently used map was dropped"


async def test_a_failure_is_raised_and_not_cached(store: StubStore) -> None:
    cache = estimates_cache(store, [0.0])
    store.is_down = True
    with pytest.raises(StorageUnavailable):
        await cache.read("s1", 3)
    store.is_down = False
    assert content((await cache.read("s1", 3)).body)["samples"] == 30
