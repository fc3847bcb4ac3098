"""What a store counts, against a reference that knows only the rules: final, issue order, void left out."""

import asyncio
import random
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import pytest

from app.engine.problem import Model
from app.sessions.model import (
    Counters,
    EvidenceRows,
    Feedback,
    FeedbackKind,
    FeedbackStatus,
    HandedOut,
    MissingFeedback,
    SessionChange,
    State,
)
from app.storage.store import SqlStore
from tests.examples import a_session, execute, exported, issue, let_time_pass, order, plan, reward, snapshot

Cell = tuple[int, int, int]
Sums = dict[Cell, tuple[int, float, int, int, int]]


@dataclass
class Shown:
    """One impression as the reference knows it."""

    one: HandedOut
    issued: float
    answer: Feedback | None = None


class Reference:
    """An ad server's diary, and what should count according to it. Its clock moves only when told."""

    def __init__(self, window: float, ttl: float, silence: MissingFeedback) -> None:
        self.clock = 0.0
        self.diary: list[Shown] = []
        self._window, self._lives, self._silence = window, window or ttl, silence
        self._settled: dict[str, str] = {}  # ticket: counted or void, as of the last fold
        self._by_ticket: dict[str, Shown] = {}

    def note(self, given: list[HandedOut]) -> None:
        for one in given:
            self.diary.append(Shown(one, self.clock))
            self._by_ticket[one.ticket] = self.diary[-1]

    def expected_status(self, feedback: Feedback) -> FeedbackStatus | None:
        """Returns what a first answer must get and remembers it; None where an earlier one decides."""
        shown = self._by_ticket[feedback.ticket]
        if shown.answer is not None:
            return None
        if self.clock >= shown.issued + self._lives or shown.one.ticket in self._settled:
            return FeedbackStatus.LATE
        shown.answer = feedback
        return FeedbackStatus.ACCEPTED

    def fold(self) -> None:
        waiting: set[tuple[int, int]] = set()
        for shown in self.diary:
            ticket, pair = shown.one.ticket, self._pair(shown)
            if ticket in self._settled:
                continue
            if not self._final(shown):
                waiting.add(pair)
            elif self._void(shown):
                self._settled[ticket] = "void"
            elif pair not in waiting:
                self._settled[ticket] = "counted"

    def counters(self) -> Counters:
        kinds = list(self._settled.values())
        answered = [shown for shown in self.diary if shown.answer is not None and not shown.answer.not_shown]
        return Counters(len(self.diary), len(answered), kinds.count("void"), kinds.count("counted"))

    def evidence(self) -> Sums:
        sums: dict[Cell, list[float]] = defaultdict(lambda: [0, 0.0, 0, 0, 0])
        for shown in self.diary:
            pair = self._pair(shown)
            if self._settled.get(shown.one.ticket) == "void" and shown.answer is None:
                sums[*pair, shown.one.plan_version][4] += 1
            if self._settled.get(shown.one.ticket) != "counted":
                continue
            clicked = (shown.answer.clicked or frozenset()) if shown.answer else frozenset()
            value = 0.0 if shown.answer is None else shown.answer.reward
            cell = sums[*pair, shown.one.plan_version]
            cell[0] += 1
            cell[1] += 1.0 - (float(bool(clicked)) if value is None else value)
            cell[2] += pair[0] in clicked
            cell[3] += pair[1] in clicked
        return {cell: (int(n), s, int(a), int(b), int(u)) for cell, (n, s, a, b, u) in sums.items()}

    def closed_before(self, version: int) -> int:
        """Returns the first version that something is out of; the present one if nothing is."""
        out = [shown.one.plan_version for shown in self.diary if shown.one.ticket not in self._settled]
        return min(out, default=version)

    def _pair(self, shown: Shown) -> tuple[int, int]:
        return min(shown.one.i, shown.one.j), max(shown.one.i, shown.one.j)

    def _final(self, shown: Shown) -> bool:
        if shown.answer is not None and (shown.answer.not_shown or not self._window):
            return True
        return self.clock >= shown.issued + self._lives

    def _void(self, shown: Shown) -> bool:
        if shown.answer is None:
            return self._silence is MissingFeedback.VOID
        return shown.answer.not_shown


