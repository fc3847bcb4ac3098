"""The use cases that read: caches, paging, history, certificates, and a database that is down."""

import json

import pytest

from app.engine.problem import Model
from app.errors import NotCertified, SessionNotFound, StorageUnavailable
from app.results.sql import Certificate
from app.services import Services
from app.sessions.model import Snapshot
from app.wire.sessions import SessionPatch
from app.wire.vocabulary import State
from tests.examples import a_session, add_plan, plan, record, snapshot
from tests.store import SessionStore


@pytest.fixture
def services(store: SessionStore) -> Services:
    return store.services()


def body(verdict: str) -> Snapshot:
    return Snapshot(json.dumps({"verdict": verdict, "gap": 0.12345}), '"tag"')


async def test_best_pair_is_cached_after_the_first_read(store: SessionStore, services: Services) -> None:
    session_id = await a_session(store)
    assert services.results.best_pair_cached(session_id) is None
    assert await services.results.best_pair(session_id) == snapshot()
    assert services.results.best_pair_cached(session_id) == snapshot()


async def test_sessions_are_paged_from_the_newest(store: SessionStore, services: Services) -> None:
    made = [await a_session(store) for _ in range(3)]
    newest_first = [view.session.id for view in await services.results.sessions(10, None)]
    assert sorted(newest_first) == sorted(made)
    pages = await services.results.sessions(2, None), await services.results.sessions(2, newest_first[1])
    assert [[view.session.id for view in page] for page in pages] == [newest_first[:2], newest_first[2:]]


async def test_history_has_the_reports_after_a_version(store: SessionStore, services: Services) -> None:
    session_id = await a_session(store)
    for version, pair in ((2, (0, 2)), (3, (1, 2))):
        assert await add_plan(store, session_id, plan(version, pair=pair), snapshot(), None)
    session, points = await services.results.history(session_id, 1, 10)
    assert session.id == session_id
    assert [(point.version, point.report.pair) for point in points] == [(2, (0, 2)), (3, (1, 2))]
    _, points = await services.results.history(session_id, 0, 2)
    assert [point.version for point in points] == [1, 2]


async def test_the_certificate_is_returned_as_it_was_stored(store: SessionStore, services: Services) -> None:
    made = await store.create_session(record(), plan(), snapshot(), Certificate('{"a": 1}', "digest"))
    assert await services.results.certificate(made.id) == Certificate('{"a": 1}', "digest")


@pytest.mark.parametrize(
    ("verdict", "reason"),
    [
        ("not_yet", "proven within 0.1235 of the best, and the goal is within 5 points of the best"),
        ("suspended", "contradicted, see health"),
    ],
)
async def test_without_a_certificate_the_error_gives_the_reason(
    store: SessionStore, services: Services, verdict: str, reason: str
) -> None:
    made = await store.create_session(record(), plan(), body(verdict), None)
    with pytest.raises(NotCertified, match=reason):
        await services.results.certificate(made.id)


async def test_without_a_certificate_a_deterministic_session_asks_for_the_exact_answer(
    store: SessionStore, services: Services
) -> None:
    made = await store.create_session(record(model=Model.DETERMINISTIC), plan(), body("not_yet"), None)
    with pytest.raises(NotCertified, match="the goal is the exact answer"):
        await services.results.certificate(made.id)


async def test_the_heat_map_has_the_items_of_the_session(store: SessionStore, services: Services) -> None:
    session_id = await a_session(store)
    estimates = json.loads((await services.results.estimates(session_id, 2)).body)
    assert [item["id"] for item in estimates["items"]] == ["ad-0", "ad-1"]


async def test_the_census_counts_sessions_by_state_and_verdict(store: SessionStore, services: Services) -> None:
    made = await store.create_session(record(), plan(), body("not_yet"), None)
    await store.create_session(record(), plan(), body("certified"), None)
    await store.change_session(made.id, SessionPatch(state=State.PAUSED))
    census = await services.results.census()
    assert census is not None
    assert sorted(group[:3] for group in census.groups) == [("paused", "not_yet", 1), ("running", "certified", 1)]


async def test_a_stream_sends_the_session_and_ends_with_it(store: SessionStore, services: Services) -> None:
    session_id = await a_session(store)
    stream = services.results.follow(session_id, idle_seconds=10)
    first = await anext(stream)
    assert first is not None
    assert first.snapshot == snapshot()
    services.results.close_streams()
    with pytest.raises(StopAsyncIteration):
        await anext(stream)
    await services.results.stop()


async def test_an_unknown_session_is_not_found(services: Services) -> None:
    results = services.results
    for read in (
        results.session("unknown"),
        results.best_pair("unknown"),
        results.estimates("unknown", 10),
        results.history("unknown", 0, 10),
        results.certificate("unknown"),
        anext(results.export("unknown")),
    ):
        with pytest.raises(SessionNotFound):
            await read


async def test_ready_gives_the_reason_if_the_database_is_down(
    store: SessionStore, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await services.results.ready() is None

    async def fail() -> None:
        raise StorageUnavailable("the database is down")

    monkeypatch.setattr(store, "ready", fail)
    assert await services.results.ready() == "the database is down"
