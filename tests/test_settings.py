import pytest

from app.settings import InvalidSetting, Settings


def test_an_empty_environment_gives_the_defaults() -> None:
    settings = Settings.from_environment({"PATH": "/bin"})
    assert settings == Settings()
    assert (settings.host, settings.port, settings.workers) == ("127.0.0.1", 8000, 1)
    assert settings.database_url == "sqlite:///bestpair.db"


def test_settings_survive_a_round_trip_through_the_environment() -> None:
    environment = {
        "BESTPAIR_HOST": "0.0.0.0",  # noqa: S104 - a value to read, nothing listens
        "BESTPAIR_PORT": "9000",
        "BESTPAIR_DATABASE_URL": "postgresql://u:secret@db/bestpair",
        "BESTPAIR_WORKERS": "4",
        "BESTPAIR_BODY_LIMIT_BYTES": "100000",
        "BESTPAIR_QUEUE_LIMIT": "50",
        "BESTPAIR_HOT_LANE": "0",
        "BESTPAIR_RATE_LIMIT": "1000/second",
        "BESTPAIR_OPEN_ACCESS": "1",
        "BESTPAIR_FIRST_KEY": "print",
        "BESTPAIR_REQUEST_SECONDS": "7",
        "BESTPAIR_SHUTDOWN_SECONDS": "5",
        "BESTPAIR_LOG_FORMAT": "json",
        "BESTPAIR_LOG_LEVEL": "warning",
        "BESTPAIR_METRICS_PER_SESSION": "1",
    }
    settings = Settings.from_environment(environment)
    assert settings.as_environment() == environment
    assert "secret" not in repr(settings)


@pytest.mark.parametrize(
    ("variable", "value", "advice"),
    [
        ("BESTPAIR_PORT", "http", 'must be a whole number, got "http"'),
        ("BESTPAIR_PORT", "", 'must be a whole number, got ""'),
        ("BESTPAIR_PORT", "70000", "must be 0 to 65535, got 70000"),
        ("BESTPAIR_WORKERS", "0", "must be 1 to 256, got 0"),
        ("BESTPAIR_WORKERS", "2", "SQLite serves one process only"),
        ("BESTPAIR_HOST", " ", "must not be empty"),
        ("BESTPAIR_DATABASE_URL", "bestpair.db", "must look like sqlite:///FILE or postgresql://HOST/NAME"),
        ("BESTPAIR_RATE_LIMIT", "many", "must look like 1000/second"),
        ("BESTPAIR_FIRST_KEY", "yes", 'must be refuse or print, got "yes"'),
        ("BESTPAIR_OPEN_ACCESS", "2", "must be 0 to 1, got 2"),
        ("BESTPAIR_BODY_LIMIT_BYTES", "1.5", "must be a whole number"),
        ("BESTPAIR_LOG_FORMAT", "xml", 'must be console or json, got "xml"'),
        ("BESTPAIR_LOG_LEVEL", "INFO", 'must be debug or info or warning or error, got "INFO"'),
    ],
)
def test_an_invalid_value_is_reported_with_its_variable(variable: str, value: str, advice: str) -> None:
    with pytest.raises(InvalidSetting) as caught:
        Settings.from_environment({variable: value})
    assert caught.value.variable == variable
    assert str(caught.value).startswith(f"{variable}: {advice}")