def sums_of(rows: EvidenceRows) -> Sums:
    cells = zip(rows.i, rows.j, rows.version, strict=True)
    counts = zip(rows.n, rows.s, rows.clicks_i, rows.clicks_j, rows.unanswered, strict=True)
    return dict(zip(cells, counts, strict=True))


async def recount(store: SqlStore, session_id: str) -> tuple[Counters, Sums]:
    """Returns counters and evidence rebuilt from the exported impressions alone."""
    rows = [row for row in await exported(store, session_id, "impression") if row["counts"]]
    counted = [row for row in rows if row["epoch"] is not None and not row["void"]]
    sums: dict[Cell, list[float]] = defaultdict(lambda: [0, 0.0, 0, 0, 0])
    for row in rows:
        low, high = sorted((row["i"], row["j"]))
        if row["void"] and row["outcome"] is None and not row["not_shown"]:
            sums[low, high, row["plan_version"]][4] += 1
    for row in counted:
        bits = row["clicked"] or 0
        by_item = {row["i"]: bits & 1, row["j"]: bits >> 1}
        low, high = sorted((row["i"], row["j"]))
        cell = sums[low, high, row["plan_version"]]
        for place, value in enumerate((1, 1.0 - (row["outcome"] or 0.0), by_item[low], by_item[high])):
            cell[place] += value
    counters = Counters(
        issued=len(rows),
        answered=sum(row["outcome"] is not None for row in rows),
        void=sum(row["void"] for row in rows),
        counted=len(counted),
    )
    return counters, {cell: (int(n), s, int(a), int(b), int(u)) for cell, (n, s, a, b, u) in sums.items()}


HISTORIES: list[dict[str, Any]] = [
    {"missing_feedback": MissingFeedback.VOID},
    {"missing_feedback": MissingFeedback.NO_CLICK},
    {"missing_feedback": MissingFeedback.NO_CLICK, "attribution_window_seconds": 60.0},
    {"missing_feedback": MissingFeedback.VOID, "attribution_window_seconds": 60.0, "feedback": FeedbackKind.ITEMS},
]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("history", HISTORIES, ids=["lost", "silent", "window", "items"])
async def test_random_histories_count_as_the_reference_says(
    store: SqlStore, database_url: str, history: dict[str, Any], seed: int
) -> None:
    rng = random.Random(seed)
    demand = ((0, 1, 4), (0, 2, 3), (1, 2, 2))
    session_id = await a_session(store, demand=demand, ticket_ttl_seconds=90.0, **history)
    reference = Reference(history.get("attribution_window_seconds", 0.0), 90.0, history["missing_feedback"])
    version = 1
    for _ in range(12):
        reference.note(await issue(store, session_id, rng.randrange(12)))
        told = [_answer(rng, shown.one, history) for shown in reference.diary if rng.random() < 0.3]
        rng.shuffle(told)
        expected = [reference.expected_status(feedback) for feedback in told]
        statuses = await store.answer(session_id, told)
        for status, wanted in zip(statuses, expected, strict=True):
            if wanted is FeedbackStatus.LATE:
                assert status is not FeedbackStatus.ACCEPTED  # late, or told late before
            elif wanted is not None:
                assert status is wanted
        passing = rng.choice([0.0, 7.0, 20.0, 50.0])
        let_time_pass(database_url, passing)
        reference.clock += passing
        if rng.random() < 0.7:
            reference.fold()
            assert await store.fold(session_id) == reference.counters()
        if rng.random() < 0.3:
            version += 1
            assert await store.add_plan(session_id, plan(version, demand), snapshot(), None)
        given = await store.planning_input(session_id)
        assert given.counters == reference.counters() == await store.counters(session_id)
        assert sums_of(given.evidence) == reference.evidence()
        assert given.closed_before == reference.closed_before(version)
    assert (given.counters, sums_of(given.evidence)) == await recount(store, session_id)
    assert given.counters.counted > 5


