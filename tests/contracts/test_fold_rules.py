"""What a store counts after an outage, and of a model that always answers the same."""

import pytest

from app.engine.problem import Model
from app.impressions.feedback import FeedbackStatus
from app.impressions.handout_order import Impression
from app.sessions.model import Counters
from app.wire.vocabulary import MissingFeedback
from tests.examples import a_session, add_plan, execute, issue, let_time_pass, plan, reward, snapshot
from tests.store import SessionStore


class TestOutages:
    """With a window, impressions whose window no process saw entirely prove nothing, answered or not."""

    async def _session(self, store: SessionStore) -> tuple[str, list[Impression]]:
        session_id = await a_session(
            store, attribution_window_seconds=60.0, missing_feedback=MissingFeedback.NO_CLICK, demand=((0, 1, 9),)
        )
        given = await issue(store, session_id, 4)
        await store.answer(session_id, [reward(given[0], 1)])
        return session_id, given

    async def test_without_one_all_counts(self, store: SessionStore, database_url: str) -> None:
        session_id, _ = await self._session(store)
        let_time_pass(database_url, 100)
        assert await store.fold(session_id) == Counters(issued=4, answered=1, void=0, counted=4)

    async def test_inside_the_window_all_are_void(self, store: SessionStore, database_url: str) -> None:
        session_id, _ = await self._session(store)
        let_time_pass(database_url, 100)
        execute(database_url, "UPDATE uptimes SET last_beat_at = began_at + 30")  # it broke off within the window
        assert await store.fold(session_id) == Counters(issued=4, answered=1, void=4, counted=0)
        assert (await store.planning_input(session_id)).evidence.n == []

    async def test_another_process_may_have_been_up(self, store: SessionStore, database_url: str) -> None:
        session_id, _ = await self._session(store)
        let_time_pass(database_url, 100)
        began = execute(database_url, "SELECT min(began_at) FROM uptimes")[0][0]
        execute(database_url, "UPDATE uptimes SET last_beat_at = began_at + 30")
        other = "INSERT INTO uptimes (process_id, began_at, last_beat_at) VALUES ('other', :a, :b)"
        execute(database_url, other, {"a": began + 20, "b": began + 90})
        assert (await store.fold(session_id)).counted == 4

    async def test_what_was_open_when_the_clock_was_set_is_void(self, store: SessionStore, database_url: str) -> None:
        session_id, _ = await self._session(store)
        execute(database_url, "UPDATE impressions SET issued_at = issued_at + 3600")  # by the clock that was wrong
        assert (await store.fold(session_id)).void == 0
        execute(database_url, "UPDATE sessions SET open_at_clock_step = next_sequence - 1")
        await issue(store, session_id, 2)
        assert await store.fold(session_id) == Counters(issued=6, answered=1, void=4, counted=0)
        let_time_pass(database_url, 100)
        assert await store.fold(session_id) == Counters(issued=6, answered=1, void=4, counted=2)

    async def test_what_was_shown_after_the_clock_was_set_back_counts(
        self, store: SessionStore, database_url: str
    ) -> None:
        """One fold passes both: the first impression was issued later than the last, by what the clock said."""
        session_id, _ = await self._session(store)
        execute(database_url, "UPDATE impressions SET issued_at = issued_at + 3600")  # by the clock that was wrong
        execute(database_url, "UPDATE sessions SET open_at_clock_step = next_sequence - 1")
        await issue(store, session_id, 2)
        let_time_pass(database_url, 100)
        assert await store.fold(session_id) == Counters(issued=6, answered=1, void=4, counted=2)

    async def test_without_a_window_lifetimes_begin_again_when_the_clock_is_set(
        self, store: SessionStore, database_url: str
    ) -> None:
        session_id = await a_session(store, ticket_ttl_seconds=60.0, demand=((0, 1, 9),))
        given = await issue(store, session_id, 4)
        execute(database_url, "UPDATE impressions SET issued_at = issued_at - 3600")  # the clock went forward
        at = execute(database_url, "SELECT max(last_beat_at) FROM uptimes")[0][0]
        execute(database_url, "UPDATE sessions SET open_at_clock_step = 4, clock_step_at = :at", {"at": at})
        assert (await store.fold(session_id)).void == 0
        accepted = await store.answer(session_id, [reward(given[0], 1), reward(given[2], 0)])
        assert accepted == [FeedbackStatus.ACCEPTED] * 2, "their lifetime has begun again"
        assert await store.fold(session_id) == Counters(issued=4, answered=2, void=0, counted=1)
        execute(database_url, "UPDATE sessions SET clock_step_at = clock_step_at - 100")
        assert await store.answer(session_id, [reward(given[1], 1)]) == [FeedbackStatus.LATE]
        assert await store.fold(session_id) == Counters(issued=4, answered=2, void=2, counted=2)

    async def test_a_restart_is_an_outage(self, database_url: str) -> None:
        before = SessionStore(database_url)
        await before.start()
        session_id, _ = await self._session(before)
        await before.close()
        execute(database_url, "UPDATE uptimes SET began_at = began_at - 40, last_beat_at = last_beat_at - 40")
        execute(database_url, "UPDATE impressions SET issued_at = issued_at - 40")
        after = SessionStore(database_url)
        await after.start()
        let_time_pass(database_url, 30)
        execute(database_url, "UPDATE uptimes SET last_beat_at = last_beat_at - 30 WHERE last_beat_at - began_at < 1")
        assert (await after.fold(session_id)).void == 4
        await after.close()


