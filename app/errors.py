"""The errors of this service, named after what happened. `app.web.problems` has the table of how callers see them."""


class SessionError(Exception):
    """Base of all errors that are reported to callers; `detail` says what happened and what to change."""

    def __init__(self, detail: str) -> None:
        self.detail = detail
        super().__init__(detail)


class SessionNotFound(SessionError):
    """No session has this id."""


class InvalidSession(SessionError):
    """The settings of a new session are invalid; `field` names the invalid one."""

    def __init__(self, field: str, detail: str) -> None:
        self.field = field
        super().__init__(detail)


class SessionStopped(SessionError):
    """The session was stopped and hands out no more pairs."""


class InvalidStateChange(SessionError):
    """The session cannot change from its state to the requested one."""


class TicketNotFound(SessionError):
    """No impression of this session has this ticket: it is unknown, altered, or belongs to another session."""


class FeedbackConflict(SessionError):
    """Earlier feedback for the same ticket had another value."""


class InvalidFeedback(SessionError):
    """The feedback is not of the kind that the session expects; `field` names the invalid field."""

    def __init__(self, field: str, detail: str) -> None:
        self.field = field
        super().__init__(detail)


class IdempotencyMismatch(SessionError):
    """The same Idempotency-Key was sent before, with another body."""


class NotCertified(SessionError):
    """There is no certificate yet."""


class Overloaded(SessionError):
    """The queue of writes is full; try again shortly."""


class Unauthorized(SessionError):
    """The request has no valid key: none, an unknown or revoked one, or several."""

    def __init__(self, detail: str, challenge: str = "Bearer") -> None:
        self.challenge = challenge
        super().__init__(detail)


class Forbidden(SessionError):
    """The key may not do this: it lacks the scope, or is bound to another session."""


class RateLimited(SessionError):
    """The key has used up its rate limit; `retry_after` is the number of seconds until it may call again."""

    def __init__(self, detail: str, retry_after: int) -> None:
        self.retry_after = retry_after
        super().__init__(detail)


class StorageUnavailable(SessionError):
    """The database cannot be reached or cannot write; the request was not acknowledged."""
