"""Handing out a plan: fair, shuffled, the same for every process, never empty."""

import random
from collections import Counter
from typing import Any

import pytest

from app.engine.problem import Model
from app.errors import SessionStopped
from app.impressions import handout_order
from app.impressions.handout_order import (
    HANDOUTS,
    HandoutSequence,
    HandoutState,
    Impression,
    Purpose,
    is_exploit_ticket,
    is_out,
    times_handed_out,
)
from app.sessions.model import Session
from app.wire.vocabulary import MissingFeedback, State, WhileWaiting
from tests.session_fixtures import MakeRecord, MakeSettings

DEMAND = ((0, 1, 3), (0, 2, 1), (1, 3, 6))


def desk(record: Session, **changes: object) -> HandoutState:
    values = {"sequence": HandoutSequence(DEMAND, 7, 1), "best": (0, 1), "issued": 0, "void": 0, "next_sequence": 1}
    return HandoutState(record, **{"cursor": 0, **values, **changes})  # type: ignore[arg-type]


def purposes(given: list[Impression]) -> list[Purpose]:
    return [one.purpose for one in given]


def rng() -> random.Random:
    return random.Random(4)


def test_sequence_holds_the_demand_exactly_and_then_starts_again() -> None:
    sequence = HandoutSequence(DEMAND, 7, 1)
    once = sequence.pairs(0, sequence.total)
    assert Counter(once) == {(0, 1): 3, (0, 2): 1, (1, 3): 6}
    assert sequence.pairs(sequence.total, 5) == once[:5]
    assert sequence.pairs(3, 2 * sequence.total) == (once * 3)[3 : 3 + 2 * sequence.total]


def test_sequence_is_shuffled_by_seed_and_version() -> None:
    demand = tuple((0, j, 20) for j in range(1, 10))
    orders = {
        tuple(HandoutSequence(demand, seed, version).pairs(0, 180))
        for seed, version in [(1, 1), (1, 2), (2, 1), (1, 1)]
    }
    assert len(orders) == 3, "the same seed and version give the same order, others another one"
    first_half = Counter(pair for pair in HandoutSequence(demand, 1, 1)._chunk(0)[:90].tolist())
    assert len(first_half) == 9, "no pair waits for the end"


def test_long_demands_are_cut_into_fair_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handout_order, "CHUNK", 50)
    demand = ((0, 1, 170), (0, 2, 5), (1, 2, 331))
    sequence = HandoutSequence(demand, 3, 2)
    order = sequence.pairs(0, sequence.total)
    assert Counter(order) == {(0, 1): 170, (0, 2): 5, (1, 2): 331}
    assert [sequence.pairs(position, 1)[0] for position in range(sequence.total)] == order, "also across the chunks"
    early = Counter(order[:250])
    assert 70 <= early[0, 1] <= 100, "each part of the plan holds its share of every pair"


def test_impressions_count_and_are_noted(make_record: MakeRecord) -> None:
    at = desk(make_record(budget=None), next_sequence=41)
    given = at.hand_out(10, rng())
    assert Counter(tuple(sorted((one.i, one.j))) for one in given) == {(0, 1): 3, (0, 2): 1, (1, 3): 6}
    assert all(one.purpose is Purpose.EXPLORE and one.counts and one.plan_version == 1 for one in given)
    assert at.new == given
    assert (at.issued, at.cursor, at.next_sequence) == (10, 10, 51)
    assert len({one.ticket for one in given}) == 10


@pytest.mark.parametrize(
    ("while_waiting", "model", "times"),
    [
        (WhileWaiting.EXPLORE, Model.STOCHASTIC, HANDOUTS),
        (WhileWaiting.EXPLOIT, Model.STOCHASTIC, 1),
        (WhileWaiting.EXPLORE, Model.DETERMINISTIC, 1),
        (WhileWaiting.EXPLOIT, Model.DETERMINISTIC, 1),
    ],
)
def test_how_often_a_plan_is_handed_out(
    while_waiting: WhileWaiting, model: Model, times: int, make_settings: MakeSettings
) -> None:
    assert times_handed_out(while_waiting, model) == times
    settings = make_settings(while_waiting=while_waiting, model=model)
    assert [is_out(settings, cursor, 10) for cursor in (10 * times - 1, 10 * times)] == [False, True]


