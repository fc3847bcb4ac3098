"""Counts of several processes: the counts of a process that dies are neither lost nor doubled."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.telemetry.metrics import CELLS, METRICS, Cells, Kind, Meter, cell_index, shared_file

PROCESS = """
import sys
from pathlib import Path
from app.telemetry.metrics import Cells, Meter
meter = Meter(Cells.shared(Path(sys.argv[1])))
for line in sys.stdin:
    if line.startswith("wait"):
        meter.cells[int(sys.argv[2])] += 7
    else:
        meter.count("bestpair_impressions_total", "explore", by=int(line))
    print(sum(meter.all.totals()), flush=True)
"""
WAITING = cell_index("bestpair_writer_queue_requests")
EXPLORE = cell_index("bestpair_impressions_total", "explore")
STARTS = cell_index("bestpair_worker_starts_total")


class Process:
    def __init__(self, path: Path) -> None:
        self._running = subprocess.Popen(
            [sys.executable, "-c", PROCESS, str(path), str(WAITING)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def send(self, text: str) -> str:
        assert self._running.stdin is not None
        assert self._running.stdout is not None
        self._running.stdin.write(f"{text}\n")
        self._running.stdin.flush()
        return self._running.stdout.readline()

    def kill(self) -> None:
        self._running.kill()
        self._running.communicate()


def test_totals_include_processes_that_died_exactly_once() -> None:
    with shared_file(2) as path:
        first, second = Process(path), Process(path)
        try:
            first.send("3")
            second.send("4")
            first.send("wait")
            first.kill()  # without a shutdown
            third = Process(path)  # continues from the counts of the first, but not from its backlog
            third.send("10")
            second.send("1")
            totals = Cells.shared(path).totals()
        finally:
            second.kill()
            third.kill()
        assert totals[EXPLORE] == 3 + 4 + 10 + 1
        assert totals[WAITING] == 0
        assert totals[STARTS] == 4  # three processes, and this one
        assert path.stat().st_size == 4 * 8 * CELLS
    assert not path.exists()


def test_a_process_without_a_free_array_gets_an_error() -> None:
    with shared_file(1) as path:
        processes = [Process(path) for _ in range(3)]
        try:
            assert all(process.send("1") for process in processes)
            late = Process(path)
            assert late.send("1") == ""
            late.kill()
        finally:
            for process in processes:
                process.kill()


def test_each_cell_belongs_to_one_metric() -> None:
    owned = [
        cell_index(metric.name, *values) + offset
        for metric in METRICS
        for values in metric.combinations
        for offset in range(metric.width)
    ]
    assert owned == list(range(CELLS))
    with pytest.raises(KeyError):
        cell_index("bestpair_unknown_total")
    with pytest.raises(ValueError, match="not in list"):
        cell_index("bestpair_impressions_total", "unknown")


def test_a_bucket_includes_its_upper_bound() -> None:
    meter = Meter()
    (sizes,) = [metric for metric in METRICS if metric.name == "bestpair_commit_requests"]
    for value in (1, 1.5, 2, 2000, 2001):
        meter.observe(sizes.name, value)
    start, beyond = cell_index(sizes.name), len(sizes.bounds)
    assert sizes.kind is Kind.HISTOGRAM
    assert [meter.cells[start + offset] for offset in (0, 1, 2, beyond - 1, beyond)] == [1, 2, 0, 1, 1]
    assert meter.cells[start + beyond + 1] == 1 + 1.5 + 2 + 2000 + 2001


def test_the_time_of_a_block_that_raises_is_counted() -> None:
    meter = Meter()
    with pytest.raises(RuntimeError), meter.timed("bestpair_fold_seconds"):
        raise RuntimeError
    start = cell_index("bestpair_fold_seconds")
    assert sum(meter.cells[start : start + 12]) == 1
