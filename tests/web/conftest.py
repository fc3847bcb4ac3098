from collections.abc import Iterator

import pytest

from app.web.api import Api, build_api
from tests.fakes.caller import Caller
from tests.fakes.sessions import FakeServices

LIMIT = 2 * 1024 * 1024


@pytest.fixture
def sessions() -> FakeServices:
    return FakeServices()


@pytest.fixture(params=[True, False], ids=["hot lane", "plain"])
def app(request: pytest.FixtureRequest, sessions: FakeServices) -> Api:
    return build_api(sessions.services, version="1.2.3", body_limit_bytes=LIMIT, hot_lane=request.param)


@pytest.fixture
def api(app: Api) -> Iterator[Caller]:
    with Caller(app) as caller:
        yield caller


@pytest.fixture
def session(api: Caller) -> str:
    """The path of a session with the items a, b and c."""
    return api.post("/v1/sessions", {"items": ["a", "b", "c"]}).headers["Location"]