class TestExploreWhileWaiting:
    """A plan is handed out `HANDOUTS` times; until the next plan, callers get the best pair."""

    def test_overflow_hands_out_more_of_the_same_plan(self, make_record: MakeRecord) -> None:
        at = desk(make_record())
        assert all(one.counts for one in at.hand_out(25, rng()))
        assert at.issued == 25

    def test_every_pair_is_shown_equally_often_and_then_the_best_pair(self, make_record: MakeRecord) -> None:
        record = make_record()
        at = desk(record, best=(2, 3))
        given = at.hand_out(10 * HANDOUTS + 3, rng())
        explored, after = given[: 10 * HANDOUTS], given[10 * HANDOUTS :]
        shown = Counter((min(one.i, one.j), max(one.i, one.j)) for one in explored)
        assert shown == {(0, 1): 3 * HANDOUTS, (0, 2): HANDOUTS, (1, 3): 6 * HANDOUTS}
        assert all(one.purpose is Purpose.EXPLORE and one.counts for one in explored)
        assert at.new == explored
        assert purposes(after) == [Purpose.EXPLOIT] * 3
        assert {frozenset((one.i, one.j)) for one in after} == {frozenset((2, 3))}
        assert all(is_exploit_ticket(one.ticket, record.ticket_key, record.id) for one in after)
        assert (at.issued, at.cursor) == (10 * HANDOUTS, 10 * HANDOUTS)

    def test_a_session_that_was_further_when_there_was_no_limit_shows_the_best_pair(
        self, make_record: MakeRecord
    ) -> None:
        at = desk(make_record(), cursor=10 * HANDOUTS + 7)
        assert purposes(at.hand_out(2, rng())) == [Purpose.EXPLOIT] * 2

    @pytest.mark.parametrize("while_waiting", WhileWaiting)
    def test_explore_has_no_limit_where_nothing_is_known_before_a_window_closes(
        self, make_record: MakeRecord, while_waiting: WhileWaiting
    ) -> None:
        window: dict[str, Any] = {"attribution_window_seconds": 600.0, "missing_feedback": MissingFeedback.NO_CLICK}
        at = desk(make_record(while_waiting=while_waiting, **window))
        explored = purposes(at.hand_out(10 * HANDOUTS + 3, rng())).count(Purpose.EXPLORE)
        assert explored == (10 * HANDOUTS + 3 if while_waiting is WhileWaiting.EXPLORE else 10)

    def test_a_window_alone_does_not_lift_the_limit(self, make_record: MakeRecord) -> None:
        """All outcomes are reported, so plans use them before the window closes."""
        at = desk(make_record(attribution_window_seconds=600.0, missing_feedback=MissingFeedback.VOID))
        assert purposes(at.hand_out(10 * HANDOUTS + 3, rng())).count(Purpose.EXPLORE) == 10 * HANDOUTS

    def test_repeats_of_the_deterministic_model_have_no_limit(self, make_record: MakeRecord) -> None:
        at = desk(make_record(model=Model.DETERMINISTIC))
        given = at.hand_out(10 * HANDOUTS + 3, rng())
        assert set(purposes(given)) == {Purpose.EXPLORE}
        assert [one.counts for one in given] == [True] * 10 + [False] * (10 * HANDOUTS - 7)


def test_slots_are_random(make_record: MakeRecord) -> None:
    at = desk(make_record(), sequence=HandoutSequence(((0, 1, 400),), 7, 1))
    swapped = sum(one.i > one.j for one in at.hand_out(400, rng()))
    assert 140 < swapped < 260  # 6 standard deviations around a half


def test_budget_is_exact_and_a_batch_may_mix_purposes(make_record: MakeRecord) -> None:
    at = desk(make_record(budget=12), issued=10, void=3)
    assert purposes(at.hand_out(8, rng())) == [Purpose.EXPLORE] * 5 + [Purpose.EXPLOIT] * 3
    assert at.issued - at.void == 12


@pytest.mark.parametrize("changes", [{"state": State.PAUSED}, {"budget": 1}])
def test_paused_or_spent_sessions_exploit_without_a_row(changes: dict[str, Any], make_record: MakeRecord) -> None:
    record = make_record(**changes)
    at = desk(record, issued=1, best=(2, 3))
    (given,) = at.hand_out(1, rng())
    assert (given.purpose, given.counts, {given.i, given.j}) == (Purpose.EXPLOIT, False, {2, 3})
    assert at.new == []
    assert is_exploit_ticket(given.ticket, record.ticket_key, record.id)


def test_no_demand_means_exploit(make_record: MakeRecord) -> None:
    assert desk(make_record(), sequence=None).hand_out(1, rng())[0].purpose is Purpose.EXPLOIT


