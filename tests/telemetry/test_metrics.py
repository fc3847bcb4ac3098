"""Counts of several processes: none is lost with a process that dies, none is there twice."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.telemetry.metrics import CELLS, METRICS, Cells, Kind, Meter, place, shared_file

PROCESS = """
import sys
from pathlib import Path
from app.telemetry.metrics import Cells
from app.telemetry.metrics import Meter
meter = Meter(Cells.shared(Path(sys.argv[1])))
for line in sys.stdin:
    if line.startswith("wait"):
        meter.cells[int(sys.argv[2])] += 7
    else:
        meter.count("bestpair_impressions_total", "explore", by=int(line))
    print(sum(meter.all.totals()), flush=True)
"""
WAITING = place("bestpair_writer_queue_requests")
EXPLORE = place("bestpair_impressions_total", "explore")
STARTS = place("bestpair_worker_starts_total")


class Process:
    def __init__(self, path: Path) -> None:
        self._running = subprocess.Popen(
            [sys.executable, "-c", PROCESS, str(path), str(WAITING)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def say(self, text: str) -> str:
        assert self._running.stdin is not None
        assert self._running.stdout is not None
        self._running.stdin.write(f"{text}\n")
        self._running.stdin.flush()
        return self._running.stdout.readline()

    def kill(self) -> None:
        self._running.kill()
        self._running.communicate()


def test_processes_add_up_and_the_dead_are_neither_lost_nor_counted_twice() -> None:
    with shared_file(2) as path:
        first, second = Process(path), Process(path)
        try:
            first.say("3")
            second.say("4")
            first.say("wait")
            first.kill()  # no goodbye
            third = Process(path)  # takes over what the first has counted, but not what it still had waiting
            third.say("10")
            second.say("1")
            totals = Cells.shared(path).totals()
        finally:
            second.kill()
            third.kill()
        assert totals[EXPLORE] == 3 + 4 + 10 + 1
        assert totals[WAITING] == 0
        assert totals[STARTS] == 4  # three processes, and this one, which looked
        assert path.stat().st_size == 4 * 8 * CELLS
    assert not path.exists()


def test_a_process_too_many_is_told_so() -> None:
    with shared_file(1) as path:
        processes = [Process(path) for _ in range(3)]
        try:
            assert all(process.say("1") for process in processes)
            late = Process(path)
            assert late.say("1") == ""
            late.kill()
        finally:
            for process in processes:
                process.kill()


def test_each_cell_has_one_owner() -> None:
    owned = [
        place(metric.name, *values) + offset
        for metric in METRICS
        for values in metric.combinations
        for offset in range(metric.width)
    ]
    assert owned == list(range(CELLS))
    with pytest.raises(KeyError):
        place("bestpair_unheard_of_total")
    with pytest.raises(ValueError, match="not in list"):
        place("bestpair_impressions_total", "unheard of")


def test_a_value_falls_into_the_bucket_whose_end_it_does_not_exceed() -> None:
    meter = Meter()
    (sizes,) = [metric for metric in METRICS if metric.name == "bestpair_commit_requests"]
    for value in (1, 1.5, 2, 2000, 2001):
        meter.observe(sizes.name, value)
    start, beyond = place(sizes.name), len(sizes.bounds)
    assert sizes.kind is Kind.HISTOGRAM
    assert [meter.cells[start + offset] for offset in (0, 1, 2, beyond - 1, beyond)] == [1, 2, 0, 1, 1]
    assert meter.cells[start + beyond + 1] == 1 + 1.5 + 2 + 2000 + 2001


def test_time_counts_even_if_the_work_fails() -> None:
    meter = Meter()
    with pytest.raises(RuntimeError), meter.timed("bestpair_fold_seconds"):
        raise RuntimeError
    start = place("bestpair_fold_seconds")
    assert sum(meter.cells[start : start + 12]) == 1
