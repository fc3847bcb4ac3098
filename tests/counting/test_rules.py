"""The fold: hand-made histories first, then a reference written another way, then the reason for it all."""

import random
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.counting.rules import covered, fold
from app.database.heartbeat import Uptime
from app.database.watch import ClockStep
from app.impressions.feedback import StoredImpression
from app.sessions.model import Settings
from app.wire.vocabulary import MissingFeedback
from tests.session_fixtures import MakeSettings, items

ALWAYS_UP = [Uptime(0.0, 1e12)]


def shown(
    sequence: int,
    outcome: float | None,
    pair: tuple[int, int] = (0, 1),
    at: float = 0.0,
    version: int = 1,
    clicked: int | None = None,
    not_shown: bool = False,
) -> StoredImpression:
    return StoredImpression(sequence, *pair, version, at, outcome, clicked, not_shown)


def test_answered_prefix_counts_and_an_open_one_blocks_its_pair_only(make_settings: MakeSettings) -> None:
    history = [shown(1, 1.0), shown(2, None), shown(3, 0.0), shown(4, 0.0, (0, 2)), shown(5, 1.0, (2, 0))]
    folded = fold(history, make_settings(), now=1.0, uptimes=ALWAYS_UP)
    assert folded.counted == [1, 4, 5]
    assert folded.void == []
    assert list(zip(folded.evidence.i, folded.evidence.j, folded.evidence.n, folded.evidence.s, strict=True)) == [
        (0, 1, 1, 0.0),
        (0, 2, 2, 1.0),
    ]


def test_silence_is_void_after_the_ttl_and_unblocks_the_pair(make_settings: MakeSettings) -> None:
    history = [shown(1, None, at=0.0), shown(2, 1.0, at=1.0)]
    assert fold(history, make_settings(), now=299.9, uptimes=ALWAYS_UP).counted == []
    folded = fold(history, make_settings(), now=300.0, uptimes=ALWAYS_UP)
    assert (folded.counted, folded.void) == ([2], [1])
    assert (folded.evidence.n, folded.evidence.unanswered) == ([1], [1])


def test_unanswered_ones_are_counted_by_pair_and_plan_also_where_nothing_else_is(make_settings: MakeSettings) -> None:
    history = [shown(1, None, (2, 1)), shown(2, None, (1, 2), version=2), shown(3, None, (1, 2), version=2)]
    evidence = fold(history, make_settings(), now=300.0, uptimes=ALWAYS_UP).evidence
    assert (evidence.i, evidence.j, evidence.version) == ([1, 1], [2, 2], [1, 2])
    assert (evidence.n, evidence.s, evidence.unanswered) == ([0, 0], [0.0, 0.0], [1, 2])


def test_not_shown_is_void_at_once_and_does_not_block(make_settings: MakeSettings) -> None:
    folded = fold([shown(1, None, not_shown=True), shown(2, 0.0)], make_settings(), now=0.0, uptimes=ALWAYS_UP)
    assert (folded.counted, folded.void) == ([2], [1])
    assert folded.evidence.unanswered == [0], "nobody was asked"


def test_with_a_window_even_a_click_waits_for_it_to_close(make_settings: MakeSettings) -> None:
    settings = make_settings(attribution_window_seconds=2)
    history = [shown(1, 1.0), shown(2, None)]
    assert fold(history, settings, now=1.9, uptimes=ALWAYS_UP).counted == []
    folded = fold(history, settings, now=2.0, uptimes=ALWAYS_UP)
    assert folded.counted == [1, 2]
    assert (folded.evidence.n, folded.evidence.s) == ([2], [1.0]), "silence is a non-click with a window"


def test_window_with_void_silence(make_settings: MakeSettings) -> None:
    settings = make_settings(attribution_window_seconds=2, missing_feedback=MissingFeedback.VOID)
    folded = fold([shown(1, 1.0), shown(2, None)], settings, now=2.0, uptimes=ALWAYS_UP)
    assert (folded.counted, folded.void) == ([1], [2])
    assert folded.evidence.unanswered == [1]


@pytest.mark.parametrize("outcome", [None, 1.0])
def test_outage_in_the_window_voids_whatever_arrived(outcome: float | None, make_settings: MakeSettings) -> None:
    settings = make_settings(attribution_window_seconds=2)
    down_from_1_to_2 = [Uptime(0.0, 11.0), Uptime(12.0, 20.0)]
    folded = fold([shown(1, outcome, at=10.0)], settings, now=12.5, uptimes=down_from_1_to_2)
    assert (folded.counted, folded.void) == ([], [1])
    assert folded.evidence.unanswered == [], "silence would have been an answer"


def test_what_was_open_when_the_clock_was_set_is_void_with_a_window(make_settings: MakeSettings) -> None:
    settings = make_settings(attribution_window_seconds=2)
    history = [shown(1, 1.0, at=100.0), shown(2, None, at=100.0), shown(3, 1.0, at=5.0), shown(4, None, at=7.0)]
    folded = fold(history, settings, now=8.0, uptimes=ALWAYS_UP, step=ClockStep(2, at=4.0))
    assert (folded.counted, folded.void) == ([3], [1, 2]), "at once, although their windows end at 102"
    assert sum(folded.evidence.unanswered) == 0


