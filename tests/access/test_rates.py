"""Parsing of rates, and the rate limiter of one key."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.access.rates import InvalidRate, Rate, RateLimiter, parse_rate


@pytest.mark.parametrize("text", ["1000/second", "5/minute", "7/hour", "999999999/day"])
def test_a_parsed_rate_prints_as_it_was_written(text: str) -> None:
    assert str(parse_rate(text)) == text


def test_none_means_no_rate() -> None:
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


def test_a_window_allows_its_calls_and_then_none_until_it_ends() -> None:
    limiter = RateLimiter(Rate(3, 60))
    assert [limiter.consume(1, at) for at in (100.0, 110.0, 150.0, 159.9)] == [True, True, True, False]
    assert limiter.resets_in == 1, "159.9 to 160"
    assert limiter.consume(1, 160.0), "a new window"
    assert limiter.remaining == 2


def test_a_refused_call_consumes_nothing() -> None:
    limiter = RateLimiter(Rate(10, 1))
    assert limiter.consume(7, 0.0)
    assert not limiter.consume(4, 0.1)
    assert limiter.consume(3, 0.2)
    assert limiter.remaining == 0


@given(st.lists(st.tuples(st.floats(0, 3), st.integers(1, 8)), max_size=60), st.integers(1, 12))
def test_no_window_allows_more_than_its_rate(calls: list[tuple[float, int]], quota: int) -> None:
    limiter, now, windows = RateLimiter(Rate(quota, 1)), 0.0, list[tuple[float, int]]()
    for pause, cost in calls:
        now += pause
        if not windows or now >= windows[-1][0] + 1:
            windows.append((now, 0))
        if limiter.consume(cost, now):
            windows[-1] = (windows[-1][0], windows[-1][1] + cost)
        assert 0 <= limiter.remaining <= quota
    assert all(given <= quota for _, given in windows)


def test_the_headers_name_quota_and_window() -> None:
    assert (
        RateLimiter(Rate(1000, 60)).header_lines()
        == b'ratelimit-policy: "key";q=1000;w=60\r\nratelimit: "key";r=1000;t=0\r\n'
    )


@pytest.mark.parametrize("now", [4004.948, 4007.422, 4009.896])
def test_rounding_adds_no_second_to_a_window(now: float) -> None:
    assert (now + 3600) - now > 3600, "otherwise this test proves nothing"
    limiter = RateLimiter(Rate(5, 3600))
    assert limiter.consume(1, now)
    assert limiter.resets_in == 3600
    assert limiter.header_lines().endswith(b"r=4;t=3600\r\n")
