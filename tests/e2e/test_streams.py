"""Streams of a real server: news from every process, and a stop that does not wait for them."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx

from app.client import Client
from tests.e2e.harness import Server

SHUTDOWN_SECONDS = 20  # how long the server waits for answers that do not end (BESTPAIR_SHUTDOWN_SECONDS)


def events(answer: httpx.Response) -> Iterator[tuple[str, dict[str, object]]]:
    name = ""
    for line in answer.iter_lines():
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def test_news_come_by_stream_and_a_stop_ends_it(database_url: str, tmp_path: Path) -> None:
    workers = 1 if database_url.startswith("sqlite") else 2
    with Server(database_url, tmp_path, workers=workers) as server, Client(server.url) as client:
        session = client.create_session(["a", "b", "c"], seed=1).id
        address = f"{server.url}/v1/sessions/{session}/events"
        with httpx.stream("GET", address, timeout=SHUTDOWN_SECONDS) as answer:
            told = events(answer)
            name, best = next(told)
            assert (name, best["state"]) == ("best-pair", "running")
            assert next(told)[0] == "counters"
            shown = client.next_pair(session)
            client.feedback(session, shown.ticket, reward=1)
            while (news := next(told))[1].get("answered") != 1:
                assert news[0] == "counters"
            client.change_session(session, state="paused")
            while (news := next(told))[0] != "best-pair":
                pass
            assert news[1]["state"] == "paused"
            code = server.stop()
            assert list(told) == [], "the stream ends, and is not cut"
        assert code in (0, -15), "asked to stop, it stopped"
    log = server.log.read_text()
    assert "Application shutdown complete" in log
    assert "timeout graceful shutdown exceeded" not in log.lower(), "no answer was cut off"
    assert "Traceback" not in log
