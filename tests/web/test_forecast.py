"""GET /v1/forecast: the shape of the response, and what is refused."""

import pytest

from tests.fakes.caller import Caller
from tests.fakes.sessions import FakeServices

GOOD = {"items": "30", "click_rate": "0.005"}


def test_the_response(api: Caller, sessions: FakeServices) -> None:
    sessions.error = RuntimeError("no use case of a session is needed, and no database")
    found = api.get("/v1/forecast", params={**GOOD, "traffic": "100000", "delta": "0.1"})
    assert found.status_code == 200
    body = found.json()
    assert body["items"] == 30
    assert (body["epsilon"], body["relative_epsilon"], body["delta"]) == (None, 0.1, 0.1)
    assert (body["feedback"], body["other_feedback"]["feedback"]) == ("pair", "items")
    assert body["other_feedback"]["impressions"]["median"] < body["impressions"]["median"]
    for one in (body, body["other_feedback"]):
        assert one["impressions"]["low"] < one["impressions"]["median"] < one["impressions"]["high"]
        assert one["days"]["median"] == pytest.approx(one["impressions"]["median"] / 100_000, rel=0.06)
    assert (body["extrapolated"], body["notes"]) == (False, [])


def test_both_kinds_of_feedback_and_of_goal(api: Caller) -> None:
    items = api.get("/v1/forecast", params={**GOOD, "feedback": "items"}).json()
    pair = api.get("/v1/forecast", params={**GOOD, "feedback": "pair", "relative_epsilon": "0.1"}).json()
    assert items["impressions"] == pair["other_feedback"]["impressions"]
    absolute = api.get("/v1/forecast", params={**GOOD, "epsilon": "0.001"}).json()
    assert (absolute["epsilon"], absolute["relative_epsilon"]) == (0.001, None)
    assert absolute["days"] is None


@pytest.mark.parametrize("change", [{"items": "5000"}, {"click_rate": "0.5"}, {"click_rate": "0.0002"}])
def test_outside_of_what_was_simulated(api: Caller, change: dict[str, str]) -> None:
    found = api.get("/v1/forecast", params={**GOOD, **change}).json()
    assert found["extrapolated"]
    assert "outside of what was simulated" in found["notes"][0]


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({"items": None}, "items", "is required"),
        ({"click_rate": None}, "click_rate", "is required"),
        ({"items": "1"}, "items", "must be at least 2"),
        ({"items": "5001"}, "items", "must be at most 5000"),
        ({"items": "many"}, "items", "must be a whole number"),
        ({"click_rate": "0"}, "click_rate", "must be above 0"),
        ({"click_rate": "1"}, "click_rate", "must be below 1"),
        ({"click_rate": "0,5"}, "click_rate", "must be a number"),
        ({"click_rate": "nan"}, "click_rate", "must be a finite number"),
        ({"best_click_rate": "0.001"}, "best_click_rate", "must be at least the mean"),
        ({"best_click_rate": "0.2"}, "best_click_rate", "at most 0.15"),
        ({"feedback": "stars"}, "feedback", "must be 'pair' or 'items'"),
        ({"epsilon": "0"}, "epsilon", "must be above 0"),
        ({"relative_epsilon": "1"}, "relative_epsilon", "must be below 1"),
        ({"epsilon": "0.1", "relative_epsilon": "0.1"}, "relative_epsilon", "cannot be combined with epsilon"),
        ({"delta": "1"}, "delta", "must be below 1"),
        ({"traffic": "0"}, "traffic", "must be at least 0.001"),
        ({"traffic": "inf"}, "traffic", "must be a finite number"),
        ({"clickrate": "0.1"}, "clickrate", "is not a known field"),
    ],
)
def test_refusals_name_the_parameter(api: Caller, change: dict[str, str | None], field: str, message: str) -> None:
    params = {name: value for name, value in {**GOOD, **change}.items() if value is not None}
    refused = api.get("/v1/forecast", params=params)
    assert refused.status_code == 422
    problem = refused.json()
    assert problem["type"] == "/problems/invalid-request"
    assert [(error["field"], message in error["message"]) for error in problem["errors"]] == [(field, True)]
