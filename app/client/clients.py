"""The sync and the async client: they send and sleep; everything else is shared (`calls`, `retries`)."""

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx

from app.client.calls import Answer, Call, Calls, answer_of, path_of
from app.client.retries import Outcome, Retries, ServiceUnreachable, Wait, conversation
from app.wire.best_pair import BestPair, Estimates
from app.wire.serving import FeedbackResult, FeedbackRowResult, Impression
from app.wire.sessions import ItemIn, Session, SessionPage

T = TypeVar("T")

TIMEOUT_SECONDS = 5.0


class Client:
    """A blocking client; safe to share between threads. Close it, or use it with `with`."""

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        timeout_seconds: float = TIMEOUT_SECONDS,
        retries: Retries | None = None,
        transport: httpx.BaseTransport | None = None,
        rng: random.Random | None = None,
    ) -> None:
        headers = _headers(api_key)
        self._http = httpx.Client(base_url=base_url, headers=headers, timeout=timeout_seconds, transport=transport)
        self._calls = Calls()
        self._retries = retries or Retries()
        self._rng = rng or random.SystemRandom()

    def create_session(self, items: Sequence[str | ItemIn], **settings: object) -> Session:
        """Returns a new session; the settings are those of `SessionCreate`."""
        return self.send(self._calls.create_session(items, settings))

    def list_sessions(self, limit: int = 50, cursor: str | None = None) -> SessionPage:
        """Returns a page of sessions, newest first."""
        return self.send(self._calls.list_sessions(limit, cursor))

    def get_session(self, session_id: str) -> Session:
        """Returns one session."""
        return self.send(self._calls.get_session(session_id))

    def change_session(self, session_id: str, **changes: object) -> Session:
        """Returns the session after a change of `state`, `name` or `budget`."""
        return self.send(self._calls.change_session(session_id, changes))

    def delete_session(self, session_id: str) -> None:
        """Deletes a session with all its data."""
        self.send(self._calls.delete_session(session_id))

    def next_pair(self, session_id: str, *, idempotency_key: str | None = None) -> Impression:
        """Returns one pair to show; the same pair again for the same key."""
        return self.send(self._calls.next_pair(session_id, idempotency_key))

    def next_pairs(self, session_id: str, count: int, *, idempotency_key: str | None = None) -> list[Impression]:
        """Returns several pairs to show."""
        return self.send(self._calls.next_pairs(session_id, count, idempotency_key))

    def feedback(
        self,
        session_id: str,
        ticket: str,
        *,
        reward: float | None = None,
        clicked: Sequence[str] | None = None,
        not_shown: bool = False,
    ) -> FeedbackResult:
        """Sends one outcome; returns its status."""
        return self.send(self._calls.feedback(session_id, ticket, reward, clicked, not_shown))

    def feedbacks(self, session_id: str, answers: Sequence[Answer]) -> list[FeedbackRowResult]:
        """Sends several outcomes; returns their statuses in order."""
        return self.send(self._calls.feedbacks(session_id, answers))

    def best_pair(self, session_id: str) -> BestPair:
        """Returns the current best pair; an unchanged one is not transferred again."""
        return self.send(self._calls.best_pair(session_id))

    def estimates(self, session_id: str, top: int = 50) -> Estimates:
        """Returns the heat map of the most relevant items."""
        return self.send(self._calls.estimates(session_id, top))

    def certificate(self, session_id: str) -> bytes:
        """Returns the certificate, byte for byte."""
        return self.send(self._calls.certificate(session_id))

    def export(self, session_id: str) -> Iterator[dict[str, Any]]:
        """Yields the session's log row by row; not retried, because the caller already has some of the rows."""
        try:
            with self._http.stream("GET", path_of(session_id, "export")) as response:
                if response.is_error:
                    response.read()
                    answer_of(_EXPORT, response)
                for line in response.iter_lines():
                    yield json.loads(line)
        except httpx.TransportError as error:
            raise ServiceUnreachable(f"the export of {session_id} broke off: {error}") from error

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def send(self, call: Call[T]) -> T:
        """Sends a call of `calls`, with retries where they are safe; returns the parsed response."""
        talk = conversation(call, self._retries, self._rng)
        step: Call[T] | Wait = next(talk)
        while True:
            try:
                step = talk.send(self._do(step))
            except StopIteration as end:
                answer: T = end.value
                return answer

    def _do(self, step: Call[Any] | Wait) -> Outcome:
        if isinstance(step, Wait):
            time.sleep(step.seconds)
            return None
        try:
            return self._http.send(_request(self._http, step))
        except httpx.TransportError as error:
            return error


