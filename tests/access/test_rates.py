"""Rates as they are written, and the allowance that counts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.access.rates import Allowance, InvalidRate, Rate, parse_rate


@pytest.mark.parametrize("text", ["1000/second", "5/minute", "7/hour", "999999999/day"])
def test_a_rate_is_written_as_it_is_read(text: str) -> None:
    assert str(parse_rate(text)) == text


def test_none_is_no_rate() -> None:
    assert parse_rate("none") is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "5",
        "0/second",
        "-5/second",
        "5/fortnight",
        "5 / second",
        "1e3/second",
        "\u0665/second",
        "5/second\n",
        "1" * 99,
    ],
)
def test_a_bad_rate_says_how_to_write_one(text: str) -> None:
    with pytest.raises(InvalidRate, match="must look like 1000/second") as refused:
        parse_rate(text)
    assert str(refused.value).endswith(f'got "{ascii(text)[1:-1][:40]}"')


def test_a_window_allows_so_many_and_then_none_until_it_ends() -> None:
    allowance = Allowance(Rate(3, 60))
    assert [allowance.take(1, at) for at in (100.0, 110.0, 150.0, 159.9)] == [True, True, True, False]
    assert allowance.resets_in == 1, "159.9 to 160"
    assert allowance.take(1, 160.0), "a new window"
    assert allowance.left == 2


def test_what_is_refused_takes_nothing() -> None:
    allowance = Allowance(Rate(10, 1))
    assert allowance.take(7, 0.0)
    assert not allowance.take(4, 0.1)
    assert allowance.take(3, 0.2)
    assert allowance.left == 0


@given(st.lists(st.tuples(st.floats(0, 3), st.integers(1, 8)), max_size=60), st.integers(1, 12))
def test_no_window_ever_gives_more_than_its_rate(calls: list[tuple[float, int]], quota: int) -> None:
    allowance, now, windows = Allowance(Rate(quota, 1)), 0.0, list[tuple[float, int]]()
    for pause, cost in calls:
        now += pause
        if not windows or now >= windows[-1][0] + 1:
            windows.append((now, 0))
        if allowance.take(cost, now):
            windows[-1] = (windows[-1][0], windows[-1][1] + cost)
        assert 0 <= allowance.left <= quota
    assert all(given <= quota for _, given in windows)


def test_the_policy_names_quota_and_window() -> None:
    assert (
        Allowance(Rate(1000, 60)).fields() == b'ratelimit-policy: "key";q=1000;w=60\r\nratelimit: "key";r=1000;t=0\r\n'
    )


@pytest.mark.parametrize("now", [4004.948, 4007.422, 4009.896])
def test_rounding_adds_no_second_to_a_window(now: float) -> None:
    assert (now + 3600) - now > 3600, "or this shows nothing"
    allowance = Allowance(Rate(5, 3600))
    assert allowance.take(1, now)
    assert allowance.resets_in == 3600
    assert allowance.fields().endswith(b"r=4;t=3600\r\n")
