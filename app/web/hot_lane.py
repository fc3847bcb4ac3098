"""The hot lane: serves the routes that ad servers and dashboards call most, in front of the framework.

It serves only well-formed requests, with the same bytes as the routes of the framework. An unusual request (a body of
another shape, a repeated header, an unknown path) is passed on to those routes with its body, before it has any effect:
only one place handles bad requests. Errors of the use cases become problems (`problems`), as in the routes.
"""

import os
from collections.abc import Awaitable, Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.access.control import AccessControl, Admission, RouteAccess, fetch_site
from app.access.keys import Scope as Needed
from app.errors import SessionError
from app.impressions.handout_order import Order
from app.impressions.service import ACCEPTED
from app.services import Services
from app.telemetry.logs import REQUEST_ID
from app.telemetry.metrics import Meter, cell_index
from app.web.bodies import digest_of
from app.web.hot_lane_bodies import (
    FEEDBACK,
    FEEDBACK_ROWS,
    NEXT_PAIRS,
    ROW_ACCEPTED,
    Headers,
    Unusual,
    check_is_json,
    feedback_columns,
    idempotency_key,
    impression_json,
    read_as,
    row_result,
)
from app.web.middleware import VALID_REQUEST_ID, respond_to_fault, status_class, with_common_headers
from app.web.parameters import SESSION_ID
from app.web.problems import Refusal, kind_of, log_refusal, problem_for
from app.web.responses import matches_etag, respond
from app.wire.serving import NextPair

Serve = Callable[["HotLane", str, Headers, bytes, Admission], Awaitable[bytes]]

_POST_HEADERS = (
    b"content-length: %d\r\ncontent-type: application/json\r\nx-request-id: %b\r\n"
    b"x-content-type-options: nosniff\r\ncache-control: no-store\r\n"
)
_304_HEADERS = b"etag: %b\r\ncache-control: no-cache\r\nx-request-id: %b\r\nx-content-type-options: nosniff\r\n"
_GET_HEADERS = (
    b"etag: %b\r\ncache-control: no-cache\r\ncontent-length: %d\r\ncontent-type: application/json\r\n"
    b"x-request-id: %b\r\nx-content-type-options: nosniff\r\n"
)
_EMPTY_DIGEST = digest_of(NextPair())
_EMPTY = frozenset({b"", b"{}"})
_LONGEST_LENGTH = 20
"""Digits of a Content-Length; enough for every 64-bit number."""
_LONGEST_PATH = 128
"""Longer than any path of the lane. Paths are cached, 4,096 of them: without this limit they could take 500 MB."""
_NO_ROUTE = ("", "")
_IDS_PER_READ = 512
"""Request ids from one read of random bytes: one system call for each would be a sixth of the cost of the lane."""


