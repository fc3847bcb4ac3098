"""The fold: hand-made histories first, then a reference written another way, then the chain of digests."""

import random
import struct
from functools import partial
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.counting.chain import chain_start
from app.counting.rules import Fold, count, covered
from app.counting.rules import fold as fold_from
from app.database.heartbeat import Uptime
from app.database.watch import ClockStep
from app.impressions.feedback import StoredImpression
from app.sessions.creation import settle
from app.sessions.model import Settings
from app.wire.vocabulary import MissingFeedback
from tests.session_fixtures import MakeSettings, items, new_session

ALWAYS_UP = [Uptime(0.0, 1e12)]
START = (0, chain_start("s1"))
fold = partial(fold_from, start=START)


def shown(
    sequence: int,
    outcome: float | None,
    pair: tuple[int, int] = (0, 1),
    at: float = 0.0,
    version: int = 1,
    clicked: int | None = None,
    *,
    not_shown: bool = False,
    counts: bool = True,
) -> StoredImpression:
    answered_at = at + 0.5 if outcome is not None or not_shown else None
    return StoredImpression(
        sequence, *pair, version, counts, at, outcome, clicked, answered_at, not_shown, given_up=False, void=not_shown
    )


def settled(history: list[StoredImpression], folded: Fold) -> tuple[list[int], list[int]]:
    """Returns the sequences that were counted, and those that are void."""
    passed = [one for one in history if one.sequence <= folded.watermark]
    void = [one.sequence for one in passed if one.void or one.sequence in folded.void]
    return [one.sequence for one in passed if one.sequence not in void], void


def test_an_open_impression_holds_back_all_that_come_after_it(make_settings: MakeSettings) -> None:
    history = [shown(1, 1.0), shown(2, None), shown(3, 0.0), shown(4, 0.0, (0, 2)), shown(5, 1.0, (2, 0))]
    folded = fold(history, make_settings(), now=1.0, uptimes=ALWAYS_UP)
    assert (folded.watermark, folded.n_counted, folded.n_void, folded.n_answered) == (1, 1, 0, 1)
    rest = fold_from(
        [history[1]._replace(outcome=0.0), *history[2:]],
        make_settings(),
        now=1.0,
        uptimes=ALWAYS_UP,
        start=(folded.watermark, folded.digest),
    )
    assert (rest.watermark, rest.n_counted) == (5, 4)
    assert list(zip(rest.evidence.i, rest.evidence.j, rest.evidence.n, rest.evidence.s, strict=True)) == [
        (0, 1, 2, 2.0),
        (0, 2, 2, 1.0),
    ]


def test_without_impressions_the_watermark_stays(make_settings: MakeSettings) -> None:
    folded = fold_from([], make_settings(), now=1.0, uptimes=ALWAYS_UP, start=(7, b"x"))
    assert (folded.watermark, folded.digest, folded.evidence.n) == (7, b"x", [])


def test_silence_is_given_up_after_the_ttl_and_holds_back_nothing_then(make_settings: MakeSettings) -> None:
    history = [shown(1, None, at=0.0), shown(2, 1.0, at=1.0)]
    settings = make_settings(ticket_ttl_seconds=300)
    assert fold(history, settings, now=299.9, uptimes=ALWAYS_UP).watermark == 0
    folded = fold(history, settings, now=300.0, uptimes=ALWAYS_UP)
    assert settled(history, folded) == ([2], [1])
    assert folded.given_up == [1]
    assert (folded.evidence.n, folded.evidence.unanswered) == ([1], [1])


def test_what_was_given_up_before_is_not_marked_again(make_settings: MakeSettings) -> None:
    """An earlier fold marked it, and then found an answer to another one and moved nothing."""
    marked = shown(1, None, at=5.0)._replace(given_up=True, void=True)
    folded = fold([marked, shown(2, 1.0)], make_settings(ticket_ttl_seconds=300), now=6.0, uptimes=ALWAYS_UP)
    assert (folded.watermark, folded.given_up, folded.void, folded.n_void) == (2, [], [], 1)
    assert sum(folded.evidence.unanswered) == 1


def test_unanswered_ones_are_counted_by_pair_and_plan_also_where_nothing_else_is(make_settings: MakeSettings) -> None:
    history = [shown(1, None, (2, 1)), shown(2, None, (1, 2), version=2), shown(3, None, (1, 2), version=2)]
    evidence = fold(history, make_settings(ticket_ttl_seconds=300), now=300.0, uptimes=ALWAYS_UP).evidence
    assert (evidence.i, evidence.j, evidence.version) == ([1, 1], [2, 2], [1, 2])
    assert (evidence.n, evidence.s, evidence.unanswered) == ([0, 0], [0.0, 0.0], [1, 2])


def test_not_shown_is_void_at_once_and_does_not_block(make_settings: MakeSettings) -> None:
    history = [shown(1, None, not_shown=True), shown(2, 0.0)]
    folded = fold(history, make_settings(), now=0.0, uptimes=ALWAYS_UP)
    assert settled(history, folded) == ([2], [1])
    assert (folded.given_up, folded.evidence.unanswered) == ([], [0]), "no user was asked"


