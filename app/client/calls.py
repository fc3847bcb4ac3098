"""The operations of the service as calls: pure descriptions that both clients send."""

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

REMEMBERED_TAGS = 1000

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
    """One request, how to read its answer, and whether sending it again is harmless."""

    method: str
    path: str
    read: Callable[[httpx.Response], T]
    body: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    params: Mapping[str, str | int] = field(default_factory=dict)
    repeatable: bool = True


def outcome_of(ticket: str, reward: float | None, clicked: Sequence[str] | None, not_shown: bool) -> Feedback:
    """Returns an outcome to send; raises ValueError if there is none, or several."""
    if isinstance(clicked, str):  # a sequence of strings, too
        raise ValueError(f'clicked must be a list of ids, such as ["{clicked}"]')
    given = None if clicked is None else list(clicked)
    return Feedback(ticket=ticket, reward=reward, clicked=given, not_shown=not_shown)


def answer_of(call: Call[T], response: httpx.Response) -> T:
    """Returns what the service answered; raises ProblemError if it refused."""
    if response.is_success or response.status_code == 304:
        return call.read(response)
    raise ProblemError(_problem(response))


def _problem(response: httpx.Response) -> Problem:
    """Returns the problem in an answer; something between us and the service may have answered otherwise."""
    try:
        return Problem.model_validate_json(response.content)
    except ValidationError:
        title = response.reason_phrase or "Unexpected answer"
        detail = response.text[:200] or None
        return Problem(type="about:blank", title=title, status=response.status_code, detail=detail)


class Calls:
    """Makes the calls, and remembers the tags of the answers that can be asked for again cheaply."""

    def __init__(self) -> None:
        self._seen: OrderedDict[str, tuple[str, BestPair]] = OrderedDict()

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
        # A budget can be raised to a value only once: the second time would report a failure that is none.
        return Call("PATCH", path_of(session_id), _as(Session), body, repeatable=False)

    def delete_session(self, session_id: str) -> Call[None]:
        """Returns the call that deletes a session; a second one would report that there is none."""
        return Call("DELETE", path_of(session_id), lambda _: None, repeatable=False)

    def next_pair(self, session_id: str, key: str | None) -> Call[Impression]:
        """Returns the call for one impression; its key makes it repeatable."""
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
        """Returns the call for the current answer; one that is known already is not sent again."""
        seen = self._seen.get(session_id)

        def read(response: httpx.Response) -> BestPair:
            if response.status_code == 304 and seen is not None:
                return seen[1]
            found = BestPair.model_validate_json(response.content)
            self._remember(session_id, response.headers.get("ETag"), found)
            return found

        headers = {} if seen is None else {"If-None-Match": seen[0]}
        return Call("GET", path_of(session_id, "best-pair"), read, headers=headers)

    def estimates(self, session_id: str, top: int) -> Call[Estimates]:
        """Returns the call for the heat map."""
        return Call("GET", path_of(session_id, "estimates"), _as(Estimates), params={"top": top})

    def certificate(self, session_id: str) -> Call[bytes]:
        """Returns the call for the certificate, whose bytes are not to be touched."""
        return Call("GET", path_of(session_id, "certificate"), lambda response: response.content)

    def _remember(self, session_id: str, tag: str | None, found: BestPair) -> None:
        if tag is None:
            return
        self._seen[session_id] = (tag, found)
        self._seen.move_to_end(session_id)
        if len(self._seen) > REMEMBERED_TAGS:
            self._seen.popitem(last=False)


def path_of(session_id: str, what: str = "") -> str:
    """Returns the address of a session or of something in it, whatever characters the id has."""
    return f"/v1/sessions/{quote(session_id, safe='')}" + (f"/{what}" if what else "")


@cache
def _as(shape: Any) -> Callable[[httpx.Response], Any]:  # noqa: ANN401 - list[X] is no type[...] to a type checker
    adapter = TypeAdapter(shape)  # costly to make, hence the cache
    return lambda response: adapter.validate_json(response.content)


def _compact(answer: Feedback) -> str:
    return answer.model_dump_json(exclude_defaults=True)


def _keyed(key: str | None) -> dict[str, str]:
    return {"Idempotency-Key": key or uuid.uuid4().hex}
