"""The outer layers of every request, in plain ASGI: a request id, no leaking faults, no endless bodies."""

import logging
import re
import secrets

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.access.admission import Admission
from app.telemetry.logs import REQUEST_ID as CURRENT
from app.telemetry.metrics import OTHER, ROUTES, Meter
from app.web.problems import FAULT_DETAIL, BodyTooLarge, UnexpectedFault, problem_for
from app.web.responses import header_pairs

logger = logging.getLogger("bestpair.web")

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
"""What is taken over from a caller: nothing that could forge a line in a log."""


class Shield:
    """Gives each request an id and turns what nobody expected into a 500 that tells nothing but this id."""

    def __init__(self, app: ASGIApp, meter: Meter) -> None:
        self._app = app
        self._meter = meter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        request_id = given if REQUEST_ID.fullmatch(given) else secrets.token_hex(8)
        scope.setdefault("state", {})["request_id"] = request_id
        started = False

        async def send_noting(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                self._meter.count("bestpair_requests_total", _route_of(scope), status_class(message["status"]))
            await send(message)

        send_with_id = with_id(send_noting, request_id, scope)
        token = CURRENT.set(request_id)
        try:
            await self._app(scope, receive, send_with_id)
        except ClientDisconnect:
            return  # nobody is left to be answered
        except Exception as error:
            if started:
                log_fault(error, request_id, scope, self._meter)
                raise  # half an answer is out: only cutting the connection tells the caller
            await answer_fault(error, request_id, scope, receive, send_with_id, self._meter)
        finally:
            CURRENT.reset(token)


def with_id(send: Send, request_id: str, scope: Scope) -> Send:
    """Returns a `send` that adds the headers which every answer has, and those that tell what is left of a rate."""

    async def send_with_id(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["X-Request-ID"] = request_id
            headers["X-Content-Type-Options"] = "nosniff"
            headers.setdefault("Cache-Control", "no-store")  # tickets, ids and names are for the caller alone
            message["headers"].extend(header_pairs(rate_lines(scope["state"].get("admission"))))
        await send(message)

    return send_with_id


def status_class(status: int) -> str:
    """Returns the class of a status: 404 is 4xx."""
    return f"{status // 100}xx"


_SESSION = "/v1/sessions/{session_id}"
_NAMES = {f"{_SESSION}/{name}": name for name in ROUTES} | {f"/{name}": name for name in ROUTES}
_NAMES |= {"/v1/sessions": "sessions", _SESSION: "session", "/v1/access": "access", "/v1/audit": "audit"}


def _route_of(scope: Scope) -> str:
    """Returns the name of the route that served a request, out of a closed list."""
    return _NAMES.get(getattr(scope.get("route"), "path", ""), OTHER)


def log_fault(error: Exception, request_id: str, scope: Scope, meter: Meter) -> None:
    """Counts and writes to the log what nobody expected."""
    meter.count("bestpair_unexpected_errors_total", "request")
    where = {"request_id": request_id, "method": scope["method"], "path": scope["path"]}
    logger.error("unexpected_fault", extra=where, exc_info=error)


async def answer_fault(
    error: Exception, request_id: str, scope: Scope, receive: Receive, send: Send, meter: Meter
) -> None:
    """Logs what nobody expected and answers with a 500 that tells nothing but the request id."""
    log_fault(error, request_id, scope, meter)
    await problem_for(UnexpectedFault(FAULT_DETAIL), request_id)(scope, receive, send)


def rate_lines(admission: Admission | None) -> bytes:
    """Returns what is left of a key's rate; empty without one."""
    return b"" if admission is None or admission.limiter is None else admission.limiter.header_lines()


class BodyLimit:
    """Refuses bodies beyond a limit: at once if their length is declared, otherwise as soon as they get there."""

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
            # Closing spares us from reading the rest.
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
        return BodyTooLarge(f"at most {self._limit} bytes are taken; send less at a time")