def _answer(rng: random.Random, one: HandedOut, history: dict[str, Any]) -> Feedback:
    if rng.random() < 0.1:
        return Feedback(one.ticket, not_shown=True)
    if history.get("feedback") is FeedbackKind.ITEMS:
        return Feedback(one.ticket, clicked=frozenset(item for item in (one.i, one.j) if rng.random() < 0.4))
    return reward(one, float(rng.random() < 0.4))


async def test_a_slow_answer_holds_back_its_pair_and_no_other(store: SqlStore) -> None:
    session_id = await a_session(store)
    given = await issue(store, session_id, 6)
    first = given[0]
    await store.answer(session_id, [reward(one, 1) for one in given[1:]])
    same = [one for one in given if {one.i, one.j} == {first.i, first.j}]
    assert (await store.fold(session_id)).counted == 6 - len(same)
    await store.answer(session_id, [reward(first, 0)])
    assert await store.fold(session_id) == Counters(issued=6, answered=6, void=0, counted=6)


async def test_a_fold_that_finds_nothing_changes_nothing(store: SqlStore) -> None:
    session_id = await a_session(store)
    (one,) = await issue(store, session_id, 1)
    assert (await store.fold(session_id)).counted == 0
    assert (await store.session(session_id)).epoch == 0
    await store.answer(session_id, [reward(one, 1)])
    await store.fold(session_id)
    await store.fold(session_id)
    assert (await store.session(session_id)).epoch == 1
    (row,) = await exported(store, session_id, "impression")
    assert row["epoch"] == 1