class HotLane:
    """An ASGI application that serves the hot routes itself and passes everything else on to `app`."""

    def __init__(
        self, app: ASGIApp, services: Services, *, body_limit_bytes: int, access_control: AccessControl, meter: Meter
    ) -> None:
        self._app = app
        self._impressions = services.impressions
        self._results = services.results
        self._limit = body_limit_bytes
        self._access = {route: access_control.for_route(needed) for route, needed in _NEEDED.items()}
        self._new_id = _request_ids().__next__
        self._meter = meter
        self._cells = meter.cells

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Returns the coroutine that serves one request; not `async`, which would add a coroutine to each call."""
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
            scope.setdefault("state", {})["admission"] = admission  # so that the route does not charge it again
            return await self._app(scope, _with_body(content, receive), send)
        except Exception as error:
            return await self._refuse(post.route, error, request_id, admission, scope, receive, send)
        self._cells[post.served] += 1
        return await respond(scope, send, 200, _POST_HEADERS % (len(body), request_id) + admission.rate_lines(), body)

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
            snapshot = self._results.best_pair_cached(session_id) or await self._results.best_pair(session_id)
        except Exception as error:
            return await self._refuse("best-pair", error, request_id, admission, scope, receive, send)
        etag = snapshot.etag.encode("latin-1")
        given = headers.get(b"if-none-match")
        if given is not None and (given == etag or matches_etag([given.decode("latin-1")], snapshot.etag)):
            self._cells[_BEST_PAIR_3XX] += 1
            return await respond(scope, send, 304, _304_HEADERS % (etag, request_id) + admission.rate_lines(), b"")
        body = snapshot.body.encode()
        self._cells[_BEST_PAIR_2XX] += 1
        return await respond(
            scope, send, 200, _GET_HEADERS % (etag, len(body), request_id) + admission.rate_lines(), body
        )

    def _is_small(self, headers: Headers) -> bool:
        """Returns whether the declared length of the body is allowed; without a length there must be no body."""
        length = headers.get(b"content-length")
        if length is None:
            return b"transfer-encoding" not in headers
        # The whole number is read: leading zeros could hide a large one. The bytes are not counted after this.
        return length.isdigit() and len(length) <= _LONGEST_LENGTH and int(length) <= self._limit

    def _request_id(self, headers: Headers) -> bytes:
        given = headers.get(b"x-request-id")
        if given is None or not VALID_REQUEST_ID.fullmatch(given.decode("latin-1")):
            given = self._new_id()
        REQUEST_ID.set(given)  # not reset: each request is a task with its own context
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
        """Responds to an error of a use case as the handlers of the framework and the middleware do."""
        text = request_id.decode("latin-1")
        scope.setdefault("state", {})["admission"] = admission
        send_with_headers = with_common_headers(send, text, scope)
        kind = kind_of(type(error))
        self._cells[cell_index("bestpair_requests_total", route, status_class(kind.status))] += 1
        if isinstance(error, SessionError | Refusal):
            if kind.status >= 500:
                log_refusal(kind.name, error.detail, text, scope)
            await problem_for(error, text)(scope, receive, send_with_headers)
        else:
            await respond_to_fault(error, text, scope, receive, send_with_headers, self._meter)

    async def next_pair(self, session_id: str, headers: Headers, content: bytes, _: Admission) -> bytes:
        """Returns the response body of next-pair."""
        if content not in _EMPTY:
            raise Unusual
        if content:
            check_is_json(headers)
        key = idempotency_key(headers)
        session, (given,) = await self._impressions.next_pairs(Order(session_id, 1, "next-pair", key, _EMPTY_DIGEST))
        return impression_json(session, given).encode()

    async def next_pairs(self, session_id: str, headers: Headers, content: bytes, admission: Admission) -> bytes:
        """Returns the response body of next-pair/batch."""
        body = read_as(NEXT_PAIRS, headers, content)
        key = idempotency_key(headers)
        admission.charge(body.count - 1)
        order = Order(session_id, body.count, "next-pair/batch", key, digest_of(body))
        session, given = await self._impressions.next_pairs(order)
        return f"[{','.join([impression_json(session, each) for each in given])}]".encode()

    async def feedback(self, session_id: str, headers: Headers, content: bytes, _: Admission) -> bytes:
        """Returns the response body of feedback."""
        given = read_as(FEEDBACK, headers, content)
        return b'{"status":"%s"}' % (await self._impressions.feedback(session_id, given)).encode()

    async def feedback_batch(self, session_id: str, headers: Headers, content: bytes, admission: Admission) -> bytes:
        """Returns the response body of feedback/batch; raises Unusual if a row does not match its shape."""
        check_is_json(headers)
        rows = feedback_columns(content) or read_as(FEEDBACK_ROWS, headers, content)
        admission.charge(len(rows) - 1)
        results = await self._impressions.feedback_batch(session_id, rows)
        if results.count(ACCEPTED) == len(results):  # nearly every batch
            return b"[" + b",".join([ROW_ACCEPTED] * len(results)) + b"]"
        return b"[" + b",".join([row_result(result) for result in results]) + b"]"


class _Post(NamedTuple):
    """A POST route of the lane."""

    route: str
    serve: Serve
    needed: Needed
    served: int  # the cell that counts 2xx responses

    @classmethod
    def of(cls, route: str, serve: Serve, needed: Needed) -> "_Post":
        """Returns the route with the cell of its counter."""
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
_BEST_PAIR_2XX = cell_index("bestpair_requests_total", "best-pair", "2xx")
_BEST_PAIR_3XX = cell_index("bestpair_requests_total", "best-pair", "3xx")


@lru_cache(maxsize=4096)  # the paths of a thousand sessions
def _read_path(path: str) -> tuple[str, str]:
    """Returns the session id and the route of a path; two empty texts if it is not the path of a session."""
    parts = path.split("/", 4)  # "", "v1", "sessions", the id, the route
    if len(parts) == 5 and parts[:3] == ["", "v1", "sessions"] and SESSION_ID.fullmatch(parts[3]):
        return parts[3], parts[4]
    return _NO_ROUTE


def _with_body(content: bytes, receive: Receive) -> Receive:
    """Returns a `receive` that starts with the body, which has been read."""
    first: list[Message] = [{"type": "http.request", "body": content, "more_body": False}]

    async def receive_body_first() -> Message:
        return first.pop() if first else await receive()

    return receive_body_first


def _request_ids() -> Iterator[bytes]:
    while True:
        drawn = os.urandom(8 * _IDS_PER_READ).hex().encode()
        for start in range(0, len(drawn), 16):
            yield drawn[start : start + 16]
