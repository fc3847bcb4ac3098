"""Checking what a certificate rests on beside counts: shares of delta and choices, as the log shows they were made.

Both must have been fixed before the impressions they are used on. The log is append-only: each plan's report holds the
shares it used, each plan's memory all choices so far. So shares must be the same in every plan, and a certificate's
choices, cut at a plan's version, must be the ones in that plan's memory: none changed afterwards, none left out (the
k-th pays for its place in the order), none made in the plan that certified.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.engine.choices import Choices
from app.engine.shares import Shares
from app.sessions.recalling import read_memory

ROUNDING = 1e-12


def shares_of(certificate: Mapping[str, Any]) -> Shares:
    """Returns the shares of delta that a certificate states; what older ones do not name was not used."""
    return Shares(**certificate["bounds"]["shares_of_delta"])


def choices_of(certificate: Mapping[str, Any]) -> Choices:
    """Returns the choices that a certificate states; kinds that older ones do not name were not made."""
    return Choices.from_plain({**Choices().to_plain(), **dict(certificate["choices"])})


def shares_were_fixed(certificate: Mapping[str, Any], plans: Sequence[Mapping[str, Any]]) -> bool:
    """Returns whether the shares are a division of delta and the same in all plans up to the one that certified."""
    stated = certificate["bounds"]["shares_of_delta"]
    until = [plan for plan in plans if plan["version"] <= certificate["plan_version"]]
    logged = all(Shares(**plan["report"].get("shares_of_delta", {})) == Shares(**stated) for plan in until)
    divides = min(stated.values()) >= 0 and sum(stated.values()) <= 1 + ROUNDING
    return divides and logged and any(plan["version"] == certificate["plan_version"] for plan in until)


def choices_were_made(certificate: Mapping[str, Any], plans: Sequence[Mapping[str, Any]]) -> bool:
    """Returns whether every choice was made by the plan it names, before the certificate, and none was left out.

    A memory that cannot be read made no choice that was used (`recalling`); a choice that it made cannot be checked.
    """
    stated = replace(choices_of(certificate), gram_refuted=False).to_plain()  # that is no choice but a finding
    memories = {plan["version"]: read_memory(plan["memory"]) for plan in plans}
    if not set(_versions(stated)) <= {version for version, memory in memories.items() if memory is not None}:
        return False
    return all(version < certificate["plan_version"] for version in _versions(stated)) and all(
        replace(memory.choices, gram_refuted=False).to_plain() == _until(version, stated)
        for version, memory in memories.items()
        if memory is not None and version <= certificate["plan_version"]
    )


def _versions(value: Any) -> Iterator[int]:  # noqa: ANN401 - plain JSON
    """Yields the versions of all choices in plain form, wherever they are."""
    if isinstance(value, dict):
        if "version" in value:
            yield value["version"]
        for part in value.values():
            yield from _versions(part)
    elif isinstance(value, list) and any(isinstance(part, dict) for part in value):
        for part in value:
            yield from _versions(part)


def _until(version: int, value: Any) -> Any:  # noqa: ANN401 - plain JSON
    """Returns choices in plain form without those made after this version."""
    if isinstance(value, dict):
        made = value.get("version", version) <= version
        return {name: _until(version, part) for name, part in value.items()} if made else None
    if isinstance(value, list) and any(isinstance(part, dict) for part in value):
        return [kept for part in value if (kept := _until(version, part)) is not None]
    return value
