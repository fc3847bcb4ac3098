"""Values from callers stay on their line, in both formats, and lines contain no secrets."""

import json
from itertools import islice

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.impressions.handout_order import exploit_ticket, stored_tickets
from app.telemetry.log_format import Redactor, as_console, as_json

FORGED = 'x\n2026-01-01T00:00:00Z error   forged\r\x1b[31m\u2028\u2029\x85\x9b1m\u202e\x7f\x00\ud800 a="b" \\'


@given(st.text(alphabet=st.characters(codec=None)))
@example(FORGED)
def test_a_value_stays_on_its_line(text: str) -> None:
    fields = {"time": "t", "level": "info", "event": text, "item": text}
    plain = as_console(fields)
    assert plain.isprintable()
    assert len(plain.splitlines()) == 1
    written = as_json(fields)
    assert written.isascii()
    assert written.isprintable()
    assert json.loads(written) == fields


def test_a_value_cannot_look_like_another_field() -> None:
    assert as_console({"event": "e", "item": 'a" level=error b="'}).endswith(r'item="a\" level=error b=\""')
    assert as_console({"event": "e", "item": "a=b"}).endswith('item="a=b"')
    assert as_console({"event": "e", "item": ""}).endswith('item=""')


def test_the_lines_of_a_fault_cannot_look_like_events() -> None:
    shown = as_console({"time": "t", "level": "error", "event": "e", "fault": f"Boom: {FORGED}"})
    first, *rest = shown.split("\n")
    assert first == "t error   e"
    assert len(rest) == 2
    assert all(line.startswith("  | ") and line.isprintable() for line in rest)


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("postgresql://u:s3cret@host/db is away", "postgresql://u:***@host/db is away"),
        ("postgresql://u:p@ss/w:rd@host/db", "postgresql://u:***@host/db"),
        ("Authorization: Bearer abc.def", "Authorization: Bearer ***"),
        ("authorization: basic dTpw", "authorization: basic ***"),
        ('{"ticket": "t1"}', '{"ticket": "***"}'),
        ("idempotency_key='order-7'", "idempotency_key='***'"),
        ("Idempotency-Key: order-7", "Idempotency-Key: ***"),
        ("password=hunter2 host=h", "password=*** host=h"),
        ("a_very_long_name_of_a_function_in_our_code", "a_very_long_name_of_a_function_in_our_code"),
        ("session 3f2a1b4c5d6e7f8091a2b3c4 is away", "session 3f2a1b4c5d6e7f8091a2b3c4 is away"),
    ],
)
def test_text_in_the_form_of_a_secret_is_replaced(text: str, hidden: str) -> None:
    assert Redactor()(text) == hidden


def test_tickets_are_replaced_in_any_context() -> None:
    for ticket in [*islice(stored_tickets(), 200), *(exploit_ticket(b"k" * 32, "s") for _ in range(200))]:
        contexts = (ticket, f"none has {ticket}, try again", f"Key (ticket)=({ticket}) exists", f"/v1/{ticket}/x")
        for text in contexts:
            assert ticket[-12:] not in Redactor()(text)
            assert ticket[:20] not in Redactor()(text)


def test_known_secrets_are_replaced_unless_they_are_too_short() -> None:
    assert Redactor(["pa ss"])('said "pa ss" aloud') == 'said "***" aloud'
    assert Redactor(["a"])("a cat") == "a cat"
