"""When to send a call again, for both clients; without input or output."""

import email.utils
import random
from collections.abc import Generator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

import httpx

from app.client.calls import Call, answer_of

T = TypeVar("T")

_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
"""Errors before any byte was sent: every call is safe to retry after them."""
_TRY_LATER = frozenset({429, 502, 503, 504})


class ServiceUnreachable(Exception):
    """No response after all retries; the last request may or may not have taken effect."""


@dataclass(frozen=True)
class Retries:
    """How often to retry and how long to wait; waits are random below a bound that doubles (full jitter)."""

    attempts: int = 4
    first_wait_seconds: float = 0.1
    longest_wait_seconds: float = 2.0
    longest_retry_after_seconds: float = 10.0

    def wait(self, attempt: int, rng: random.Random, retry_after: float) -> float:
        """Returns the seconds before the next attempt: at least `retry_after`, up to a maximum."""
        bound = min(self.longest_wait_seconds, self.first_wait_seconds * 2**attempt)
        return min(retry_after, self.longest_retry_after_seconds) + rng.uniform(0, bound)


@dataclass(frozen=True)
class Wait:
    """A pause that the client should make."""

    seconds: float


Outcome = httpx.Response | httpx.TransportError | None
Conversation = Generator[Call[T] | Wait, Outcome, T]


def conversation(call: Call[T], retries: Retries, rng: random.Random) -> Conversation[T]:
    """Yields the next step (send the call, or wait) and receives its result; returns the parsed response.

    Raises:
        ProblemError: the service refused.
        ServiceUnreachable: no response after all retries.
    """
    attempt = 0
    while True:
        outcome = yield call
        attempt += 1
        may_repeat = attempt < retries.attempts
        if isinstance(outcome, httpx.Response):
            if not (may_repeat and call.repeatable and outcome.status_code in _TRY_LATER):
                return answer_of(call, outcome)
            retry_after = _retry_after(outcome)
        else:
            if not (may_repeat and (call.repeatable or isinstance(outcome, _NEVER_SENT))):
                reason = f"{type(outcome).__name__} {outcome}".strip()
                where = f"{call.method} {_address(call, outcome)}"
                raise ServiceUnreachable(f"{where}: {reason} (attempt {attempt})") from outcome
            retry_after = 0.0
        yield Wait(retries.wait(attempt - 1, rng, retry_after))


def _address(call: Call[T], outcome: httpx.TransportError | None) -> str:
    """Returns the URL of the call if known, otherwise its path; without a password that the URL may contain."""
    try:
        url = outcome.request.url if outcome is not None else None
    except RuntimeError:  # no request was made yet
        url = None
    return call.path if url is None else f"{url.scheme}://{url.netloc.decode()}{url.path}"


def _retry_after(response: httpx.Response) -> float:
    """Returns the seconds of the Retry-After header, a number or a date; 0 without one."""
    given = response.headers.get("Retry-After", "")
    if given.isdecimal():
        return float(given[:9])
    try:
        when = email.utils.parsedate_to_datetime(given)
    except ValueError:
        return 0.0
    if when.tzinfo is None:
        return 0.0
    return max(0.0, (when - datetime.now(UTC)).total_seconds())
