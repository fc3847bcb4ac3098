"""Check a certificate against the exported log: digests, counts and every inequality are computed again."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from app.engine.certificate import Assessment, assess
from app.engine.delta_shares import RemovedBound
from app.engine.evidence import Evidence
from app.engine.policies import POLICIES
from app.engine.policies.policy import GUESSED_AT
from app.engine.problem import InvalidProblem, Model, Problem, SelfPairs, relative_gap
from app.results.certificates import digest_of, versions
from app.results.report import ALWAYS_ASSUMED
from app.verification.check import Check, Row, check, items, pair_of, unless
from app.verification.impressions import check_final, check_rows, check_sequences, check_versions, check_void
from app.verification.logged_choices import choices_of, shares_of, stated_goal, wrong_choices, wrong_goal, wrong_shares
from app.verification.old_log import check_old_log, counted_by
from app.verification.plans import check_handout, check_known, check_plan_ids, check_watermarks
from app.verification.replay import replay
from app.wire.goal import in_words
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
    session = next((row for row in rows if row.get("kind") == "session"), {})
    return [
        unless("session", _wrong_session(certificate, session), "the log belongs to the session of the certificate"),
        check(
            "digest",
            digest_of(certificate) == certificate["digest"],
            "the certificate was not changed after it was written",
            "the certificate was changed after it was written",
        ),
        *(
            _check_log(certificate, session, plans, impressions)
            if certificate["schema"] >= 3
            else check_old_log(certificate, plans, impressions)
        ),
        _check_evidence(certificate, impressions),
        check_void(certificate, impressions),
        check_handout(certificate, plans, impressions),
        *_check_proof(certificate, plans),
    ]


def _wrong_session(certificate: Row, session: Row) -> str:
    stated, log_id = certificate["session"], session.get("id", "none")
    if log_id != stated["id"]:
        return f"the log belongs to session {log_id}, the certificate to session {stated['id']}"
    if certificate["schema"] < 3:
        return ""
    if [item["id"] for item in session["items"]] != stated["items"]:
        return "the session in the log has other items than the certificate"
    settings = {**session["settings"], "rank": session["settings"]["rank"] or "auto"}  # exported as null
    other = [name for name, value in certificate["settings"].items() if settings.get(name) != value]
    return f"the session in the log has another {' and '.join(other)} than the certificate" if other else ""


def _check_log(certificate: Row, session: Row, plans: Sequence[Row], impressions: Sequence[Row]) -> list[Check]:
    """Returns the checks of a log with digests (schema 3 and later)."""
    return [
        *([_check_schema_3(certificate, plans)] if certificate["schema"] == 3 else []),
        check_sequences(certificate, session, impressions),
        check_rows(certificate, session, plans, impressions),
        check_plan_ids(certificate, plans),
        check_watermarks(certificate, plans, impressions),
        check_final(certificate, impressions),
        check_versions(impressions),
        check_known(plans, impressions),
    ]


def _check_schema_3(certificate: Row, plans: Iterable[Row]) -> Check:
    """Returns whether the plan that certified is of a version that wrote schema 3; later ones report a relative gap."""
    version = certificate["plan_version"]
    is_new = any(plan["version"] == version and "relative_gap" in plan["report"] for plan in plans)
    wrong = f"plan {version}, which certified, was made by a version whose certificates have a relative gap"
    return unless("schema", wrong if is_new else "", "this is a certificate of schema 3: it has no relative gap")


def check_replay(certificate: dict[str, Any], log: Iterable[dict[str, Any]]) -> Check:
    """Returns whether planning again from the log gives the logged plans; only the same versions promise this."""
    if certificate["versions"] != versions():
        detail = "other versions of the program or its libraries made the plans, so they are not made again"
        return Check("replay", True, detail, skipped=True)
    rows = list(log)
    if not any(row.get("kind") == "session" and row["id"] == certificate["session"]["id"] for row in rows):
        return Check("replay", False, "the log belongs to another session, so its plans are not made again")
    replayed = replay(rows)
    differing = [str(version) for version in replayed.differing if version <= certificate["plan_version"]]
    return check(
        "replay",
        not differing,
        f"planning again from the log gives the same {len(replayed.stored)} plans",
        f"planning again from the log gives other plans than the logged ones: versions {', '.join(differing[:5])}",
    )


def _check_evidence(certificate: dict[str, Any], impressions: list[dict[str, Any]]) -> Check:
    is_counted = counted_by(certificate)
    counted = [row for row in impressions if is_counted(row)]
    return unless(
        "evidence",
        _different_count(_recount(counted), _stated_counts(certificate["evidence"]), certificate["samples"]),
        f"the log has the same {len(counted)} counted impressions and answers as the certificate",
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


def _different_count(recount: dict[Cell, Counts], stated: dict[Cell, Counts], samples: int) -> str:
    """Returns which counts of the log and the certificate differ, '' if none do."""
    for i, j, version in sorted(recount.keys() | stated.keys()):
        in_log, in_certificate = recount.get((i, j, version), (0, 0)), stated.get((i, j, version), (0, 0))
        pairs = zip(in_log, in_certificate, strict=False)  # schema 1 has no clicks by item
        if all(math.isclose(computed, expected, abs_tol=TOLERANCE) for computed, expected in pairs):
            continue
        return (
            f"{items((i, j))} under plan {version}: the log has {_in_words(in_log)}, "
            f"the certificate {_in_words(in_certificate)}"
        )
    n = sum(counts[0] for counts in recount.values())
    return "" if n == samples else f"the log has {n} counted impressions, the certificate states {samples} samples"


def _in_words(counts: Counts) -> str:
    n, s, *clicks = counts
    by_item = f" ({clicks[0]:.0f} and {clicks[1]:.0f} clicks on the two items)" if any(clicks) else ""
    return f"{n:.0f} impressions, {s:.10g} without a click{by_item}"


def _check_proof(certificate: dict[str, Any], plans: list[dict[str, Any]]) -> list[Check]:
    """Returns the checks of shares, choices, goal and bounds; one that fails without a goal, or with bound G."""
    try:
        stated_goal(certificate)
    except InvalidProblem as error:
        return [Check("goal", False, f"the certificate has no goal: {error}")]
    try:
        return [*_check_plan_log(certificate, plans), *_check_bounds(certificate)]
    except RemovedBound:
        detail = "not computed: the certificate uses bound G (rank), which this version does not have"
        return [Check("bounds", False, f"{detail}; verify it with version 0.1.0")]


def _check_plan_log(certificate: dict[str, Any], plans: list[dict[str, Any]]) -> list[Check]:
    """Returns the checks of shares and choices against the log of plans; schema 1 has neither."""
    if certificate["schema"] == 1:
        return []
    return [
        unless(
            "shares",
            wrong_shares(certificate, plans),
            "all plans in the log divide delta in the same way as the certificate",
        ),
        unless("choices", wrong_choices(certificate, plans), "every choice was logged before it was used"),
        *([_check_goal(certificate)] if certificate["schema"] >= 4 else []),
    ]


def _goal_in_words(certificate: Row) -> str:
    return in_words(stated_goal(certificate), Model(certificate["settings"]["model"]))


def _check_goal(certificate: Row) -> Check:
    return unless(
        "goal",
        wrong_goal(certificate),
        f"the goal is {_goal_in_words(certificate)}, and every bet was placed for such a goal",
    )


def _check_bounds(certificate: dict[str, Any]) -> list[Check]:
    settings, n_items = certificate["settings"], len(certificate["session"]["items"])
    problem = Problem(
        n_items=n_items,
        goal=stated_goal(certificate),
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
    upper, numbers = float(assessment.bounds.upper[assessment.leader_index]), certificate["bounds"]
    others = assessment.lowest_of_others(assessment.leader_index)
    return [
        _check_pair(certificate, assessment),
        _check_number("upper bound", upper, numbers["upper_of_pair"], "its no-click probability is at most {}"),
        _check_number(
            "lower bounds",
            others,
            numbers["lowest_of_others"],
            "if it is that high, the no-click probability of every other pair is at least {}",
        ),
        _check_number("gap", assessment.gap, certificate["gap"], "the pair is within {} of the best"),
        *_check_relative_gap(certificate, relative_gap(assessment.gap, upper)),
        _check_verdict(certificate, assessment),
        *([_check_assumptions(certificate, assessment)] if certificate["schema"] >= 3 else []),
    ]


def _check_relative_gap(certificate: Row, computed: float) -> list[Check]:
    """Returns the check of the relative gap; schemas before 4 have none."""
    if certificate["schema"] < 4:
        return []
    return [
        _check_number(
            "relative gap", computed, certificate["relative_gap"], "the pair lacks at most {} of the best reward"
        )
    ]


def _check_pair(certificate: Row, assessment: Assessment) -> Check:
    """Returns whether the certificate names the pair that the bounds lead to, by number and by id."""
    leader, ids = assessment.leader, certificate["session"]["items"]
    found, stated = [leader.i, leader.j], [certificate["i"], certificate["j"]]
    names = [ids[leader.i], ids[leader.j]]
    best = f"the pair with the smallest gap is {items((leader.i, leader.j))}, {names[0]} and {names[1]}"
    wrong = "" if found == stated else f"{best}, not {items((stated[0], stated[1]))}"
    if not wrong and names != certificate["pair"]:
        wrong = f"{best}, not {' and '.join(certificate['pair'])}"
    return unless("pair", wrong, best)


def _check_verdict(certificate: Row, assessment: Assessment) -> Check:
    """Returns whether the gap certifies, and the plan that certified could do so."""
    gap, allowed = f"{assessment.gap:.6g}", f"{assessment.allowed:.6g}"
    goal = f"the goal ({_goal_in_words(certificate)}) allows"
    policy = POLICIES.get(certificate["settings"]["policy"])
    wrong = "" if assessment.certified else f"the gap is {gap}, which is more than {goal}: {allowed}"
    # A proof without a guess must not come before one with a guess: both would spend the same share of delta.
    early = policy is not None and policy.guesses and certificate["plan_version"] <= GUESSED_AT
    if certificate["schema"] >= 3 and early and assessment.n_items > 2:
        wrong = (
            f"plan {certificate['plan_version']} proves nothing with this policy, which may guess at plan {GUESSED_AT}"
        )
    return unless("verdict", wrong, f"the gap is {gap}, and {goal} {allowed}")


def _check_assumptions(certificate: Row, assessment: Assessment) -> Check:
    """Returns whether the certificate names every assumption that its bounds need."""
    needed = [*ALWAYS_ASSUMED, *assessment.bounds.assumptions]
    missing = [name for name in needed if name not in certificate["assumptions"]]
    return unless(
        "assumptions",
        f"the certificate does not name an assumption that its bounds need: {', '.join(missing)}" if missing else "",
        f"the certificate names every assumption that its bounds need: {', '.join(needed)}",
    )


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
