"""Tickets cannot be guessed, altered, or carried to another session."""

from itertools import islice

from app.impressions.handout_order import exploit_ticket, is_exploit_ticket, stored_tickets

KEY, OTHER = b"a" * 32, b"b" * 32


def test_stored_tickets_are_all_different_and_never_pass_as_signed() -> None:
    tickets = set(islice(stored_tickets(), 1000))
    assert len(tickets) == 1000
    assert not any(is_exploit_ticket(ticket, KEY, "s") for ticket in tickets)


def test_signed_ticket_is_known_to_its_session_only() -> None:
    ticket = exploit_ticket(KEY, "s")
    assert is_exploit_ticket(ticket, KEY, "s")
    assert not is_exploit_ticket(ticket, OTHER, "s")
    assert not is_exploit_ticket(ticket, KEY, "t")


def test_any_altered_letter_is_noticed() -> None:
    ticket = exploit_ticket(KEY, "s")
    for place in range(len(ticket)):
        for letter in "Ax_-é=":
            altered = ticket[:place] + letter + ticket[place + 1 :]
            assert altered == ticket or not is_exploit_ticket(altered, KEY, "s"), altered


def test_nonsense_is_not_a_ticket() -> None:
    for nonsense in ("", "x", "x" * 500, "xé", "x====", "\0"):
        assert not is_exploit_ticket(nonsense, KEY, "s")
