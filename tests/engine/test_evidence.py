"""Counts by pair and plan version, against a dictionary of counts."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.arrays import pair_index
from app.engine.evidence import Evidence, InvalidEvidence
from tests.engine.driver import evidence_from_rows

Row = tuple[int, int, int, int, float]
K = 4


def ints(*values: int) -> np.typing.NDArray[np.int64]:
    return np.array(values, dtype=np.int64)


@st.composite
def a_row(draw: st.DrawFn) -> Row:
    n = draw(st.integers(0, 1000))
    item = st.integers(0, K - 1)
    return draw(item), draw(item), draw(st.integers(1, 4)), n, float(draw(st.integers(0, n)))


rows_of_counts = st.lists(a_row(), max_size=25)


def reference(rows: list[Row], first: int = 1, last: int = 99) -> dict[tuple[int, int], tuple[int, float]]:
    """Returns counts by unordered pair, issued under versions first to last."""
    counts: dict[tuple[int, int], tuple[int, float]] = defaultdict(lambda: (0, 0.0))
    for i, j, version, n, s in rows:
        if first <= version <= last and n > 0:
            seen_n, seen_s = counts[min(i, j), max(i, j)]
            counts[min(i, j), max(i, j)] = seen_n + n, seen_s + s
    return dict(counts)


def totals(evidence: Evidence) -> dict[tuple[int, int], tuple[int, float]]:
    t = evidence.totals
    return {(int(i), int(j)): (int(n), float(s)) for i, j, n, s in zip(t.i, t.j, t.n, t.s, strict=True)}


def table(evidence: Evidence) -> list[tuple[float, ...]]:
    columns = evidence.i, evidence.j, evidence.version, evidence.n, evidence.s
    return [tuple(float(x) for x in row) for row in zip(*columns, strict=True)]


def test_counts_of_one_pair_in_either_order_are_added_by_version() -> None:
    evidence = evidence_from_rows(3, [(1, 0, 1, 10, 4.0), (0, 1, 1, 5, 5.0), (0, 1, 2, 1, 0.0), (2, 2, 1, 7, 6.0)])
    assert table(evidence) == [(0, 1, 1, 15, 9), (0, 1, 2, 1, 0), (2, 2, 1, 7, 6)]
    assert evidence.samples == 23
    assert totals(evidence) == {(0, 1): (16, 9.0), (2, 2): (7, 6.0)}
    assert evidence.distinct.n.tolist() == [16, 0, 0]  # the self pair is no pair to answer with
    assert evidence.distinct.s.tolist() == [9.0, 0.0, 0.0]
    assert evidence.distinct.mean(unseen=2.0).tolist() == [9 / 16, 2.0, 2.0]


def test_issued_takes_both_ends_of_the_range() -> None:
    evidence = evidence_from_rows(3, [(0, 1, version, 10**version, 0.0) for version in (1, 2, 3, 4)])
    assert evidence.issued(2, 3).samples == 1100
    assert evidence.issued(3).samples == 11000
    assert evidence.issued(1, 1).samples == 10
    assert evidence.issued(5).samples == 0
    assert evidence.samples == 11110  # the whole is untouched


def test_entries_answer_in_the_shape_asked_for() -> None:
    evidence = evidence_from_rows(3, [(0, 1, 1, 10, 4.0), (2, 2, 1, 7, 6.0)])
    n, s = evidence.entries(np.arange(3)[:, None], np.arange(3)[None, :])
    assert n.tolist() == [[0, 10, 0], [10, 0, 0], [0, 0, 7]]
    assert s.tolist() == [[0, 4, 0], [4, 0, 0], [0, 0, 6]]


def test_nothing_seen_is_zeros_everywhere() -> None:
    evidence = Evidence.empty(3)
    n, s = evidence.entries(ints(0, 2), ints(1, 2))
    assert (evidence.samples, n.tolist(), s.tolist()) == (0, [0, 0], [0.0, 0.0])
    assert evidence.distinct.n.tolist() == [0, 0, 0]
    assert table(evidence_from_rows(3, [])) == []
    assert table(evidence.add(ints(), ints(), 1, ints(), np.zeros(0))) == []


def test_arrays_passed_in_are_not_changed() -> None:
    i, j, n, s = ints(2, 0), ints(1, 1), ints(3, 4), np.array([1.0, 2.0])
    before = evidence_from_rows(3, [(0, 1, 1, 1, 1.0)])
    before.add(i, j, 1, n, s)
    assert (i.tolist(), j.tolist(), n.tolist(), s.tolist()) == ([2, 0], [1, 1], [3, 4], [1.0, 2.0])
    assert table(before) == [(0, 1, 1, 1, 1)]


@given(rows_of_counts)
def test_totals_entries_and_dense_counts_equal_the_dictionary(rows: list[Row]) -> None:
    evidence = evidence_from_rows(K, rows)
    expected = reference(rows)
    assert totals(evidence) == expected
    assert evidence.samples == sum(n for n, _ in expected.values())
    i, j = np.meshgrid(np.arange(K), np.arange(K), indexing="ij")
    n, s = evidence.entries(i, j)
    dense = evidence.distinct
    for a in range(K):
        for b in range(K):
            wanted = expected.get((min(a, b), max(a, b)), (0, 0.0))
            assert (n[a, b], s[a, b]) == wanted
            if a < b:
                at = int(pair_index(ints(a), ints(b), K)[0])
                assert (dense.n[at], dense.s[at]) == wanted


@given(rows_of_counts, st.integers(1, 4), st.integers(1, 4))
def test_issued_equals_the_dictionary_of_those_versions(rows: list[Row], first: int, last: int) -> None:
    evidence = evidence_from_rows(K, rows)
    assert totals(evidence.issued(first, last)) == reference(rows, first, last)
    assert totals(evidence.issued(first)) == reference(rows, first)


@given(rows_of_counts, st.randoms(use_true_random=False), st.integers(0, 25))
def test_order_and_grouping_of_additions_do_not_matter(rows: list[Row], chance: object, cut: int) -> None:
    shuffled = list(rows)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    in_two = evidence_from_rows(K, shuffled[:cut])
    rest = np.array(shuffled[cut:], dtype=np.float64).reshape(-1, 5)
    i, j, version, n = rest[:, :4].astype(np.int64).T
    assert table(in_two.add(j, i, version, n, rest[:, 4])) == table(evidence_from_rows(K, rows))


@given(rows_of_counts)
def test_rows_are_unique_and_sorted(rows: list[Row]) -> None:
    evidence = evidence_from_rows(K, rows)
    keys = [row[:3] for row in table(evidence)]
    assert keys == sorted(set(keys))
    assert np.all(evidence.n > 0)
    assert np.all(evidence.i <= evidence.j)


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ((0, 1, 1, 3, 4.0), "0 <= s <= n"),
        ((0, 1, 1, 3, -1.0), "0 <= s <= n"),
        ((0, 1, 1, 3, float("nan")), "0 <= s <= n"),
        ((0, 1, 1, -1, -1.0), "0 <= s <= n"),
        ((0, 1, 1, 0, 1.0), "0 <= s <= n"),
        ((0, 3, 1, 3, 1.0), "0 to 2"),
        ((-1, 1, 1, 3, 1.0), "0 to 2"),
        ((0, 1, 0, 3, 1.0), "start at 1"),
    ],
)
def test_impossible_counts_are_refused(row: Row, says: str) -> None:
    with pytest.raises(InvalidEvidence, match=says):
        evidence_from_rows(3, [(0, 1, 1, 5, 2.0), row])


def test_arrays_of_different_lengths_are_refused() -> None:
    with pytest.raises(InvalidEvidence, match="same length"):
        Evidence.empty(3).add(ints(0), ints(1), 1, ints(1, 2), np.zeros(1))


def test_every_click_is_on_an_item() -> None:
    i, j, n, s = np.array([0]), np.array([1]), np.array([10]), np.array([4.0])
    with pytest.raises(InvalidEvidence, match="on i, on j, or on both"):
        Evidence.empty(2).add(i, j, 1, n, s, (np.array([3]), np.array([2])))
    together = Evidence.empty(2).add(i, j, 1, n, s, (np.array([3]), np.array([4]))).together
    assert together.both.tolist() == [1]
    Evidence.empty(2).add(i, j, 1, n, s, (np.array([0]), np.array([0])))  # answers that tell of the pair only