def test_without_a_window_a_lifetime_begins_again_when_the_clock_is_set(make_settings: MakeSettings) -> None:
    """Giving up at once what is not answered yet would leave out slow answers, which may be mostly non-clicks."""
    history = [shown(1, None, at=1000.0), shown(2, 1.0, at=1000.0), shown(3, 0.0, at=5.0), shown(4, None, at=7.0)]
    rules = partial(fold, history, make_settings(), uptimes=ALWAYS_UP, step=ClockStep(2, at=4.0))
    before = rules(now=303.9)
    assert (before.counted, before.void) == ([], []), "the first one holds back its pair, as always"
    after = rules(now=304.0)
    assert (after.counted, after.void) == ([2, 3], [1]), "a lifetime of 300 s after the step"


def test_another_process_covers_the_gap(make_settings: MakeSettings) -> None:
    settings = make_settings(attribution_window_seconds=2)
    ups = [Uptime(12.0, 20.0), Uptime(0.0, 11.0), Uptime(9.0, 12.5)]
    assert fold([shown(1, None, at=10.0)], settings, now=12.5, uptimes=ups).counted == [1]


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=6), st.integers(0, 20), st.integers(0, 20))
def test_covered_against_points(stretches: list[tuple[int, int]], a: int, b: int) -> None:
    began, ended = min(a, b), max(a, b)
    ups = [Uptime(min(pair), max(pair)) for pair in stretches]
    points = [began + step / 4 for step in range(4 * (ended - began) + 1)]
    inside = all(any(up.began <= point <= up.ended for up in ups) for point in points)
    if began < ended:
        assert covered(began, ended, ups) == inside


def test_item_clicks_follow_the_item_not_the_slot(make_settings: MakeSettings) -> None:
    history = [shown(1, 1.0, (3, 1), clicked=1), shown(2, 1.0, (1, 3), clicked=1), shown(3, 1.0, (1, 3), clicked=3)]
    evidence = fold(history, make_settings(feedback="items"), now=0.0, uptimes=ALWAYS_UP).evidence
    assert (evidence.i, evidence.j, evidence.clicks_i, evidence.clicks_j) == ([1], [3], [2], [2])


def reference(history: list[StoredImpression], settings: Settings, now: float) -> tuple[list[int], list[int]]:
    """The definition, word for word, at quadratic cost: window 0 or more, service always up."""

    def final(one: StoredImpression) -> bool:
        if one.not_shown or now - one.issued_at >= settings.final_after_seconds:
            return True
        return settings.attribution_window_seconds == 0 and one.outcome is not None

    def is_void(one: StoredImpression) -> bool:
        silent = one.outcome is None and settings.missing_feedback is MissingFeedback.VOID
        return final(one) and (one.not_shown or silent)

    counted = [
        one.sequence
        for one in history
        if final(one)
        and not is_void(one)
        and all(
            final(other) for other in history if other.sequence < one.sequence and {other.i, other.j} == {one.i, one.j}
        )
    ]
    return counted, [one.sequence for one in history if is_void(one)]


@given(seed=st.integers(0, 10**6), window=st.sampled_from([0, 5]), missing=st.sampled_from(["void", "no_click"]))
def test_fold_equals_the_reference(seed: int, window: int, missing: str) -> None:
    from app.sessions.creation import settle  # noqa: PLC0415 - hypothesis forbids function fixtures
    from tests.session_fixtures import new_session  # noqa: PLC0415 - hypothesis forbids function fixtures

    kind = MissingFeedback(missing) if window else MissingFeedback.VOID
    settings = settle(
        new_session(
            items=items(3), attribution_window_seconds=window, missing_feedback=kind, ticket_ttl_seconds=10, seed=1
        )
    )
    rng = random.Random(seed)
    history = [
        shown(
            sequence,
            rng.choice([None, 0.0, 1.0]),
            rng.choice([(0, 1), (1, 0), (1, 2)]),
            at=sequence * 0.7,
            version=1 + sequence // 8,
            not_shown=rng.random() < 0.1,
        )
        for sequence in range(1, 25)
    ]
    history = [
        one if not one.not_shown else shown(one.sequence, None, (one.i, one.j), one.issued_at, not_shown=True)
        for one in history
    ]
    folded = fold(history, settings, now=20.0, uptimes=ALWAYS_UP)
    assert (folded.counted, folded.void) == reference(history, settings, now=20.0)
    assert sum(folded.evidence.n) == len(folded.counted)
    silent = {one.sequence for one in history if not one.not_shown and one.outcome is None}
    assert sum(folded.evidence.unanswered) == len(silent.intersection(folded.void))


def test_folding_twice_gives_the_same_as_folding_once(make_settings: MakeSettings) -> None:
    settings = make_settings(ticket_ttl_seconds=10)
    history = [shown(1, 1.0), shown(2, None), shown(3, 0.0)]
    first = fold(history, settings, now=5.0, uptimes=ALWAYS_UP)
    left = [one for one in history if one.sequence not in {*first.counted, *first.void}]
    second = fold(left, settings, now=11.0, uptimes=ALWAYS_UP)
    assert sorted(first.counted + second.counted) == [1, 3]
    assert second.void == [2]
