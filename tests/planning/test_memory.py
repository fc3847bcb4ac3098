"""Memories that cannot be read: either the choices that were used are recovered, or nothing is certified any more."""

import json
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import pytest

from app.engine.choices import Choices
from app.engine.memory import Memory
from app.planning.memory import load_memory, read_memory
from app.results.findings import LOST_CHOICES, REMOVED_BOUND
from tests.session_fixtures import MakeRecord
from tests.session_log import Log


@pytest.fixture
def log(make_record: MakeRecord, choosing: str) -> Log:
    """A session with five plans, the last one unanswered: nominees of plans 2 and 4, a blank of plan 3."""
    log = Log(make_record(policy=choosing, epsilon=0.05), np.random.default_rng(1))
    list(islice(log.plans(), 5))
    return log


def damage(log: Log, place: int) -> None:
    log.stored[place] = replace(log.stored[place], memory="not json")


def versions(choices: Choices) -> list[int]:
    return [nominee.version for nominee in choices.nominees]


def test_a_readable_memory_is_used_unchanged(log: Log) -> None:
    loaded = load_memory(log.given())
    assert loaded.memory.to_json() == log.stored[-1].memory
    assert loaded.lost == ()


def test_the_memory_of_the_plan_before_is_used_instead(log: Log) -> None:
    damage(log, -1)
    loaded = load_memory(log.given())
    assert loaded.memory.version == 5, "the version still increases"
    assert loaded.memory.choices == Memory.from_json(log.stored[3].memory).choices
    assert versions(loaded.memory.choices) == [2, 4], "the choices that plan 5 used, in their order"
    planned = log.plan()
    assert planned.plan.version == 6
    body = json.loads(planned.snapshot.body)
    assert (body["health"], body["samples"]) == ([], log.counted)


def test_a_choice_of_the_lost_plan_was_never_used(log: Log) -> None:
    log.stored, log.record = log.stored[:4], replace(log.record, plan_version=4)
    damage(log, -1)
    assert versions(load_memory(log.given()).memory.choices) == [2], (
        "the nominee of plan 4 is dropped, and its number is free"
    )
    again = log.plan()
    assert versions(Memory.from_json(again.plan.memory).choices) == [2]


def test_the_first_plan_needs_no_memory_before_it(make_record: MakeRecord, choosing: str) -> None:
    log = Log(make_record(policy=choosing), np.random.default_rng(1))
    log.plan()
    damage(log, 0)
    assert load_memory(log.given()) == replace(load_memory(log.given()), lost=())
    assert load_memory(log.given()).memory == Memory(version=1)


def test_with_two_lost_memories_nothing_is_certified(log: Log) -> None:
    damage(log, -1)
    damage(log, -2)
    loaded = load_memory(log.given())
    assert loaded.lost == (LOST_CHOICES,)
    planned = list(log.plans())
    assert all(json.loads(one.snapshot.body)["verdict"] == "suspended" for one in planned), (
        "although later memories can be read"
    )
    assert planned[-1].plan.report.verdict == "certified", "the bounds were reached"
    assert all(one.certificate is None for one in planned)
    assert planned[0].plan.demand.total, "the session continues"


def with_old_keys(log: Log, **changes: Any) -> None:
    """Writes the last memory as version 0.1.0 did, with the keys of bound G."""
    memory = json.loads(log.stored[-1].memory)
    memory["choices"] |= {"landmarks": [], "gram_refuted": False, **changes}
    log.stored[-1] = replace(log.stored[-1], memory=json.dumps(memory))


def test_a_memory_of_version_0_1_0_without_bound_g_is_read(log: Log) -> None:
    before = load_memory(log.given())
    with_old_keys(log)
    assert load_memory(log.given()) == before


@pytest.mark.parametrize("used", [{"landmarks": [{"version": 1, "items": [2]}]}, {"gram_refuted": True}])
def test_a_session_that_used_bound_g_continues_and_certifies_nothing(log: Log, used: dict[str, Any]) -> None:
    with_old_keys(log, **used)
    assert load_memory(log.given()).lost == (REMOVED_BOUND,)
    planned = list(log.plans())
    assert all(json.loads(one.snapshot.body)["verdict"] == "suspended" for one in planned)
    first = json.loads(planned[0].snapshot.body)["health"][0]
    assert "bound G" in first["problem"]
    assert "without a rank" in first["advice"]
    assert planned[-1].plan.report.verdict == "certified", "the bounds were reached"
    assert all(one.certificate is None for one in planned)
    assert planned[0].plan.demand.total, "the session continues"


def test_a_verdict_is_recovered_from_the_report(make_record: MakeRecord) -> None:
    log = Log(make_record(epsilon=0.2, delta=0.1), np.random.default_rng(3))
    done = list(log.plans())[-1]
    damage(log, -1)
    again = log.plan()
    assert json.loads(again.snapshot.body)["certified"]
    assert again.plan.report.pair == done.plan.report.pair
    assert again.plan.report.relative_gap == done.plan.report.relative_gap
    assert again.certificate is None, "there is one already"


def test_memories_of_older_versions_can_be_read() -> None:
    old = '{"version":3,"notes":{"rounds":[1]},"certified":null}'
    assert read_memory(old) == Memory(3, {"rounds": [1]})
    fewer_kinds = (
        '{"version":3,"notes":{},"certified":null,"choices":{"nominees":[{"version":1,"pair":[0,1],"guess":0.5}]}}'
    )
    found = read_memory(fewer_kinds)
    assert found is not None
    assert versions(found.choices) == [1]


@pytest.mark.parametrize("text", ["", "[]", "3", '"x"', "{}", '{"version":1,"notes":{},"certified":null,"choices":7}'])
def test_other_texts_are_no_memory(text: str) -> None:
    assert read_memory(text) is None
