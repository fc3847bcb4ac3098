"""The responses of /events and /history."""

import json

import pytest

from app.errors import Overloaded
from app.results.sql import HistoryPoint, Live
from app.sessions.model import Counters, Snapshot
from app.web.routes import results
from tests.examples import report
from tests.fakes.caller import Caller
from tests.fakes.sessions import BEST_PAIR, FakeServices


def live(tag: str, counted: int) -> Live:
    return Live(Snapshot(json.dumps({**BEST_PAIR, "samples": counted}), f'"{tag}"'), Counters(counted, counted, 0, 1))


def events(text: str) -> list[dict[str, str]]:
    """Returns the fields of each event, without comments."""
    blocks = [[line for line in block.splitlines() if not line.startswith(":")] for block in text.split("\n\n")]
    return [dict(line.split(": ", 1) for line in block) for block in blocks if block]


def test_events_are_the_changes(api: Caller, session: str, sessions: FakeServices) -> None:
    sessions.lives = [live("t1", 5), None, live("t1", 6), live("t2", 6)]
    answer = api.get(f"{session}/events")
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    sent = events(answer.text)
    assert [each.get("event") for each in sent] == [None, "best-pair", "counters", "counters", "best-pair"]
    assert int(sent[0]["retry"]) >= 1000
    assert (sent[1]["id"], sent[4]["id"]) == ("t1", "t2")
    assert json.loads(sent[4]["data"])["samples"] == 6
    assert json.loads(sent[3]["data"]) == {"issued": 6, "answered": 6, "void": 0, "counted": 1, "outstanding": 5}
    assert "id" not in sent[2], (
        "a caller that reconnects names the last best-pair event, although a counters event came after it"
    )
    assert ": still here\n\n" in answer.text


@pytest.mark.parametrize(("known", "again"), [("t1", False), ("t0", True), (None, True)])
def test_a_caller_that_reconnects_does_not_get_a_known_snapshot(
    api: Caller, session: str, sessions: FakeServices, known: str | None, again: bool
) -> None:
    sessions.lives = [live("t1", 5)]
    answer = api.get(f"{session}/events", headers={"Last-Event-ID": known} if known else {})
    assert ("best-pair" in answer.text) is again
    assert "event: counters" in answer.text


def test_problems_are_sent_instead_of_a_stream(api: Caller, session: str, sessions: FakeServices) -> None:
    assert api.get("/v1/sessions/nope/events").json()["type"] == "/problems/session-not-found"
    sessions.error = Overloaded("too many")
    assert api.get(f"{session}/events").status_code == 503


def point(version: int, relative_gap: float | None = None) -> HistoryPoint:
    made = report(pair=(0, 2), samples=100 * version, contenders=3, relative_gap=relative_gap)
    return HistoryPoint(version, 1_700_000_000.5 + version, made)


def test_history(api: Caller, session: str, sessions: FakeServices, monkeypatch: pytest.MonkeyPatch) -> None:
    sessions.points = [point(version) for version in (1, 2, 3)]
    first = api.get(f"{session}/history").json()
    assert [each["plan_version"] for each in first["points"]] == [1, 2, 3]
    assert not first["more"]
    assert first["points"][1] == {
        "plan_version": 2,
        "at": "2023-11-14T22:13:22.500000Z",
        "samples": 200,
        "gap": 0.25,
        "relative_gap": None,
        "pair": ["a", "c"],
        "i": 0,
        "j": 2,
        "estimated_reward": None,
        "interval": [0.0, 1.0],
        "phase": "refine",
        "contenders": 3,
    }
    sessions.points[1] = point(2, relative_gap=0.5)
    assert api.get(f"{session}/history").json()["points"][1]["relative_gap"] == 0.5, "null: made by an older version"
    assert [each["plan_version"] for each in api.get(f"{session}/history?after=2").json()["points"]] == [3]
    monkeypatch.setattr(results, "MOST_POINTS", 2)
    some = api.get(f"{session}/history").json()
    assert ([each["plan_version"] for each in some["points"]], some["more"]) == ([1, 2], True)
    for wrong in ("-1", "x", str(2**31)):
        assert api.get(f"{session}/history?after={wrong}").status_code == 422
    assert api.get("/v1/sessions/nope/history").status_code == 404
