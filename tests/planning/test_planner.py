"""The planner: when a session is folded and planned, what happens in a race, and the loop in the background."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from app.counting.sql import fold_session
from app.engine.problem import Model
from app.errors import SessionNotFound, StorageUnavailable
from app.impressions.feedback import FeedbackStatus
from app.impressions.handout_order import HANDOUTS, Impression, PairCounts
from app.planning.plan import Planned
from app.planning.planner import Planner
from app.services import Services
from app.sessions.model import Counters, Session
from app.telemetry.metrics import Meter, cell_index
from app.wire.sessions import SessionPatch
from app.wire.vocabulary import MissingFeedback, State, WhileWaiting
from tests.examples import a_session, feedback, issue, let_time_pass, reward
from tests.session_fixtures import items, new_session
from tests.store import SessionStore

DEMAND = 6
"""Impressions that the first plan of `a_session` asks for."""
TIMEOUT_SECONDS = 10.0


@pytest.fixture
def planner(services: Services) -> Planner:
    return services.sessions.planner


def plans(meter: Meter, result: str) -> int:
    """Returns how many plans had this result: "stored" or "lost"."""
    return int(meter.cells[cell_index("bestpair_plans_total", result)])


async def best_pair(store: SessionStore, session_id: str) -> dict[str, Any]:
    return dict(json.loads((await store.snapshot(session_id)).body))


async def answer(store: SessionStore, session_id: str, given: list[Impression], value: float = 0.0) -> None:
    statuses = await store.answer(session_id, [reward(one, value) for one in given])
    assert set(statuses) <= {FeedbackStatus.ACCEPTED}


async def version(store: SessionStore, session_id: str) -> int:
    return (await store.session(session_id)).plan_version


def by_pair(counts: PairCounts) -> Iterator[tuple[tuple[int, int], int]]:
    for i, j, times in counts.triples:
        yield (min(i, j), max(i, j)), times


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while not await condition():
            await asyncio.sleep(0.01)


class TestAdvance:
    async def test_it_folds_and_plans_when_the_demand_is_met(
        self, store: SessionStore, planner: Planner, meter: Meter
    ) -> None:
        session_id = await a_session(store)
        await answer(store, session_id, await issue(store, session_id, DEMAND))
        await planner.advance(session_id)
        last = await store.last_plan(session_id)
        assert last is not None
        assert (last.version, last.watermark, last.counted_before) == (2, DEMAND, DEMAND)
        assert (await store.counters(session_id)).counted == DEMAND
        body = await best_pair(store, session_id)
        assert (body["plan_version"], body["samples"]) == (2, DEMAND), "the snapshot is that of the new plan"
        assert plans(meter, "stored") == 1

    async def test_it_folds_but_does_not_plan_before_the_demand_is_met(
        self, store: SessionStore, planner: Planner, meter: Meter
    ) -> None:
        session_id = await a_session(store)
        given = await issue(store, session_id, DEMAND)
        await answer(store, session_id, given[:-1])
        await planner.advance(session_id)
        assert (await store.counters(session_id)).counted == DEMAND - 1
        assert await version(store, session_id) == 1
        await answer(store, session_id, given[-1:])
        await planner.advance(session_id)
        assert await version(store, session_id) == 2
        assert plans(meter, "stored") == 1

    async def test_known_answers_complete_a_plan_although_one_before_them_is_missing(
        self, store: SessionStore, planner: Planner
    ) -> None:
        session_id = await a_session(store)
        first, *others = await issue(store, session_id, DEMAND + 1)
        await answer(store, session_id, others)
        await planner.advance(session_id)
        last = await store.last_plan(session_id)
        assert last is not None
        assert (last.version, last.watermark, last.counted_before) == (2, 0, DEMAND)
        assert last.report.samples == 0, "nothing is proven yet"
        assert sum(json.loads(last.known)["n"]) == DEMAND
        assert await store.counters(session_id) == Counters(issued=DEMAND + 1, answered=DEMAND, void=0, counted=0)
        asked, handed_out = dict(by_pair(last.demand)), dict(by_pair(last.handout))
        pair = min(first.i, first.j), max(first.i, first.j)
        assert asked.pop(pair, 0) - handed_out.pop(pair, 0) == 1, "the open impression is not asked for again"
        assert asked == handed_out

    async def test_an_awaited_proof_is_not_checked_at_every_answer_but_at_the_last_one(
        self, store: SessionStore, planner: Planner, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        checks = []

        async def wait_for_the_watermark(session: Session, _at: datetime) -> None:
            checks.append(session.plan_version)
            await asyncio.sleep(1.0)  # the next check is allowed after nine times as long

        monkeypatch.setattr(planner._worker, "plan_stored", wait_for_the_watermark)
        session_id = await a_session(store)
        first, second, *others = await issue(store, session_id, 3 * DEMAND)
        await answer(store, session_id, others[:DEMAND])
        await planner.advance(session_id)
        assert len(checks) == 1, "the known answers would certify the session"
        await answer(store, session_id, others[DEMAND:])
        await planner.advance(session_id)
        await answer(store, session_id, [first])
        await planner.advance(session_id)
        assert len(checks) == 1, "the plan is complete and the watermark has moved, but too soon after the last check"
        await answer(store, session_id, [second])
        await planner.advance(session_id)
        assert len(checks) == 2, "nothing else will arrive"

    async def test_an_awaited_proof_is_not_checked_while_windows_are_open(
        self, store: SessionStore, planner: Planner, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        checks = []

        async def wait_for_the_watermark(session: Session, _at: datetime) -> None:
            checks.append(session.plan_version)

        monkeypatch.setattr(planner._worker, "plan_stored", wait_for_the_watermark)
        session_id = await a_session(store, attribution_window_seconds=60.0, while_waiting=WhileWaiting.EXPLOIT)
        await answer(store, session_id, [one for one in await issue(store, session_id, DEMAND) if one.counts])
        for _ in range(5):
            await planner.advance(session_id)
        assert len(checks) == 1, "every answer is there, but nothing has changed since the first check"
        let_time_pass(store.url, 61)
        await planner.advance(session_id)
        assert len(checks) == 2

    @pytest.mark.parametrize("while_waiting", WhileWaiting)
    async def test_where_silence_is_an_outcome_a_plan_that_is_out_waits_for_its_windows(
        self, store: SessionStore, planner: Planner, while_waiting: WhileWaiting
    ) -> None:
        """Every impression is answered, but plans may not use the answers yet: another plan would know nothing new."""
        window: dict[str, Any] = {"attribution_window_seconds": 60.0, "missing_feedback": MissingFeedback.NO_CLICK}
        session_id = await a_session(store, while_waiting=while_waiting, **window)
        given = [one for one in await issue(store, session_id, HANDOUTS * DEMAND) if one.counts]
        await answer(store, session_id, given, 1.0)
        await planner.advance(session_id)
        assert await version(store, session_id) == 1
        let_time_pass(store.url, 61)
        await planner.advance(session_id)
        assert await version(store, session_id) == 2

    async def test_impressions_of_an_earlier_plan_do_not_meet_the_demand_of_the_next_one(
        self, store: SessionStore, planner: Planner
    ) -> None:
        session_id = await a_session(store)
        await answer(store, session_id, await issue(store, session_id, DEMAND))
        await planner.advance(session_id)
        await planner.advance(session_id)
        assert await version(store, session_id) == 2
        second = await store.last_plan(session_id)
        assert second is not None
        await answer(store, session_id, await issue(store, session_id, second.demand.total))
        await planner.advance(session_id)
        assert await version(store, session_id) == 3

    async def test_an_idle_plan_is_not_followed_by_another(
        self, store: SessionStore, services: Services, planner: Planner, meter: Meter
    ) -> None:
        made = (await services.sessions.create(new_session(items=items(2)))).session
        last = await store.last_plan(made.id)
        assert last is not None
        assert last.demand.total == 0, "two items are one pair: certified at once"
        await planner.advance(made.id)
        assert await version(store, made.id) == 1
        assert (plans(meter, "stored"), plans(meter, "lost")) == (0, 0)

    async def test_it_plans_anyway_on_request(self, store: SessionStore, planner: Planner) -> None:
        session_id = await a_session(store)
        await planner.advance(session_id, plan_anyway=True)
        assert await version(store, session_id) == 2

    async def test_a_plan_that_another_process_made_is_not_complete_because_the_last_one_was(
        self, store: SessionStore, planner: Planner
    ) -> None:
        """The fold is of plan 1, which is out and was answered in part; plan 2 was stored before it is looked at."""
        session_id = await a_session(store)
        await issue(store, session_id, HANDOUTS * DEMAND)
        let_time_pass(store.url, 600)
        folded = await fold_session(store, session_id)
        session = await store.session(session_id)
        target = await planner._target(session)
        assert planner._is_complete(target, session, folded)
        assert not planner._is_complete(target, replace(session, plan_version=2), folded)

    async def test_a_spent_budget_completes_the_plan_once_nothing_is_outstanding(
        self, store: SessionStore, planner: Planner
    ) -> None:
        session_id = await a_session(store, budget=DEMAND - 2)
        given = await issue(store, session_id, DEMAND - 2)
        await answer(store, session_id, given[:-1])
        await planner.advance(session_id)
        assert await version(store, session_id) == 1, "one impression is outstanding"
        await answer(store, session_id, given[-1:])
        await planner.advance(session_id)
        last = await store.last_plan(session_id)
        assert last is not None
        assert (last.version, last.demand.total, last.report.verdict) == (2, 0, "exhausted")

    async def test_an_unknown_session_is_not_found(self, planner: Planner) -> None:
        with pytest.raises(SessionNotFound):
            await planner.advance("unknown")


class TestDeterministicModel:
    @pytest.fixture
    async def session_id(self, store: SessionStore, services: Services, planner: Planner) -> str:
        """A session whose second plan asks for several entries, each once."""
        new = new_session(items=items(4), model=Model.DETERMINISTIC, seed=1)
        session_id = (await services.sessions.create(new)).session.id
        await answer(store, session_id, await self.hand_out(store, session_id), 0.5)
        await planner.advance(session_id)
        return session_id

    async def hand_out(self, store: SessionStore, session_id: str) -> list[Impression]:
        """Returns all impressions that the current plan asks for."""
        last = await store.last_plan(session_id)
        assert last is not None
        return await issue(store, session_id, last.demand.total)

    async def test_lost_feedback_makes_a_new_plan_that_asks_again(
        self, store: SessionStore, planner: Planner, session_id: str
    ) -> None:
        lost, *others = await self.hand_out(store, session_id)
        await answer(store, session_id, others, 0.25)
        await planner.advance(session_id)
        assert await version(store, session_id) == 2, "the feedback may still come"
        let_time_pass(store.url, 301)
        await planner.advance(session_id)
        last = await store.last_plan(session_id)
        assert last is not None
        assert last.version == 3
        assert {lost.i, lost.j} in [{i, j} for i, j, _ in last.demand.triples]

    async def test_there_is_no_new_plan_before_every_entry_was_handed_out(
        self, store: SessionStore, planner: Planner, session_id: str
    ) -> None:
        (first,) = await issue(store, session_id, 1)
        assert await store.answer(session_id, [feedback(first.ticket, not_shown=True)]) == [FeedbackStatus.ACCEPTED]
        await planner.advance(session_id)
        counters = await store.counters(session_id)
        assert (counters.void, counters.outstanding) == (1, 0)
        assert await version(store, session_id) == 2

    async def test_a_contradiction_is_shown_before_the_next_plan(
        self, store: SessionStore, planner: Planner, session_id: str
    ) -> None:
        first = await self.hand_out(store, session_id)
        repeats = await self.hand_out(store, session_id)
        assert not any(one.counts for one in repeats)
        await answer(store, session_id, first[1:], 0.25)
        await answer(store, session_id, repeats[1:], 0.75)
        await planner.advance(session_id)
        body = await best_pair(store, session_id)
        assert (body["plan_version"], body["verdict"]) == (2, "suspended")
        assert "two values, 0.25 and 0.75" in body["health"][0]["problem"]


class TestRaces:
    @pytest.fixture
    def while_planning(self, planner: Planner, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
        """Makes something happen, once, after the next plan was computed and before it is stored."""

        def register(action: Callable[[], Awaitable[object]]) -> None:
            compute = planner._worker.plan_stored

            async def compute_and_act(session: Session, now: datetime) -> Planned | None:
                planned = await compute(session, now)
                monkeypatch.setattr(planner._worker, "plan_stored", compute)
                await action()
                return planned

            monkeypatch.setattr(planner._worker, "plan_stored", compute_and_act)

        return register

    @pytest.fixture
    async def complete(self, store: SessionStore) -> str:
        """The id of a session whose demand is met."""
        session_id = await a_session(store)
        await answer(store, session_id, await issue(store, session_id, DEMAND))
        return session_id

    async def test_the_plan_of_the_slower_process_is_dropped(
        self, store: SessionStore, planner: Planner, meter: Meter, complete: str, while_planning: Callable[..., None]
    ) -> None:
        faster = store.services().sessions.planner
        while_planning(lambda: faster.advance(complete))
        await planner.advance(complete)
        assert await version(store, complete) == 2
        assert (plans(meter, "stored"), plans(meter, "lost")) == (0, 1)
        await planner.advance(complete)
        assert await version(store, complete) == 2, "it knows the target of the other plan"

    async def test_a_requested_plan_is_made_again_after_a_lost_race(
        self, store: SessionStore, planner: Planner, meter: Meter, complete: str, while_planning: Callable[..., None]
    ) -> None:
        faster = store.services().sessions.planner
        while_planning(lambda: faster.advance(complete))
        await planner.advance(complete, plan_anyway=True)
        assert await version(store, complete) == 3
        assert (plans(meter, "stored"), plans(meter, "lost")) == (1, 1)

    async def test_a_session_that_was_paused_meanwhile_is_shown_as_paused(
        self, store: SessionStore, planner: Planner, complete: str, while_planning: Callable[..., None]
    ) -> None:
        while_planning(lambda: store.change_session(complete, SessionPatch(state=State.PAUSED)))
        await planner.advance(complete)
        body = await best_pair(store, complete)
        assert (body["plan_version"], body["state"]) == (2, "paused")

    async def test_two_calls_in_one_process_make_one_plan(
        self, store: SessionStore, planner: Planner, meter: Meter, complete: str
    ) -> None:
        await asyncio.gather(planner.advance(complete), planner.advance(complete))
        assert await version(store, complete) == 2
        assert (plans(meter, "stored"), plans(meter, "lost")) == (1, 0)


class TestNotes:
    async def test_a_note_refreshes_the_snapshot_without_a_new_plan(
        self, store: SessionStore, planner: Planner
    ) -> None:
        session_id = await a_session(store, demand=((0, 1, 200),))
        given = await issue(store, session_id, 100)
        before = await store.snapshot(session_id)
        await planner.advance(session_id)
        assert await store.snapshot(session_id) == before, "no note yet: nothing is written"
        let_time_pass(store.url, 151)
        await planner.advance(session_id)
        body = await best_pair(store, session_id)
        assert body["plan_version"] == 1
        assert [entry["kind"] for entry in body["health"]] == ["no_answers"]
        await answer(store, session_id, given[:1])
        await planner.advance(session_id)
        assert (await best_pair(store, session_id))["health"] == [], "the note is no longer true"


class TestForget:
    async def test_nothing_is_kept_of_the_session(self, store: SessionStore, planner: Planner) -> None:
        session_id, other = await a_session(store), await a_session(store)
        for each in (session_id, other):
            planner.feedback_accepted(each, 1)
            await planner.advance(each)
            planner.feedback_accepted(each, 1)
        planner.forget(session_id)
        kept = [name for name, value in vars(planner).items() if isinstance(value, dict) and session_id in value]
        assert kept == []
        assert planner._targets.keys() == {other}


class TestLoop:
    async def test_enough_feedback_makes_a_plan(
        self, store: SessionStore, services: Services, planner: Planner
    ) -> None:
        session_id = await a_session(store)
        given = await issue(store, session_id, DEMAND)
        planner.start()
        results = await services.impressions.feedback_batch(session_id, [reward(one, 0.0) for one in given])
        assert {result.status for result in results} == {"accepted"}

        async def planned() -> bool:
            return await version(store, session_id) == 2

        await until(planned)

    async def test_expired_impressions_are_folded_without_any_request(
        self, store: SessionStore, planner: Planner
    ) -> None:
        session_id = await a_session(store)
        await issue(store, session_id, 2)
        let_time_pass(store.url, 301)
        planner.start()

        async def folded() -> bool:
            return (await store.counters(session_id)).void == 2

        await until(folded)

    async def test_an_error_in_one_session_does_not_stop_the_others(
        self, store: SessionStore, planner: Planner, meter: Meter, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        broken, other = await a_session(store), await a_session(store)
        for each in (broken, other):
            await answer(store, each, await issue(store, each, DEMAND))

        async def fold_or_fail(of: SessionStore, session_id: str) -> object:
            if session_id == broken:
                raise RuntimeError("a defect")
            return await fold_session(of, session_id)

        monkeypatch.setattr("app.planning.planner.fold_session", fold_or_fail)
        planner.start()

        async def planned() -> bool:
            return await version(store, other) == 2

        await until(planned)
        assert await version(store, broken) == 1
        assert meter.cells[cell_index("bestpair_unexpected_errors_total", "planner")] >= 1

    async def test_it_continues_after_an_outage(
        self, store: SessionStore, planner: Planner, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        session_id = await a_session(store)
        await answer(store, session_id, await issue(store, session_id, DEMAND))
        sweep, is_down = planner.sessions_to_advance, asyncio.Event()

        async def sweep_or_fail() -> list[str]:
            if not is_down.is_set():
                is_down.set()
                raise StorageUnavailable("the database is down")
            return await sweep()

        monkeypatch.setattr(planner, "sessions_to_advance", sweep_or_fail)
        planner.start()
        await asyncio.wait_for(is_down.wait(), TIMEOUT_SECONDS)

        async def planned() -> bool:
            return await version(store, session_id) == 2

        await until(planned)

    async def test_a_deleted_session_is_forgotten(self, store: SessionStore, planner: Planner) -> None:
        session_id = await a_session(store)
        await planner.advance(session_id)
        await store.delete_session(session_id)
        planner.feedback_accepted(session_id, DEMAND)
        planner.start()

        async def forgotten() -> bool:
            return session_id not in planner._targets

        await until(forgotten)
        assert session_id not in planner._feedback
