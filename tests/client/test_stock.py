"""The stock follows the traffic, and expired pairs are not shown."""

from app.client.stock import FIRST_TARGET, Stock
from app.wire.serving import Impression


def pairs(n: int, first: int = 0) -> list[Impression]:
    return [
        Impression(ticket=f"t{k}", i=0, j=1, items=["a", "b"], purpose="explore", counts=True, plan_version=1)
        for k in range(first, first + n)
    ]


def tickets(found: list[Impression]) -> list[str]:
    return [pair.ticket for pair in found]


def test_take_returns_the_oldest_pair_and_none_when_empty() -> None:
    stock = Stock(100, 10)
    stock.put(pairs(2), 0)
    taken = [stock.take(1), stock.take(1), stock.take(1)]
    assert [pair and pair.ticket for pair in taken] == ["t0", "t1", None]


def test_pairs_are_fetched_when_half_of_the_target_is_left() -> None:
    stock = Stock(100, 10)
    assert stock.wanted() == FIRST_TARGET
    stock.put(pairs(FIRST_TARGET), 0)
    for _ in range(FIRST_TARGET // 2 - 1):
        stock.take(0)
        assert stock.wanted() == 0
    stock.take(0)
    assert stock.wanted() == FIRST_TARGET // 2


def test_the_target_doubles_each_time_the_stock_is_empty_up_to_the_maximum() -> None:
    stock = Stock(20, 10)
    stock.take(0)
    stock.take(0)  # a second call that found nothing does not double it again
    assert stock.wanted() == 2 * FIRST_TARGET
    stock.take(0)
    assert stock.wanted() == 20
    stock.take(0)
    assert stock.wanted() == 20


def test_expired_pairs_are_returned_and_fewer_are_fetched() -> None:
    stock = Stock(100, 10)
    stock.put(pairs(3), 0)
    stock.put(pairs(3, first=3), 5)
    assert stock.expired(9.9) == []
    fresh = stock.take(10)
    assert fresh is not None
    assert fresh.ticket == "t3"
    assert tickets(stock.expired(10)) == ["t0", "t1", "t2"]
    assert stock.expired(10) == [], "each is returned once"
    assert stock.wanted() == FIRST_TARGET // 2 - 2
    assert tickets(stock.empty()) == ["t4", "t5"]


def test_without_traffic_fetching_stops_and_one_call_starts_it_again() -> None:
    stock = Stock(100, 10)
    for now in range(0, 100, 10):
        stock.put(pairs(stock.wanted()), now)
        stock.expired(now + 10)
    assert stock.wanted() == 0
    assert stock.take(200) is None
    assert stock.wanted() == 1
