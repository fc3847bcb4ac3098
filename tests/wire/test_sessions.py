import json

import pytest
from pydantic import ValidationError

from app.wire.problem import field_errors
from app.wire.sessions import Session, SessionCreate, SessionPatch, SessionSummary
from app.wire.shapes import RequestShape


def complaint(shape: type[RequestShape], content: str) -> tuple[str, str]:
    """The field and message of the only complaint about this JSON."""
    with pytest.raises(ValidationError) as caught:
        shape.model_validate_json(content)
    (error,) = field_errors(caught.value, shape)
    return error.field, error.message


def with_items(**settings: object) -> str:
    return json.dumps({"items": ["a", "b"], **settings})


def test_only_items_are_required_and_a_bare_string_is_an_item() -> None:
    body = SessionCreate.model_validate_json('{"items": ["a", {"id": "b", "label": "Bee"}]}')
    assert [(item.id, item.label) for item in body.items] == [("a", ""), ("b", "Bee")]
    assert (body.rank, body.model, body.budget) == ("auto", "stochastic", None)
    assert (body.epsilon, body.relative_epsilon) == (None, None), "the goal is settled with the other settings"


def test_everything_in_the_design_document_is_understood() -> None:
    body = SessionCreate.model_validate_json(
        """{"name": "homepage", "items": [{"id": "ad-17", "label": "Blue shoes"}, "ad-42"],
        "model": "stochastic", "feedback": "pair", "policy": "rplans", "rank": "auto", "epsilon": 0.05, "delta": 0.05,
        "self_pairs": "never", "explore_share": 1.0, "budget": null, "attribution_window_seconds": 0,
        "ticket_ttl_seconds": 300, "missing_feedback": "void", "seed": 7}"""
    )
    assert (body.policy, body.seed, body.self_pairs, body.missing_feedback) == ("rplans", 7, "never", "void")


@pytest.mark.parametrize(
    ("content", "field", "message"),
    [
        ("{}", "items", "is required"),
        ('{"items": "ab"}', "items", "must be a list"),
        ('{"items": ["a"]}', "items", "must have at least 2 entries"),
        (json.dumps({"items": [str(n) for n in range(5001)]}), "items", "must have at most 5000 entries"),
        ('{"items": ["a", 3]}', "items[1]", "must be an object"),
        ('{"items": ["a", ""]}', "items[1].id", "must have at least 1 character(s)"),
        ('{"items": ["a", {"label": "b"}]}', "items[1].id", "is required"),
        ('{"items": ["a", {"id": "b", "lable": "b"}]}', "items[1].lable", "is not a known field"),
        (json.dumps({"items": ["a", "b" * 201]}), "items[1].id", "must have at most 200 characters"),
        ('{"items": ["a", {"id": "b", "label": null}]}', "items[1].label", "must be a string"),
        (with_items(epsilonn=0.1), "epsilonn", 'is not a known field; did you mean "epsilon"?'),
        (with_items(epsilon="0.1"), "epsilon", "must be a number, without quotes; not true or false"),
        (with_items(epsilon=True), "epsilon", "must be a number, without quotes; not true or false"),
        (with_items(epsilon=float("nan")), "epsilon", "must be a finite number"),
        (with_items(epsilon=float("inf")), "epsilon", "must be a finite number"),
        ('{"items": ["a", "b"], "epsilon": 1e999}', "epsilon", "must be a finite number"),
        (with_items(epsilon=0), "epsilon", "must be above 0.0"),
        (with_items(delta=1), "delta", "must be below 1.0"),
        (with_items(relative_epsilon=0), "relative_epsilon", "must be above 0.0"),
        (with_items(relative_epsilon=1), "relative_epsilon", "must be below 1.0"),
        (with_items(relative_epsilon=-0.1), "relative_epsilon", "must be above 0.0"),
        (
            with_items(relative_epsilon="10 %"),
            "relative_epsilon",
            "must be a number, without quotes; not true or false",
        ),
        (with_items(relative_epsilon=float("nan")), "relative_epsilon", "must be a finite number"),
        (with_items(relative_epsilon=[0.1]), "relative_epsilon", "must be a number, without quotes; not true or false"),
        (
            with_items(relativ_epsilon=0.1),
            "relativ_epsilon",
            'is not a known field; did you mean "relative_epsilon"?',
        ),
        (with_items(explore_share=0), "explore_share", "must be above 0.0"),
        (with_items(budget=0), "budget", "must be at least 1"),
        (
            with_items(budget=10.0),
            "budget",
            "must be a whole number, without quotes, fraction or exponent; not true or false",
        ),
        (with_items(budget=2**53), "budget", "must be at most 9007199254740991"),
        (with_items(seed=-1), "seed", "must be at least 0"),
        (with_items(model="random"), "model", "must be 'stochastic' or 'deterministic'"),
        (with_items(rank=0), "rank", 'must be "auto" or a whole number from 1 to 5000'),
        (with_items(rank=2.0), "rank", 'must be "auto" or a whole number from 1 to 5000'),
        (with_items(rank=True), "rank", 'must be "auto" or a whole number from 1 to 5000'),
        (with_items(ticket_ttl_seconds=1e12), "ticket_ttl_seconds", "must be at most 2592000.0"),
        (with_items(name="x" * 201), "name", "must have at most 200 characters"),
        (with_items(notes="x" * 2001), "notes", "must have at most 2000 characters"),
        (with_items(notes=None), "notes", "must be a string"),
    ],
)
def test_a_mistake_is_answered_with_what_to_change(content: str, field: str, message: str) -> None:
    assert complaint(SessionCreate, content) == (field, message)


