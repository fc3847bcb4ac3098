"""Values that tests of the session rules share."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Protocol

import pytest

from app.engine.arrays import Pair
from app.engine.choices import Blank, Nominee
from app.engine.delta_shares import Shares
from app.engine.policies import POLICIES
from app.engine.policies.lucb import Lucb
from app.engine.policies.policy import Proposal, Situation
from app.engine.problem import Problem
from app.sessions.creation import settle
from app.sessions.model import Item, Session, Settings
from app.wire.sessions import ItemIn, SessionCreate
from app.wire.vocabulary import State


def new_session(items: Sequence[Item], **settings: Any) -> SessionCreate:
    """Returns the request for a session with these items."""
    return SessionCreate.model_validate({"items": [ItemIn(id=item.id, label=item.label) for item in items], **settings})


def items(count: int) -> tuple[Item, ...]:
    return tuple(Item(f"ad-{number}", f"Ad {number}") for number in range(count))


class MakeSettings(Protocol):
    def __call__(self, **changes: Any) -> Settings: ...


class MakeRecord(Protocol):
    def __call__(self, n_items: int = 4, **changes: Any) -> Session: ...


@pytest.fixture
def make_settings() -> MakeSettings:
    def make(**changes: Any) -> Settings:
        return settle(new_session(items=items(changes.pop("n_items", 4)), **{"seed": 1, **changes}))

    return make


@pytest.fixture
def make_record(make_settings: MakeSettings) -> MakeRecord:
    def make(n_items: int = 4, **changes: Any) -> Session:
        own = {name: changes.pop(name) for name in list(changes) if name in Session.__dataclass_fields__}
        record = Session(
            id="s1",
            name="test",
            items=items(n_items),
            settings=make_settings(n_items=n_items, **changes),
            ticket_key=b"k" * 32,
            state=State.RUNNING,
            budget=None,
            plan_version=1,
            plan_id="",
            watermark=0,
            created_at=0.0,
            updated_at=0.0,
        )
        return replace(record, **own)

    return make


class Choosing(Lucb):
    """Nominates items 0 and 1 in plans 2 and 4, and chooses a blank in plan 3: its proof rests on choices."""

    name: ClassVar[str] = "choosing"

    def shares(self, _problem: Problem) -> Shares:
        return Shares(upper=0.1, nominees=0.2, direct=0.3, screening=0.2, clicks=0.2)

    def propose(self, now: Situation) -> Proposal:
        proposal, choices = super().propose(now), now.choices
        if now.version in {2, 4}:
            choices = choices.add_nominee(Nominee(now.version, Pair(0, 1), 0.12))
        if now.version == 3:
            choices = choices.add_blank(Blank(3, 3, (0.9,) * now.problem.n_items))
        return replace(proposal, choices=choices, forecast=1234.0)


@pytest.fixture(scope="module")
def choosing() -> Iterator[str]:
    """The name of a policy that makes choices."""
    POLICIES[Choosing.name] = Choosing()
    yield Choosing.name
    del POLICIES[Choosing.name]
