"""Middleware of every request, in plain ASGI: request ids, responses to unexpected errors, the limit of bodies."""

import logging
import re
import secrets

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.access.control import Admission
from app.telemetry.logs import REQUEST_ID
from app.telemetry.metrics import OTHER, ROUTES, Meter
from app.web.problems import FAULT_DETAIL, BodyTooLarge, UnexpectedFault, problem_for
from app.web.responses import header_pairs

logger = logging.getLogger("bestpair.web")

VALID_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
"""Ids that are accepted from a caller: they cannot forge a line in a log."""


class RequestIdMiddleware:
    """Gives each request an id, counts it, and turns an unexpected error into a 500 that contains only this id."""

    def __init__(self, app: ASGIApp, meter: Meter) -> None:
        self._app = app
        self._meter = meter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        request_id = given if VALID_REQUEST_ID.fullmatch(given) else secrets.token_hex(8)
        scope.setdefault("state", {})["request_id"] = request_id
        started = False

        async def send_and_count(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                self._meter.count("bestpair_requests_total", _route_name(scope), status_class(message["status"]))
            await send(message)

        send_with_headers = with_common_headers(send_and_count, request_id, scope)
        token = REQUEST_ID.set(request_id)
        try:
            await self._app(scope, receive, send_with_headers)
        except ClientDisconnect:
            return  # there is no client to respond to
        except Exception as error:
            if started:
                log_fault(error, request_id, scope, self._meter)
                raise  # a part of the response is sent: only a closed connection shows the caller that it failed
            await respond_to_fault(error, request_id, scope, receive, send_with_headers, self._meter)
        finally:
            REQUEST_ID.reset(token)


def with_common_headers(send: Send, request_id: str, scope: Scope) -> Send:
    """Returns a `send` that adds the headers of every response, and those of the rate limit."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["X-Request-ID"] = request_id
            headers["X-Content-Type-Options"] = "nosniff"
            headers.setdefault("Cache-Control", "no-store")  # tickets, ids and names are only for the caller
            admission: Admission | None = scope["state"].get("admission")
            if admission is not None:
                message["headers"].extend(header_pairs(admission.rate_lines()))
        await send(message)

    return send_with_headers


def status_class(status: int) -> str:
    """Returns the class of a status: "4xx" for 404."""
    return f"{status // 100}xx"


_SESSION = "/v1/sessions/{session_id}"
_ROUTE_NAMES = {f"{_SESSION}/{name}": name for name in ROUTES} | {f"/{name}": name for name in ROUTES}
_ROUTE_NAMES |= {f"/v1/{name}": name for name in ("sessions", "forecast", "access", "audit")} | {_SESSION: "session"}


def _route_name(scope: Scope) -> str:
    """Returns the label of the route that served a request, one of `ROUTES`."""
    return _ROUTE_NAMES.get(getattr(scope.get("route"), "path", ""), OTHER)


def log_fault(error: Exception, request_id: str, scope: Scope, meter: Meter) -> None:
    """Counts and logs an unexpected error."""
    meter.count("bestpair_unexpected_errors_total", "request")
    where = {"request_id": request_id, "method": scope["method"], "path": scope["path"]}
    logger.error("unexpected_fault", extra=where, exc_info=error)


async def respond_to_fault(
    error: Exception, request_id: str, scope: Scope, receive: Receive, send: Send, meter: Meter
) -> None:
    """Logs an unexpected error and responds with a 500 that contains only the request id."""
    log_fault(error, request_id, scope, meter)
    await problem_for(UnexpectedFault(FAULT_DETAIL), request_id)(scope, receive, send)


class BodyLimitMiddleware:
    """Refuses bodies above a limit: before reading if their length is declared, otherwise when they reach it."""

    def __init__(self, app: ASGIApp, limit_bytes: int) -> None:
        self._app = app
        self._limit = limit_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        length = Headers(scope=scope).get("content-length", "")
        if length.isdecimal() and int(length[:20]) > self._limit:
            # A closed connection makes it unnecessary to read the rest.
            refusal = problem_for(self._refusal(), scope["state"]["request_id"], {"Connection": "close"})
            await refusal(scope, receive, send)
            return
        received = 0

        async def receive_within_limit() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._limit:
                raise self._refusal()
            return message

        await self._app(scope, receive_within_limit, send)

    def _refusal(self) -> BodyTooLarge:
        return BodyTooLarge(f"a body may have at most {self._limit} bytes; send less at a time")
