"""The outbox keeps every row until the service has acknowledged it."""

import threading

import pytest

from app.client.outbox import FeedbackBacklog, FeedClosed, Outbox
from app.wire.serving import LARGEST_BATCH, Feedback, FeedbackRowResult

ACCEPTED = FeedbackRowResult(status="accepted")


def row(n: int) -> Feedback:
    return Feedback(ticket=f"t{n}", reward=1)


def test_rows_stay_until_they_are_settled() -> None:
    outbox = Outbox(10)
    for n in range(3):
        outbox.add(row(n))
    assert outbox.next_rows() == outbox.next_rows() == [row(0), row(1), row(2)]
    refused = FeedbackRowResult(status="not_found", detail="no such ticket")
    assert outbox.settle([ACCEPTED, refused]) == [refused]
    assert outbox.next_rows() == [row(2)]
    assert outbox.statuses == {"accepted": 1, "not_found": 1}


def test_a_batch_is_not_larger_than_the_service_accepts() -> None:
    outbox = Outbox(10**6)
    for n in range(LARGEST_BATCH - 1):
        outbox.add(row(n))
    before = outbox.full_batch
    outbox.add_not_shown(["u", "v"])
    assert (before, outbox.full_batch) == (False, True)
    assert len(outbox.next_rows()) == LARGEST_BATCH
    assert outbox.next_rows()[-1] == Feedback(ticket="u", not_shown=True)


def test_a_full_outbox_refuses_outcomes_but_not_unshown_pairs() -> None:
    outbox = Outbox(1)
    outbox.add(row(0))
    with pytest.raises(FeedbackBacklog, match="1 outcomes wait"):
        outbox.add(row(1))
    outbox.add_not_shown(["u"])
    assert [each.ticket for each in outbox.seal()] == ["t0", "u"]
    assert outbox.seal() == (), "they are returned once"
    assert outbox.settle([ACCEPTED]) == [], "a response after that has nothing to settle"
    assert outbox.statuses == {}


def test_a_sealed_outbox_refuses_rows() -> None:
    outbox = Outbox(10)
    outbox.add(row(0))
    assert not outbox.sealed_empty()
    outbox.add(row(1))  # not sealed: it was not empty
    outbox.settle([ACCEPTED] * 2)
    assert outbox.sealed_empty()
    with pytest.raises(FeedClosed):
        outbox.add(row(2))


def test_no_row_of_several_threads_is_lost() -> None:
    outbox = Outbox(10**6)

    def report() -> None:
        for n in range(2000):
            outbox.add(row(n))

    threads = [threading.Thread(target=report) for _ in range(4)]
    for thread in threads:
        thread.start()
    settled = 0
    while settled < 8000:
        settled += len(rows := outbox.next_rows())
        outbox.settle([ACCEPTED] * len(rows))
    for thread in threads:
        thread.join()
    assert outbox.statuses["accepted"] == 8000
