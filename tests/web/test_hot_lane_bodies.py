"""Rows read without a model are the rows that the model would have read; all others are left to it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from app.sessions.model import Rewards
from app.sessions.service import Answer
from app.web import mapping
from app.web.hot_lane_bodies import plain_answers
from app.wire.serving import LARGEST_BATCH, Feedback

ROWS = TypeAdapter(list[Feedback])
TICKETS = st.one_of(st.text(max_size=5), st.just("t-_9"), st.just("x" * 200), st.just("x" * 201), st.none())
REWARDS = st.one_of(st.sampled_from([0, 1, 0.0, 1.0, 0.25, -0.0, 2, -1, True, None, "1"]), st.floats(-0.5, 1.5))
FIELDS = {"ticket": TICKETS, "reward": REWARDS}
ROW = st.fixed_dictionaries(FIELDS) | st.fixed_dictionaries(FIELDS, optional={"not_shown": st.booleans()})


def as_answers(rewards: Rewards) -> list[Answer]:
    return [Answer(one.ticket, one.reward) for one in rewards]


def by_the_shapes(content: bytes) -> list[Answer] | None:
    try:
        return [mapping.answer(row) for row in ROWS.validate_json(content)]
    except ValidationError:
        return None


@given(st.lists(ROW, min_size=1, max_size=3))
def test_what_is_read_is_what_the_shapes_read(rows: list[object]) -> None:
    content = json.dumps(rows).encode()
    read = plain_answers(content)
    assert read is None or repr(as_answers(read)) == repr(by_the_shapes(content)), "repr: 1 is not 1.0, 0.0 is not -0.0"


def test_plain_rows_are_read() -> None:
    content = b'[{"ticket": "t-_9", "reward": 1}, {"reward":0.0,"ticket":"u"}]'
    assert plain_answers(content) == Rewards(["t-_9", "u"], [1, 0])
    assert plain_answers(json.dumps([{"ticket": "t", "reward": 1}] * LARGEST_BATCH).encode()) is not None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[",
        b"[]",
        b"{}",
        b"[1]",
        b"[[]]",
        b'[{"ticket":"t"}]',
        b'[{"ticket":"t","reward":NaN}]',
        b'[{"ticket":"t","reward":Infinity}]',
        b'[{"ticket":"t","reward":true}]',
        b'[{"ticket":"t","reward":"1"}]',
        b'[{"ticket":"t","reward":1.5}]',
        b'[{"ticket":"t","reward":1},{"ticket":"u","reward":0.25}]',
        b'[{"ticket":"t","reward":[]}]',
        b'[{"ticket":"t","reward":1},{"ticket":"","reward":1}]',
        b'[{"ticket":"t","reward":1},{"ticket":"u"}]',
        b'[{"ticket":"t","reward":1},{"ticket":"u","reword":1}]',
        b'[{"ticket":"t","reward":1},[1,2]]',
        b'[{"ticket":"","reward":1}]',
        b'[{"ticket":"\\u0000","reward":1}]',
        b'[{"ticket":"\\ud800","reward":1}]',
        b'[{"ticket":7,"reward":1}]',
        b'[{"ticket":"t","reward":1,"more":1}]',
        b'[{"ticket":"t","not_shown":true}]',
        json.dumps([{"ticket": "t", "reward": 1}] * (LARGEST_BATCH + 1)).encode(),
        b'[{"ticket":"' + b"t" * 201 + b'","reward":1}]',
    ],
)
def test_all_else_is_left_to_the_shapes(content: bytes) -> None:
    assert plain_answers(content) is None
