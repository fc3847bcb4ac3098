"""Settings of the service, parsed from an environment that the caller passes in."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

from app.access.rates import InvalidRate, parse_rate

PREFIX = "BESTPAIR_"


class InvalidSetting(ValueError):
    """An invalid setting; the message names the variable and says what to change."""

    def __init__(self, variable: str, advice: str) -> None:
        self.variable = variable
        super().__init__(f"{variable}: {advice}")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to run the service. Each field is set by an environment variable: BESTPAIR_ and its name in capitals."""

    host: str = "127.0.0.1"
    port: int = field(default=8000, metadata={"range": (0, 65_535)})
    # Not in the repr: a URL may contain a password.
    database_url: str = field(default="sqlite:///bestpair.db", repr=False)
    workers: int = field(default=1, metadata={"range": (1, 256)})
    body_limit_bytes: int = field(default=2 * 1024 * 1024, metadata={"range": (1_024, 1_073_741_824)})
    queue_limit: int = field(default=10_000, metadata={"range": (1, 10_000_000)})
    hot_lane: int = field(default=1, metadata={"range": (0, 1)})
    rate_limit: str = "none"
    open_access: int = field(default=0, metadata={"range": (0, 1)})
    first_key: str = field(default="refuse", metadata={"one_of": ("refuse", "print")})
    request_seconds: int = field(default=20, metadata={"range": (1, 3_600)})
    shutdown_seconds: int = field(default=20, metadata={"range": (1, 3_600)})
    log_format: str = field(default="console", metadata={"one_of": ("console", "json")})
    log_level: str = field(default="info", metadata={"one_of": ("debug", "info", "warning", "error")})
    metrics_per_session: int = field(default=0, metadata={"range": (0, 1)})

    def __post_init__(self) -> None:
        for each in fields(self):
            variable, value = variable_of(each.name), getattr(self, each.name)
            if value == "":
                raise InvalidSetting(variable, "must not be empty; leave it out for the default")
            low, high = each.metadata.get("range", (value, value))
            if not low <= value <= high:
                raise InvalidSetting(variable, f"must be {low} to {high}, got {value}")
            choices = each.metadata.get("one_of", (value,))
            if value not in choices:
                raise InvalidSetting(variable, f'must be {" or ".join(choices)}, got "{value[:40]}"')
        if "://" not in self.database_url and not self.database_url.startswith("sqlite:"):
            raise InvalidSetting(variable_of("database_url"), "must look like sqlite:///FILE or postgresql://HOST/NAME")
        try:
            parse_rate(self.rate_limit)
        except InvalidRate as error:
            raise InvalidSetting(variable_of("rate_limit"), str(error)) from None
        if self.workers > 1 and self.database_url.startswith("sqlite"):
            advice = (
                f"SQLite serves one process only, got {self.workers}; use 1, "
                f"or set {variable_of('database_url')} to a PostgreSQL database"
            )
            raise InvalidSetting(variable_of("workers"), advice)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """Returns the settings in an environment, with defaults for missing variables; raises InvalidSetting."""
        values: dict[str, Any] = {}
        for each in fields(cls):
            text = environment.get(variable_of(each.name))
            if text is not None:
                is_number = each.type in (int, "int")
                values[each.name] = _whole_number(variable_of(each.name), text) if is_number else text.strip()
        return cls(**values)

    def as_environment(self) -> dict[str, str]:
        """Returns the environment variables of these settings, for child processes."""
        return {variable_of(each.name): str(getattr(self, each.name)) for each in fields(self)}


def variable_of(name: str) -> str:
    """Returns the name of a setting's environment variable."""
    return PREFIX + name.upper()


def _whole_number(variable: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InvalidSetting(variable, f'must be a whole number, got "{text[:40]}"') from None
