import json

import pytest

from app.sessions.model import Snapshot
from tests.fakes.caller import Caller
from tests.fakes.sessions import BEST_PAIR, FakeServices


def test_creation_answers_with_the_session_and_where_it_is(api: Caller) -> None:
    response = api.post("/v1/sessions", {"items": ["a", {"id": "b", "label": "Bee"}], "name": "home", "seed": 2})
    created = response.json()
    assert response.status_code == 201
    assert response.headers["location"] == f"/v1/sessions/{created['id']}"
    assert created["items"] == [{"id": "a", "label": "a"}, {"id": "b", "label": "Bee"}]
    assert (created["name"], created["state"], created["rank"], created["n_items"]) == ("home", "running", "auto", 2)
    assert created["counters"] == {"issued": 5, "answered": 3, "void": 1, "counted": 2, "outstanding": 2}
    assert created["created_at"] == "2023-11-14T22:13:20.500000Z"
    assert created["best_pair"]["verdict"] == "not_yet"
    assert api.get(response.headers["location"]).json() == created


def test_defaults_depend_on_the_model(api: Caller) -> None:
    items = ["a", "b", "c"]
    deterministic = api.post("/v1/sessions", {"items": items, "model": "deterministic", "rank": 1}).json()
    stochastic = api.post("/v1/sessions", {"items": items, "attribution_window_seconds": 60}).json()
    assert (deterministic["policy"], deterministic["self_pairs"]) == ("plans", "explore")
    assert (stochastic["self_pairs"], stochastic["missing_feedback"]) == ("never", "no_click")


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({}, (None, 0.1)),
        ({"relative_epsilon": 0.2}, (None, 0.2)),
        ({"epsilon": 0.2}, (0.2, None)),
        ({"epsilon": 0.2, "relative_epsilon": None}, (0.2, None)),
    ],
)
def test_a_session_has_one_goal(
    api: Caller, stated: dict[str, float | None], expected: tuple[float | None, float | None]
) -> None:
    created = api.post("/v1/sessions", {"items": ["a", "b"], **stated}).json()
    (listed,) = api.get("/v1/sessions").json()["sessions"]
    for shown in (created, listed):
        assert (shown["epsilon"], shown["relative_epsilon"]) == expected


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({"epsilon": 0.1, "relative_epsilon": 0.1}, "cannot be combined with epsilon: leave one of them out"),
        (
            {"policy": "median_elimination"},
            'policy "median_elimination" cannot work with a relative goal: give epsilon',
        ),
    ],
)
def test_a_goal_that_does_not_fit_is_refused_with_what_to_do(
    api: Caller, stated: dict[str, object], message: str
) -> None:
    refused = api.post("/v1/sessions", {"items": ["a", "b", "c"], **stated})
    assert (refused.status_code, refused.json()["type"]) == (422, "/problems/invalid-session")
    (error,) = refused.json()["errors"]
    assert error["field"] == "relative_epsilon"
    assert error["message"].startswith(message)


def test_a_result_that_an_older_version_wrote_has_no_relative_gap(
    api: Caller, session: str, sessions: FakeServices
) -> None:
    old = {name: value for name, value in BEST_PAIR.items() if not name.startswith("relative_")} | {"epsilon": 0.05}
    sessions.snapshot = Snapshot(json.dumps(old), '"old"')
    shown = api.get(session).json()["best_pair"]
    assert (shown["gap"], shown["relative_gap"]) == (1.0, None)
    assert (shown["epsilon"], shown["relative_epsilon"]) == (0.05, None)


def test_settings_that_do_not_fit_name_the_field(api: Caller) -> None:
    problem = api.post("/v1/sessions", {"items": ["a", "b"], "missing_feedback": "no_click"}).json()
    assert problem["type"] == "/problems/invalid-session"
    assert problem["errors"][0]["field"] == "missing_feedback"


def test_the_cursor_leads_through_all_pages(api: Caller) -> None:
    created = [api.post("/v1/sessions", {"items": ["a", "b"]}).json()["id"] for _ in range(5)]
    listed: list[str] = []
    cursor, pages = "", 0
    while pages == 0 or cursor:
        page = api.get("/v1/sessions", params={"limit": 2, **({"cursor": cursor} if cursor else {})}).json()
        listed += [session["id"] for session in page["sessions"]]
        cursor, pages = page["next_cursor"], pages + 1
    assert (listed, pages) == (created[::-1], 3)


def test_lists_do_not_contain_items(api: Caller, session: str) -> None:
    (listed,) = api.get("/v1/sessions").json()["sessions"]
    assert "items" not in listed
    assert session.endswith(listed["id"])


def test_a_patch_asks_for_what_it_names_only(api: Caller, session: str, sessions: FakeServices) -> None:
    assert api.send("PATCH", session, json={"state": "paused"}).status_code == 200
    assert api.send("PATCH", session, json={"name": "new", "budget": 9}).status_code == 200
    first, second = sessions.changes
    assert first.model_dump(exclude_unset=True) == {"state": "paused"}
    assert second.model_dump(exclude_unset=True) == {"name": "new", "budget": 9}


def test_a_deleted_session_is_gone(api: Caller, session: str) -> None:
    response = api.send("DELETE", session)
    assert (response.status_code, response.content) == (204, b"")
    assert api.get(session).status_code == 404
    assert api.send("DELETE", session).status_code == 404


def test_notes_are_in_the_session_and_can_be_changed(api: Caller, sessions: FakeServices) -> None:
    created = api.post("/v1/sessions", {"items": ["a", "b"], "notes": "who: Ann\nwhy: sale"})
    assert created.json()["notes"] == "who: Ann\nwhy: sale"
    path = created.headers["location"]
    assert api.get(path).json()["notes"] == "who: Ann\nwhy: sale"
    assert api.get("/v1/sessions").json()["sessions"][0]["notes"] == "who: Ann\nwhy: sale"
    assert api.send("PATCH", path, json={"notes": ""}).status_code == 200
    assert sessions.changes[-1].edits == {"notes": ""}
