"""Certificates and exports that earlier versions wrote: they verify, and a line says what they cannot show."""

import json
import sqlite3
from itertools import combinations
from pathlib import Path

import pytest

from app.engine.problem import Goal
from app.verification.plans import _has_its_id
from app.verification.verify import check_replay, verify
from app.wire.goal import in_words
from tests.database.freeze import FOLDER as DATABASES
from tests.verification.forging import Certified, Document, failed, forged

FOLDER = Path(__file__).parent / "frozen"
OLD = ("schema_1", "schema_2", "schema_2_items")
SCHEMA_3 = ("schema_3", "schema_3_items")


def frozen(name: str) -> Certified:
    certificate = json.loads((FOLDER / f"{name}_certificate.json").read_text())
    return Certified(
        certificate, [json.loads(line) for line in (FOLDER / f"{name}_export.ndjson").read_text().splitlines()]
    )


@pytest.mark.parametrize("name", OLD)
def test_a_certificate_of_version_0_1_0_verifies_and_says_what_it_cannot_show(name: str) -> None:
    certificate, rows = frozen(name)
    checks = [*verify(certificate, rows), check_replay(certificate, rows)]
    assert failed(checks) == set()
    skipped = {check.name: check.detail for check in checks if check.skipped}
    schema = name.split("_")[1]
    assert skipped.keys() == {"log", "delays", "replay", *(["shares"] if schema == "1" else [])}
    assert skipped["log"].startswith(f"a certificate of schema {schema} (version 0.1.0) has no digests of the log")
    assert any(row["kind"] == "impression" and row["void"] for row in rows), "it lost some answers"


@pytest.mark.parametrize("name", OLD)
def test_what_an_earlier_schema_shows_is_checked(name: str) -> None:
    certificate, rows = frozen(name)
    assert failed(verify({**certificate, "gap": 0.01}, rows)) == {"digest", "gap"}
    assert failed(verify(forged(certificate, gap=0.01), rows)) == {"gap"}
    first = _first_answered(rows)
    first["outcome"] = 1.0 - first["outcome"]
    assert failed(verify(certificate, rows)) == {"evidence"}


@pytest.mark.parametrize("name", OLD)
def test_an_earlier_schema_shows_the_order_of_counting_of_each_pair(name: str) -> None:
    certificate, rows = frozen(name)
    first = _first_answered(rows)
    first["epoch"] = None
    (line,) = (check.detail for check in verify(certificate, rows) if check.name == "order")
    assert line.endswith(f"was counted before {first['sequence']}, an earlier one of its pair")


@pytest.mark.parametrize("name", OLD)
def test_what_the_line_says_an_earlier_schema_cannot_show(name: str) -> None:
    """If one of these is found some day, the line must say less."""
    certificate, rows = frozen(name)
    for row in rows:
        if row["kind"] == "impression":
            row["issued_at"] += 3600.0
    answered = [row for row in rows if row["kind"] == "impression" and row["outcome"] is not None]
    first, other = next(
        (a, b)
        for a, b in combinations(answered, 2)
        if all(a[column] == b[column] for column in ("i", "j", "plan_version")) and a["outcome"] != b["outcome"]
    )
    for column in ("outcome", "clicked"):
        first[column], other[column] = other[column], first[column]
    assert failed(verify(certificate, rows)) == set()


@pytest.mark.parametrize("name", SCHEMA_3)
def test_a_certificate_of_schema_3_verifies(name: str) -> None:
    certificate, rows = frozen(name)
    checks = verify(certificate, rows)
    assert failed(checks) == set()
    assert not {"goal", "relative gap"} & {check.name for check in checks}, "it has neither"
    (line,) = (check.detail for check in checks if check.name == "verdict")
    assert in_words(Goal(certificate["settings"]["epsilon"])) in line
    assert bool(certificate["choices"]["outlooks"]) == (name == "schema_3_items")


@pytest.mark.parametrize("name", SCHEMA_3)
def test_what_schema_3_shows_is_checked(name: str) -> None:
    certificate, rows = frozen(name)
    tight = {**certificate["settings"], "epsilon": 0.001}
    assert failed(verify(forged(certificate, settings=tight), rows)) >= {"session", "verdict"}
    relative = {**certificate["settings"], "epsilon": None, "relative_epsilon": 0.99}
    assert "session" in failed(verify(forged(certificate, settings=relative), rows))
    first = _first_answered(rows)
    first["outcome"] = 1.0 - first["outcome"]
    assert failed(verify(certificate, rows)) >= {"evidence", "impressions"}


def test_a_session_that_version_0_1_0_began_verifies_from_where_the_chain_starts() -> None:
    certificate, rows = frozen("upgraded")
    first = certificate["log"]["first"]
    checks = verify(certificate, rows)
    assert failed(checks) == set()
    assert first > 1
    (line,) = (check.detail for check in checks if check.name == "impressions")
    assert line.endswith(f"those before {first} were counted by version 0.1.0 and have no digest")
    (line,) = (check.detail for check in checks if check.name == "plans")
    assert line.endswith("those up to plan 3 were made by version 0.1.0 and have no id")
    earlier, later = (next(row for row in rows if row.get("sequence") == n) for n in (first - 1, first))
    earlier["issued_at"] += 1.0
    assert failed(verify(certificate, rows)) == set(), "as the line says"
    later["issued_at"] += 1.0
    assert failed(verify(certificate, rows)) == {"impressions"}


@pytest.mark.parametrize("revision", ["0004", "0005"])
def test_ids_of_plans_that_were_made_before_the_chain_are_checked(revision: str) -> None:
    connection = sqlite3.connect(":memory:")
    connection.executescript((DATABASES / f"{revision}.sql").read_text())
    found = connection.execute("SELECT id, version, epoch, handout, memory FROM plans ORDER BY version").fetchall()
    connection.close()
    names = ("id", "version", "epoch", "handout", "memory")
    plans = [{**dict(zip(names, row, strict=True)), "handout": json.loads(row[3])} for row in found]
    assert all(plan["id"] for plan in plans)
    before = ["", *(plan["id"] for plan in plans)]
    for last, plan in zip(before, plans, strict=False):
        assert _has_its_id(plan, last)
        assert not _has_its_id({**plan, "memory": "{}"}, last)
        assert not _has_its_id(plan, "another")


def test_an_impression_before_the_chain_was_counted_by_version_0_1_0() -> None:
    certificate, rows = frozen("upgraded")
    _first_answered(rows)["epoch"] = None
    checks = verify(certificate, rows)
    assert failed(checks) == {"final"}
    assert "version 0.1.0 did not count impression 1" in {check.detail for check in checks}


def _first_answered(rows: list[Document]) -> Document:
    return next(row for row in rows if row["kind"] == "impression" and row["outcome"] is not None)