def test_not_shown_of_version_0_1_0_is_marked_void_now(make_settings: MakeSettings) -> None:
    history = [shown(1, None, not_shown=True)._replace(void=False)]
    assert fold(history, make_settings(), now=0.0, uptimes=ALWAYS_UP).void == [1]


def test_with_a_window_even_a_click_waits_for_it_to_close(make_settings: MakeSettings) -> None:
    settings = make_settings(attribution_window_seconds=2)
    history = [shown(1, 1.0), shown(2, None)]
    assert fold(history, settings, now=1.9, uptimes=ALWAYS_UP).watermark == 0
    folded = fold(history, settings, now=2.0, uptimes=ALWAYS_UP)
    assert settled(history, folded) == ([1, 2], [])
    assert folded.given_up == [2], "feedback that arrives now is late"
    assert (folded.evidence.n, folded.evidence.s) == ([2], [1.0]), "silence is a non-click with a window"


def test_window_with_void_silence(make_settings: MakeSettings) -> None:
    settings = make_settings(attribution_window_seconds=2, missing_feedback=MissingFeedback.VOID)
    history = [shown(1, 1.0), shown(2, None)]
    folded = fold(history, settings, now=2.0, uptimes=ALWAYS_UP)
    assert settled(history, folded) == ([1], [2])
    assert folded.evidence.unanswered == [1]


@pytest.mark.parametrize("outcome", [None, 1.0])
def test_outage_in_the_window_voids_whatever_arrived(outcome: float | None, make_settings: MakeSettings) -> None:
    settings = make_settings(attribution_window_seconds=2)
    down_from_1_to_2 = [Uptime(0.0, 11.0), Uptime(12.0, 20.0)]
    history = [shown(1, outcome, at=10.0)]
    folded = fold(history, settings, now=12.5, uptimes=down_from_1_to_2)
    assert settled(history, folded) == ([], [1])
    assert folded.evidence.unanswered == [], "silence would have been an answer"


def test_what_was_open_when_the_clock_was_set_is_void_with_a_window(make_settings: MakeSettings) -> None:
    settings = make_settings(attribution_window_seconds=2)
    history = [shown(1, 1.0, at=100.0), shown(2, None, at=100.0), shown(3, 1.0, at=5.0), shown(4, None, at=7.0)]
    folded = fold(history, settings, now=8.0, uptimes=ALWAYS_UP, step=ClockStep(2, at=4.0))
    assert settled(history, folded) == ([3], [1, 2]), "at once, although their windows end at 102"
    assert sum(folded.evidence.unanswered) == 0


def test_without_a_window_a_lifetime_begins_again_when_the_clock_is_set(make_settings: MakeSettings) -> None:
    """Giving up at once what is not answered yet would leave out slow answers, which may be mostly non-clicks."""
    history = [shown(1, None, at=1000.0), shown(2, 1.0, at=1000.0), shown(3, 0.0, at=5.0), shown(4, None, at=7.0)]
    settings = make_settings(ticket_ttl_seconds=300)
    rules = partial(fold, history, settings, uptimes=ALWAYS_UP, step=ClockStep(2, at=4.0))
    assert rules(now=303.9).watermark == 0, "the first one holds back the others, as always"
    assert settled(history, rules(now=304.0)) == ([2, 3], [1]), "a lifetime of 300 s after the step"


def test_another_process_covers_the_gap(make_settings: MakeSettings) -> None:
    settings = make_settings(attribution_window_seconds=2)
    ups = [Uptime(12.0, 20.0), Uptime(0.0, 11.0), Uptime(9.0, 12.5)]
    assert fold([shown(1, None, at=10.0)], settings, now=12.5, uptimes=ups).n_counted == 1


def test_repeats_hold_back_nothing_and_count_nothing(make_settings: MakeSettings) -> None:
    history = [shown(1, 0.3), shown(2, None, counts=False), shown(3, 0.4), shown(4, 0.3, counts=False)]
    folded = fold(history, make_settings(), now=0.0, uptimes=ALWAYS_UP)
    assert (folded.watermark, folded.n_counted, folded.n_answered, folded.given_up) == (4, 2, 2, [])


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


def test_delays_of_clicks_and_of_other_answers_are_kept_apart(make_settings: MakeSettings) -> None:
    history = [shown(1, 1.0), shown(2, 0.0), shown(3, None, not_shown=True), shown(4, 0.0)]
    folded = fold(history, make_settings(), now=0.0, uptimes=ALWAYS_UP)
    assert (folded.click_delays, folded.other_delays) == ([0.5], [0.5, 0.5])


def reference(history: list[StoredImpression], settings: Settings, now: float) -> tuple[list[int], list[int]]:
    """The definition, word for word, at quadratic cost: window 0 or more, service always up."""

    def final(one: StoredImpression) -> bool:
        if one.not_shown or now - one.issued_at >= settings.final_after_seconds:
            return True
        return settings.attribution_window_seconds == 0 and one.outcome is not None

    def is_void(one: StoredImpression) -> bool:
        silent = one.outcome is None and settings.missing_feedback is MissingFeedback.VOID
        return one.not_shown or silent

    passed = [one for one in history if all(final(other) for other in history if other.sequence <= one.sequence)]
    return (
        [one.sequence for one in passed if not is_void(one)],
        [one.sequence for one in passed if is_void(one)],
    )


