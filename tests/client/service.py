"""An in-memory service for tests of feeds; it can be made to fail."""

import json
import threading
import uuid
from collections import Counter
from typing import Any

import httpx

from tests.fakes.sessions import BEST_PAIR


class Service:
    """Serves the calls of a feed; set `away`, `lose_answers` or `refuse` to make it fail."""

    def __init__(self) -> None:
        self.batches: dict[str, list[dict[str, Any]]] = {}  # by idempotency key
        self.outcomes: dict[str, Any] = {}  # ticket -> the first outcome stored
        self.requests: Counter[str] = Counter()
        self.purpose = "explore"
        self.best = ["a", "b"]
        self.away = False
        self.lose_answers = 0  # how many requests are processed without a response
        self.refuse: tuple[str, int] | None = None  # (the end of a path, a status)
        self._lock = threading.Lock()

    @property
    def handed_out(self) -> set[str]:
        return {pair["ticket"] for batch in self.batches.values() for pair in batch}

    def transport(self) -> httpx.MockTransport:
        return httpx.MockTransport(self)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        with self._lock:
            return self._answer(request)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        what = request.url.path.removeprefix("/v1/sessions/s/")
        self.requests[what] += 1
        if self.away:
            raise httpx.ConnectError("away", request=request)
        if self.refuse is not None and what == self.refuse[0]:
            problem = {"type": "/problems/session-stopped", "title": "Stopped", "status": self.refuse[1]}
            return httpx.Response(self.refuse[1], json=problem)
        answer = self._best_pair(request) if what == "best-pair" else self._batch(what, request)
        if self.lose_answers and what != "best-pair":
            self.lose_answers -= 1
            raise httpx.ReadError("lost", request=request)
        return answer

    def _best_pair(self, request: httpx.Request) -> httpx.Response:
        tag = f'"{"-".join(self.best)}"'
        if request.headers.get("If-None-Match") == tag:
            return httpx.Response(304)
        return httpx.Response(200, json={**BEST_PAIR, "pair": self.best}, headers={"ETag": tag})

    def _batch(self, what: str, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        if what == "next-pair/batch":
            key = request.headers["Idempotency-Key"]
            return httpx.Response(200, json=self.batches.setdefault(key, self._pairs(body["count"])))
        assert what == "feedback/batch", what
        return httpx.Response(200, json=[{"status": self._store(row)} for row in body])

    def _pairs(self, n: int) -> list[dict[str, Any]]:
        counts = self.purpose == "explore"
        same = {"i": 0, "j": 1, "items": ["b", "a"], "purpose": self.purpose, "counts": counts, "plan_version": 1}
        return [{"ticket": uuid.uuid4().hex, **same} for _ in range(n)]

    def _store(self, row: dict[str, Any]) -> str:
        ticket = row.pop("ticket")
        if ticket not in self.handed_out:
            return "not_found"
        first = self.outcomes.setdefault(ticket, row)
        return "accepted" if first is row else "duplicate" if first == row else "conflict"
