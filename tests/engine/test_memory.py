"""Memory is the same after a trip through JSON, and anything else is refused by name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.arrays import Pair
from app.engine.choices import Blank, Choices, Guess, Nominee
from app.engine.delta_shares import RemovedBound
from app.engine.memory import Certified, Memory, UnreadableMemory

finite = st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | finite | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)
latches = st.builds(
    Certified,
    st.builds(Pair, st.integers(0, 9), st.integers(0, 9)),
    finite,
    st.integers(1, 99),
    st.lists(st.text(), max_size=3).map(tuple),
)


def test_text_by_hand() -> None:
    choices = Choices(
        Guess(1, ((0.5, 0.25), (0.125, 1.0))), (Nominee(2, Pair(0, 1), 0.75),), (Blank(2, 1, (0.5, 0.998)),)
    )
    memory = Memory(3, {"chosen": [0, 7]}, Certified(Pair(2, 5), 0.25, 3, ("mixture",), 0.5), choices)
    text = (
        '{"version":3,"notes":{"chosen":[0,7]},"choices":{"guess":{"version":1,"factor":[[0.5,0.25],[0.125,1.0]]},'
        '"nominees":[{"version":2,"pair":[0,1],"guess":0.75}],"blanks":[{"version":2,"item":1,"guess":[0.5,0.998]}],"outlooks":[]},'
        '"certified":{"pair":[2,5],"gap":0.25,"version":3,"assumptions":["mixture"],"relative_gap":0.5}}'
    )
    assert memory.to_json() == text
    assert Memory.from_json(text) == memory
    assert Memory.from_json(text).choices == choices


def test_a_new_memory_is_empty() -> None:
    assert Memory.from_json(Memory().to_json()) == Memory()
    assert Memory() == Memory(0, {}, None, Choices(None, (), ()))


def test_a_memory_from_before_there_were_choices_is_read() -> None:
    assert Memory.from_json('{"version":4,"notes":{},"certified":null}') == Memory(4)


OLD_CHOICES = '"guess":null,"nominees":[{"version":2,"pair":[0,1],"guess":0.75}],"blanks":[],"outlooks":[]'


def test_a_memory_of_version_0_1_0_that_never_used_bound_g_is_read() -> None:
    text = (
        f'{{"version":4,"notes":{{}},"choices":{{{OLD_CHOICES},"landmarks":[],"gram_refuted":false}},"certified":null}}'
    )
    assert Memory.from_json(text) == Memory(4, choices=Choices(nominees=(Nominee(2, Pair(0, 1), 0.75),)))


@pytest.mark.parametrize(
    "used", ['"landmarks":[{"version":1,"items":[2]}],"gram_refuted":false', '"landmarks":[],"gram_refuted":true']
)
def test_a_memory_that_uses_bound_g_is_refused_with_the_reason(used: str) -> None:
    text = f'{{"version":4,"notes":{{}},"choices":{{{OLD_CHOICES},{used}}},"certified":null}}'
    with pytest.raises(RemovedBound, match=r"bound G \(rank\).*version 0\.1\.0"):
        Memory.from_json(text)


@given(st.builds(Memory, st.integers(0, 10**6), st.dictionaries(st.text(), values, max_size=4), st.none() | latches))
def test_json_changes_nothing(memory: Memory) -> None:
    assert Memory.from_json(memory.to_json()) == memory


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_json_lacks_are_refused(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        Memory(1, {"x": number}).to_json()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "[]",
        '"text"',
        "{}",
        '{"version":1,"notes":{}}',
        # Choices that cannot be read must not be taken for none: their share of delta is spent.
        '{"version":1,"notes":{},"choices":null,"certified":null}',
        '{"version":1,"notes":{},"choices":{},"certified":null}',
        '{"version":1,"notes":{},"choices":{"guess":null,"nominees":[{}],"blanks":[]},"certified":null}',
        '{"version":"one","notes":{},"certified":null}',
        '{"version":null,"notes":{},"certified":null}',
        '{"version":1,"notes":5,"certified":null}',
        '{"version":1,"notes":{},"certified":{"pair":[0,1]}}',
        '{"version":1,"notes":{},"certified":{"pair":[0,1,2],"gap":0,"version":1,"assumptions":[]}}',
        # A latch that is not one must not be mistaken for "not certified yet", nor for a certificate.
        '{"version":1,"notes":{},"certified":0}',
        '{"version":1,"notes":{},"certified":{}}',
        # Numbers that to_json never writes.
        '{"version":Infinity,"notes":{},"certified":null}',
        '{"version":1,"notes":{},"certified":{"pair":[0,1],"gap":NaN,"version":1,"assumptions":[]}}',
        "[" * 100_000,
    ],
    ids=lambda text: text[:60] or "empty",
)
def test_anything_else_is_refused_by_name(text: str) -> None:
    with pytest.raises(UnreadableMemory):
        Memory.from_json(text)
