"""optuna's ask + tell beside the service, where optuna is installed: as many clients, the same databases.

It is a library for a different task, and every trial goes through an ORM; the figure says what a common way of
keeping trials in a database costs, next to an impression here (next-pair + feedback).
"""

import importlib.util
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path

from sqlalchemy import make_url

from experiments.serving_driver import Sizes
from experiments.serving_rows import Measured, Row
from experiments.serving_servers import empty_database, postgresql

TRIALS = 256
"""Ask + tell in a round: a trial costs a hundred times an impression."""
MOST_ROUNDS = 3
"""It is so far away that more rounds would tell nothing new."""


def is_installed() -> bool:
    """Returns whether optuna can be imported."""
    return importlib.util.find_spec("optuna") is not None


def measure_optuna(
    sizes: Sizes, floor_us: float, *, postgresql_url: str | None, step: Callable[[str], None]
) -> list[Row]:
    """Returns a row for each database; `floor_us` is the floor's cost of next-pair and feedback together."""
    rows = []
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="bestpair-bench-"))
        urls = {"sqlite": f"sqlite:///{Path(folder) / 'optuna.db'}"}
        shared = stack.enter_context(postgresql(postgresql_url))
        if shared is not None:
            own = make_url(stack.enter_context(empty_database(shared))).set(drivername="postgresql+psycopg")
            urls["postgresql"] = own.render_as_string(hide_password=False)
        for backend, url in urls.items():
            row = Row("ask+tell", "optuna", backend)
            rounds = min(sizes.rounds, MOST_ROUNDS)
            for number in range(rounds):
                step(f"round {number + 1} of {rounds}: optuna on {backend}")
                row.rounds.append(_apart(url, sizes.clients))
            row.floor_us = [floor_us] * rounds
            rows.append(row)
    return rows


def _apart(url: str, clients: int) -> Measured:
    command = f"from {__name__} import main; import sys; main(*sys.argv[1:])"
    given = [sys.executable, "-W", "ignore", "-c", command, url, str(clients)]
    done = subprocess.run(given, check=True, capture_output=True, text=True)  # noqa: S603 - our own module
    return Measured(**json.loads(done.stdout.splitlines()[-1]))


def main(url: str, clients: str) -> None:
    """Asks and tells in so many threads, and prints what it cost as JSON."""
    optuna = import_module("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    engine = {"connect_args": {"timeout": 100}} if url.startswith("sqlite") else {"pool_size": 20, "max_overflow": 40}
    storage = optuna.storages.RDBStorage(url, engine_kwargs=engine)
    study = optuna.create_study(storage=storage, sampler=optuna.samplers.RandomSampler(seed=1))

    def one(number: int) -> float:
        began = time.perf_counter()
        trial = study.ask()
        trial.suggest_int("i", 0, 19)
        trial.suggest_int("j", 0, 19)
        study.tell(trial, number % 2)
        return time.perf_counter() - began

    one(0)
    began, used = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(int(clients)) as pool:
        took = sorted(pool.map(one, range(TRIALS)))
    seconds, cpu = time.perf_counter() - began, time.process_time() - used
    p50, p99 = (1000 * took[int(share * TRIALS)] for share in (0.5, 0.99))
    figures = {"cpu_us": 1e6 * cpu / TRIALS, "rps": TRIALS / seconds, "p50_ms": p50, "p99_ms": p99}
    sys.stdout.write(json.dumps(figures) + "\n")
