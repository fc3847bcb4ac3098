"""What the web layer itself refuses, before any use case is asked; named by the fact."""

from collections.abc import Sequence

from app.wire.problem import FieldError


class Refusal(Exception):
    """Base of the requests that are refused for their form; `detail` says what to change."""

    def __init__(self, detail: str) -> None:
        self.detail = detail
        super().__init__(detail)


class MalformedJson(Refusal):
    """The body is not JSON."""


class UnsupportedMediaType(Refusal):
    """The body is declared to be something other than JSON."""


class BodyTooLarge(Refusal):
    """The body is larger than this server takes."""


class InvalidRequest(Refusal):
    """The request does not have the shape that is documented; `errors` names the fields."""

    def __init__(self, errors: Sequence[FieldError]) -> None:
        self.errors = tuple(errors)
        first = self.errors[0]
        more = f" (and {len(self.errors) - 1} more)" if len(self.errors) > 1 else ""
        super().__init__(f"{first.field or 'the request'}: {first.message}{more}")


class Unauthorized(Refusal):
    """No key in force came with the request: none, one that is not known or revoked, or several."""

    def __init__(self, detail: str, challenge: str = "Bearer") -> None:
        self.challenge = challenge
        super().__init__(detail)


class NotReady(Refusal):
    """The server runs, but cannot serve requests yet."""


class RouteNotFound(Refusal):
    """Nothing is served at this address."""


class MethodNotAllowed(Refusal):
    """The address exists, but does not take this method."""


class UnexpectedFault(Refusal):
    """A fault of the server; nothing about it is told, the log has it under the request id."""