async def test_many_are_folded_in_parts_and_in_order(
    store: SqlStore, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.storage.folding.FOLDED_AT_ONCE", 7)
    session_id = await a_session(store)
    given = await issue(store, session_id, 60)
    await store.answer(session_id, [reward(one, k % 2) for k, one in enumerate(given) if k != 3])
    first = given[3]
    before = [one for one in given[:3] if {one.i, one.j} == {first.i, first.j}]
    held = [one for one in given[3:] if {one.i, one.j} == {first.i, first.j}]
    counters = await store.fold(session_id)
    assert counters == Counters(issued=60, answered=59, void=0, counted=60 - len(held))
    assert len(before) + len(held) > 1
    assert (counters, sums_of((await store.planning_input(session_id)).evidence)) == await recount(store, session_id)
    let_time_pass(database_url, 301)
    assert await store.fold(session_id) == Counters(issued=60, answered=59, void=1, counted=59)


async def test_a_fold_tells_for_how_long_nothing_will_be_final(store: SqlStore, database_url: str) -> None:
    session_id = await a_session(store, ticket_ttl_seconds=90.0)
    await issue(store, session_id, 2)
    let_time_pass(database_url, 30)
    await issue(store, session_id, 2)
    assert 50 < (await store.fold(session_id)).quiet_seconds <= 60


async def test_a_stopped_session_still_counts_what_comes(store: SqlStore) -> None:
    session_id = await a_session(store)
    (one,) = await issue(store, session_id, 1)
    await store.change_session(session_id, SessionChange(state=State.STOPPED))
    await store.answer(session_id, [reward(one, 1)])
    assert (await store.fold(session_id)).counted == 1


class TestOutages:
    """With a window, impressions whose window no process saw entirely prove nothing, answered or not."""

    async def _session(self, store: SqlStore) -> tuple[str, list[HandedOut]]:
        session_id = await a_session(
            store, attribution_window_seconds=60.0, missing_feedback=MissingFeedback.NO_CLICK, demand=((0, 1, 9),)
        )
        given = await issue(store, session_id, 4)
        await store.answer(session_id, [reward(given[0], 1)])
        return session_id, given

    async def test_without_one_all_counts(self, store: SqlStore, database_url: str) -> None:
        session_id, _ = await self._session(store)
        let_time_pass(database_url, 100)
        assert await store.fold(session_id) == Counters(issued=4, answered=1, void=0, counted=4)

    async def test_inside_the_window_all_are_void(self, store: SqlStore, database_url: str) -> None:
        session_id, _ = await self._session(store)
        let_time_pass(database_url, 100)
        execute(database_url, "UPDATE uptimes SET last_beat_at = began_at + 30")  # it broke off within the window
        assert await store.fold(session_id) == Counters(issued=4, answered=1, void=4, counted=0)
        assert (await store.planning_input(session_id)).evidence.n == []

    async def test_another_process_may_have_been_up(self, store: SqlStore, database_url: str) -> None:
        session_id, _ = await self._session(store)
        let_time_pass(database_url, 100)
        began = execute(database_url, "SELECT min(began_at) FROM uptimes")[0][0]
        execute(database_url, "UPDATE uptimes SET last_beat_at = began_at + 30")
        execute(database_url, "INSERT INTO uptimes VALUES ('other', :a, :b)", {"a": began + 20, "b": began + 90})
        assert (await store.fold(session_id)).counted == 4

    async def test_a_restart_is_an_outage(self, database_url: str) -> None:
        before = SqlStore(database_url)
        await before.start()
        session_id, _ = await self._session(before)
        await before.close()
        execute(database_url, "UPDATE uptimes SET began_at = began_at - 40, last_beat_at = last_beat_at - 40")
        execute(database_url, "UPDATE impressions SET issued_at = issued_at - 40")
        after = SqlStore(database_url)
        await after.start()
        let_time_pass(database_url, 30)
        execute(database_url, "UPDATE uptimes SET last_beat_at = last_beat_at - 30 WHERE last_beat_at - began_at < 1")
        assert (await after.fold(session_id)).void == 4
        await after.close()


class TestDeterministic:
    async def _session(self, store: SqlStore) -> tuple[str, list[HandedOut]]:
        session_id = await a_session(store, model=Model.DETERMINISTIC, demand=((0, 1, 1),))
        return session_id, await issue(store, session_id, 3)

    async def test_equal_values_are_healthy(self, store: SqlStore) -> None:
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
        self, store: SqlStore, order_of_answers: tuple[int, int], *, in_between: bool
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

    async def test_a_later_plan_may_contradict_the_evidence(self, store: SqlStore) -> None:
        session_id, given = await self._session(store)
        await store.answer(session_id, [reward(given[0], 0.3)])
        await store.fold(session_id)
        assert await store.add_plan(session_id, plan(2, ((0, 1, 1),)), snapshot(), None)
        (again,) = await issue(store, session_id, 1)
        assert again.counts
        await store.answer(session_id, [reward(again, 0.31)])
        await store.fold(session_id)
        assert len((await store.planning_input(session_id)).health) == 1

    async def test_the_stochastic_model_may_give_any_values(self, store: SqlStore) -> None:
        session_id = await a_session(store)
        given = await issue(store, session_id, 6)
        await store.answer(session_id, [reward(one, k % 2) for k, one in enumerate(given)])
        await store.fold(session_id)
        assert (await store.planning_input(session_id)).health == ()


async def test_folds_and_answers_at_once_count_everything_once(store: SqlStore) -> None:
    session_id = await a_session(store, demand=((0, 1, 50), (0, 2, 50)))

    async def caller(number: int) -> None:
        (one,) = await store.issue(session_id, order())
        if number % 10 == 0:
            await store.fold(session_id)
        assert await store.answer(session_id, [reward(one, number % 2)]) == [FeedbackStatus.ACCEPTED]

    await asyncio.gather(*(caller(number) for number in range(100)))
    assert await store.fold(session_id) == Counters(issued=100, answered=100, void=0, counted=100)
    counters, sums = await recount(store, session_id)
    assert counters.counted == 100
    assert sums == sums_of((await store.planning_input(session_id)).evidence)
