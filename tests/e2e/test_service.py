"""The product as its users run it: a real server, a real database, the simulator as an ad server."""

import json
import subprocess
import sys
from pathlib import Path

import httpx
import numpy as np
import pytest

from app.client import AsyncClient, Client
from app.simulation.mixtures import mixture
from app.simulation.population_file import save_population
from app.simulation.remote import AdServers, run_remote
from app.simulation.users import Users
from app.verification.replay import replay
from tests.e2e.harness import Server, reference_evidence, stored_evidence, stored_impressions
from tests.simulation.delivery import Delayed, Duplicated, Immediate, Lossy, Reordered


@pytest.fixture(scope="module")
def ads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("populations") / "ads.npz"
    save_population(mixture("ads6", 20, 2, np.random.default_rng(1)), path)
    return path


def bestpair(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from app.cli import main; main()", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def test_simulated_session_is_certified_and_every_answer_is_counted(
    database_url: str, tmp_path: Path, ads: Path
) -> None:
    workers = 1 if database_url.startswith("sqlite") else 2
    with Server(database_url, tmp_path, workers=workers) as server:
        words = ("--population", ads, "--epsilon", "0.1", "--delta", "0.1", "--policy", "lucb", "--json")
        run = bestpair("simulate", "--url", server.url, *words)
        assert run.returncode == 0, run.stderr + server.log.read_text()
        outcome = json.loads(run.stdout)
        assert outcome["certified"]
        assert outcome["error"] <= 0.1
        assert (outcome["epsilon"], outcome["relative_epsilon"]) == (0.1, None)
        assert 0 <= outcome["relative_error"] <= outcome["relative_gap"]
        assert outcome["answered"] == outcome["counted"] == outcome["acknowledged"]
        certificate, log = tmp_path / "certificate.json", tmp_path / "log.ndjson"
        address = f"{server.url}/v1/sessions/{outcome['session']}"
        certificate.write_bytes(httpx.get(f"{address}/certificate").content)
        log.write_bytes(httpx.get(f"{address}/export", timeout=60).content)
        again = replay(json.loads(line) for line in log.read_text().splitlines())
        assert again.differing == [], "the log alone gives the same plans"
        assert again.planned[-1].snapshot.etag == httpx.get(f"{address}/best-pair").headers["etag"]
        e = again.evidence
        counts = {(i, j, v): (n, s) for i, j, v, n, s in zip(e.i, e.j, e.version, e.n, e.s, strict=True)}
        assert counts == stored_evidence(database_url, outcome["session"]), "and the same evidence"
        checked = bestpair("verify", certificate, "--log", log)
        assert checked.returncode == 0, checked.stdout
        log.write_text("\n".join(log.read_text().splitlines()[:-5]))  # the last impressions may be after the verdict
        forged = json.loads(certificate.read_text())
        certificate.write_text(json.dumps({**forged, "gap": 0.0}))
        assert bestpair("verify", certificate, "--log", log).returncode == 1
    assert "Application shutdown complete" in server.log.read_text(), "a stop is graceful"


async def test_duplicates_reordering_delay_and_loss(database_url: str, tmp_path: Path) -> None:
    population = mixture("ads6", 8, 2, np.random.default_rng(2))
    responder = Reordered(
        Duplicated(
            Lossy(Delayed(Immediate(Users(population)), click_seconds=0.02, no_click_seconds=0.3), probability=0.05),
            probability=0.1,
            lag_seconds=0.05,
        ),
        window_seconds=0.2,
    )
    settings = {"policy": "naive", "epsilon": 0.01, "budget": 1200, "ticket_ttl_seconds": 4, "seed": 3}
    fleet = AdServers(clients=8, pairs_per_call=20, longest_seconds=90)  # few calls: answers must not be late
    with Server(database_url, tmp_path) as server:
        async with AsyncClient(server.url, timeout_seconds=30) as client:
            rng = np.random.default_rng(4)
            outcome = await run_remote(client, dict(settings), population, responder.respond, fleet, rng)
            again = replay([row async for row in client.export(outcome.session)])
            assert again.planned[-1].snapshot.etag == (await best_pair_tag(server, outcome.session))
    assert outcome.best.verdict == "exhausted", outcome.best
    assert again.differing == [], "the log alone gives the same plans"
    assert sum(again.evidence.unanswered) > 25, "lost answers are counted, and do not look suspicious"
    assert outcome.counts["counted"] == outcome.counts["answered"] == len(outcome.ledger.accepted) == 1200
    assert set(outcome.ledger.statuses) <= {"accepted", "duplicate", "late"}
    assert outcome.ledger.statuses["duplicate"] > 50
    impressions = stored_impressions(database_url, outcome.session)
    assert [row["sequence"] for row in impressions] == list(range(1, len(impressions) + 1))
    assert {row["ticket"] for row in impressions} >= set(outcome.ledger.handed_out)
    evidence = stored_evidence(database_url, outcome.session)
    expected = reference_evidence(impressions, outcome.ledger.accepted)
    assert {key: n for key, (n, _) in evidence.items()} == {key: n for key, (n, _) in expected.items()}
    for key, (_, s) in expected.items():
        assert evidence[key][1] == pytest.approx(s)


async def best_pair_tag(server: Server, session: str) -> str:
    async with httpx.AsyncClient() as plain:
        answer = await plain.get(f"{server.url}/v1/sessions/{session}/best-pair")
    return str(answer.headers["etag"])


def test_tickets_that_are_not_ours(database_url: str, tmp_path: Path) -> None:
    with Server(database_url, tmp_path) as server, Client(server.url) as client:
        first, second = (client.create_session(["a", "b", "c"]).id for _ in range(2))
        ticket = client.next_pair(first).ticket
        altered = ticket[:-1] + ("A" if ticket[-1] != "A" else "B")
        for session, wrong in ((first, "t" + "x" * 22), (first, altered), (second, ticket), (first, "")):
            answer = httpx.post(f"{server.url}/v1/sessions/{session}/feedback", json={"ticket": wrong, "reward": 1})
            assert answer.status_code == (422 if wrong == "" else 404), wrong
            assert answer.headers["content-type"] == "application/problem+json"
        assert client.feedback(first, ticket, reward=1).status == "accepted"


def test_second_server_on_one_sqlite_file_is_refused_with_advice(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'one.db'}"
    with Server(url, tmp_path):
        second = Server(url, tmp_path).start(wait=False)
        assert second.process.wait(30) == 2
        assert "PostgreSQL" in second.log.read_text()
        assert "Traceback" not in second.log.read_text()


def test_several_workers_on_sqlite_are_refused_with_advice(tmp_path: Path) -> None:
    server = Server(f"sqlite:///{tmp_path / 'one.db'}", tmp_path, workers=2).start(wait=False)
    assert server.process.wait(30) == 2
    assert "PostgreSQL" in server.log.read_text()
