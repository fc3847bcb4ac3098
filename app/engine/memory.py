"""What a policy keeps from plan to plan: small plain values that JSON does not change."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from app.engine.arrays import Pair
from app.engine.choices import Choices
from app.engine.delta_shares import RemovedBound

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
Notes = Mapping[str, Json]


class UnreadableMemory(ValueError):
    """Stored memory that cannot be used; start again from `Memory()`: the evidence is stored elsewhere."""


@dataclass(frozen=True)
class Certified:
    """The certification of a pair. It latches: with anytime bounds the statement stays true."""

    pair: Pair
    gap: float
    version: int
    assumptions: tuple[str, ...]
    relative_gap: float | None = None  # None: certified by a version that did not compute it


@dataclass(frozen=True)
class Memory:
    """The last plan's version, the policy's notes (rounds, never K x K), the latched certificate, and the choices."""

    version: int = 0
    notes: Notes = field(default_factory=dict)
    certified: Certified | None = None
    choices: Choices = field(default_factory=Choices)

    def to_json(self) -> str:
        """Returns the memory as JSON text; floats keep every bit, NaN and infinity are refused."""
        latched = self.certified
        return json.dumps(
            {
                "version": self.version,
                "notes": dict(self.notes),
                "choices": self.choices.to_plain(),
                "certified": None
                if latched is None
                else {
                    "pair": list(latched.pair),
                    "gap": latched.gap,
                    "version": latched.version,
                    "assumptions": list(latched.assumptions),
                    "relative_gap": latched.relative_gap,
                },
            },
            allow_nan=False,
            separators=(",", ":"),
        )

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Returns the memory that `to_json` wrote.

        Raises RemovedBound if its choices include landmarks of bound G, and UnreadableMemory on anything else.
        """
        try:
            raw = json.loads(text, parse_constant=_refuse)
            latched = raw["certified"]
            certified = (
                None
                if latched is None
                else Certified(
                    Pair(*(int(item) for item in latched["pair"])),
                    float(latched["gap"]),
                    int(latched["version"]),
                    tuple(latched["assumptions"]),
                    latched.get("relative_gap"),
                )
            )
            choices = Choices.from_plain(raw["choices"]) if "choices" in raw else Choices()  # older ones have none
            return cls(int(raw["version"]), dict(raw["notes"]), certified, choices)
        except RemovedBound:
            raise
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise UnreadableMemory(f"not a memory written by this program: {error}") from error


def int_list(value: Json) -> list[int]:
    """Returns a list of ints read from notes; nothing gives an empty list."""
    return [int(item) for item in value if isinstance(item, int)] if isinstance(value, list) else []


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no number that to_json writes")
