import pytest
from pydantic import ValidationError

from app.wire.problem import field_errors
from app.wire.serving import Feedback, NextPair, NextPairs

ONE_OUTCOME = 'send exactly one of "reward", "clicked" and "not_shown": true'


@pytest.mark.parametrize(
    "content",
    [
        '{"ticket": "t", "reward": 1}',
        '{"ticket": "t", "reward": 0.25}',
        '{"ticket": "t", "clicked": []}',
        '{"ticket": "t", "clicked": ["a", "b"], "reward": null}',
        '{"ticket": "t", "not_shown": true}',
    ],
)
def test_one_outcome_is_taken(content: str) -> None:
    assert Feedback.model_validate_json(content).ticket == "t"


@pytest.mark.parametrize(
    ("content", "field", "message"),
    [
        ('{"ticket": "t"}', "", ONE_OUTCOME),
        ('{"ticket": "t", "not_shown": false}', "", ONE_OUTCOME),
        ('{"ticket": "t", "reward": 0, "clicked": []}', "", ONE_OUTCOME),
        ('{"ticket": "t", "reward": 0, "not_shown": true}', "", ONE_OUTCOME),
        ('{"reward": 1}', "ticket", "is required"),
        ('{"ticket": "", "reward": 1}', "ticket", "must have at least 1 character(s)"),
        ('{"ticket": "t", "reward": true}', "reward", "must be a number, without quotes; not true or false"),
        ('{"ticket": "t", "reward": 2}', "reward", "must be at most 1.0"),
        ('{"ticket": "t", "reward": NaN}', "reward", "must be a finite number"),
        ('{"ticket": "t", "clicked": "a"}', "clicked", "must be a list"),
        ('{"ticket": "t", "clicked": ["a", "b", "c"]}', "clicked", "must have at most 2 entries"),
        ('{"ticket": "t", "rewards": 1}', "rewards", 'is not a known field; did you mean "reward"?'),
    ],
)
def test_anything_else_is_explained(content: str, field: str, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Feedback.model_validate_json(content)
    assert (field, message) in [(each.field, each.message) for each in field_errors(caught.value, Feedback)]


@pytest.mark.parametrize("content", ['{"count": 0}', '{"count": 1001}', '{"count": "5"}', '{"count": 5.0}', "{}"])
def test_a_batch_has_1_to_1000(content: str) -> None:
    with pytest.raises(ValidationError):
        NextPairs.model_validate_json(content)


def test_next_pair_has_no_fields() -> None:
    NextPair.model_validate_json("{}")
    with pytest.raises(ValidationError):
        NextPair.model_validate_json('{"count": 1}')
