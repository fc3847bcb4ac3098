"""Metrics of a server with two processes add up to what was sent, whichever of them is asked, and if some die."""

import os
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
from prometheus_client.parser import text_string_to_metric_families

from tests.e2e.harness import Server

ROUNDS = 60
CALLERS = 12
SCRAPES = 8


def scraped(server: Server) -> dict[tuple[str, ...], float]:
    """Returns what one process tells, asked over a new connection."""
    text = httpx.get(f"{server.url}/metrics", timeout=20).text
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def counts(server: Server) -> dict[tuple[str, ...], float]:
    """Returns what was counted for callers; all processes tell the same."""
    told = [
        {
            key: value
            for key, value in scraped(server).items()
            if key[0] in {"bestpair_impressions_total", "bestpair_feedback_total"}
            or (key[0] == "bestpair_requests_total" and key[1] not in {"metrics", "readyz"})
        }
        for _ in range(SCRAPES)
    ]
    assert all(each == told[0] for each in told)
    return {key: value for key, value in told[0].items() if value}


def one_round(url: str, number: int) -> None:
    """Sends what a caller may: a retry, an answer twice, a batch, a ticket nobody knows. On its own connection."""
    key = {"Idempotency-Key": f"round-{number}"}
    with httpx.Client(base_url=url, timeout=20) as caller:
        shown = caller.post("/next-pair", headers=key).json()
        assert caller.post("/next-pair", headers=key).json() == shown
        answer = {"ticket": shown["ticket"], "reward": 1}
        assert caller.post("/feedback", json=answer).json() == {"status": "accepted"}
        assert caller.post("/feedback", json=answer).json() == {"status": "duplicate"}
        assert caller.post("/feedback", json={"ticket": "unknown", "reward": 1}).status_code == 404
        batch = caller.post("/next-pair/batch", json={"count": 10}).json()
        rows = [{"ticket": each["ticket"], "reward": 0} for each in batch]
        assert len(caller.post("/feedback/batch", json=rows).json()) == 10


def expected(rounds: int) -> dict[tuple[str, ...], float]:
    return {
        ("bestpair_impressions_total", "explore"): 11 * rounds,
        ("bestpair_feedback_total", "accepted"): 11 * rounds,
        ("bestpair_feedback_total", "duplicate"): rounds,
        ("bestpair_feedback_total", "not_found"): rounds,
        ("bestpair_requests_total", "next-pair", "2xx"): 2 * rounds,
        ("bestpair_requests_total", "next-pair/batch", "2xx"): rounds,
        ("bestpair_requests_total", "feedback", "2xx"): 2 * rounds,
        ("bestpair_requests_total", "feedback", "4xx"): rounds,
        ("bestpair_requests_total", "feedback/batch", "2xx"): rounds,
        ("bestpair_requests_total", "sessions", "2xx"): 1,
    }


def workers_of(server: Server) -> list[int]:
    """Returns the server's own processes that serve: those whose parent it is, without Python's resource tracker."""
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()
    return [int(pid) for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def wait_for(what: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not what():
        assert time.monotonic() < until
        time.sleep(0.1)


def test_two_processes_add_up_and_survive_their_deaths(postgresql_url: str, tmp_path: Path) -> None:
    with Server(postgresql_url, tmp_path, workers=2, variables={"BESTPAIR_METRICS_PER_SESSION": "1"}) as server:
        wait_for(lambda: scraped(server)["bestpair_worker_starts_total",] == 2)
        session = httpx.post(f"{server.url}/v1/sessions", json={"items": list("abcdef"), "epsilon": 0.01}).json()
        url = f"{server.url}/v1/sessions/{session['id']}"

        def drive(first: int) -> None:
            with ThreadPoolExecutor(CALLERS) as callers:
                list(callers.map(lambda number: one_round(url, number), range(first, first + ROUNDS)))

        drive(0)
        assert counts(server) == expected(ROUNDS)
        for place, victim in enumerate(workers_of(server)):
            os.kill(victim, signal.SIGKILL)
            wait_for(lambda starts=3 + place: scraped_or_nothing(server) == starts)  # type: ignore[misc]
            assert counts(server) == expected(ROUNDS), "nothing vanished with it, nothing is there twice"
        drive(ROUNDS)
        assert counts(server) == expected(2 * ROUNDS)
        told = scraped(server)
        assert told["bestpair_writer_queue_requests",] == 0
        assert told["bestpair_commit_requests_sum",] >= 7 * ROUNDS
        assert told["bestpair_commit_seconds_count",] >= told["bestpair_commit_requests_count",] > 0
        assert told["bestpair_plans_total", "stored"] >= 1
        assert told["bestpair_planning_seconds_count",] >= 1
        assert told["bestpair_fold_seconds_count",] >= 1
        assert told["bestpair_database_up",] == 1
        wait_for(lambda: scraped(server)["bestpair_impressions_outstanding",] == 0)
        assert scraped(server)["bestpair_sessions", "running", "not_yet"] == 1
        assert 0 < scraped(server)["bestpair_session_gap", session["id"]] <= 1


def scraped_or_nothing(server: Server) -> float | None:
    try:
        return scraped(server)["bestpair_worker_starts_total",]
    except httpx.TransportError:
        return None  # the process that died had taken the connection
