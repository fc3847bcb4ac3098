"""Generated requests against the OpenAPI document: no server error, no answer that the document does not allow."""

import subprocess
import sys
from pathlib import Path

from app.client import Client
from tests.e2e.harness import Server
from tests.e2e.test_access import make_key

EXAMPLES = 20
"""Generated requests per operation and phase: 872 in all when last counted."""

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "missing_required_header",
    "ignored_auth",
    "unsupported_method",
)
"""All that the document promises of answers. Whether a *request* is good cannot be said in a schema alone (exactly one
of three fields, a rank that fits the policy), and bad rows of a batch are answered row by row."""


def test_answers_keep_to_the_document(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'schema.db'}"
    key = make_key(url, "admin")
    with Server(url, tmp_path) as server:
        with Client(server.url, api_key=key) as client:
            session = client.create_session([f"ad-{n}" for n in range(5)]).id
            for pair in client.next_pairs(session, 20):
                client.feedback(session, pair.ticket, reward=1)
        config = tmp_path / "schemathesis.toml"
        config.write_text(f'[parameters]\nsession_id = "{session}"\n')  # so that requests get behind the 404
        command = [
            sys.executable, "-m", "schemathesis.cli", "--config-file", str(config), "run", f"{server.url}/openapi.json",
            "--max-examples", str(EXAMPLES), "--checks", ",".join(CHECKS), "--exclude-method", "DELETE",
            "--exclude-path", "/v1/sessions/{session_id}/events",  # an answer without an end: tests/e2e/test_streams.py
            "--header", f"Authorization: Bearer {key}", "--seed", "1", "--no-color", "--generation-database", "none",
        ]  # fmt: skip
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300)
        assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]
        assert "- POST /v1/sessions/{session_id}/next-pair" not in run.stdout, "requests got behind the 404"
        with Client(server.url, api_key=key) as client:
            assert client.next_pair(session).purpose in ("explore", "exploit"), "the session survived it"
