"""The operations of the service as values, which both clients send."""

import uuid
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import httpx
from pydantic import TypeAdapter, ValidationError

from app.wire.best_pair import BestPair, Estimates
from app.wire.problem import FieldError, Problem
from app.wire.serving import Feedback, FeedbackResult, FeedbackRowResult, Impression, NextPairs
from app.wire.sessions import ItemIn, Session, SessionCreate, SessionPage, SessionPatch

T = TypeVar("T")

MAX_CACHED_BEST_PAIRS = 1000

Answer = Feedback | Mapping[str, object]
"""An outcome with its ticket, or the same as a dictionary."""


class ProblemError(Exception):
    """The service refused; `type` is stable and for programs, `detail` and `errors` say what to change."""

    def __init__(self, problem: Problem) -> None:
        self.status = problem.status
        self.type = problem.type
        self.title = problem.title
        self.detail = problem.detail
        self.errors: list[FieldError] = problem.errors or []
        self.request_id = problem.request_id
        super().__init__(f"{problem.status} {problem.title}: {problem.detail or problem.type}")


@dataclass(frozen=True)
class Call(Generic[T]):
    """One request, how to parse its response, and whether it is safe to retry."""

    method: str
    path: str
    read: Callable[[httpx.Response], T]
    body: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    params: Mapping[str, str | int] = field(default_factory=dict)
    repeatable: bool = True


def outcome_of(ticket: str, reward: float | None, clicked: Sequence[str] | None, not_shown: bool) -> Feedback:
    """Returns an outcome to send; raises ValueError unless exactly one kind of outcome is given."""
    if isinstance(clicked, str):  # a str is a sequence of strings, too
        raise ValueError(f'clicked must be a list of ids, such as ["{clicked}"]')
    given = None if clicked is None else list(clicked)
    return Feedback(ticket=ticket, reward=reward, clicked=given, not_shown=not_shown)


def answer_of(call: Call[T], response: httpx.Response) -> T:
    """Returns the parsed response; raises ProblemError if the service refused."""
    if response.is_success or response.status_code == 304:
        return call.read(response)
    raise ProblemError(_problem(response))


def _problem(response: httpx.Response) -> Problem:
    """Returns the problem in a response, or a substitute if a proxy answered in another format."""
    try:
        return Problem.model_validate_json(response.content)
    except ValidationError:
        title = response.reason_phrase or "Unexpected answer"
        detail = response.text[:200] or None
        return Problem(type="about:blank", title=title, status=response.status_code, detail=detail)


class Calls:
    """Makes the calls, and caches best pairs with their ETags."""

    def __init__(self) -> None:
        self._cached: OrderedDict[str, tuple[str, BestPair]] = OrderedDict()

    def create_session(self, items: Sequence[str | ItemIn], settings: Mapping[str, object]) -> Call[Session]:
        """Returns the call that creates a session; raises ValidationError for what the service would refuse."""
        body = SessionCreate.model_validate({"items": list(items), **settings}).model_dump_json(exclude_unset=True)
        return Call("POST", "/v1/sessions", _as(Session), body, repeatable=False)

    def list_sessions(self, limit: int, cursor: str | None) -> Call[SessionPage]:
        """Returns the call that lists sessions."""
        params: dict[str, str | int] = {"limit": limit} if cursor is None else {"limit": limit, "cursor": cursor}
        return Call("GET", "/v1/sessions", _as(SessionPage), params=params)

    def get_session(self, session_id: str) -> Call[Session]:
        """Returns the call that reads a session."""
        return Call("GET", path_of(session_id), _as(Session))

    def change_session(self, session_id: str, changes: Mapping[str, object]) -> Call[Session]:
        """Returns the call that changes a session."""
        body = SessionPatch.model_validate(changes).model_dump_json(exclude_unset=True)
        # Not repeatable: after a lost response, a second attempt could report a failure although the first succeeded.
        return Call("PATCH", path_of(session_id), _as(Session), body, repeatable=False)

    def delete_session(self, session_id: str) -> Call[None]:
        """Returns the call that deletes a session; not repeatable, because a second attempt would report 404."""
        return Call("DELETE", path_of(session_id), lambda _: None, repeatable=False)

    def next_pair(self, session_id: str, key: str | None) -> Call[Impression]:
        """Returns the call for one impression; its idempotency key makes it repeatable."""
        return Call("POST", path_of(session_id, "next-pair"), _as(Impression), "{}", _keyed(key))

    def next_pairs(self, session_id: str, count: int, key: str | None) -> Call[list[Impression]]:
        """Returns the call for several impressions."""
        body = NextPairs(count=count).model_dump_json()
        return Call("POST", path_of(session_id, "next-pair/batch"), _as(list[Impression]), body, _keyed(key))

    def feedback(
        self, session_id: str, ticket: str, reward: float | None, clicked: Sequence[str] | None, not_shown: bool
    ) -> Call[FeedbackResult]:
        """Returns the call that reports one outcome; its ticket makes it repeatable."""
        body = _compact(outcome_of(ticket, reward, clicked, not_shown))
        return Call("POST", path_of(session_id, "feedback"), _as(FeedbackResult), body)

    def feedbacks(self, session_id: str, answers: Sequence[Answer]) -> Call[list[FeedbackRowResult]]:
        """Returns the call that reports several outcomes."""
        body = f"[{','.join(_compact(Feedback.model_validate(answer)) for answer in answers)}]"
        return Call("POST", path_of(session_id, "feedback/batch"), _as(list[FeedbackRowResult]), body)

    def best_pair(self, session_id: str) -> Call[BestPair]:
        """Returns the call for the current best pair; an unchanged one is taken from the cache (304)."""
        cached = self._cached.get(session_id)

        def read(response: httpx.Response) -> BestPair:
            if response.status_code == 304 and cached is not None:
                return cached[1]
            found = BestPair.model_validate_json(response.content)
            self._cache(session_id, response.headers.get("ETag"), found)
            return found

        headers = {} if cached is None else {"If-None-Match": cached[0]}
        return Call("GET", path_of(session_id, "best-pair"), read, headers=headers)

    def estimates(self, session_id: str, top: int) -> Call[Estimates]:
        """Returns the call for the heat map."""
        return Call("GET", path_of(session_id, "estimates"), _as(Estimates), params={"top": top})

    def certificate(self, session_id: str) -> Call[bytes]:
        """Returns the call for the certificate as bytes, which must not be changed."""
        return Call("GET", path_of(session_id, "certificate"), lambda response: response.content)

    def _cache(self, session_id: str, tag: str | None, found: BestPair) -> None:
        if tag is None:
            return
        self._cached[session_id] = (tag, found)
        self._cached.move_to_end(session_id)
        if len(self._cached) > MAX_CACHED_BEST_PAIRS:
            self._cached.popitem(last=False)


def path_of(session_id: str, what: str = "") -> str:
    """Returns the path of a session or of something in it; special characters of the id are escaped."""
    return f"/v1/sessions/{quote(session_id, safe='')}" + (f"/{what}" if what else "")


@cache
def _as(shape: Any) -> Callable[[httpx.Response], Any]:  # noqa: ANN401 - list[X] is no type[...] to a type checker
    adapter = TypeAdapter(shape)  # costly to make, hence the cache
    return lambda response: adapter.validate_json(response.content)


def _compact(answer: Feedback) -> str:
    return answer.model_dump_json(exclude_defaults=True)


def _keyed(key: str | None) -> dict[str, str]:
    return {"Idempotency-Key": key or uuid.uuid4().hex}
