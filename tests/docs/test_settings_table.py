from tests.docs.settings_table import PAGE, with_table


def test_the_table_of_settings_is_that_of_the_list() -> None:
    page = PAGE.read_text()
    assert page == with_table(page), "run python -m tests.docs.settings_table"
