import pytest

from tests.fakes.caller import Caller
from tests.fakes.sessions import FakeSessions


@pytest.mark.parametrize("content", [None, b"", b"{}", b" { } "])
def test_next_pair_needs_no_body(api: Caller, session: str, content: bytes | None) -> None:
    headers = {"Content-Type": "application/json"} if content else {}
    response = api.send("POST", f"{session}/next-pair", content=content, headers=headers)
    assert response.json() == {
        "ticket": "t1",
        "i": 0,
        "j": 1,
        "items": ["a", "b"],
        "purpose": "explore",
        "counts": True,
        "plan_version": 1,
    }


def test_a_batch_is_a_list(api: Caller, session: str) -> None:
    assert len(api.post(f"{session}/next-pair/batch", {"count": 1000}).json()) == 1000


def test_the_key_goes_with_a_digest_of_what_is_asked(api: Caller, session: str, sessions: FakeSessions) -> None:
    headers = {"Idempotency-Key": "k-1", "Content-Type": "application/json"}
    for content in (b'{"count": 2}', b'{ "count" :2 }', b'{"count": 3}'):
        api.send("POST", f"{session}/next-pair/batch", content=content, headers=headers)
    api.send("POST", f"{session}/next-pair", headers={"Idempotency-Key": "k-1"})
    api.post(f"{session}/next-pair", {})
    same, spaced, other, single, unkeyed = sessions.orders
    assert same == spaced
    assert (same.count, same.route, same.idempotency_key) == (2, "next-pair/batch", "k-1")
    assert same.body_digest != other.body_digest
    assert (single.count, single.route, single.idempotency_key) == (1, "next-pair", "k-1")
    assert (unkeyed.idempotency_key, unkeyed.body_digest) == (None, single.body_digest)


def test_the_three_ways_to_answer(api: Caller, session: str, sessions: FakeSessions) -> None:
    for outcome in ({"reward": 1}, {"clicked": ["a"]}, {"not_shown": True}):
        assert api.post(f"{session}/feedback", {"ticket": "t", **outcome}).json() == {"status": "accepted"}
    reward, clicked, not_shown = sessions.answers
    assert (reward.reward, reward.clicked, reward.not_shown) == (1.0, None, False)
    assert (clicked.reward, clicked.clicked, clicked.not_shown) == (None, ("a",), False)
    assert (not_shown.reward, not_shown.clicked, not_shown.not_shown) == (None, None, True)


def test_one_bad_row_spoils_no_other(api: Caller, session: str, sessions: FakeSessions) -> None:
    rows = [
        {"ticket": "t1", "reward": 1},
        {"ticket": "t2", "reward": "1"},
        17,
        {"ticket": "unknown", "reward": 0},
        {"ticket": "t3"},
        {"ticket": "t4", "clicked": []},
    ]
    assert api.post(f"{session}/feedback/batch", rows).json() == [
        {"status": "accepted"},
        {"status": "invalid", "detail": "reward: must be a number, without quotes; not true or false"},
        {"status": "invalid", "detail": "must be an object"},
        {"status": "not_found"},
        {"status": "invalid", "detail": 'send exactly one of "reward", "clicked" and "not_shown": true'},
        {"status": "accepted"},
    ]
    assert [answer.ticket for answer in sessions.answers] == ["t1", "unknown", "t4"]


def test_bad_rows_for_an_unknown_session_are_not_found(api: Caller) -> None:
    assert api.post("/v1/sessions/nope/feedback/batch", [17]).status_code == 404


@pytest.mark.parametrize("n_rows", [0, 1001])
def test_a_batch_has_1_to_1000_rows(api: Caller, session: str, n_rows: int) -> None:
    response = api.post(f"{session}/feedback/batch", [{"ticket": "t", "reward": 1}] * n_rows)
    assert response.json()["type"] == "/problems/invalid-request"
