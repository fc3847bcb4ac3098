"""Settings of the service, read from an environment that is passed in; nothing is read at import."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Self

from app.access.rates import InvalidRate, parse_rate

PREFIX = "BESTPAIR_"


class InvalidSetting(ValueError):
    """A setting that cannot be used; the message names the variable and says what to change."""

    def __init__(self, variable: str, advice: str) -> None:
        self.variable = variable
        super().__init__(f"{variable}: {advice}")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to run the service; each field can be set by the variable BESTPAIR_ and its name in capitals."""

    host: str = "127.0.0.1"
    port: int = field(default=8000, metadata={"range": (0, 65_535)})
    # Not in the repr: an address may hold a password.
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
            value = getattr(self, each.name)
            if value == "":
                raise InvalidSetting(variable_of(each.name), "must not be empty; leave it out for the default")
            low, high = each.metadata.get("range", (value, value))
            if not low <= value <= high:
                raise InvalidSetting(variable_of(each.name), f"must be {low} to {high}, got {value}")
            choices = each.metadata.get("one_of", (value,))
            if value not in choices:
                raise InvalidSetting(variable_of(each.name), f'must be {" or ".join(choices)}, got "{value[:40]}"')
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
        """Returns the settings that an environment asks for; raises InvalidSetting naming the variable."""
        given = {
            each.name: _number(variable_of(each.name), environment[variable_of(each.name)])
            if each.type in (int, "int")
            else environment[variable_of(each.name)].strip()
            for each in fields(cls)
            if variable_of(each.name) in environment
        }
        return cls(**given)  # type: ignore[arg-type]  # each value was read according to its field's type

    def as_environment(self) -> dict[str, str]:
        """Returns the variables that give these settings again, for processes that are started from here."""
        return {variable_of(each.name): str(getattr(self, each.name)) for each in fields(self)}


def variable_of(name: str) -> str:
    """Returns the environment variable of a setting."""
    return PREFIX + name.upper()


def _number(variable: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InvalidSetting(variable, f'must be a whole number, got "{text[:40]}"') from None
