"""The independent verifier and the product agree on sessions of a real server, and alterations are noticed."""

import ast
import copy
import json
import subprocess
import sys
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.engine.certificate import assess
from app.verification.verify import verify as verify_by_product
from tests.e2e.harness import Server
from tests.independent.log import certificate_digest
from tests.independent.sessions import SCENARIOS, Certified, old_database, run_all
from tests.independent.test_bounds import engine_inputs, largest_differences
from tests.independent.verifier import prove, verify

Document = dict[str, Any]
Altered = tuple[Document, list[Document]]

HERE = Path(__file__).parent
NAMES = [*(name for name in SCENARIOS if name != "two"), "killed"]


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Certified]:
    folder = tmp_path_factory.mktemp("sessions")
    with Server(old_database(folder), folder) as server:
        return run_all(server)


def failed(certificate: Document, rows: list[Document]) -> set[str]:
    return {check.name for check in verify(certificate, rows) if not check.holds}


def test_the_verifier_does_not_import_the_product() -> None:
    files = {file.name: file for file in HERE.glob("*.py") if not file.name.startswith("test_")}
    del files["sessions.py"]  # drives the service
    own = {f"tests.independent.{name.removesuffix('.py')}" for name in files} | {"tests.independent"}
    allowed = own | {"numpy", "numpy.typing", "scipy.special"}
    for file in files.values():
        nodes = list(ast.walk(ast.parse(file.read_text())))
        imported = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
        imported |= {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        assert {name for name in imported if name.split(".")[0] not in sys.stdlib_module_names} <= allowed, file


@pytest.mark.parametrize("name", NAMES)
def test_verifiers_agree(sessions: dict[str, Certified], name: str) -> None:
    certificate, rows = sessions[name]
    assert failed(certificate, rows) == set()
    assert [check for check in verify_by_product(certificate, rows) if not check.holds] == []
    proof, engine = prove(certificate), assess(*engine_inputs(certificate))
    numbers = (proof.bounds.upper[proof.leader], proof.bounds.lowest_of_others(proof.leader), proof.gap)
    stated = (certificate["bounds"]["upper_of_pair"], certificate["bounds"]["lowest_of_others"], certificate["gap"])
    of_engine = (engine.bounds.upper[engine.leader_index], engine.lowest_of_others(engine.leader_index), engine.gap)
    assert proof.leader == engine.leader_index
    for other in (stated, of_engine):
        assert numbers == pytest.approx(other, rel=0, abs=proof.tolerance)
    assert max(largest_differences(certificate).values()) < proof.tolerance, "every bound of every pair"


def test_the_only_pair_of_two_items_is_certified_by_the_first_plan(sessions: dict[str, Certified]) -> None:
    certificate, rows = sessions["two"]
    assert (certificate["plan_version"], certificate["gap"], certificate["samples"]) == (1, 0.0, 0)
    assert failed(certificate, rows) == set()
    assert [check for check in verify_by_product(certificate, rows) if not check.holds] == []


def test_every_bound_is_used_by_some_session(sessions: dict[str, Certified]) -> None:
    """Otherwise the agreement would say nothing about it."""
    proofs = {name: prove(certificate) for name, (certificate, _) in sessions.items()}
    found = {name: proof.bounds for name, proof in proofs.items()}
    for name in ("pairs", "items", "budget", "lucb"):
        assert (found[name].direct > 0.01).sum() > 2, f"D, {name}"
    pairs, leader = found["pairs"], proofs["pairs"].leader
    without = copy.deepcopy(sessions["pairs"].certificate)
    without["choices"]["nominees"] = []
    assert prove(without).bounds.upper[leader] > pairs.upper[leader] + 0.001, "U of nominees"
    raised = (pairs.blanks[0] > pairs.direct) & (pairs.direct < pairs.upper[leader] - 0.1)
    assert raised.sum() > 10, "F decides the verdict about many pairs"
    for name in ("items", "budget"):
        bounds, leader = found[name], proofs[name].leader
        assert (bounds.clicks > bounds.direct + 0.01).sum() > 2, f"I, {name}"
        assert (bounds.lower_given(leader) - bounds.lower).max() > 0.01, f"C, {name}"
    assert sessions["budget"].certificate["choices"]["guess"] is None, "I and C without a guess"
    assert len(sessions["items"].certificate["choices"]["outlooks"]) > 5, "bets of many plans"
    for name in ("relative pairs", "relative items"):
        settings = sessions[name].certificate["settings"]
        assert settings["epsilon"] is None, name
        assert proofs[name].gap <= proofs[name].largest_gap < settings["relative_epsilon"], "a part of a reward below 1"
    epsilons = [outlook["epsilon"] for outlook in sessions["relative items"].certificate["choices"]["outlooks"]]
    assert len(set(epsilons)) > 1, "what is allowed changes from plan to plan"
    bounds, leader = found["relative items"], proofs["relative items"].leader
    assert (bounds.lower_given(leader) - bounds.lower).max() > 0.01, "C, relative items"
    assert "rank<=2" in sessions["deterministic"].certificate["assumptions"]


def test_every_kind_of_row_occurs(sessions: dict[str, Certified]) -> None:
    def counted(name: str) -> list[Document]:
        certificate, rows = sessions[name]
        last = certificate["log"]["watermark"]
        return [row for row in rows if row["kind"] == "impression" and row["sequence"] <= last]

    assert any(row["given_up"] and row["void"] for row in counted("lost"))
    assert any(row["given_up"] and not row["void"] for row in counted("window")), "silence is an answer"
    assert any(row["void"] and row["outcome"] is not None for row in counted("killed")), "an outage in the window"
    assert any(not row["counts"] for row in counted("deterministic"))
    assert any(row["kind"] == "plan" and row["known"] for row in sessions["lost"].rows), "plans ahead of the watermark"
    assert sessions["upgraded"].certificate["log"]["first"] > 1, "rows without a digest"
    budgets = {row["report"]["budget"] for row in sessions["budget"].rows if row["kind"] == "plan"}
    assert budgets >= {150, 100_000}


def impressions(rows: list[Document]) -> list[Document]:
    return [row for row in rows if row["kind"] == "impression"]


def signed(certificate: Document) -> Document:
    """Return the certificate with a digest that fits it."""
    return {**certificate, "digest": certificate_digest(certificate)}


def swapped_outcomes(certificate: Document, rows: list[Document]) -> Altered:
    """Swap two outcomes of one pair and plan: no count changes."""
    counted = [row for row in impressions(rows) if row["sequence"] <= certificate["log"]["watermark"]]
    first, other = next(
        (one, two) for one, two in combinations(counted, 2)
        if all(one[name] == two[name] for name in ("i", "j", "plan_version")) and one["outcome"] != two["outcome"]
    )  # fmt: skip
    for name in ("outcome", "clicked"):
        first[name], other[name] = other[name], first[name]
    return certificate, rows


def removed_row(certificate: Document, rows: list[Document]) -> Altered:
    return certificate, [row for row in rows if row is not impressions(rows)[40]]


def removed_and_renumbered(certificate: Document, rows: list[Document]) -> Altered:
    _, rows = removed_row(certificate, rows)
    for sequence, row in enumerate(impressions(rows), 1):
        row["sequence"] = sequence
    return certificate, rows


def swapped_pairs(certificate: Document, rows: list[Document]) -> Altered:
    first, *others = impressions(rows)
    other = next(row for row in others if {row["i"], row["j"]} != {first["i"], first["j"]})
    for name in ("i", "j"):
        first[name], other[name] = other[name], first[name]
    return certificate, rows


def changed_nominee(certificate: Document, rows: list[Document]) -> Altered:
    certificate["choices"]["nominees"][0]["guess"] += 0.05
    return signed(certificate), rows


def changed_outlook(certificate: Document, rows: list[Document]) -> Altered:
    certificate["choices"]["outlooks"][0]["planned"][0] += 3
    return signed(certificate), rows


def earlier_nominee(certificate: Document, rows: list[Document]) -> Altered:
    """State in the certificate and in all memories that a choice was made one plan earlier."""
    for row in rows:
        if row["kind"] == "plan":
            memory = json.loads(row["memory"])
            for nominee in memory["choices"]["nominees"]:
                nominee["version"] -= 1
            row["memory"] = json.dumps(memory, separators=(",", ":"))
    certificate["choices"]["nominees"][0]["version"] -= 1
    return signed(certificate), rows


def changed_epsilon_of_an_outlook(certificate: Document, rows: list[Document]) -> Altered:
    certificate["choices"]["outlooks"][0]["epsilon"] *= 0.9
    return signed(certificate), rows


def removed_epsilon_of_outlooks(certificate: Document, rows: list[Document]) -> Altered:
    for outlook in certificate["choices"]["outlooks"]:
        del outlook["epsilon"]
    return signed(certificate), rows


def wider_goal(certificate: Document, rows: list[Document]) -> Altered:
    certificate["settings"]["relative_epsilon"] *= 2
    return signed(certificate), rows


def narrower_goal(certificate: Document, rows: list[Document]) -> Altered:
    for settings in (certificate["settings"], rows[0]["settings"]):
        settings["relative_epsilon"] = 0.001
    return signed(certificate), rows


def absolute_goal(certificate: Document, rows: list[Document]) -> Altered:
    """State an absolute goal that bets were not placed for."""
    for settings in (certificate["settings"], rows[0]["settings"]):
        settings |= {"epsilon": 0.5, "relative_epsilon": None}
    return signed(certificate), rows


def two_goals(certificate: Document, rows: list[Document]) -> Altered:
    certificate["settings"]["epsilon"] = 0.5
    return signed(certificate), rows


def changed_relative_gap(certificate: Document, rows: list[Document]) -> Altered:
    return signed({**certificate, "relative_gap": certificate["relative_gap"] - 1e-6}), rows


def turned_into_schema_3(certificate: Document, rows: list[Document]) -> Altered:
    return signed({**certificate, "schema": 3, "relative_gap": 0.0}), rows


def changed_gap(certificate: Document, rows: list[Document]) -> Altered:
    return {**certificate, "gap": certificate["gap"] - 1e-6}, rows


def changed_gap_signed(certificate: Document, rows: list[Document]) -> Altered:
    return signed({**certificate, "gap": certificate["gap"] - 1e-6}), rows


def other_shares(certificate: Document, rows: list[Document]) -> Altered:
    shares = certificate["bounds"]["shares_of_delta"]
    shares["direct"], shares["contrasts"] = shares["contrasts"], shares["direct"]
    return signed(certificate), rows


def fewer_assumptions(certificate: Document, rows: list[Document]) -> Altered:
    return signed({**certificate, "assumptions": certificate["assumptions"][:2]}), rows


def other_delta(certificate: Document, rows: list[Document]) -> Altered:
    certificate["settings"]["delta"] = 0.5
    return signed(certificate), rows


def other_names(certificate: Document, rows: list[Document]) -> Altered:
    return signed({**certificate, "pair": certificate["session"]["items"][2:4]}), rows


def other_order_of_items(certificate: Document, rows: list[Document]) -> Altered:
    certificate["session"]["items"].reverse()
    return signed(certificate), rows


def blank_without_a_share(certificate: Document, rows: list[Document]) -> Altered:
    certificate["choices"]["blanks"].append({"version": 1, "item": 5, "guess": [0.9] * 6})
    return signed(certificate), rows


def changed_report(certificate: Document, rows: list[Document]) -> Altered:
    next(row for row in rows if row["kind"] == "plan")["report"]["phase"] = "other"
    return certificate, rows


def changed_time(certificate: Document, rows: list[Document]) -> Altered:
    impressions(rows)[3]["issued_at"] += 0.001
    return certificate, rows


ALTERATIONS: dict[Callable[[Document, list[Document]], Altered], set[str]] = {
    swapped_outcomes: {"chain of rows", "chain at plans"},
    removed_row: {"sequences", "chain of rows", "chain at plans", "order of hand-out", "evidence", "samples"},
    removed_and_renumbered: {"chain of rows", "chain at plans", "order of hand-out"},
    swapped_pairs: {"chain of rows", "chain at plans", "order of hand-out"},
    changed_nominee: {"choices were stored"},
    changed_outlook: {"choices were stored"},
    earlier_nominee: {"ids of plans"},
    changed_epsilon_of_an_outlook: {"choices were stored"},
    removed_epsilon_of_outlooks: {"choices were stored", "epsilon of outlooks"},
    wider_goal: {"settings"},
    narrower_goal: {"verdict"},
    absolute_goal: {"epsilon of outlooks"},
    two_goals: {"settings", "goal"},
    changed_relative_gap: {"relative gap"},
    turned_into_schema_3: {"schema"},
    changed_gap: {"digest of the certificate", "gap"},
    changed_gap_signed: {"gap"},
    other_shares: {"shares were fixed"},
    fewer_assumptions: {"assumptions"},
    other_delta: {"settings"},
    other_names: {"names"},
    other_order_of_items: {"items"},
    blank_without_a_share: {"choices were stored", "proof"},
    changed_report: {"ids of plans"},
    changed_time: {"chain of rows", "chain at plans"},
}
"""Alterations, and checks that must fail; others may fail too."""


@pytest.mark.parametrize("alter", ALTERATIONS, ids=lambda alter: str(alter.__name__))
def test_alterations_fail(sessions: dict[str, Certified], alter: Callable[..., Altered]) -> None:
    """Of a relative session; it has everything that an absolute one has."""
    certificate, rows = alter(*copy.deepcopy(tuple(sessions["relative items"])))
    assert failed(certificate, rows) >= ALTERATIONS[alter]


@pytest.mark.parametrize("name", ["schema_3", "schema_3_items"])
def test_certificates_of_schema_3_verify(name: str) -> None:
    folder = HERE.parent / "verification" / "frozen"
    certificate = json.loads((folder / f"{name}_certificate.json").read_text())
    rows = [json.loads(line) for line in (folder / f"{name}_export.ndjson").read_text().splitlines()]
    assert failed(certificate, rows) == set()
    assert failed(*changed_gap_signed(certificate, rows)) == {"gap"}


def test_command_prints_a_line_for_each_check(sessions: dict[str, Certified], tmp_path: Path) -> None:
    certificate, rows = sessions["items"]
    export = tmp_path / "export.jsonl"
    export.write_text("\n".join(map(json.dumps, rows)))
    stated = tmp_path / "certificate.json"
    stated.write_text(json.dumps({**certificate, "gap": 0.0}))
    command = [sys.executable, "-m", "tests.independent", str(stated), str(export)]
    run = subprocess.run(command, cwd=HERE.parents[1], capture_output=True, text=True, check=False, timeout=60)
    assert run.returncode == 1, run.stderr
    lines = run.stdout.splitlines()
    assert len(lines) == len(verify(certificate, rows))
    assert {line.split(":")[0] for line in lines if not line.startswith("holds")} == {
        "FAILS  digest of the certificate",
        "FAILS  gap",
    }


def test_no_number_of_a_proof_is_nan(sessions: dict[str, Certified]) -> None:
    for certificate, _ in sessions.values():
        bounds = prove(certificate).bounds
        assert not np.isnan([bounds.upper, bounds.lower, *bounds.contrasts.values()]).any()
