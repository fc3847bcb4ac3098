"""Checks that the shares of delta and the choices in a certificate were made before they were used, and fit the goal.

Both must have been fixed before the impressions that they are used on. The log is append-only: the report of each plan
contains the shares that it used, and its memory contains all choices so far. So the shares must be the same in every
plan, and the memory of each plan must contain all of the certificate's choices that could be used by then: no choice
was changed afterwards, none was left out (the k-th choice takes the k-th part of its share), and none was made after
impressions that it was used on.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from app.engine.choices import DIGITS, Choices
from app.engine.delta_shares import Shares
from app.engine.problem import Goal
from app.planning.memory import read_memory
from app.results.report import PlanReport
from app.wire.goal import goal_of, in_words

ROUNDING = 1e-12
OUTLOOK_ROUNDING = 10.0 ** (1 - DIGITS)
"""The epsilon of an outlook is stored with few digits."""


def shares_of(certificate: Mapping[str, Any]) -> Shares:
    """Returns the shares of delta in a certificate; bounds that an older certificate does not name have none.

    Raises RemovedBound if it uses bound G.
    """
    return Shares.from_plain(certificate["bounds"]["shares_of_delta"])


def choices_of(certificate: Mapping[str, Any]) -> Choices:
    """Returns the choices in a certificate; kinds that an older certificate does not name are empty.

    Raises RemovedBound if it uses bound G.
    """
    return Choices.from_plain({**Choices().to_plain(), **dict(certificate["choices"])})


def stated_goal(certificate: Mapping[str, Any]) -> Goal:
    """Returns the goal of a certificate; schemas before 4 have absolute ones only. Raises InvalidProblem."""
    settings = certificate["settings"]
    return goal_of(settings["epsilon"], settings.get("relative_epsilon"))


def wrong_goal(certificate: Mapping[str, Any]) -> str:
    """Returns what is wrong if bets were placed for an epsilon that the goal does not allow at any upper bound.

    The bets of an outlook use the epsilon that it states, and `wrong_choices` checks that it was logged before. An
    outlook of a version that did not write it uses that of the session, so the session must have one.
    """
    goal = stated_goal(certificate)
    least, most = goal.allowed(1.0) * (1 - OUTLOOK_ROUNDING), goal.allowed(0.0) * (1 + OUTLOOK_ROUNDING)
    for outlook in choices_of(certificate).outlooks:
        if outlook.epsilon is None and goal.relative:
            return f"the outlook of plan {outlook.version} does not state for which epsilon its bets were placed"
        if outlook.epsilon is not None and not least <= outlook.epsilon <= most:
            return (
                f"the bets of plan {outlook.version} were placed for an epsilon of {outlook.epsilon:g}, which does not "
                f"fit the goal: {in_words(goal)}"
            )
    return ""


def wrong_shares(certificate: Mapping[str, Any], plans: Sequence[Mapping[str, Any]]) -> str:
    """Returns what is wrong if the shares add up to more than 1, or are not the same in all plans up to the verdict."""
    stated, shares, last = certificate["bounds"]["shares_of_delta"], shares_of(certificate), certificate["plan_version"]
    if min(stated.values()) < 0 or sum(stated.values()) > 1 + ROUNDING:
        return "a share of delta is negative, or all shares add up to more than 1"
    used = [plan for plan in plans if plan["version"] <= last]
    for plan in used:
        if PlanReport.from_plain(plan["report"]).shares != shares:
            return f"plan {plan['version']} divides delta in another way than the certificate"
    return "" if any(plan["version"] == last for plan in used) else f"plan {last}, which certified, is not in the log"


def wrong_choices(certificate: Mapping[str, Any], plans: Sequence[Mapping[str, Any]]) -> str:
    """Returns what is wrong if a choice was not logged before the impressions that it is used on, or was left out.

    Choices in a memory that cannot be read were never used (`planning.memory`), so such a memory is skipped.
    """
    stated, last = choices_of(certificate).to_plain(), certificate["plan_version"]
    memories = {plan["version"]: read_memory(plan["memory"]) for plan in plans}
    readable = {version: memory for version, memory in memories.items() if memory is not None}
    for version in sorted({_used_from(choice) for choice in _choices_in(stated)}):
        if version > last:
            return f"a choice was used from plan {version} on, but plan {last} made the verdict"
        if version not in readable:
            return f"a choice was used from plan {version} on, and the log does not have the memory of that plan"
    for version, memory in sorted(readable.items()):
        remembered = memory.choices.to_plain()
        wrong = [
            f"{kind}{_differing_fields(remembered[kind], some)}"
            for kind, some in stated.items()
            if not _agree(remembered[kind], some, version)
        ]
        if wrong and version <= last:
            return f"the memory of plan {version} and the certificate have different choices ({', '.join(wrong)})"
    return ""


def _differing_fields(remembered: Any, stated: Any) -> str:  # noqa: ANN401 - plain JSON
    """Returns ": epsilon" if choices of one kind and of the same plans differ in this field; '' if there is no such."""
    if not isinstance(remembered, list) or not isinstance(stated, list):
        return ""
    same_plan = [
        (one, other) for one, other in zip(remembered, stated, strict=False) if one["version"] == other["version"]
    ]
    names = {name for one, other in same_plan for name in one.keys() | other.keys() if one.get(name) != other.get(name)}
    return f": {', '.join(sorted(names))}" if names else ""


def _choices_in(value: Any) -> Iterator[Mapping[str, Any]]:  # noqa: ANN401 - plain JSON
    """Yields all choices in a JSON value, at any depth: the objects that have a `version`."""
    if isinstance(value, dict):
        if "version" in value:
            yield value
        for part in value.values():
            yield from _choices_in(part)
    elif isinstance(value, list) and any(isinstance(part, dict) for part in value):
        for part in value:
            yield from _choices_in(part)


def _used_from(choice: Mapping[str, Any]) -> int:
    """Returns the first plan whose impressions a choice may be used on."""
    return int(choice["version"]) + 1


def _agree(remembered: Any, stated: Any, version: int) -> bool:  # noqa: ANN401 - plain JSON
    """Returns whether the memory of the plan of this version equals the stated choices, except for those not used yet.

    A plan is stored before its first impression is handed out, so a choice in its memory was made before all of them. A
    choice may be in a memory earlier than necessary, but never before the version that it states.
    """
    if isinstance(stated, list) and any(isinstance(part, dict) for part in stated):
        return all(_agree(old, part, version) for old, part in zip_longest(remembered, stated))
    if isinstance(stated, dict) and "version" in stated:
        if remembered is None:
            return _used_from(stated) > version
        if stated["version"] > version:
            return False
    if isinstance(stated, dict):
        return remembered.keys() == stated.keys() and all(
            _agree(remembered[name], part, version) for name, part in stated.items()
        )
    return bool(remembered == stated)
