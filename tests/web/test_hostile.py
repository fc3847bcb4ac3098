"""Hostile requests are refused and never cause an unexpected error."""

import json

import pytest

from app.web.hot_lane import _read_path
from tests.fakes.caller import Caller
from tests.fakes.sessions import FakeServices

BODIES = {
    "nothing": b"",
    "deep lists": b"[" * 100_000,
    "deep objects": b'{"items":' * 50_000,
    "deep item": b'{"items": ["a", ' + b"[" * 5_000 + b"]" * 5_000 + b"]}",
    "NaN": b'{"items": ["a", "b"], "epsilon": NaN}',
    "NaN as a part": b'{"items": ["a", "b"], "relative_epsilon": NaN}',
    "nothing as a part": b'{"items": ["a", "b"], "relative_epsilon": 0}',
    "everything as a part": b'{"items": ["a", "b"], "relative_epsilon": 1}',
    "a part as text": b'{"items": ["a", "b"], "relative_epsilon": "0.1"}',
    "two goals": b'{"items": ["a", "b"], "epsilon": 0.1, "relative_epsilon": 0.1}',
    "infinity": b'{"items": ["a", "b"], "delta": -Infinity}',
    "huge float": b'{"items": ["a", "b"], "epsilon": 1e400}',
    "huge integer": b'{"items": ["a", "b"], "seed": ' + b"9" * 100_000 + b"}",
    "large integer": b'{"items": ["a", "b"], "seed": ' + b"9" * 400 + b"}",
    "lone surrogate": b'{"items": ["\\ud800", "b"]}',
    "bytes that are not UTF-8": b'{"items": ["\xff\xfe", "b"]}',
    "NUL": b'{"items": ["a\\u0000", "b"]}',
    "byte order mark": b'\xef\xbb\xbf{"items": ["a", "b"]}',
    "UTF-16": '{"items": ["a", "b"]}'.encode("utf-16"),
    "a list": b'["a", "b"]',
    "null": b"null",
    "a string": b'"items"',
    "wrong types": b'{"items": {"a": 1}, "name": 3, "rank": [], "seed": "7", "budget": {}, "model": null}',
    "huge id": json.dumps({"items": ["a", "b" * 1_000_000]}).encode(),
    "huge field name": json.dumps({"items": ["a", "b"], "x" * 1_000_000: 1}).encode(),
    "many fields": json.dumps({"items": ["a", "b"], **{f"f{n}": n for n in range(50_000)}}).encode(),
    "5001 items": json.dumps({"items": [f"i{n}" for n in range(5001)]}).encode(),
    "duplicates": json.dumps({"items": ["a"] * 5000}).encode(),
    "two values": b'{"items": ["a", "b"]} {"items": ["a", "b"]}',
    "a comment": b'{"items": ["a", "b"] /* and more */}',
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
@pytest.mark.parametrize("route", ["/v1/sessions", "/next-pair/batch", "/feedback", "/feedback/batch"])
def test_hostile_bodies_are_refused_and_the_refusal_is_short(
    api: Caller, session: str, route: str, body: bytes
) -> None:
    path = route if route.startswith("/v1") else session + route
    response = api.post_raw(path, body)
    if route == "/feedback/batch" and response.status_code == 200:  # a list of bad rows
        assert {row["status"] for row in response.json()} == {"invalid"}
        return
    assert response.status_code in {400, 422}
    assert response.headers["content-type"] == "application/problem+json"
    assert len(response.content) < 10_000


@pytest.mark.parametrize("route", ["/v1/sessions", "/next-pair", "/feedback", "/feedback/batch"])
def test_a_large_body_is_refused_with_and_without_a_length(api: Caller, session: str, route: str) -> None:
    path = route if route.startswith("/v1") else session + route
    for response in (api.post_raw(path, b" " * 3_000_000), api.post_chunked(path, b" " * 50_000, 60)):
        assert response.json()["type"] == "/problems/body-too-large"
        assert response.headers["connection"] == "close"


def test_a_body_longer_than_its_declared_length_is_refused(api: Caller) -> None:
    headers = {"Content-Length": "10", "Content-Type": "application/json"}
    response = api.send("POST", "/v1/sessions", content=b" " * 3_000_000, headers=headers)
    assert response.status_code == 413


@pytest.mark.parametrize("length", ["-5", "abc", "1e9", "²", "9" * 500])
def test_an_invalid_content_length_is_refused(api: Caller, length: str) -> None:
    headers = [(b"Content-Length", length.encode()), (b"Content-Type", b"application/json")]
    assert api.send("POST", "/v1/sessions", content=b"{}", headers=headers).status_code in {413, 422}


def test_leading_zeros_do_not_hide_a_large_content_length(api: Caller, session: str) -> None:
    headers = {"Content-Length": "0" * 20 + "3000000", "Content-Type": "application/json"}
    content = b'{"count": 1}'.ljust(3_000_000)  # valid except for its length
    assert api.send("POST", f"{session}/next-pair/batch", content=content, headers=headers).status_code == 413


def test_unknown_long_paths_are_not_cached(api: Caller) -> None:
    before = _read_path.cache_info().currsize
    assert api.get("/v1/sessions/" + "x" * 200 + "/best-pair").status_code == 404
    assert api.get("/" + "x" * 20_000).status_code == 404
    assert _read_path.cache_info().currsize == before


@pytest.mark.parametrize(
    "session_id", ["..", "%00", "a%0Ab", "%F0%9F%98%80", "x" * 65, "a%2Fb", "'; DROP TABLE--", "%ff"]
)
@pytest.mark.parametrize("route", ["", "/best-pair", "/export", "/certificate"])
def test_ids_that_cannot_exist_are_not_found(api: Caller, sessions: FakeServices, session_id: str, route: str) -> None:
    sessions.error = AssertionError("must not be asked")
    assert api.get(f"/v1/sessions/{session_id}{route}").status_code == 404


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=201", "limit=x", "limit=1e400", "cursor=%00", "cursor=a%20b", "limit=" + "9" * 5000]
)
def test_bad_queries_are_refused(api: Caller, query: str) -> None:
    response = api.get(f"/v1/sessions?{query}")
    assert (response.status_code, response.json()["type"]) == (422, "/problems/invalid-request")
    assert response.json()["errors"][0]["field"] in {"limit", "cursor"}


@pytest.mark.parametrize("media_type", ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_bodies_that_are_not_declared_as_json_are_refused(api: Caller, media_type: str) -> None:
    response = api.post_raw("/v1/sessions", b'{"items": ["a", "b"]}', media_type)
    assert response.status_code == 415
    assert "Content-Type: application/json" in response.json()["detail"]


@pytest.mark.parametrize("media_type", ["application/json; charset=utf-8", "Application/JSON", "application/x+json"])
def test_all_media_types_of_json_are_accepted(api: Caller, media_type: str) -> None:
    assert api.post_raw("/v1/sessions", b'{"items": ["a", "b"]}', media_type).status_code == 201


@pytest.mark.parametrize("key", ["", " ", "a b", "x" * 201, "\x7f", "é"])
def test_invalid_idempotency_keys_are_refused(api: Caller, session: str, key: str) -> None:
    response = api.send("POST", f"{session}/next-pair", headers=[(b"Idempotency-Key", key.encode())])
    assert response.status_code == 422
    assert response.json()["errors"][0]["field"] == "Idempotency-Key"
