"""Every bound of every pair, computed from the page alone, is that of the engine: in whole sessions, and for choices
that no policy would make.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from app.engine.bounds.combined import combined_bounds
from app.engine.bounds.direct import direct_bounds
from app.engine.bounds.exact import exact_bounds
from app.engine.bounds.item_clicks import item_click_bounds
from app.engine.bounds.screening import blank_bounds
from app.engine.certificate import assess
from app.engine.choices import Choices
from app.engine.delta_shares import Shares, portion
from app.engine.evidence import Evidence
from app.engine.problem import Model, Problem
from app.planning.memory import read_memory
from app.sessions.creation import items_of, settle
from app.sessions.model import Session
from app.wire.goal import goal_of
from app.wire.vocabulary import FeedbackKind, State
from tests.independent.bounds import Bounds
from tests.independent.verifier import prove
from tests.session_fixtures import items, new_session
from tests.session_log import Log

Document = dict[str, Any]
Differences = dict[str, float]

RPLANS = {
    "pair": {"upper": 0.02, "nominees": 0.13, "direct": 0.5, "screening": 0.35, "clicks": 0.0, "contrasts": 0.0},
    "items": {"upper": 0.02, "nominees": 0.08, "direct": 0.15, "screening": 0.0, "clicks": 0.3, "contrasts": 0.45},
}


def engine_inputs(certificate: Document) -> tuple[Problem, Evidence, Choices, Shares]:
    """Return what the engine computes bounds from."""
    settings, table = certificate["settings"], certificate["evidence"]
    problem = Problem(
        n_items=len(certificate["session"]["items"]),
        goal=goal_of(settings["epsilon"], settings.get("relative_epsilon")),
        delta=settings["delta"],
        rank=None if settings["rank"] == "auto" else settings["rank"],
        model=Model(settings["model"]),
        item_clicks=settings["feedback"] == "items",
    )
    i, j, version, n, on_i, on_j = (
        np.array(table[name], dtype=np.int64) for name in ("i", "j", "version", "n", "clicks_i", "clicks_j")
    )
    s = np.array(table["s"], dtype=np.float64)
    evidence = Evidence.empty(problem.n_items).add(i, j, version, n, s, (on_i, on_j))
    return (
        problem,
        evidence,
        Choices.from_plain(certificate["choices"]),
        Shares(**certificate["bounds"]["shares_of_delta"]),
    )


def largest_differences(certificate: Document) -> Differences:
    """Return the largest difference between the engine and the independent verifier, by kind of bound."""
    problem, evidence, choices, shares = engine_inputs(certificate)
    proof = prove(certificate)
    found = proof.bounds
    if problem.model is Model.DETERMINISTIC:
        exact = exact_bounds(problem, evidence)
        return {"exact": max(np.abs(exact.lower - found.lower).max(), np.abs(exact.upper - found.upper).max())}
    engine = combined_bounds(problem, evidence, choices, shares)
    assert engine.leader(problem.goal) == proof.leader
    assert {"independent-draws", "loss-independent-of-outcome", *engine.assumptions} == proof.assumptions
    direct = direct_bounds(evidence, choices.guess, shares.upper * problem.delta, shares.direct * problem.delta)
    pairs = {"U": (engine.upper, found.upper), "D": (direct.lower, found.direct), "B": (engine.lower, found.lower)}
    if problem.item_clicks and shares.clicks > 0:
        level = np.log(1 / (shares.clicks * problem.delta))
        pairs["I"] = item_click_bounds(evidence, choices.guess, level), found.clicks
    differences = {kind: float(np.abs(a - b).max()) for kind, (a, b) in pairs.items()}
    for ordinal, (blank, mine) in enumerate(zip(choices.blanks, found.blanks, strict=True), 1):
        level = np.log(1 / portion(shares.screening * problem.delta, ordinal))
        one = float(np.abs(blank_bounds(evidence, blank, level) - mine).max())
        differences["F"] = max(one, differences.get("F", 0.0))
    contrasts = _contrast_difference(engine.contrasts, found)
    return differences if contrasts is None else {**differences, "C": contrasts}


def _contrast_difference(engine: Any, found: Bounds) -> float | None:
    """Return the largest difference of bound C; the rivals must be the same."""
    assert {one.nominee for one in engine} == found.contrasts.keys()
    if not engine:
        return None
    merged = {k: np.full(len(found.lower), -np.inf) for k in found.contrasts}
    for one in engine:
        merged[one.nominee][one.rivals] = np.maximum(merged[one.nominee][one.rivals], one.difference)
    worst = 0.0
    for k, mine in found.contrasts.items():
        rivals = np.isfinite(mine)
        assert np.array_equal(np.isfinite(merged[k]), rivals), "the same rivals"
        worst = max(worst, float(np.abs(merged[k][rivals] - mine[rivals]).max(initial=0.0)))
    return worst


def groups(i: int, j: int, _version: int, rng: np.random.Generator) -> frozenset[int]:
    """Half of the visitors like item 0, half item 1; all others are hardly ever clicked."""
    liked = int(rng.integers(2))
    return frozenset(item for item in (i, j) if rng.random() < (0.8 if item == liked else 0.01))


def proofs_of(K: int, seed: int, **settings: Any) -> Iterator[Document]:
    """Yield what each plan of a simulated session could prove, in the form of a certificate."""
    new = new_session(items=items(K), **{"delta": 0.1, "seed": seed, "policy": "rplans", **settings})
    record = Session(
        id="s", name="", items=items_of(new), settings=settle(new), ticket_key=b"", state=State.RUNNING, budget=None,
        plan_version=0, plan_id="", watermark=0, created_at=0.0, updated_at=0.0,
    )  # fmt: skip
    log = Log(record, np.random.default_rng(seed), groups, held=5)
    choices = Choices().to_plain()
    for planned in log.plans():
        yield {
            "session": {"items": list(range(K))},
            "settings": {**record.settings.to_plain(), "rank": record.settings.rank or "auto"},
            "bounds": {"shares_of_delta": json.loads(str(log.plan_rows[-1]["report"]))["shares_of_delta"]},
            "evidence": log.evidence().to_plain(),
            "choices": choices,
        }
        memory = read_memory(planned.plan.memory)
        assert memory is not None
        choices = memory.choices.to_plain()


@pytest.mark.parametrize("goal", ["epsilon", "relative_epsilon"])
@pytest.mark.parametrize(("K", "feedback", "kinds"), [(20, "pair", "UDBF"), (8, "items", "UDBIC")])
def test_bounds_of_all_plans_are_those_of_the_engine(K: int, feedback: str, kinds: str, goal: str) -> None:
    worst: Differences = defaultdict(float)
    for certificate in proofs_of(K, seed=2, feedback=FeedbackKind(feedback), **{goal: 0.1}):
        for kind, difference in largest_differences(certificate).items():
            worst[kind] = max(worst[kind], difference)
    assert worst.keys() == set(kinds)
    assert max(worst.values()) < 1e-9, dict(worst)


def random_evidence(rng: np.random.Generator, K: int, versions: int) -> dict[str, list[Any]]:
    """Return counts with pairs that were never shown, shown rarely, always clicked and never clicked."""
    pairs = [(i, j, v) for i in range(K) for j in range(i, K) for v in range(1, versions + 1) if rng.random() < 0.6]
    columns: dict[str, list[Any]] = {name: [] for name in ("i", "j", "version", "n", "s", "clicks_i", "clicks_j")}
    rate = rng.choice([0.0, 0.02, 0.3, 0.9, 1.0], size=K)
    for i, j, v in pairs:
        n = int(rng.integers(1, rng.choice([3, 40, 3000])))
        clicked = rng.random((n, 2)) < rate[[i, j]]
        row = (i, j, v, n, float(n - clicked.any(axis=1).sum()), *map(int, clicked.sum(axis=0)))
        for name, value in zip(columns, row, strict=True):
            columns[name].append(value)
    return columns


def random_outlook(rng: np.random.Generator, K: int, version: int, *, by_item: bool) -> Document:
    """Return an outlook with estimates that some probabilities have."""
    pairs = [[i, j] for i in range(K) for j in range(i + 1, K) if rng.random() < 0.5] or [[0, 1]]
    pairs = [pairs[at] for at in rng.permutation(len(pairs))]
    listed = sorted({item for pair in pairs for item in pair} | set(rng.permutation(K)[:3].tolist())) if by_item else []
    d = np.round(rng.uniform(0.05, 0.95, K), 2)
    part = rng.uniform(0.05, 0.95, len(pairs))
    least, most = (
        np.array([max(d[i] + d[j] - 1, 0.0) for i, j in pairs]),
        np.array([min(d[i], d[j]) for i, j in pairs]),
    )
    return {
        "version": version,
        "items": listed,
        "shown": rng.integers(0, 60, len(listed)).tolist(),
        "unclicked": d[listed].tolist() if by_item else [],
        "pairs": pairs,
        "planned": rng.integers(0, 30, len(pairs)).tolist(),
        "values": (least + part * (most - least)).tolist(),
    }


def random_goal(seed: int, outlooks: list[Document]) -> dict[str, float | None]:
    """Return a goal, and give outlooks an epsilon; that of older versions have none, and the goal is absolute then."""
    rng = np.random.default_rng([seed, 1])
    relative = seed % 2 == 1
    for outlook in outlooks:
        if relative or rng.random() < 0.5:
            outlook["epsilon"] = float(rng.choice([0.003, 0.02, 0.1, 0.4]))
    epsilon = float(rng.choice([0.02, 0.1, 0.4]))
    return (
        {"epsilon": None, "relative_epsilon": epsilon} if relative else {"epsilon": epsilon, "relative_epsilon": None}
    )


def random_certificate(seed: int, feedback: str) -> Document:
    """Return a certificate with choices that no policy would make; contrasts and blanks have shares in all of them."""
    rng = np.random.default_rng(seed)
    K, versions = int(rng.integers(3, 9)), 5
    columns = int(rng.integers(0, 3))
    guess = {"version": int(rng.integers(1, 3)), "factor": rng.uniform(0, 1.1, (K, columns)).round(3).tolist()}
    nominated = [sorted(rng.permutation(K)[:2].tolist()) for _ in range(3)]
    by_item = feedback == "items"
    outlooks = [random_outlook(rng, K, version, by_item=by_item) for version in (1, 2, 3, 4)]
    goal = random_goal(seed, outlooks)
    return {
        "session": {"items": list(range(K))},
        "settings": {
            "model": "stochastic", "rank": "auto", "delta": 0.1, "feedback": feedback, **goal,
        },
        "bounds": {"shares_of_delta": {**RPLANS[feedback], "screening": 0.05, "contrasts": 0.2, "direct": 0.15}},
        "evidence": random_evidence(rng, K, versions),
        "choices": {
            "guess": guess if columns else None,
            "nominees": [
                {"version": v, "pair": pair, "guess": float(rng.uniform(0.01, 0.99))}
                for v, pair in enumerate(nominated, 1)
            ],
            "blanks": [
                {"version": v, "item": int(rng.integers(K)), "guess": rng.uniform(0.01, 0.99, K).tolist()}
                for v in (1, 3)
            ],
            "outlooks": outlooks,
        },
    }  # fmt: skip


@pytest.mark.parametrize("feedback", ["pair", "items"])
def test_bounds_of_any_choices_are_those_of_the_engine(feedback: str) -> None:
    worst: Differences = defaultdict(float)
    for seed in range(15):
        for kind, difference in largest_differences(random_certificate(seed, feedback)).items():
            worst[kind] = max(worst[kind], difference)
            assert difference < 1e-9, (seed, kind)
    assert worst.keys() == set("UDBFC" if feedback == "pair" else "UDBFIC")


def random_exact(seed: int) -> Document:
    """Return a certificate of the deterministic model; some entries contradict the rank, or every mixture."""
    rng = np.random.default_rng(seed)
    K, r = int(rng.integers(3, 8)), int(rng.integers(1, 4))
    X = rng.uniform(0, 1, (K, r)) * np.sqrt(rng.dirichlet(np.ones(r)))
    L = X @ X.T
    complete = set(rng.permutation(K)[: int(rng.integers(0, r + 2))].tolist())
    if rng.random() < 0.2:
        L = np.clip(L + np.triu(rng.uniform(-0.3, 0.3, L.shape)), 0, 1)
    shown = [
        (i, j) for i in range(K) for j in range(i, K) if {i, j} & complete or rng.random() < (0.3 if i == j else 0.1)
    ]
    columns = {name: [pair[place] for pair in shown] for place, name in enumerate("ij")}
    ones, zeros = [1] * len(shown), [0] * len(shown)
    values = [float(L[pair]) for pair in shown]
    rank: int | str = r if rng.random() < 0.7 else "auto"
    return {
        "session": {"items": list(range(K))},
        "settings": {"model": "deterministic", "rank": rank, "epsilon": 0.1, "delta": 0.1, "feedback": "pair"},
        "bounds": {"shares_of_delta": RPLANS["pair"]},
        "evidence": {**columns, "version": ones, "n": ones, "s": values, "clicks_i": zeros, "clicks_j": zeros},
        "choices": Choices().to_plain(),
    }


def test_bounds_of_the_deterministic_model_are_those_of_the_engine() -> None:
    kinds = set()
    for seed in range(200):
        certificate = random_exact(seed)
        problem, evidence, choices, shares = engine_inputs(certificate)
        assessment, proof = assess(problem, evidence, choices, shares), prove(certificate)
        assert largest_differences(certificate)["exact"] < 1e-7, seed
        assert assessment.leader_index == proof.leader, seed
        assert set(assessment.bounds.assumptions) == proof.assumptions - {
            "independent-draws",
            "loss-independent-of-outcome",
        }
        kinds.add(assessment.bounds.assumptions)
    assert {(), ("mixture",), ("mixture", "rank<=2")} <= kinds


def bounds_of(certificate: Document) -> list[Any]:
    found = prove(certificate).bounds
    return [found.upper, found.direct, found.clicks, *found.blanks, *found.contrasts.values()]


BROKEN: dict[str, dict[str, Any]] = {
    "confidence": {"ROUNDING": -1e-6, "JEFFREYS": 0.6, "GUIDED": ((0.25, 30.0), (0.25, 400.0))},
    "bounds": {
        "GUESS_MARGIN": 0.01,
        "GRID_RATIO": 1.3,
        "GRID_PRICE": 21.0,
        "GRID_MIN_SPREAD": 1e-5,
        "GRID_STEPS_ABOVE": 0,
        "UNGUESSED": 0.7,
    },
    "contrasts": {
        "MAX_RIVALS_BY_ITEMS": 3,
        "MIN_MARGIN": 0.5,
        "MAX_MARGIN": 0.2,
        "MIN_VARIANCE": 0.05,
        "BET_FRACTION": 0.8,
        "LARGEST_LOSS": 0.6,
        "LEFTOVER_SHARE": 0.06,
        "INTERVAL_ENDS": 4,
    },
    "exact": {"INDEPENDENT": 0.3, "AGREEMENT": 0.2},
}


def never_clicked() -> Document:
    """Return a certificate with few impressions and no click."""
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    many, none = [10] * len(pairs), [0] * len(pairs)
    columns = {name: [pair[place] for pair in pairs] for place, name in enumerate("ij")}
    counts = {"version": [1] * len(pairs), "n": many, "s": many, "clicks_i": none, "clicks_j": none}
    choices = Choices().to_plain()
    other = random_certificate(0, "items")
    return {**other, "session": {"items": [0, 1, 2, 3]}, "evidence": {**columns, **counts}, "choices": choices}


@pytest.fixture(scope="module")
def examples() -> list[tuple[Document, list[Any]]]:
    """Certificates and their bounds."""
    stochastic = [never_clicked(), *(random_certificate(seed, "items") for seed in range(12))]
    certificates = [*stochastic, *(random_exact(seed) for seed in range(40))]
    return [(certificate, bounds_of(certificate)) for certificate in certificates]


@pytest.mark.parametrize(("module", "name"), [(module, name) for module, names in BROKEN.items() for name in names])
def test_every_constant_matters(
    monkeypatch: pytest.MonkeyPatch, examples: list[tuple[Document, list[Any]]], module: str, name: str
) -> None:
    """The agreement would fail if the constant were wrong on the page."""
    monkeypatch.setattr(f"tests.independent.{module}.{name}", BROKEN[module][name])
    assert any(
        not np.allclose(right, wrong, rtol=0, atol=1e-8)
        for certificate, bounds in examples
        for right, wrong in zip(bounds, bounds_of(certificate), strict=True)
    )


def test_estimates_that_contradict_each_other_lose_no_bet_altogether() -> None:
    """Estimates that no probabilities have: the loss by items alone limits the size of a bet."""
    certificate = never_clicked()
    counts = {"version": [2], "n": [10], "s": [5.0], "clicks_i": [3], "clicks_j": [2]}
    outlook = {"version": 1, "items": [0, 1, 2, 3], "shown": [100] * 4, "unclicked": [0.4, 0.4, 0.95, 0.95]}
    outlook |= {"pairs": [[0, 1], [2, 3]], "planned": [1, 1], "values": [0.9, 0.1]}
    nominee = {"version": 1, "pair": [0, 1], "guess": 0.5}
    choices = {**certificate["choices"], "nominees": [nominee], "outlooks": [outlook]}
    contradictory = {**certificate, "evidence": {"i": [0], "j": [1], **counts}, "choices": choices}
    assert max(largest_differences(contradictory).values()) < 1e-9
    (difference,) = prove(contradictory).bounds.contrasts.values()
    assert np.isfinite(difference[np.isfinite(difference)]).any(), "a number, and not the logarithm of a loss above 1"
