"""JSON shapes of GET /v1/forecast."""

from pydantic import BaseModel, ConfigDict, Field

from app.wire.session_settings import FEWEST_ITEMS, MOST_ITEMS
from app.wire.shapes import ResponseShape
from app.wire.vocabulary import FeedbackKind, FeedbackKindField

LEAST_TRAFFIC, MOST_TRAFFIC = 0.001, 1e15


class ForecastQuery(BaseModel):
    """The planned session. A misspelt parameter is an error: it would give the forecast of another session."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    items: int = Field(ge=FEWEST_ITEMS, le=MOST_ITEMS, description="Number of items.")
    click_rate: float = Field(gt=0, lt=1, description="Mean click rate of a single item, such as 0.005.")
    best_click_rate: float | None = Field(
        default=None,
        gt=0,
        lt=1,
        description="Click rate of the item that is clicked most, if it is known: it makes the range narrower.",
    )
    feedback: FeedbackKindField = Field(
        default=FeedbackKind.PAIR, description="What an answer tells: a reward, or the items clicked."
    )
    epsilon: float | None = Field(default=None, gt=0, lt=1, description="As in the settings of a session.")
    relative_epsilon: float | None = Field(
        default=None, gt=0, lt=1, description="As in the settings of a session; 0.1 if no goal is given."
    )
    delta: float = Field(default=0.05, gt=0, lt=1, description="As in the settings of a session.")
    traffic: float | None = Field(
        default=None,
        ge=LEAST_TRAFFIC,
        le=MOST_TRAFFIC,
        description="Impressions a day; with it, the forecast is also in days.",
    )


class Estimated(ResponseShape):
    """The median over random populations, and a range that holds in 80 % of cases."""

    median: float
    low: float
    high: float


class Requirement(ResponseShape):
    """What a session with this kind of feedback needs until it is certified; two digits are meaningful."""

    feedback: FeedbackKindField
    impressions: Estimated
    days: Estimated | None = Field(description="Null without `traffic`.")


class Forecast(ResponseShape):
    """What the session needs, and what it would need with the other kind of feedback."""

    items: int
    click_rate: float
    best_click_rate: float | None
    epsilon: float | None
    relative_epsilon: float | None
    delta: float
    traffic: float | None
    best_reward: float = Field(description="What the best pair is expected to earn: clicks per impression.")
    feedback: FeedbackKindField
    impressions: Estimated
    days: Estimated | None = Field(description="Null without `traffic`.")
    other_feedback: Requirement
    extrapolated: bool = Field(description="A value is outside of what was simulated: the forecast is less certain.")
    notes: list[str] = Field(description="What to know about this forecast.")
