"""Checking what a certificate rests on beside counts: shares of delta and choices, as the log shows they were made.

Both must have been fixed before the impressions they are used on. The log is append-only: each plan's report holds the
shares it used, each plan's memory all choices so far. So shares must be the same in every plan, and the memory of each
plan must hold a certificate's choices up to the last that could count by then: none changed afterwards, none left out
(the k-th pays for its place in the order), none that came after impressions it was used on.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from app.engine.choices import Choices
from app.engine.shares import RemovedBound, Shares
from app.planning.memory import read_memory

ROUNDING = 1e-12


def shares_of(certificate: Mapping[str, Any]) -> Shares:
    """Returns the shares of delta that a certificate states; what older ones do not name was not used.

    Raises RemovedBound if it uses bound G.
    """
    return Shares.from_plain(certificate["bounds"]["shares_of_delta"])


def choices_of(certificate: Mapping[str, Any]) -> Choices:
    """Returns the choices that a certificate states; kinds that older ones do not name were not made.

    Raises RemovedBound if it uses bound G.
    """
    return Choices.from_plain({**Choices().to_plain(), **dict(certificate["choices"])})


def shares_were_fixed(certificate: Mapping[str, Any], plans: Sequence[Mapping[str, Any]]) -> bool:
    """Returns whether the shares are a division of delta and the same in all plans up to the one that certified."""
    stated = certificate["bounds"]["shares_of_delta"]
    until = [plan for plan in plans if plan["version"] <= certificate["plan_version"]]
    shares = shares_of(certificate)
    logged = all(shares_in(plan["report"]) == shares for plan in until)
    divides = min(stated.values()) >= 0 and sum(stated.values()) <= 1 + ROUNDING
    return divides and logged and any(plan["version"] == certificate["plan_version"] for plan in until)


def shares_in(report: Mapping[str, Any]) -> Shares | None:
    """Returns the shares of delta that a plan's report states; None if bound G, which is removed, has one."""
    try:
        return Shares.from_plain(report.get("shares_of_delta", {}))
    except RemovedBound:
        return None


def choices_were_made(certificate: Mapping[str, Any], plans: Sequence[Mapping[str, Any]]) -> bool:
    """Returns whether every choice was written down before the impressions that count for it, and none was left out.

    A memory that cannot be read made no choice that was used (`recalling`), and proves nothing about one.
    """
    stated = choices_of(certificate).to_plain()
    memories = {plan["version"]: read_memory(plan["memory"]) for plan in plans}
    readable = {version: memory for version, memory in memories.items() if memory is not None}
    used_from = {_used_from(choice) for choice in _choices_in(stated)}
    return (
        used_from <= readable.keys()
        and all(version <= certificate["plan_version"] for version in used_from)
        and all(
            _agree(memory.choices.to_plain(), stated, version)
            for version, memory in readable.items()
            if version <= certificate["plan_version"]
        )
    )


def _choices_in(value: Any) -> Iterator[Mapping[str, Any]]:  # noqa: ANN401 - plain JSON
    """Yields all choices in plain form, wherever they are."""
    if isinstance(value, dict):
        if "version" in value:
            yield value
        for part in value.values():
            yield from _choices_in(part)
    elif isinstance(value, list) and any(isinstance(part, dict) for part in value):
        for part in value:
            yield from _choices_in(part)


def _used_from(choice: Mapping[str, Any]) -> int:
    """Returns the first plan whose impressions count for a choice."""
    return int(choice["version"]) + 1


def _agree(remembered: Any, stated: Any, version: int) -> bool:  # noqa: ANN401 - plain JSON
    """Returns whether the plan of this version remembered what is stated, but for choices not used by then.

    A plan is written before its first impression goes out, so one that remembers a choice proves that it was made
    before them. Choices made earlier than they had to be are remembered earlier too, but never before their version.
    """
    if isinstance(stated, list) and any(isinstance(part, dict) for part in stated):
        return all(_agree(kept, part, version) for kept, part in zip_longest(remembered, stated))
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
