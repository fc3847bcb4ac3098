"""The hot lane: the routes an ad server and a dashboard call all day, in front of the framework.

It serves well-formed requests only, and only what the framework's routes would serve with the same bytes. Whatever is
unusual in a request (a body that does not fit, a header twice, a strange address) goes on to those routes, body and
all, before anything was done: there is one place that judges bad requests. What the use cases raise is told by
`problems`, as everywhere.
"""

import os
from collections.abc import Awaitable, Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.access.admission import Admission
from app.access.keys import Scope as Needed
from app.errors import SessionError
from app.sessions.ports import Order
from app.sessions.service import ACCEPTED, Sessions
from app.telemetry.logs import REQUEST_ID as CURRENT
from app.telemetry.metrics import Meter, cell_index
from app.web import mapping
from app.web.access_control import AccessControl, RouteAccess, fetch_site
from app.web.bodies import digest_of
from app.web.hot_lane_bodies import (
    FEEDBACK,
    FEEDBACK_ROWS,
    NEXT_PAIRS,
    ROW_ACCEPTED,
    Headers,
    Unusual,
    check_is_json,
    idempotency_key,
    impression,
    plain_answers,
    read_as,
    row_result,
)
from app.web.middleware import REQUEST_ID, answer_fault, rate_lines, status_class, with_id
from app.web.parameters import SESSION_ID
from app.web.problems import Refusal, kind_of, log_refusal, problem_for
from app.web.responses import matches_etag, respond
from app.wire.serving import NextPair

Serve = Callable[["HotLane", str, Headers, bytes, Admission], Awaitable[bytes]]

_POSTED = (
    b"content-length: %d\r\ncontent-type: application/json\r\nx-request-id: %b\r\n"
    b"x-content-type-options: nosniff\r\ncache-control: no-store\r\n"
)
_UNCHANGED = b"etag: %b\r\ncache-control: no-cache\r\nx-request-id: %b\r\nx-content-type-options: nosniff\r\n"
_READ = (
    b"etag: %b\r\ncache-control: no-cache\r\ncontent-length: %d\r\ncontent-type: application/json\r\n"
    b"x-request-id: %b\r\nx-content-type-options: nosniff\r\n"
)
_ONE = Order(1, "next-pair", None, digest_of(NextPair()))
_EMPTY = frozenset({b"", b"{}"})
_LONGEST_LENGTH = 20
"""Digits of a Content-Length: as many as the largest that there can be."""
_LONGEST_PATH = 128
"""Longer than any of the lane's. Paths are kept, and anybody may send one: 4,096 of the longest would be 500 MB."""
_NO_ROUTE = ("", "")
_IDS_AT_ONCE = 512
"""Request ids drawn together: asking the system for each would be a sixth of the lane's own cost."""


