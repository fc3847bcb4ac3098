"""The route that says what a session will need, before it exists."""

from typing import Annotated

from fastapi import APIRouter, Query

from app.access.keys import Scope
from app.engine.problem import InvalidProblem
from app.forecast.answer import answer
from app.forecast.model import shipped_model
from app.web.access import needs
from app.web.problems import ALWAYS, InvalidRequest, declared
from app.wire.forecast import Forecast, ForecastQuery
from app.wire.problem import FieldError

router = APIRouter(prefix="/v1", tags=["sessions"])

MODEL = shipped_model()
"""Read when the server starts, so that the first request does not wait for it."""


@router.get("/forecast", dependencies=[needs(Scope.READ, narrowed=True)], responses=declared(InvalidRequest, *ALWAYS))
async def forecast(query: Annotated[ForecastQuery, Query()]) -> Forecast:
    """Estimates the impressions until a session like this is certified, with both kinds of feedback."""
    try:
        return answer(MODEL, query)
    except InvalidProblem as error:
        raise InvalidRequest([FieldError(field=error.field, message=error.advice)]) from None
