"""How long answers take: the numbers by bucket, their text, and advice on ticket_ttl_seconds."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from app.counting.delays import ENOUGH, ENOUGH_LOST, Delays, TtlAdvice, ttl_advice
from app.wire.session_settings import LONGEST_WAIT_SECONDS

TTL = 300.0
SOME = ENOUGH_LOST


def answers(clicks: Sequence[float], others: Sequence[float], ttl: float = TTL, lost: int = SOME) -> Delays:
    return Delays(lost=lost).add([*clicks, *others], [1] * len(clicks) + [0] * len(others), ttl)


def of(clicks: float, others: float, ttl: float = TTL, slow: int = 0) -> Delays:
    """Answers of both kinds, all with the same delay by kind, but for some clicks that take just the time to live."""
    return answers([clicks] * (ENOUGH - slow) + [0.999 * ttl] * slow, [others] * ENOUGH, ttl)


class TestCounts:
    @pytest.mark.parametrize(
        ("part", "bucket"),
        [
            (-0.1, 0),
            (0, 0),
            (0.0156, 0),
            (1 / 64, 1),
            (0.7, 11),
            (0.708, 12),
            (0.9999, 12),
            (1, 13),
            (7.9, 18),
            (8, 19),
        ],
    )
    def test_two_buckets_for_a_factor_of_2_with_an_edge_at_the_time_to_live(self, part: float, bucket: int) -> None:
        for ttl in (300.0, 7.0, 86_400.0):
            assert answers([part * ttl], [], ttl).clicks == (0,) * bucket + (1,)
        assert answers([1e9], []).clicks == (0,) * 19 + (1,)

    def test_clicks_and_others_are_added_apart(self) -> None:
        one = answers([1, 1, 290], [10])
        both = one.add(np.array([1.0, 400.0]), np.array([False, True]), TTL)
        assert (sum(one.clicks), sum(one.others)) == (3, 1)
        assert (sum(both.clicks), sum(both.others)) == (4, 2)
        assert both.clicks == (2, *(0,) * 11, 1, 1)
        assert Delays().add([], [], TTL) == Delays()

    def test_batches_do_not_matter(self) -> None:
        rng = np.random.default_rng(1)
        delays, clicked = rng.lognormal(2, 1.5, 3000), rng.binomial(1, 0.3, 3000)
        whole, parts = Delays().add(delays, clicked, TTL), Delays()
        for start in range(0, 3000, 50):
            parts = parts.add(delays[start : start + 50].tolist(), clicked[start : start + 50].tolist(), TTL)
        assert (parts.clicks, parts.others) == (whole.clicks, whole.others)

    def test_late_answers_replace_those_known_before(self) -> None:
        timely = answers([1, 290], [10])
        late = timely.with_late(answers([400], []))
        assert late.clicks == (1, *(0,) * 11, 1, 1)
        assert late.with_late(answers([400], [400, 700])) == answers([1, 290, 400], [10, 400, 700])
        assert late.with_late(Delays()) == timely

    def test_the_text(self) -> None:
        assert Delays().to_text() == ""
        assert Delays.from_text("") == Delays.from_text("{}") == Delays()
        assert answers([1, 20], []).to_text() == '{"clicks":[1,0,0,0,0,1],"others":[],"slowest":[null,null],"lost":10}'
        rng = np.random.default_rng(1)
        many = Delays().add(rng.lognormal(2, 1.5, 200_000), rng.binomial(1, 0.3, 200_000), TTL)
        assert Delays.from_text(many.to_text()) == many
        assert len(many.to_text()) < 300

    def test_a_newer_version_may_add_keys(self) -> None:
        assert Delays.from_text('{"clicks":[1],"more":3}') == Delays(clicks=(1,))


class TestQuantile:
    """Of each kind: the end of the bucket that one answer in 1,000 exceeds."""

    def test_one_in_1000_may_be_slower(self) -> None:
        assert of(1, 20, slow=1).slowest == (0, 5)
        assert of(1, 20, slow=2).slowest == (12, 5)

    def test_it_needs_enough_answers_of_the_kind(self) -> None:
        assert answers([1] * (ENOUGH - 1), [20] * ENOUGH).slowest == (None, 5)

    def test_it_is_measured_when_the_number_has_doubled(self) -> None:
        delays = of(1, 1)
        for _ in range(ENOUGH - 1):
            delays = delays.add([290.0], [1], TTL)
            assert delays.slowest == (0, 0)
        assert delays.add([290.0], [1], TTL).slowest == (12, 0)

    def test_the_advice_changes_rarely(self) -> None:
        """Delays whose quantile is at the end of a bucket."""
        rng = np.random.default_rng(2)
        delays, seen = Delays(lost=SOME), []
        for _ in range(2000):
            delays = delays.add(rng.exponential(TTL / 8 / np.log(1000), 50), rng.binomial(1, 0.5, 50), TTL)
            seen.append(ttl_advice(delays, TTL))
        assert sum(one != other for one, other in pairwise(seen)) <= 12, "two kinds, six doublings"


class TestAdvice:
    @pytest.mark.parametrize(
        ("clicks", "others", "seconds", "quantile"),
        [(1, 1, 30, 4.6875), (1, 9, 30, 9.375), (10, 1, 60, 13.258), (20, 20, 90, 26.517)],
    )
    def test_shorter(self, clicks: float, others: float, seconds: int, quantile: float) -> None:
        found = ttl_advice(of(clicks, others), TTL)
        assert found == TtlAdvice(seconds, False, pytest.approx(quantile, abs=0.001), clicks >= others)  # type: ignore[arg-type]

    @pytest.mark.parametrize("slower", [30, 60, 200])
    def test_no_advice_unless_both_kinds_are_much_faster(self, slower: float) -> None:
        assert ttl_advice(of(1, slower), TTL) is None
        assert ttl_advice(of(slower, 1), TTL) is None

    def test_shorter_only_if_both_kinds_are_known(self) -> None:
        assert ttl_advice(answers([1] * ENOUGH, [1] * (ENOUGH - 1)), TTL) is None
        assert ttl_advice(answers([1] * (ENOUGH - 1), [1] * ENOUGH), TTL) is None

    def test_longer_if_one_kind_reaches_the_time_to_live(self) -> None:
        assert ttl_advice(of(1, 1, slow=2), TTL) == TtlAdvice(900, True, TTL, True)
        assert ttl_advice(of(1, 220), TTL) == TtlAdvice(900, True, TTL, False)
        assert ttl_advice(of(1, 210), TTL) is None
        alone = answers([250] * ENOUGH, [])
        assert ttl_advice(alone, TTL) == TtlAdvice(900, True, TTL, True), "the other kind need not be known"

    def test_late_answers_say_how_much_longer(self) -> None:
        late = of(1, 1).with_late(answers([500] * ENOUGH, []))
        assert ttl_advice(late, TTL) == TtlAdvice(1800, True, 2 * TTL, True)

    def test_both_kinds_together_would_hide_it(self) -> None:
        """Rare clicks that are slow: 5 in 1,000 of them, 5 in 100,000 of all answers."""
        rare = answers([1] * 995 + [299] * 5, [1] * 99_000)
        found = ttl_advice(rare, TTL)
        assert found is not None
        assert found.longer

    @pytest.mark.parametrize("delays", [of(1, 1), of(250, 250)])
    def test_any_time_to_live_fits_if_nothing_is_lost(self, delays: Delays) -> None:
        assert ttl_advice(delays, TTL) is not None
        assert ttl_advice(replace(delays, lost=SOME - 1), TTL) is None

    def test_limits(self) -> None:
        assert ttl_advice(of(1, 1, 60), 60) is None, "half a minute is short enough"
        assert ttl_advice(of(80, 1, 90), 90) == TtlAdvice(300, True, 90, True)
        month = float(LONGEST_WAIT_SECONDS)
        assert ttl_advice(of(0.9 * month, 1, month), month) is None, "there is no longer one"
        found = ttl_advice(of(0.9 * month, 1, month / 2), month / 2)
        assert found is not None
        assert found.seconds == LONGEST_WAIT_SECONDS

    @pytest.mark.parametrize("spread", [0.5, 1.0, 1.5])
    @pytest.mark.parametrize("median", [0.5, 3.0, 30.0, 300.0])
    def test_a_session_that_follows_the_advice_gets_no_other(self, median: float, spread: float) -> None:
        """Lognormal delays, silence half as fast as clicks; at most two steps, if the first cut off very much."""
        rng = np.random.default_rng(4)
        ttl = TTL
        for _ in range(4):
            delays, clicked = rng.lognormal(np.log(median), spread, 50_000), rng.binomial(1, 0.3, 50_000)
            delays = delays * (2 - clicked)
            found = ttl_advice(Delays(lost=SOME).add(delays, clicked, ttl), ttl)
            if found is None:
                break
            ttl = float(found.seconds)
        assert found is None
        late = np.mean(rng.lognormal(np.log(2 * median), spread, 200_000) > ttl)
        assert late < 0.001