class AsyncClient:
    """The client for asyncio. Close it, or use it with `async with`."""

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        timeout_seconds: float = TIMEOUT_SECONDS,
        retries: Retries | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        rng: random.Random | None = None,
    ) -> None:
        headers = _headers(api_key)
        self._http = httpx.AsyncClient(base_url=base_url, headers=headers, timeout=timeout_seconds, transport=transport)
        self._calls = Calls()
        self._retries = retries or Retries()
        self._rng = rng or random.SystemRandom()

    async def create_session(self, items: Sequence[str | ItemIn], **settings: object) -> Session:
        """Returns a new session; the settings are those of `SessionCreate`."""
        return await self.send(self._calls.create_session(items, settings))

    async def list_sessions(self, limit: int = 50, cursor: str | None = None) -> SessionPage:
        """Returns a page of sessions, newest first."""
        return await self.send(self._calls.list_sessions(limit, cursor))

    async def get_session(self, session_id: str) -> Session:
        """Returns one session."""
        return await self.send(self._calls.get_session(session_id))

    async def change_session(self, session_id: str, **changes: object) -> Session:
        """Returns the session after a change of `state`, `name` or `budget`."""
        return await self.send(self._calls.change_session(session_id, changes))

    async def delete_session(self, session_id: str) -> None:
        """Deletes a session with all its data."""
        await self.send(self._calls.delete_session(session_id))

    async def next_pair(self, session_id: str, *, idempotency_key: str | None = None) -> Impression:
        """Returns one pair to show; the same pair again for the same key."""
        return await self.send(self._calls.next_pair(session_id, idempotency_key))

    async def next_pairs(self, session_id: str, count: int, *, idempotency_key: str | None = None) -> list[Impression]:
        """Returns several pairs to show."""
        return await self.send(self._calls.next_pairs(session_id, count, idempotency_key))

    async def feedback(
        self,
        session_id: str,
        ticket: str,
        *,
        reward: float | None = None,
        clicked: Sequence[str] | None = None,
        not_shown: bool = False,
    ) -> FeedbackResult:
        """Sends one outcome; returns its status."""
        return await self.send(self._calls.feedback(session_id, ticket, reward, clicked, not_shown))

    async def feedbacks(self, session_id: str, answers: Sequence[Answer]) -> list[FeedbackRowResult]:
        """Sends several outcomes; returns their statuses in order."""
        return await self.send(self._calls.feedbacks(session_id, answers))

    async def best_pair(self, session_id: str) -> BestPair:
        """Returns the current best pair; an unchanged one is not transferred again."""
        return await self.send(self._calls.best_pair(session_id))

    async def estimates(self, session_id: str, top: int = 50) -> Estimates:
        """Returns the heat map of the most relevant items."""
        return await self.send(self._calls.estimates(session_id, top))

    async def certificate(self, session_id: str) -> bytes:
        """Returns the certificate, byte for byte."""
        return await self.send(self._calls.certificate(session_id))

    async def export(self, session_id: str) -> AsyncIterator[dict[str, Any]]:
        """Yields the session's log row by row; not retried, because the caller already has some of the rows."""
        try:
            async with self._http.stream("GET", path_of(session_id, "export")) as response:
                if response.is_error:
                    await response.aread()
                    answer_of(_EXPORT, response)
                async for line in response.aiter_lines():
                    yield json.loads(line)
        except httpx.TransportError as error:
            raise ServiceUnreachable(f"the export of {session_id} broke off: {error}") from error

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()

    async def send(self, call: Call[T]) -> T:
        """Sends a call of `calls`, with retries where they are safe; returns the parsed response."""
        talk = conversation(call, self._retries, self._rng)
        step: Call[T] | Wait = next(talk)
        while True:
            try:
                step = talk.send(await self._do(step))
            except StopIteration as end:
                answer: T = end.value
                return answer

    async def _do(self, step: Call[Any] | Wait) -> Outcome:
        if isinstance(step, Wait):
            await asyncio.sleep(step.seconds)
            return None
        try:
            return await self._http.send(_request(self._http, step))
        except httpx.TransportError as error:
            return error


_EXPORT: Call[None] = Call("GET", "export", lambda _: None)


def _headers(api_key: str | None) -> dict[str, str]:
    return {} if api_key is None else {"Authorization": f"Bearer {api_key}"}


def _request(http: httpx.Client | httpx.AsyncClient, call: Call[Any]) -> httpx.Request:
    """Returns the request of a call, relative to the client's base URL."""
    headers = {**call.headers, **({} if call.body is None else {"Content-Type": "application/json"})}
    return http.build_request(call.method, call.path, content=call.body, headers=headers, params=dict(call.params))
