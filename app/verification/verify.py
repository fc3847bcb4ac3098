"""Check a certificate against the exported log: digests, counts and every inequality are computed again."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from app.engine.certificate import assess
from app.engine.delta_shares import RemovedBound
from app.engine.evidence import Evidence
from app.engine.problem import Model, Problem, SelfPairs
from app.results.certificates import digest_of, versions
from app.verification.log import Check, check, check_handout, check_log, pair_of
from app.verification.logged_choices import choices_of, choices_were_made, shares_of, shares_were_fixed
from app.verification.old_log import check_old_log, counted_by
from app.verification.replay import replay
from app.wire.vocabulary import FeedbackKind

TOLERANCE = 1e-9
"""Bounds are recomputed with the installed numpy and scipy; other versions agree up to rounding, not to the bit."""

Cell = tuple[int, int, int]  # pair and plan version
Counts = tuple[float, ...]  # n, s, clicks on the lower item, clicks on the higher one (schema 1: n and s only)


def verify(certificate: dict[str, Any], log: Iterable[dict[str, Any]]) -> list[Check]:
    """Returns all checks of a certificate against the rows of its session's export."""
    rows = list(log)
    impressions = [row for row in rows if row.get("kind") == "impression"]
    plans = [row for row in rows if row.get("kind") == "plan"]
    session_id = certificate["session"]["id"]
    log_id = next((row["id"] for row in rows if row.get("kind") == "session"), "none")
    has_digests = certificate["schema"] >= 3
    return [
        check(
            "session",
            log_id == session_id,
            "the log belongs to this session",
            f"the log belongs to session {log_id}, the certificate to session {session_id}",
        ),
        check(
            "digest",
            digest_of(certificate) == certificate["digest"],
            "the certificate was not changed after it was written",
            "the certificate was changed after it was written",
        ),
        *(check_log(certificate, plans, impressions) if has_digests else check_old_log(certificate, impressions)),
        _check_evidence(certificate, impressions),
        check(
            "void",
            _no_answer_dropped(impressions, certificate),
            "no impression that was shown and answered in time is left out",
            "an impression that was shown and answered in time is left out",
        ),
        check_handout(certificate, plans, impressions),
        *_check_proof(certificate, plans),
    ]


def check_plans(certificate: dict[str, Any], log: Iterable[dict[str, Any]]) -> Check:
    """Returns whether planning again from the log gives the logged plans; only the same versions promise this."""
    if certificate["versions"] != versions():
        return Check(
            "plans", True, "not replayed: the plans were made by other versions of the program or its libraries"
        )
    rows = list(log)
    if not any(row.get("kind") == "session" and row["id"] == certificate["session"]["id"] for row in rows):
        return Check("plans", False, "not replayed: the log belongs to another session")
    replayed = replay(rows)
    differing = [version for version in replayed.differing if version <= certificate["plan_version"]]
    return check(
        "plans",
        not differing,
        f"planning again from the log gives the same {len(replayed.stored)} plans",
        f"planning again from the log gives other plans than the logged ones: versions {differing[:5]}",
    )


def _check_evidence(certificate: dict[str, Any], impressions: list[dict[str, Any]]) -> Check:
    is_counted = counted_by(certificate)
    counted = [row for row in impressions if is_counted(row)]
    stated = _stated_counts(certificate["evidence"])
    n_stated = sum(n for n, *_ in stated.values())
    return check(
        "evidence",
        _same(_recount(counted), stated),
        f"the log has the same {len(counted)} counted impressions and answers as the certificate",
        f"the log has {len(counted)} counted impressions, the certificate {n_stated}; or their answers differ",
    )


def _stated_counts(stated: dict[str, Any]) -> dict[Cell, Counts]:
    """Returns the counts in a certificate's evidence."""
    cells = zip(stated["i"], stated["j"], stated["version"], strict=True)
    columns = (stated[name] for name in ("n", "s", "clicks_i", "clicks_j") if name in stated)
    return dict(zip(cells, zip(*columns, strict=True), strict=True))


def _recount(rows: list[dict[str, Any]]) -> dict[Cell, Counts]:
    """Returns the counts of the log's impressions. On purpose, this does not use the code of the fold."""
    sums: dict[Cell, list[float]] = {}
    for row in rows:
        cell = sums.setdefault((*pair_of(row), row["plan_version"]), [0, 0.0, 0, 0])
        clicked = row.get("clicked") or 0
        first, second = clicked % 2, clicked // 2
        on_low, on_high = (first, second) if row["i"] <= row["j"] else (second, first)
        for place, more in enumerate((1, 1.0 - (row["outcome"] or 0.0), on_low, on_high)):
            cell[place] += more
    return {key: tuple(cell) for key, cell in sums.items()}


def _same(recount: dict[Cell, Counts], stated: dict[Cell, Counts]) -> bool:
    return recount.keys() == stated.keys() and all(
        math.isclose(computed, expected, abs_tol=TOLERANCE)
        for key, counts in stated.items()
        for computed, expected in zip(recount[key], counts, strict=False)  # schema 1 has no clicks by item
    )


