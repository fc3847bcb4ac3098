"""A caller of an ASGI application in the same process, for tests that are not coroutines themselves."""

import asyncio
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Any, Self

import httpx
from starlette.types import ASGIApp


class Caller:
    """Sends requests to the application and waits for whole answers."""

    def __init__(self, app: ASGIApp) -> None:
        self._runner = asyncio.Runner()
        self._client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://bestpair.test")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._runner.run(self._client.aclose())
        self._runner.close()

    def send(self, method: str, path: str, **given: Any) -> httpx.Response:
        return self._runner.run(self._client.request(method, path, **given))

    def get(self, path: str, **given: Any) -> httpx.Response:
        return self.send("GET", path, **given)

    def post(self, path: str, body: object = None, **given: Any) -> httpx.Response:
        return self.send("POST", path, json=body, **given)

    def post_raw(self, path: str, content: bytes, media_type: str = "application/json") -> httpx.Response:
        return self.send("POST", path, content=content, headers={"Content-Type": media_type})

    def post_chunked(self, path: str, chunk: bytes, times: int) -> httpx.Response:
        async def chunks() -> AsyncIterator[bytes]:
            for _ in range(times):
                yield chunk

        return self.send("POST", path, content=chunks(), headers={"Content-Type": "application/json"})