@pytest.mark.parametrize("character", ["\x00", "\n", "\x1b", "\x7f", "\x85", "\u2028"])
def test_control_characters_are_refused_everywhere(character: str) -> None:
    text = f"a{character}b"
    for content, field in [
        (json.dumps({"items": [text, "x"]}), "items[0].id"),
        (json.dumps({"items": [{"id": "y", "label": text}, "x"]}), "items[0].label"),
        (with_items(name=text), "name"),
        (with_items(policy=text), "policy"),
    ]:
        expected = f"must not contain control characters; found U+{ord(character):04X} at 1"
        assert complaint(SessionCreate, content) == (field, expected)


def test_notes_may_have_line_breaks_but_no_other_control_characters() -> None:
    text = "who: Ann\r\nwhy: spring sale\n\n" + "é" * 1970
    assert SessionCreate.model_validate_json(with_items(notes=text)).notes == text
    for character in ("\x00", "\t", "\r", "\x1b", "\x85", "\u2028"):
        expected = f"must not contain control characters; found U+{ord(character):04X} at 4"
        for shape, content in (
            (SessionCreate, with_items(notes=f"a\r\nb{character}c")),
            (SessionPatch, json.dumps({"notes": f"a\r\nb{character}c"})),
        ):
            assert complaint(shape, content) == ("notes", expected)


def test_ids_in_any_script_are_welcome() -> None:
    body = SessionCreate.model_validate_json('{"items": ["зимняя обувь", "👩‍👩‍👧 كتاب", "é", "e\u0301"]}')
    assert len({item.id for item in body.items}) == 4


def test_repeated_ids_are_named() -> None:
    field, message = complaint(SessionCreate, '{"items": ["a", "b", {"id": "a"}, "b", "c"]}')
    assert (field, message) == ("items", 'ids must be different; more than once: "a", "b"')


def test_many_mistakes_are_cut_short() -> None:
    with pytest.raises(ValidationError) as caught:
        SessionCreate.model_validate_json(json.dumps({"items": list(range(3000))}))
    errors = field_errors(caught.value)
    assert (len(errors), errors[-1].message) == (21, "and 2980 more")


def test_a_flood_of_mistakes_is_only_counted() -> None:
    flood = with_items(**{f"f{n}": n for n in range(7000)})
    assert complaint(SessionCreate, flood) == ("", "has 7000 mistakes, too many to list; see /docs")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{}", 'nothing to change; send at least one of "state", "name", "notes" and "budget"'),
        ('{"budget": null}', "budget cannot be null; leave out what should stay"),
    ],
)
def test_a_patch_changes_something(content: str, message: str) -> None:
    assert complaint(SessionPatch, content) == ("", message)


@pytest.mark.parametrize(
    ("content", "field", "message"),
    [
        ('{"state": "gone"}', "state", "must be 'running', 'paused' or 'stopped'"),
        ('{"budget": 0}', "budget", "must be at least 1"),
        ('{"name": 1}', "name", "must be a string"),
        ('{"name": "a\\nb"}', "name", "must not contain control characters; found U+000A at 1"),
        ('{"seed": 1}', "seed", "is not a known field; known fields are state, name, notes, budget"),
    ],
)
def test_a_mistake_in_a_patch_names_its_field(content: str, field: str, message: str) -> None:
    assert complaint(SessionPatch, content) == (field, message)


def test_a_patch_keeps_what_is_left_out() -> None:
    patch = SessionPatch.model_validate_json('{"state": "paused"}')
    assert patch.model_dump(exclude_unset=True) == {"state": "paused"}


class TestOneList:
    """The shapes are made from `app.wire.session_settings`."""

    def test_every_setting_has_a_default_and_a_description(self) -> None:
        for name, field in SessionCreate.model_fields.items():
            assert field.description, name
            assert field.is_required() == (name == "items"), name

    def test_a_session_shows_every_setting(self) -> None:
        assert SessionCreate.model_fields.keys() <= Session.model_fields.keys()
        assert all(field.is_required() for field in Session.model_fields.values())

    def test_a_response_has_no_limits(self) -> None:
        """A newer server may allow more."""
        fields: dict[str, object] = dict.fromkeys(SessionSummary.model_fields, "x")
        fields |= {
            "name": "x" * 1000,
            "epsilon": 7.0,
            "relative_epsilon": 7.0,
            "budget": 0,
            "ticket_ttl_seconds": 1e12,
            "rank": 9999,
            "seed": -1,
        }
        with pytest.raises(ValidationError) as caught:
            SessionSummary.model_validate(fields)
        wrong = {error["loc"][0] for error in caught.value.errors()}
        assert not wrong & {"name", "epsilon", "relative_epsilon", "budget", "ticket_ttl_seconds", "rank", "seed"}
        assert "model" in wrong, "the type still matters"
