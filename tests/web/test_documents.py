"""The OpenAPI document, the pages and their files."""

import re
from pathlib import Path
from typing import Any

import pytest
from openapi_spec_validator import validate

import app
from app.web.api import Api
from app.web.problems import CATALOGUE
from tests.fakes.caller import Caller

EVERYWHERE = {"internal-error"}
GUARDED = {"unauthorized", "forbidden", "rate-limited"}
STORED = EVERYWHERE | GUARDED | {"storage-unavailable"}
IN_SESSION = STORED | {"session-not-found"}
WITH_BODY = {"malformed-json", "unsupported-media-type", "body-too-large", "invalid-request"}
AT = "/v1/sessions/{session_id}"

EXPECTED = {
    ("post", "/v1/sessions"): STORED | WITH_BODY | {"invalid-session"},
    ("get", "/v1/sessions"): STORED | {"invalid-request"},
    ("get", AT): IN_SESSION,
    ("patch", AT): IN_SESSION | WITH_BODY | {"invalid-state-change", "invalid-session"},
    ("delete", AT): IN_SESSION,
    ("post", f"{AT}/next-pair"): IN_SESSION | WITH_BODY | {"session-stopped", "idempotency-mismatch", "overloaded"},
    ("post", f"{AT}/next-pair/batch"): IN_SESSION
    | WITH_BODY
    | {"session-stopped", "idempotency-mismatch", "overloaded"},
    ("post", f"{AT}/feedback"): IN_SESSION
    | WITH_BODY
    | {"ticket-not-found", "feedback-conflict", "invalid-feedback", "overloaded"},
    ("post", f"{AT}/feedback/batch"): IN_SESSION | WITH_BODY | {"overloaded"},
    ("get", f"{AT}/best-pair"): IN_SESSION,
    ("get", f"{AT}/events"): IN_SESSION | {"overloaded"},
    ("get", f"{AT}/history"): IN_SESSION | {"invalid-request"},
    ("get", f"{AT}/estimates"): IN_SESSION | {"invalid-request"},
    ("get", f"{AT}/certificate"): IN_SESSION | {"not-certified"},
    ("get", f"{AT}/export"): IN_SESSION | {"invalid-request"},
    ("get", "/v1/forecast"): EVERYWHERE | GUARDED | {"invalid-request"},
    ("get", "/v1/access"): STORED,
    ("get", "/v1/audit"): STORED | {"invalid-request"},
    ("get", "/livez"): EVERYWHERE,
    ("get", "/readyz"): EVERYWHERE | {"not-ready"},
    ("get", "/version"): EVERYWHERE,
    ("get", "/metrics"): EVERYWHERE | {"forbidden", "rate-limited", "unauthorized"},
}


@pytest.fixture
def document(app: Api) -> dict[str, Any]:
    return app.openapi()


def test_the_document_is_valid(document: dict[str, Any]) -> None:
    validate(document)


def test_each_route_lists_its_problems(document: dict[str, Any]) -> None:
    status_of = {kind.name: str(kind.status) for kind in CATALOGUE.values()}
    listed = {
        (method, path): {
            name
            for status, response in operation["responses"].items()
            for name in response.get("content", {}).get("application/problem+json", {}).get("examples", {})
            if status_of[name] == status
        }
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    }
    assert listed == EXPECTED


def test_all_errors_are_described_as_problems(document: dict[str, Any]) -> None:
    for operations in document["paths"].values():
        for operation in operations.values():
            for status, response in operation["responses"].items():
                if status == "default" or int(status) >= 400:
                    (media_type,) = response["content"]
                    schema = response["content"][media_type]["schema"]
                    assert (media_type, schema["$ref"]) == (
                        "application/problem+json",
                        "#/components/schemas/Problem",
                    )
    assert "HTTPValidationError" not in document["components"]["schemas"]


def test_bodies_are_described(document: dict[str, Any]) -> None:
    bodies = {
        operation["operationId"]: operation["requestBody"]["content"]["application/json"]["schema"]
        for operations in document["paths"].values()
        for operation in operations.values()
        if "requestBody" in operation
    }
    assert set(bodies) == {
        "create_session",
        "change_session",
        "next_pair",
        "next_pairs",
        "feedback",
        "feedback_batch",
    }
    create = document["components"]["schemas"]["SessionCreate"]
    assert create["required"] == ["items"]
    bare, item = create["properties"]["items"]["items"]["anyOf"]
    assert bare == {"maxLength": 200, "minLength": 1, "type": "string"}
    assert item == {"$ref": "#/components/schemas/ItemIn"}


NAMESPACE = "http://www.w3.org/2000/svg"
"""A name that looks like an address; no request goes to it."""


@pytest.mark.parametrize("path", ["/", "/docs"])
def test_pages_load_nothing_from_other_hosts_and_parse_no_text_as_markup(api: Caller, path: str) -> None:
    page = api.get(path)
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "unsafe" not in page.headers["content-security-policy"]
    assert not re.search(r"<script(?! src=)|<style|\son\w+=|\sstyle=", page.text), "nothing inline"
    for content in [page.text, *_all_files(api, page.text).values()]:
        text = content.replace(NAMESPACE, "")
        assert not re.search(r"(https?:)?//[a-z0-9.-]+\.[a-z]", text, re.IGNORECASE)
        assert "@import" not in text
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", text)


def _all_files(api: Caller, page: str) -> dict[str, str]:
    """Returns the files that a page loads, directly and through other files, by address."""
    waiting, found = set(re.findall(r'(?:src|href)="(static/[^"]+)"', page)), dict[str, str]()
    while waiting:
        name = waiting.pop()
        answer = api.get(f"/{name}")
        assert answer.status_code == 200, name
        found[name] = answer.text
        imported = re.findall(r'(?:from |import\()"\./([^"]+)"', answer.text)
        waiting |= {f"static/{each}" for each in imported} - found.keys()
    return found


def test_every_file_is_used_by_a_page(api: Caller) -> None:
    used = {name for path in ("/", "/docs") for name in _all_files(api, api.get(path).text)}
    there = {f"static/{file.name}" for file in (Path(app.__file__).parent / "web/dashboard").iterdir()}
    assert there - used == {"static/dashboard.html", "static/docs.html"}


def test_a_file_that_the_browser_has_is_not_sent_again(api: Caller) -> None:
    first = api.get("/static/dashboard.js")
    assert first.headers["content-type"] == "text/javascript; charset=utf-8"
    assert first.headers["cache-control"] == "no-cache"
    again = api.get("/static/dashboard.js", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert api.get("/static/dom.js", headers={"If-None-Match": first.headers["etag"]}).status_code == 200


def test_only_files_of_the_dashboard_are_served(api: Caller) -> None:
    for name in ("..%2Fapi.py", "docs.py", "%2e%2e/problems.py", "docs.html/"):
        assert api.get(f"/static/{name}").status_code == 404


def test_the_version_route(api: Caller) -> None:
    assert api.get("/version").json() == {"name": "bestpair", "version": "1.2.3"}
