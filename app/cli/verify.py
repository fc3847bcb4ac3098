"""`bestpair verify`: check a certificate against the exported log."""

import json
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from app.engine.problem import InvalidProblem
from app.results.certificates import SCHEMA
from app.telemetry.log_format import on_one_line
from app.verification.verify import check_replay
from app.verification.verify import verify as check_certificate


def verify(
    certificate: Annotated[
        Path, typer.Argument(help="A certificate: the response of GET /v1/sessions/ID/certificate.")
    ],
    log: Annotated[
        Path, typer.Option(help="The session's export as NDJSON: the response of GET /v1/sessions/ID/export.")
    ],
) -> None:
    """Check a certificate: recount the log, recompute every bound, repeat every plan. Exit code 1 if a check fails."""
    document = _read(certificate, "certificate")
    with _open(log, "log") as lines:
        try:
            rows = [json.loads(line) for line in lines if line.strip()]
        except ValueError as error:
            raise InvalidProblem(
                "log", f"{log} is not an export as NDJSON with one JSON object per line (is it CSV?)"
            ) from error
    try:
        checks = [*check_certificate(document, rows), check_replay(document, rows)]
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidProblem("log", f"{log} does not have the rows of an export: {error!r}") from error
    for check in checks:
        result = "skip" if check.skipped else "ok  " if check.holds else "FAIL"
        typer.echo(on_one_line(f"{result} {check.name}: {check.detail}"))
    holds = all(check.holds for check in checks)
    # The documents are untrusted: their text must not contain control characters that overwrite the verdict.
    pair = on_one_line(" and ".join(document["pair"]))
    typer.echo(f"the certificate of {pair} {'holds' if holds else 'does NOT hold'}")
    raise typer.Exit(0 if holds else 1)


def _open(path: Path, field: str) -> TextIO:
    try:
        return path.open(encoding="utf-8")
    except OSError as error:
        raise InvalidProblem(field, f"cannot read {path}: {error.strerror}") from error


def _read(path: Path, field: str) -> dict[str, Any]:
    with _open(path, field) as file:
        try:
            document = json.load(file)
        except ValueError as error:
            raise InvalidProblem(field, f"{path} is not JSON: {error}") from error
    if not isinstance(document, dict) or document.get("kind") != "bestpair-certificate":
        raise InvalidProblem(field, f"{path} is not a certificate of this service")
    if document.get("schema", SCHEMA) not in range(1, SCHEMA + 1):
        known = f"this version knows schemas up to {SCHEMA}"
        raise InvalidProblem(field, f"{path} has schema {document['schema']}, and {known}: use a newer version")
    return document
