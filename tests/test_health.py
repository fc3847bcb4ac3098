"""Health entries: one for each cause, and stored so that the version before can read them."""

from app.health import Health, from_plain, from_text, merge, replace_entry, suspends, to_plain, to_text

FIRST, AGAIN = Health("1", "c", "a"), Health("2", "c", "a")
WARNING = Health("3", "d", "a", suspends=False)


def test_merge_keeps_the_first_entry_of_each_cause() -> None:
    assert merge([FIRST], [AGAIN, WARNING]) == (FIRST, WARNING)


def test_one_entry_that_suspends_is_enough() -> None:
    assert suspends([FIRST, WARNING])
    assert not suspends([WARNING])


def test_stored_entries_are_read_back() -> None:
    assert from_plain(to_plain([FIRST, WARNING])) == (FIRST, WARNING)
    assert from_text(to_text([FIRST, WARNING])) == (FIRST, WARNING)


def test_stored_entries_can_be_read_by_the_version_before() -> None:
    """It does not know `kind`, and it runs while the new version takes over."""
    (entry,) = to_plain([Health("p", "c", "a", suspends=False, kind="some_note")])
    assert entry == {"problem": "p", "cause": "c", "advice": "a", "suspends": False}


def test_an_entry_stored_without_suspends_suspends() -> None:
    """The first version had no warnings."""
    assert from_plain([{"problem": "p", "cause": "c", "advice": "a"}]) == (Health("p", "c", "a", suspends=True),)


def test_fields_of_a_newer_version_are_ignored() -> None:
    assert from_plain([{"problem": "p", "cause": "c", "advice": "a", "newer": 1}]) == (Health("p", "c", "a"),)


def test_replace_entry_replaces_the_entry_of_the_same_cause() -> None:
    stored = to_text([FIRST, WARNING])
    assert from_text(replace_entry(stored, AGAIN)) == (WARNING, AGAIN)
    assert from_text(replace_entry(to_text([WARNING]), AGAIN)) == (WARNING, AGAIN)
