"""Closed lists of values that requests, responses and stored rows share, and how JSON shapes read them.

`Model` and `SelfPairs` are in `app.engine.problem`: the engine uses them, and it imports nothing of the service.
"""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from app.engine.problem import Model, SelfPairs


class State(StrEnum):
    """Values of `sessions.state`: whether the caller lets the session run."""

    RUNNING = "running"
    PAUSED = "paused"
    STOPPED = "stopped"


class FeedbackKind(StrEnum):
    """What feedback contains: whether the pair was clicked, or which items were."""

    PAIR = "pair"
    ITEMS = "items"


class MissingFeedback(StrEnum):
    """What missing feedback means once an impression is final."""

    VOID = "void"
    NO_CLICK = "no_click"


class WhileWaiting(StrEnum):
    """What next-pair shows after a plan was handed out: more of it before the best pair, or the best pair at once."""

    EXPLORE = "explore"
    EXPLOIT = "exploit"


class ByValue:
    """Reads a member from its value; the schema and the errors list the values in place, without a named type."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:  # noqa: ANN401
        del handler  # would define a named type
        return core_schema.no_info_after_validator_function(
            source,
            core_schema.literal_schema([member.value for member in source]),
        )


ModelField = Annotated[Model, ByValue()]
SelfPairsField = Annotated[SelfPairs, ByValue()]
StateField = Annotated[State, ByValue()]
FeedbackKindField = Annotated[FeedbackKind, ByValue()]
MissingFeedbackField = Annotated[MissingFeedback, ByValue()]
WhileWaitingField = Annotated[WhileWaiting, ByValue()]