class HotLane:
    """An ASGI application that serves the hot routes itself and passes everything else on to `app`."""

    def __init__(
        self, app: ASGIApp, sessions: Sessions, *, body_limit_bytes: int, access_control: AccessControl, meter: Meter
    ) -> None:
        self._app = app
        self._sessions = sessions
        self._limit = body_limit_bytes
        self._access = {route: access_control.for_route(needed) for route, needed in _NEEDED.items()}
        self._new_id = _request_ids().__next__
        self._meter = meter
        self._cells = meter.cells

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Returns the serving of one request; not a coroutine itself, which would be one more to run through."""
        if scope["type"] == "http":
            path = scope["path"]
            session_id, route = _read_path(path) if len(path) <= _LONGEST_PATH else _NO_ROUTE
            post = _POSTS.get(route) if scope["method"] == "POST" else None
            if post is not None:
                return self._post(post, session_id, scope, receive, send)
            if route == "best-pair" and scope["method"] == "GET":
                return self._best_pair(session_id, scope, receive, send)
        return self._app(scope, receive, send)

    async def _post(self, post: "_Post", session_id: str, scope: Scope, receive: Receive, send: Send) -> None:
        headers: Headers = dict(scope["headers"])
        if len(headers) < len(scope["headers"]) or not self._is_small(headers):
            return await self._app(scope, receive, send)
        request_id = self._request_id(headers)
        admission: Admission | None = None
        try:
            admission = self._admit(headers, self._access[post.route], session_id)
            admission.charge(1)
        except Exception as error:
            return await self._refuse(post.route, error, request_id, admission, scope, receive, send)
        message = await receive()
        content = message.get("body", b"")
        while message.get("more_body"):
            message = await receive()
            content += message.get("body", b"")
        if message["type"] == "http.disconnect":
            return None
        try:
            body = await post.serve(self, session_id, headers, content, admission)
        except Unusual:
            scope.setdefault("state", {})["admission"] = admission  # has been taken from; not once more
            return await self._app(scope, _again(content, receive), send)
        except Exception as error:
            return await self._refuse(post.route, error, request_id, admission, scope, receive, send)
        self._cells[post.served] += 1
        return await respond(scope, send, 200, _POSTED % (len(body), request_id) + rate_lines(admission), body)

    def _admit(self, headers: Headers, access: RouteAccess, session_id: str) -> Admission:
        host = headers.get(b"host")
        site = fetch_site(headers.get(b"sec-fetch-site"), headers.get(b"origin"), host)
        return access.admit(headers.get(b"authorization"), host, session_id, site)

    async def _best_pair(self, session_id: str, scope: Scope, receive: Receive, send: Send) -> None:
        headers: Headers = dict(scope["headers"])
        if len(headers) < len(scope["headers"]):
            return await self._app(scope, receive, send)
        request_id = self._request_id(headers)
        admission: Admission | None = None
        try:
            admission = self._admit(headers, self._access["best-pair"], session_id)
            admission.charge(1)
            snapshot = self._sessions.best_pair_kept(session_id) or await self._sessions.best_pair(session_id)
        except Exception as error:
            return await self._refuse("best-pair", error, request_id, admission, scope, receive, send)
        etag = snapshot.etag.encode("latin-1")
        given = headers.get(b"if-none-match")
        if given is not None and (given == etag or matches_etag([given.decode("latin-1")], snapshot.etag)):
            self._cells[_NOT_MODIFIED] += 1
            return await respond(scope, send, 304, _UNCHANGED % (etag, request_id) + rate_lines(admission), b"")
        body = snapshot.body.encode()
        self._cells[_BEST_PAIR] += 1
        return await respond(scope, send, 200, _READ % (etag, len(body), request_id) + rate_lines(admission), body)

    def _is_small(self, headers: Headers) -> bool:
        """Returns whether the body's length is told and allowed; without one there must be none."""
        length = headers.get(b"content-length")
        if length is None:
            return b"transfer-encoding" not in headers
        # All of it is read: zeros in front would hide the rest of a long one. Nobody counts the bytes after this.
        return length.isdigit() and len(length) <= _LONGEST_LENGTH and int(length) <= self._limit

    def _request_id(self, headers: Headers) -> bytes:
        given = headers.get(b"x-request-id")
        if given is None or not REQUEST_ID.fullmatch(given.decode("latin-1")):
            given = self._new_id()
        CURRENT.set(given)  # not taken back: each request is a task with a context of its own
        return given

    async def _refuse(
        self,
        route: str,
        error: Exception,
        request_id: bytes,
        admission: Admission | None,
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        """Tells the caller what the use case raised, as the framework's handlers and the shield do."""
        text = request_id.decode("latin-1")
        scope.setdefault("state", {})["admission"] = admission
        tagged = with_id(send, text, scope)
        kind = kind_of(type(error))
        self._cells[cell_index("bestpair_requests_total", route, status_class(kind.status))] += 1
        if isinstance(error, SessionError | Refusal):
            if kind.status >= 500:
                log_refusal(kind.name, error.detail, text, scope)
            await problem_for(error, text)(scope, receive, tagged)
        else:
            await answer_fault(error, text, scope, receive, tagged, self._meter)

    async def next_pair(self, session_id: str, headers: Headers, content: bytes, _: Admission) -> bytes:
        """Returns the answer of next-pair."""
        if content not in _EMPTY:
            raise Unusual
        if content:
            check_is_json(headers)
        key = idempotency_key(headers)
        order = _ONE if key is None else Order(1, _ONE.route, key, _ONE.body_digest)
        (shown,) = await self._sessions.next_pairs(session_id, order)
        return impression(shown).encode()

    async def next_pairs(self, session_id: str, headers: Headers, content: bytes, admission: Admission) -> bytes:
        """Returns the answer of next-pair/batch."""
        body = read_as(NEXT_PAIRS, headers, content)
        key = idempotency_key(headers)
        admission.charge(body.count - 1)
        order = Order(body.count, "next-pair/batch", key, digest_of(body))
        return f"[{','.join(map(impression, await self._sessions.next_pairs(session_id, order)))}]".encode()

    async def feedback(self, session_id: str, headers: Headers, content: bytes, _: Admission) -> bytes:
        """Returns the answer of feedback."""
        told = mapping.answer(read_as(FEEDBACK, headers, content))
        return b'{"status":"%s"}' % (await self._sessions.feedback(session_id, told)).encode()

    async def feedback_batch(self, session_id: str, headers: Headers, content: bytes, admission: Admission) -> bytes:
        """Returns the answer of feedback/batch, if every row has the right shape."""
        check_is_json(headers)
        answers = plain_answers(content) or [mapping.answer(row) for row in read_as(FEEDBACK_ROWS, headers, content)]
        admission.charge(len(answers) - 1)
        results = await self._sessions.feedback_batch(session_id, answers)
        if results.count(ACCEPTED) == len(results):  # nearly every batch
            return b"[" + b",".join([ROW_ACCEPTED] * len(results)) + b"]"
        return b"[" + b",".join([row_result(result) for result in results]) + b"]"


class _Post(NamedTuple):
    """One of the lane's POST routes."""

    route: str
    serve: Serve
    needed: Needed
    served: int  # where answers are counted

    @classmethod
    def of(cls, route: str, serve: Serve, needed: Needed) -> "_Post":
        """Returns the route, with the place of its count."""
        return cls(route, serve, needed, cell_index("bestpair_requests_total", route, "2xx"))


_POSTS = {
    post.route: post
    for post in (
        _Post.of("next-pair", HotLane.next_pair, Needed.SERVE),
        _Post.of("next-pair/batch", HotLane.next_pairs, Needed.SERVE),
        _Post.of("feedback", HotLane.feedback, Needed.FEEDBACK),
        _Post.of("feedback/batch", HotLane.feedback_batch, Needed.FEEDBACK),
    )
}
_NEEDED = {post.route: post.needed for post in _POSTS.values()} | {"best-pair": Needed.READ}
_BEST_PAIR = cell_index("bestpair_requests_total", "best-pair", "2xx")
_NOT_MODIFIED = cell_index("bestpair_requests_total", "best-pair", "3xx")


@lru_cache(maxsize=4096)  # the paths of a thousand sessions
def _read_path(path: str) -> tuple[str, str]:
    """Returns the session and the route that a path names; no route if it is not one of a session's."""
    parts = path.split("/", 4)  # "", "v1", "sessions", the id, the route
    if len(parts) == 5 and parts[:3] == ["", "v1", "sessions"] and SESSION_ID.fullmatch(parts[3]):
        return parts[3], parts[4]
    return _NO_ROUTE


def _again(content: bytes, receive: Receive) -> Receive:
    """Returns a `receive` that begins with the body that was read already."""
    first: list[Message] = [{"type": "http.request", "body": content, "more_body": False}]

    async def receive_again() -> Message:
        return first.pop() if first else await receive()

    return receive_again


def _request_ids() -> Iterator[bytes]:
    while True:
        drawn = os.urandom(8 * _IDS_AT_ONCE).hex().encode()
        for start in range(0, len(drawn), 16):
            yield drawn[start : start + 16]