class TestDeterministic:
    async def _session(self, store: SessionStore) -> tuple[str, list[Impression]]:
        session_id = await a_session(store, model=Model.DETERMINISTIC, demand=((0, 1, 1),))
        return session_id, await issue(store, session_id, 3)

    async def test_equal_values_are_healthy(self, store: SessionStore) -> None:
        session_id, given = await self._session(store)
        await store.answer(session_id, [reward(given[0], 0.3), reward(given[1], 0.3 + 1e-12)])
        assert await store.fold(session_id) == Counters(issued=1, answered=1, void=0, counted=1)
        found = await store.planning_input(session_id)
        assert found.health == ()
        assert (found.evidence.n, found.evidence.s) == ([1], [1.0 - 0.3])
        await store.answer(session_id, [reward(given[2], 0.3)])
        await store.fold(session_id)
        assert await store.sessions_to_advance() == []
        assert (await store.planning_input(session_id)).health == ()

    @pytest.mark.parametrize("in_between", [False, True], ids=["at once", "a fold in between"])
    @pytest.mark.parametrize("order_of_answers", [(0, 1), (1, 0)], ids=["counting first", "repeat first"])
    async def test_two_values_for_one_entry_are_noted_once(
        self, store: SessionStore, order_of_answers: tuple[int, int], *, in_between: bool
    ) -> None:
        session_id, given = await self._session(store)
        for value, place in zip((0.3, 0.4), order_of_answers, strict=True):
            await store.answer(session_id, [reward(given[place], value)])
            if in_between:
                await store.fold(session_id)
        await store.fold(session_id)
        (entry,) = (await store.planning_input(session_id)).health
        assert "0.3" in entry.problem
        assert "0.4" in entry.problem
        await store.answer(session_id, [reward(given[2], 0.5)])
        await store.fold(session_id)
        assert len((await store.planning_input(session_id)).health) == 1

    async def test_a_later_plan_may_contradict_the_evidence(self, store: SessionStore) -> None:
        session_id, given = await self._session(store)
        await store.answer(session_id, [reward(given[0], 0.3)])
        await store.fold(session_id)
        assert await add_plan(store, session_id, plan(2, ((0, 1, 1),)), snapshot(), None)
        (again,) = await issue(store, session_id, 1)
        assert again.counts
        await store.answer(session_id, [reward(again, 0.31)])
        await store.fold(session_id)
        assert len((await store.planning_input(session_id)).health) == 1

    async def test_the_stochastic_model_may_give_any_values(self, store: SessionStore) -> None:
        session_id = await a_session(store)
        given = await issue(store, session_id, 6)
        await store.answer(session_id, [reward(one, k % 2) for k, one in enumerate(given)])
        await store.fold(session_id)
        assert (await store.planning_input(session_id)).health == ()
