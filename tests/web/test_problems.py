"""Every problem of the catalogue as a response."""

import logging
from collections.abc import Callable, Iterator
from typing import TypeVar

import httpx
import pytest

from app import errors as facts
from app.errors import SessionError
from app.web.problems import CATALOGUE, MEDIA_TYPE, Kind, Refusal, kind_of
from app.wire.problem import Problem
from tests.fakes.caller import Caller
from tests.fakes.sessions import FakeServices

E = TypeVar("E", bound=Exception)


def subclasses(base: type[E]) -> Iterator[type[E]]:
    for each in base.__subclasses__():
        yield each
        yield from subclasses(each)


def read_problem(response: httpx.Response) -> Problem:
    """Returns the problem of a response; checks the parts that all problems have."""
    assert response.headers["content-type"] == MEDIA_TYPE
    assert response.headers["cache-control"] == "no-store"
    problem = Problem.model_validate_json(response.content)
    assert problem.status == response.status_code
    assert problem.type.startswith("/problems/")
    assert problem.detail
    assert problem.request_id == response.headers["x-request-id"]
    return problem


def test_every_error_is_in_the_catalogue() -> None:
    missing: set[type[Exception]] = {*subclasses(SessionError), *subclasses(Refusal)} - set(CATALOGUE)
    assert not missing, f"not in web/problems.py: {missing}"


def test_no_two_errors_share_a_type() -> None:
    names = [kind.name for kind in CATALOGUE.values()]
    assert len(names) == len(set(names))


PROVOKED: dict[str, Callable[[Caller, str], httpx.Response]] = {
    "session-not-found": lambda api, _: api.get("/v1/sessions/nope"),
    "invalid-session": lambda api, _: api.post("/v1/sessions", {"items": ["a", "b"], "policy": "wizardry"}),
    "ticket-not-found": lambda api, at: api.post(f"{at}/feedback", {"ticket": "unknown", "reward": 1}),
    "not-certified": lambda api, at: api.get(f"{at}/certificate"),
    "malformed-json": lambda api, _: api.post_raw("/v1/sessions", b'{"items": ['),
    "unsupported-media-type": lambda api, _: api.post_raw("/v1/sessions", b"items=a", "text/plain"),
    "body-too-large": lambda api, _: api.post_raw("/v1/sessions", b" " * 3_000_000),
    "invalid-request": lambda api, _: api.post("/v1/sessions", {"items": ["a", "a"]}),
    "route-not-found": lambda api, _: api.get("/v1/nothing"),
    "method-not-allowed": lambda api, at: api.send("PUT", at),
}


@pytest.mark.parametrize("name", PROVOKED)
def test_problems_of_requests(api: Caller, session: str, name: str) -> None:
    assert read_problem(PROVOKED[name](api, session)).type == f"/problems/{name}"


RAISED: dict[type[SessionError], SessionError] = {
    facts.SessionNotFound: facts.SessionNotFound("no session has this id"),
    facts.InvalidSession: facts.InvalidSession("rank", "must be a number"),
    facts.SessionStopped: facts.SessionStopped("it is stopped"),
    facts.InvalidStateChange: facts.InvalidStateChange("a stopped session stays so"),
    facts.TicketNotFound: facts.TicketNotFound("no such ticket"),
    facts.FeedbackConflict: facts.FeedbackConflict("answered otherwise"),
    facts.InvalidFeedback: facts.InvalidFeedback("reward", "must be 0 or 1"),
    facts.IdempotencyMismatch: facts.IdempotencyMismatch("another body"),
    facts.NotCertified: facts.NotCertified("not yet"),
    facts.Unauthorized: facts.Unauthorized("send a key"),
    facts.Forbidden: facts.Forbidden("the key may only read"),
    facts.RateLimited: facts.RateLimited("no more", 1),
    facts.Overloaded: facts.Overloaded("10000 writes are waiting"),
    facts.StorageUnavailable: facts.StorageUnavailable("the database is away"),
}


@pytest.mark.parametrize("error", list(subclasses(SessionError)))
def test_errors_of_the_sessions(api: Caller, sessions: FakeServices, session: str, error: type[SessionError]) -> None:
    sessions.error = RAISED[error]
    response = api.post(f"{session}/feedback", {"ticket": "t", "reward": 1})
    problem = read_problem(response)
    kind = kind_of(error)
    assert (problem.type, problem.status, problem.title) == (kind.type, kind.status, kind.title)
    assert response.headers.get("retry-after") == (str(kind.retry_after) if kind.status in {429, 503} else None)


def test_an_error_that_names_a_field_says_so_in_errors(api: Caller, session: str, sessions: FakeServices) -> None:
    sessions.error = facts.InvalidFeedback("reward", "must be 0 or 1")
    problem = read_problem(api.post(f"{session}/feedback", {"ticket": "t", "reward": 1}))
    assert problem.detail == "reward: must be 0 or 1"
    assert problem.errors is not None
    assert [(each.field, each.message) for each in problem.errors] == [("reward", "must be 0 or 1")]


def test_not_ready_says_why(api: Caller, sessions: FakeServices) -> None:
    assert api.get("/readyz").json() == {"status": "ready"}
    sessions.not_ready = "the tables are behind; run bestpair migrate"
    response = api.get("/readyz")
    problem = read_problem(response)
    assert (problem.type, problem.detail) == ("/problems/not-ready", sessions.not_ready)
    assert response.headers["retry-after"] == "2"
    assert api.get("/livez").json() == {"status": "alive"}


def test_an_unexpected_fault_tells_nothing_but_its_id(
    api: Caller, session: str, sessions: FakeServices, caplog: pytest.LogCaptureFixture
) -> None:
    sessions.error = RuntimeError("password=hunter2")
    with caplog.at_level(logging.ERROR, "bestpair.web"):
        response = api.get(session, headers={"X-Request-ID": "mine-1"})
    problem = read_problem(response)
    assert (problem.type, problem.request_id) == ("/problems/internal-error", "mine-1")
    assert "hunter2" not in response.text
    assert [getattr(record, "request_id", None) for record in caplog.records] == ["mine-1"]
    assert "hunter2" in caplog.text


def test_an_error_nobody_mapped_is_a_fault_of_ours(api: Caller, session: str, sessions: FakeServices) -> None:
    sessions.error = SessionError("the bare base")
    assert read_problem(api.get(session)).type == "/problems/internal-error"


def test_all_methods_of_an_address_are_allowed(api: Caller, session: str) -> None:
    assert api.send("PUT", "/v1/sessions").headers["allow"] == "GET, POST"
    assert api.send("POST", session).headers["allow"] == "GET, PATCH, DELETE"


def test_an_invalid_request_id_is_replaced(api: Caller) -> None:
    taken = api.get("/livez", headers={"X-Request-ID": "x y\tz" * 50}).headers["x-request-id"]
    assert len(taken) == 16


@pytest.mark.parametrize("kind", CATALOGUE.values(), ids=lambda kind: kind.name)
def test_every_type_is_explained_at_its_path(api: Caller, kind: Kind) -> None:
    found = api.get(kind.type).json()
    assert (found["type"], found["status"], found["title"]) == (kind.type, kind.status, kind.title)
    assert found["meaning"]


def test_an_unknown_type_is_not_found(api: Caller) -> None:
    assert read_problem(api.get("/problems/nonsense")).type == "/problems/route-not-found"
