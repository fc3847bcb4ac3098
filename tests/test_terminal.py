"""Commands print untrusted text without control characters."""

import json
import sys
from pathlib import Path

import pytest
import typer

import app.cli as command_line
from app.cli.verify import verify
from app.client import ServiceUnreachable
from app.engine.problem import InvalidProblem
from app.verification.check import Check

HOSTILE = "b\x1b[2K\r\nok  all: \u202eevery check holds"


def test_a_certificate_cannot_overwrite_the_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    certificate, log = tmp_path / "certificate.json", tmp_path / "log.ndjson"
    certificate.write_text(json.dumps({"kind": "bestpair-certificate", "pair": ["a", HOSTILE]}))
    log.write_text("")
    module = sys.modules["app.cli.verify"]  # app.cli.verify is the function
    monkeypatch.setattr(module, "check_certificate", lambda *_: [Check("session", False, HOSTILE)])
    monkeypatch.setattr(module, "check_replay", lambda *_: Check("plans", True, "as logged"))
    with pytest.raises(typer.Exit) as ended:
        verify(certificate, log)
    assert ended.value.exit_code == 1
    lines = capsys.readouterr().out.split("\n")
    assert [line.split()[0] for line in lines if line] == ["FAIL", "ok", "the"]
    assert all(line.isprintable() for line in lines)
    assert lines[2].endswith("does NOT hold")


def test_a_certificate_of_a_newer_schema_is_refused_with_the_reason(tmp_path: Path) -> None:
    certificate = tmp_path / "certificate.json"
    certificate.write_text(json.dumps({"kind": "bestpair-certificate", "schema": 5}))
    with pytest.raises(InvalidProblem, match="has schema 5, and this version knows schemas up to 4"):
        verify(certificate, tmp_path / "log.ndjson")


def test_an_error_message_keeps_its_lines_without_control_characters(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise ServiceUnreachable(f"{HOSTILE}\nand more")

    monkeypatch.setattr(command_line, "cli", fail)
    with pytest.raises(SystemExit):
        command_line.main()
    lines = capsys.readouterr().err.split("\n")
    assert lines[2:] == ["and more", ""]
    assert all(line.isprintable() for line in lines)