def test_explore_share(make_record: MakeRecord) -> None:
    at = desk(make_record(explore_share=0.25), sequence=HandoutSequence(((0, 1, 2000),), 7, 1))
    explored = sum(one.purpose is Purpose.EXPLORE for one in at.hand_out(2000, rng()))
    assert 380 < explored < 620  # 6 standard deviations around 500
    assert len(at.new) == explored


def test_stopped_sessions_refuse(make_record: MakeRecord) -> None:
    with pytest.raises(SessionStopped):
        desk(make_record(state=State.STOPPED)).hand_out(1, rng())


def test_deterministic_entries_are_asked_once_and_repeats_do_not_count(make_record: MakeRecord) -> None:
    demand = ((0, 0, 1), (0, 1, 1), (0, 2, 1))
    at = desk(make_record(model=Model.DETERMINISTIC), sequence=HandoutSequence(demand, 1, 1))
    given = at.hand_out(5, rng())
    assert [one.counts for one in given] == [True, True, True, False, False]
    assert len({frozenset((one.i, one.j)) for one in given[:3]}) == 3
    assert at.issued == 3
    assert [new.counts for new in at.new] == [True, True, True, False, False]


class TestExploitWhileWaiting:
    """A plan is handed out once; until the next plan, callers get the best pair."""

    @pytest.fixture
    def record(self, make_record: MakeRecord) -> Session:
        return make_record(while_waiting=WhileWaiting.EXPLOIT)

    def test_after_the_end_of_the_plan_the_best_pair_is_shown_without_a_row(self, record: Session) -> None:
        at = desk(record, best=(2, 3))
        assert purposes(at.hand_out(10, rng())) == [Purpose.EXPLORE] * 10
        after = at.hand_out(3, rng())
        assert purposes(after) == [Purpose.EXPLOIT] * 3
        assert {frozenset((one.i, one.j)) for one in after} == {frozenset((2, 3))}
        assert all(is_exploit_ticket(one.ticket, record.ticket_key, record.id) for one in after)
        assert (len(at.new), at.issued, at.cursor, at.next_sequence) == (10, 10, 10, 11)

    def test_one_batch_crosses_the_end_of_the_plan(self, record: Session) -> None:
        at = desk(record, cursor=7)
        given = at.hand_out(5, rng())
        assert purposes(given) == [Purpose.EXPLORE] * 3 + [Purpose.EXPLOIT] * 2
        rest = HandoutSequence(DEMAND, 7, 1).pairs(7, 3)
        assert [(min(one.i, one.j), max(one.i, one.j)) for one in given[:3]] == rest
        assert (at.new, at.cursor) == (given[:3], 10)

    @pytest.mark.parametrize(("budget", "explored"), [(8, 4), (30, 6)])
    def test_budget_and_end_of_plan_the_smaller_one_limits(
        self, make_record: MakeRecord, budget: int, explored: int
    ) -> None:
        at = desk(make_record(while_waiting=WhileWaiting.EXPLOIT, budget=budget), cursor=4, issued=5, void=1)
        given = at.hand_out(9, rng())
        assert purposes(given) == [Purpose.EXPLORE] * explored + [Purpose.EXPLOIT] * (9 - explored)

    def test_a_plan_is_handed_out_once_with_a_share_of_exploration_too(self, make_record: MakeRecord) -> None:
        at = desk(make_record(while_waiting=WhileWaiting.EXPLOIT, explore_share=0.5))
        given = purposes(at.hand_out(200, rng()))
        assert given.count(Purpose.EXPLORE) == 10, "the whole plan, and no more"
        assert Purpose.EXPLOIT in given[:10], "the share applies while the plan lasts"
        assert (at.issued, at.cursor, len(at.new)) == (10, 10, 10)

    def test_budget_and_share_together(self, make_record: MakeRecord) -> None:
        at = desk(make_record(while_waiting=WhileWaiting.EXPLOIT, explore_share=0.5, budget=4))
        assert purposes(at.hand_out(200, rng())).count(Purpose.EXPLORE) == 4

    def test_no_entry_of_the_deterministic_model_is_shown_twice(self, make_record: MakeRecord) -> None:
        demand = ((0, 0, 1), (0, 1, 1), (0, 2, 1))
        record = make_record(while_waiting=WhileWaiting.EXPLOIT, model=Model.DETERMINISTIC)
        at = desk(record, sequence=HandoutSequence(demand, 1, 1))
        assert purposes(at.hand_out(5, rng())) == [Purpose.EXPLORE] * 3 + [Purpose.EXPLOIT] * 2
        assert all(one.counts for one in at.new)
