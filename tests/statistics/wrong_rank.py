"""What a wrong stated rank does: `python -m tests.statistics.wrong_rank --runs 100`.

Sessions of `coverage` with landmarks forced, in populations of a higher rank than the one stated; and the same with
rank-free landmarks, as a session with rank "auto" may use. Printed as it is: how many certificates lean on the rank,
how many are wrong, and in how many sessions the rank was refuted (a pair's own samples, or the audit of self pairs).
"""

import argparse
import multiprocessing
import os
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np
from rich.progress import track

from app.engine.problem import Problem, SelfPairs
from app.simulation.mixtures import mixture
from tests.engine.driver import run
from tests.statistics.coverage import N_ITEMS, WithLandmarks, allowed

STATED = 2
DELTA = 0.1
EPSILON = 0.03
"""Small, so that sessions are long enough for the landmarks to matter."""


@dataclass(frozen=True)
class Case:
    """A family, its true rank, and what the proof may lean on."""

    family: str
    rank: int
    rank_free: bool


def watch(case: Case, seed: int) -> Counter[str]:
    """Returns what came of one session: 0 or 1 each."""
    K = N_ITEMS[case.family]
    people = mixture(case.family, K, case.rank, np.random.default_rng([seed, case.rank]))
    problem = Problem(
        n_items=K,
        epsilon=EPSILON,
        delta=DELTA,
        rank=STATED,
        self_pairs=SelfPairs.EXPLORE,
        seed=seed,
    )
    finished = run(WithLandmarks(rank_free=case.rank_free), problem, people, seed=seed)
    last = finished.last
    return Counter(
        certified=int(last.certified),
        leaning=int(last.certified and any("rank" in assumption for assumption in last.assumptions)),
        wrong=int(last.certified and float(people.error(*last.pair)) > problem.epsilon),
        refuted=int(finished.plans[-1].memory.choices.gram_refuted),
    )


def measure(case: Case, runs: int) -> Counter[str]:
    """Returns the sums over sessions."""
    found: Counter[str] = Counter()
    for seed in range(runs):
        found.update(watch(case, seed))
    return found


def _measure(task: tuple[Case, int]) -> Counter[str]:
    return measure(*task)


def cases() -> list[Case]:
    """Returns all cases: the rank as stated, and a higher one."""
    return [Case(family, rank, free) for family in ("pref", "ads6") for rank in (2, 4) for free in (False, True)]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    runs = parser.parse_args().runs
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    print(f"stated rank {STATED}, {runs} sessions each, at most {allowed(DELTA, runs)} wrong by chance")  # noqa: T201
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        tasks = [(case, runs) for case in cases()]
        for (case, _), found in track(zip(tasks, pool.map(_measure, tasks), strict=True), total=len(tasks)):
            name = f"{case.family} true rank {case.rank} {'rank-free' if case.rank_free else 'by rank'}"
            print(name, dict(found))  # noqa: T201


if __name__ == "__main__":
    main()