def _no_answer_dropped(impressions: list[dict[str, Any]], certificate: dict[str, Any]) -> bool:
    """Returns whether no answer was dropped: without a window, an impression answered in time is never void."""
    if certificate["settings"]["attribution_window_seconds"] > 0:
        return True  # an outage makes answered impressions void too, and the log does not contain outages
    return not any(row["void"] and row["outcome"] is not None and not row["not_shown"] for row in impressions)


def _check_proof(certificate: dict[str, Any], plans: list[dict[str, Any]]) -> list[Check]:
    """Returns the checks of shares, choices and bounds; a single check that fails if the certificate uses bound G."""
    try:
        return [*_check_plan_log(certificate, plans), *_check_bounds(certificate)]
    except RemovedBound:
        detail = "not computed: the certificate uses bound G (rank), which this version does not have"
        return [Check("bounds", False, f"{detail}; verify it with version 0.1.0")]


def _check_plan_log(certificate: dict[str, Any], plans: list[dict[str, Any]]) -> list[Check]:
    """Returns the checks of shares and choices against the log of plans; schema 1 has neither."""
    if certificate["schema"] == 1:
        return []
    fixed, made = shares_were_fixed(certificate, plans), choices_were_made(certificate, plans)
    return [
        check(
            "shares",
            fixed,
            "all plans in the log divide delta in the same way as the certificate",
            "the plans in the log divide delta in another way than the certificate",
        ),
        check(
            "choices",
            made,
            "every choice was logged before it was used",
            "a choice is not in the log, differs from it, or was logged after it was used",
        ),
    ]


def _check_bounds(certificate: dict[str, Any]) -> list[Check]:
    settings, n_items = certificate["settings"], len(certificate["session"]["items"])
    problem = Problem(
        n_items=n_items,
        epsilon=settings["epsilon"],
        delta=settings["delta"],
        rank=None if settings["rank"] == "auto" else settings["rank"],
        model=Model(settings["model"]),
        self_pairs=SelfPairs(settings["self_pairs"]),
        item_clicks=settings["feedback"] == FeedbackKind.ITEMS,
    )
    stated = certificate["bounds"]["shares_of_delta"]
    if problem.item_clicks and "contrasts" not in stated and (stated.get("screening", 0) or stated.get("clicks", 0)):
        detail = "not computed: bound I has changed since; verify the certificate with the version that wrote it"
        return [Check("bounds", False, detail)]
    evidence = _evidence(n_items, certificate["evidence"])
    try:
        assessment = assess(problem, evidence, choices_of(certificate), shares_of(certificate))
    except (ArithmeticError, IndexError) as error:  # a choice without a share of delta, or of an item that is missing
        return [Check("bounds", False, f"cannot be computed: {error}")]
    leader, upper = assessment.leader, float(assessment.bounds.upper[assessment.leader_index])
    others, gap = assessment.lowest_of_others(assessment.leader_index), assessment.gap
    numbers = certificate["bounds"]
    same_pair = [leader.i, leader.j] == [certificate["i"], certificate["j"]]
    best, reached = f"the best pair is items {leader.i} and {leader.j}", f"gap {gap:.6g}, goal {assessment.target:.6g}"
    return [
        check("pair", same_pair, best, f"{best}, not {certificate['i']} and {certificate['j']}"),
        _check_number("upper bound", upper, numbers["upper_of_pair"], "its no-click probability is at most {}"),
        _check_number(
            "lower bounds", others, numbers["lowest_of_others"], "then that of every other pair is at least {}"
        ),
        _check_number("gap", gap, certificate["gap"], "the pair is within {} of the best"),
        check("verdict", assessment.certified, reached, f"not certified: {reached}"),
    ]


def _evidence(n_items: int, stated: dict[str, Any]) -> Evidence:
    i, j, version, n = (np.array(stated[name], dtype=np.int64) for name in ("i", "j", "version", "n"))
    by_item = [np.array(stated[name], dtype=np.int64) for name in ("clicks_i", "clicks_j") if name in stated]
    clicks = (by_item[0], by_item[1]) if by_item else None
    return Evidence.empty(n_items).add(i, j, version, n, np.array(stated["s"], dtype=np.float64), clicks)


def _check_number(name: str, computed: float | None, stated: float | None, meaning: str) -> Check:
    """Returns whether a recomputed number equals the stated one up to rounding; `meaning` has a place for it.

    None means that there is no other pair.
    """
    if computed is None or stated is None:
        detail = f"computed {computed}, the certificate states {stated}"
        return check(name, computed is stated, "there is no other pair", detail)
    detail = meaning.format(f"{computed:.6f}")
    same = math.isclose(computed, stated, abs_tol=TOLERANCE)
    return check(name, same, detail, f"{detail}; the certificate states {stated:.6f}")
