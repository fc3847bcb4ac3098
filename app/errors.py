"""What can go wrong, named by the fact. How each looks to a caller is decided in `web`, in one table."""


class SessionError(Exception):
    """Base of all errors a caller can cause or should hear about; `detail` says what happened and what to change."""

    def __init__(self, detail: str) -> None:
        self.detail = detail
        super().__init__(detail)


class SessionNotFound(SessionError):
    """No session has this id."""


class InvalidSession(SessionError):
    """Settings that do not fit; `field` names the culprit."""

    def __init__(self, field: str, detail: str) -> None:
        self.field = field
        super().__init__(detail)


class SessionStopped(SessionError):
    """The session was stopped and hands out nothing more."""


class InvalidStateChange(SessionError):
    """The session cannot go from its state to the one asked for."""


class TicketNotFound(SessionError):
    """No impression of this session has this ticket: unknown, altered, or another session's."""


class FeedbackConflict(SessionError):
    """The ticket was answered with another value before."""


class InvalidFeedback(SessionError):
    """The answer does not fit what the session expects; `field` names the culprit."""

    def __init__(self, field: str, detail: str) -> None:
        self.field = field
        super().__init__(detail)


class IdempotencyMismatch(SessionError):
    """The same Idempotency-Key came with another body."""


class NotCertified(SessionError):
    """There is no certificate yet."""


class Overloaded(SessionError):
    """The queue of writes is full; try again shortly."""


class Forbidden(SessionError):
    """The key may not do this: it lacks the scope, or is bound to another session."""


class RateLimited(SessionError):
    """The key has used up its rate; more is there after so many seconds."""

    def __init__(self, detail: str, retry_after: int) -> None:
        self.retry_after = retry_after
        super().__init__(detail)


class StorageUnavailable(SessionError):
    """The database cannot be reached or cannot write; nothing was acknowledged."""
