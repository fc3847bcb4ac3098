"""Values that tests of the session rules share."""

from dataclasses import replace
from typing import Any, Protocol

import pytest

from app.sessions.creation import NewSession, settle
from app.sessions.model import Item, SessionRecord, Settings, State


def items(count: int) -> tuple[Item, ...]:
    return tuple(Item(f"ad-{number}", f"Ad {number}") for number in range(count))


class MakeSettings(Protocol):
    def __call__(self, **changes: Any) -> Settings: ...


class MakeRecord(Protocol):
    def __call__(self, n_items: int = 4, **changes: Any) -> SessionRecord: ...


@pytest.fixture
def make_settings() -> MakeSettings:
    def make(**changes: Any) -> Settings:
        return settle(NewSession(items=items(changes.pop("n_items", 4)), **{"seed": 1, **changes}))

    return make


@pytest.fixture
def make_record(make_settings: MakeSettings) -> MakeRecord:
    def make(n_items: int = 4, **changes: Any) -> SessionRecord:
        own = {name: changes.pop(name) for name in list(changes) if name in SessionRecord.__dataclass_fields__}
        record = SessionRecord(
            id="s1",
            name="test",
            items=items(n_items),
            settings=make_settings(n_items=n_items, **changes),
            ticket_key=b"k" * 32,
            state=State.RUNNING,
            budget=None,
            plan_version=1,
            epoch=0,
            created_at=0.0,
            updated_at=0.0,
        )
        return replace(record, **own)

    return make
