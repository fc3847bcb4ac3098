import base64
import csv
import hashlib
import io
import json
from typing import Any

import pytest

from app.results.sql import Certificate
from app.sessions.model import Snapshot
from app.web.responses import matches_etag
from tests.fakes.caller import Caller
from tests.fakes.sessions import BEST_PAIR, FakeServices


@pytest.mark.parametrize(
    ("given", "known"),
    [
        ([], False),
        (['"tag"'], True),
        (['"other"'], False),
        (['"other", "tag"'], True),
        (['"other","tag" , "third"'], True),
        (['"other"', '"tag"'], True),  # a repeated header
        (["*"], True),
        ([" * "], True),
        (['W/"tag"'], True),  # RFC 9110, 13.1.2: compared without W/
        (["tag"], False),
        (['"TAG"'], False),
        (['"ta"g"'], False),
        (['"other, "'], False),
        (["", ",,"], False),
    ],
)
def test_if_none_match(given: list[str], known: bool) -> None:
    assert matches_etag(given, '"tag"') is known


def test_an_unchanged_best_pair_is_not_sent_again(api: Caller, session: str, sessions: FakeServices) -> None:
    first = api.get(f"{session}/best-pair")
    assert (first.json(), first.headers["cache-control"]) == (BEST_PAIR, "no-cache")
    known = {"If-None-Match": first.headers["etag"]}
    again = api.get(f"{session}/best-pair", headers=known)
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", '"tag-1"')
    sessions.snapshot = Snapshot(json.dumps({**BEST_PAIR, "samples": 1}), '"tag-2"')
    changed = api.get(f"{session}/best-pair", headers=known)
    assert (changed.status_code, changed.headers["etag"], changed.json()["samples"]) == (200, '"tag-2"', 1)


def test_estimates(api: Caller, session: str) -> None:
    found = api.get(f"{session}/estimates?top=2").json()
    assert [item["id"] for item in found["items"]] == ["a", "b"]
    assert api.get(f"{session}/estimates?top=1").status_code == 422
    assert api.get(f"{session}/estimates?top=201").status_code == 422


def test_a_certificate_is_sent_byte_for_byte(api: Caller, session: str, sessions: FakeServices) -> None:
    body = '{"digest" :"d1",  "pair":["é","b"] }'
    sessions.stored_certificate = Certificate(body, "d1")
    response = api.get(f"{session}/certificate")
    assert response.content == body.encode()
    assert response.headers["etag"] == '"d1"'
    sha = base64.b64encode(hashlib.sha256(response.content).digest()).decode()
    assert response.headers["repr-digest"] == f"sha-256=:{sha}:"
    assert api.get(f"{session}/certificate", headers={"If-None-Match": '"d1"'}).status_code == 304


IDS = ["=cmd|'/c calc'!A1", "+x", '@a,"b"', "-é\u2028", "plain", "'quoted"]
ROWS: list[dict[str, Any]] = [
    {"kind": "session", "id": "s0", "items": [{"id": item, "label": item} for item in IDS]},
    {"kind": "plan", "version": 1, "epoch": 0, "watermark": 4, "known": None, "demand": [[0, 1, 5]]},
    {
        "kind": "impression",
        "sequence": 1,
        "i": 0,
        "j": 1,
        "outcome": 1.0,
        "counts": True,
        "given_up": False,
        "idempotency_key": "-k",
    },
    {
        "kind": "impression",
        "sequence": 2,
        "i": 2,
        "j": 3,
        "outcome": None,
        "counts": False,
        "given_up": True,
        "idempotency_key": None,
    },
    {
        "kind": "impression",
        "sequence": 3,
        "i": 4,
        "j": 5,
        "outcome": -0.5,
        "counts": True,
        "given_up": False,
        "idempotency_key": "k",
    },
]


def test_an_export_has_one_row_per_line(api: Caller, session: str, sessions: FakeServices) -> None:
    sessions.exported = ROWS * 1000
    response = api.get(f"{session}/export")
    assert response.headers["content-type"] == "application/x-ndjson"
    assert "attachment" in response.headers["content-disposition"]
    assert [json.loads(line) for line in response.text.splitlines()] == sessions.exported


def test_a_table_runs_no_formulas(api: Caller, session: str, sessions: FakeServices) -> None:
    sessions.exported = ROWS
    response = api.get(f"{session}/export?format=csv")
    assert response.headers["content-type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(response.text, newline="")))
    assert [row["kind"] for row in rows] == [row["kind"] for row in ROWS]
    impressions = rows[2:]
    assert [row["first"] for row in impressions] == ["'=cmd|'/c calc'!A1", '\'@a,"b"', "plain"]
    assert [row["second"] for row in impressions] == ["'+x", "'-é\u2028", "'quoted"]
    assert [row["outcome"] for row in impressions] == ["1.0", "", "-0.5"]  # numbers stay unchanged
    assert [row["counts"] for row in impressions] == ["1", "0", "1"]
    assert [row["given_up"] for row in impressions] == ["0", "1", "0"]
    assert [row["idempotency_key"] for row in impressions] == ["'-k", "", "k"]
    assert json.loads(rows[1]["data"]) == {"version": 1, "watermark": 4, "known": None, "demand": [[0, 1, 5]]}


@pytest.mark.parametrize(
    ("item", "cell"),
    [
        (" =1+1", "' =1+1"),
        ("\t=1", "'\t=1"),
        ("\uff1d1+1", "'\uff1d1+1"),
        ("a;=cmd|'/c calc'!A1;", "a;'=cmd|'/c calc'!A1;"),
        ("a; @b;-1", "a;' @b;'-1"),
        ("a;b - c = d", "a;b - c = d"),
        ("a=b", "a=b"),
    ],
)
def test_formulas_that_other_spreadsheets_see_are_none_either(
    api: Caller, session: str, sessions: FakeServices, item: str, cell: str
) -> None:
    head = {"kind": "session", "id": "s0", "name": item, "items": [{"id": item, "label": item}]}
    sessions.exported = [head, {"kind": "impression", "sequence": 1, "i": 0, "j": 0}]
    rows = list(csv.DictReader(io.StringIO(api.get(f"{session}/export?format=csv").text, newline="")))
    assert rows[1]["first"] == rows[1]["second"] == cell
    assert ";" not in rows[0]["data"]
    assert json.loads(rows[0]["data"])["name"] == item, "JSON documents are unchanged"


def test_an_export_of_an_unknown_session_or_format_is_a_problem(api: Caller, session: str) -> None:
    assert api.get("/v1/sessions/nope/export").json()["type"] == "/problems/session-not-found"
    assert api.get(f"{session}/export?format=xml").json()["errors"][0]["field"] == "format"
