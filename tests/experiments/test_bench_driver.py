"""The driver of benchmarks measures only impressions that are stored."""

import json
from collections import Counter

import pytest

from experiments.bench.driver import Driver, Sizes
from experiments.bench.load import Done
from experiments.bench.servers import Server


@pytest.fixture
def driver() -> Driver:
    return Driver(Server("hot", "sqlite", [], {}), Sizes(), session="a session")


def done(*purposes: str) -> Done:
    bodies = [json.dumps({"ticket": "t", "purpose": purpose}).encode() for purpose in purposes]
    return Done(1.0, [0.1] * len(bodies), Counter({200: len(bodies)}), bodies)


def test_a_round_with_an_impression_that_is_not_stored_is_refused(driver: Driver) -> None:
    """It would look cheap."""
    assert driver.measured("next-pair", done("explore", "explore"), 1.0).cpu_us == 5e5
    with pytest.raises(RuntimeError, match="the plan was out"):
        driver.measured("next-pair", done("explore", "exploit"), 1.0)


def test_filling_asks_for_as_many_as_are_stored_and_waits_for_plans(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def store(count: int) -> int:
        asked.append(count)
        return 0 if len(asked) == 2 else count  # the second time the plan is out

    monkeypatch.setattr(driver, "_store", store)
    assert driver.fill(5000) == 5000
    assert asked == [1000, 1000, 1000, 2000, 1000]