def random_history(rng: random.Random) -> list[StoredImpression]:
    history = []
    for sequence in range(1, 25):
        not_shown = rng.random() < 0.1
        outcome = None if not_shown else rng.choice([None, 0.0, 1.0, 1.0, 0.0])
        pair = rng.choice([(0, 1), (1, 0), (1, 2)])
        version = 1 + sequence // 8
        history.append(shown(sequence, outcome, pair, at=sequence * 0.7, version=version, not_shown=not_shown))
    return history


@given(
    seed=st.integers(0, 10**6),
    window=st.sampled_from([0, 5]),
    missing=st.sampled_from(["void", "no_click"]),
    now=st.sampled_from([13.0, 20.0, 30.0]),
)
def test_fold_equals_the_reference(seed: int, window: int, missing: str, now: float) -> None:
    kind = MissingFeedback(missing) if window else MissingFeedback.VOID
    settings = settle(
        new_session(
            items=items(3), attribution_window_seconds=window, missing_feedback=kind, ticket_ttl_seconds=10, seed=1
        )
    )
    history = random_history(random.Random(seed))
    folded = fold(history, settings, now=now, uptimes=ALWAYS_UP)
    counted, void = reference(history, settings, now)
    assert settled(history, folded) == (counted, void)
    assert (folded.n_counted, folded.n_void) == (len(counted), len(void))
    passed = [one for one in history if one.sequence <= folded.watermark]
    silent = [one.sequence for one in passed if not one.not_shown and one.outcome is None]
    assert folded.given_up == silent
    assert sum(folded.evidence.unanswered) == (len(silent) if kind is MissingFeedback.VOID else 0)
    assert folded.n_answered == sum(one.outcome is not None for one in passed)
    marked = [one._replace(void=one.sequence in void) for one in passed]
    assert folded.evidence == count(marked, settings), "the counts follow from the marked rows"


@given(seed=st.integers(0, 10**6), cut=st.integers(0, 24))
def test_folding_in_two_parts_gives_the_same_as_folding_once(seed: int, cut: int) -> None:
    settings = settle(new_session(items=items(3), ticket_ttl_seconds=10, seed=1))
    history = random_history(random.Random(seed))
    whole = fold(history, settings, now=99.0, uptimes=ALWAYS_UP)
    first = fold(history[:cut], settings, now=99.0, uptimes=ALWAYS_UP)
    start = (first.watermark, first.digest)
    second = fold_from(history[cut:], settings, now=99.0, uptimes=ALWAYS_UP, start=start)
    assert (second.watermark, second.digest) == (whole.watermark, whole.digest)
    assert first.n_counted + second.n_counted == whole.n_counted


def test_the_chain_has_the_documented_layout(make_settings: MakeSettings) -> None:
    history = [
        shown(1, 1.0, (3, 1), at=10.25, version=2, clicked=2),
        shown(2, None, (0, 1), at=11.0, version=2),
        shown(3, None, (0, 1), at=12.0, version=3, not_shown=True),
        shown(4, 0.5, (1, 0), at=13.0, version=3, counts=False),
    ]
    folded = fold(history, make_settings(ticket_ttl_seconds=300), now=400.0, uptimes=ALWAYS_UP)
    rows = (
        (1, 3, 1, 2, 1 | 2 | 32, 2, 1.0, 10.25, 10.75),
        (2, 0, 1, 2, 1 | 8 | 16, 0, 0.0, 11.0, 0.0),
        (3, 0, 1, 3, 1 | 4 | 16, 0, 0.0, 12.0, 12.5),
        (4, 1, 0, 3, 0, 0, 0.0, 13.0, 0.0),
    )
    digest = sha256(b"s1").digest()
    for row in rows:
        digest = sha256(digest + struct.pack(">QIIIBBddd", *row)).digest()
    assert folded.digest == digest


@pytest.mark.parametrize(
    "change",
    [
        {"i": 2},
        {"j": 2},
        {"plan_version": 2},
        {"issued_at": 0.25},
        {"outcome": 0.0},
        {"clicked": 2},
        {"clicked": None},
        {"answered_at": 0.75},
        {"void": True},
        {"counts": False},
    ],
    ids=str,
)
def test_every_field_changes_the_digest(change: dict[str, float], make_settings: MakeSettings) -> None:
    one, settings = shown(1, 1.0, clicked=1), make_settings(feedback="items")
    changed = replace_fields(one, change)
    assert fold([one], settings, now=1.0, uptimes=[]).digest != fold([changed], settings, now=1.0, uptimes=[]).digest


def replace_fields(one: StoredImpression, change: dict[str, float]) -> StoredImpression:
    return StoredImpression(**{**one._asdict(), **change})
