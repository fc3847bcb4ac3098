"""Forecasts against what sessions really needed: `python -m tests.statistics.forecasts --seeds 6 --items 10 20 50`.

Sessions are simulated to their certificate, which shows what was needed from each plan on. Two tables have medians of
forecast / needed. *In force*: the plan in force when a session has shown a part of all its impressions, once a session;
this is what somebody sees who looks at that time. *Every plan* that was made between two such times; near the end there
are many small plans. Medians outside of `TARGET` are marked. `--first 1000` takes seeds that no constant was fitted to.
"""

import argparse
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rich.progress import track

from app.engine.policies.rplans import Rplans
from app.engine.problem import Goal, Problem
from app.simulation.mixtures import mixture, mixture_of_rate
from app.simulation.population import Population
from tests.engine.driver import Run, run

STAGES = (0.1, 0.25, 0.5, 0.75, 0.9, 0.95)
"""Parts of the impressions that a session takes in all."""

TARGET = (0.8, 1.25)
LOW_RATE = 0.01
EPSILON = {"ads6": 0.05, "ads20": 0.05, "pref": 0.1, "clus": 0.05, "low": 0.01}
"""Families of populations (`low`: a mean click rate of `LOW_RATE`), each with the accuracy to certify."""

WAYS = ("pairs", "items")


@dataclass(frozen=True)
class Cell:
    """One kind of session."""

    family: str
    n_items: int
    way: str

    def people(self, seed: int) -> Population:
        """Returns the population of a session: two groups if the seed is even, otherwise three."""
        rng, rank = np.random.default_rng([seed, self.n_items]), 2 + seed % 2
        if self.family == "low":
            return mixture_of_rate(LOW_RATE, self.n_items, rank, rng)
        return mixture(self.family, self.n_items, rank, rng)

    def session(self, seed: int) -> Run:
        """Returns the finished session of this seed."""
        epsilon, item_clicks = EPSILON[self.family], self.way == "items"
        problem = Problem(n_items=self.n_items, goal=Goal(epsilon), delta=0.1, seed=seed, item_clicks=item_clicks)
        return run(Rplans(), problem, self.people(seed), seed=seed)


@dataclass(frozen=True)
class Forecast:
    """The forecast of one plan."""

    done: float  # part of the session's impressions that were shown before the plan
    ratio: float  # forecast / needed


def forecasts(session: Run) -> list[Forecast]:
    """Returns the forecasts of all plans that have one."""
    total = session.last.samples
    return [
        Forecast(report.samples / total, report.forecast_samples / (total - report.samples))
        for report in (step.report for step in session.plans[:-1])
        if report.forecast_samples is not None
    ]


def in_force(found: Sequence[Forecast]) -> list[list[float]]:
    """Returns the ratio of the plan in force at each stage: none if it has no forecast."""
    return [[one.ratio for one in found if one.done <= stage][-1:] for stage in STAGES]


def every_plan(found: Sequence[Forecast]) -> list[list[float]]:
    """Returns the ratios of all plans that were made before the first stage, between stages, and after the last."""
    ends = (0.0, *STAGES, 1.0)
    return [[one.ratio for one in found if low <= one.done < high] for low, high in itertools.pairwise(ends)]


def line(name: str, sessions: Sequence[list[list[float]]]) -> str:
    """Returns a line of a table: the medians over sessions, column by column."""
    texts = []
    for column in zip(*sessions, strict=True):
        ratios = [ratio for some in column for ratio in some]
        median = float(np.median(ratios)) if ratios else np.nan
        texts.append(f"{median:8.2f}{' ' if not ratios or TARGET[0] <= median <= TARGET[1] else '*'}")
    return f"{name:16s}{len(sessions):4d}" + "".join(texts)


def print_tables(found: dict[Cell, list[list[Forecast]]]) -> None:
    """Prints both tables: every cell, and all cells of each way."""
    ways = sorted({cell.way for cell in found})
    bins = [f"{low:.0%}-{high:.0%}" for low, high in itertools.pairwise((0.0, *STAGES, 1.0))]
    for title, heads, view in (("in force", [f"{s:.0%}" for s in STAGES], in_force), ("every plan", bins, every_plan)):
        print(f"\n{title:16s}   n" + "".join(f"{head:>8s} " for head in heads))  # noqa: T201
        for cell, sessions in found.items():
            print(line(f"{cell.family} K={cell.n_items} {cell.way}", [view(one) for one in sessions]))  # noqa: T201
        for way in ways:
            chosen = [view(one) for cell, sessions in found.items() if cell.way == way for one in sessions]
            print(line(f"all {way}", chosen))  # noqa: T201


def main() -> None:
    """Runs the sessions and prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=6, help="sessions in each cell")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--items", type=int, nargs="+", default=[10, 20, 50])
    parser.add_argument("--families", nargs="+", choices=EPSILON, default=list(EPSILON))
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    given = parser.parse_args()
    found: dict[Cell, list[list[Forecast]]] = {
        Cell(*one): [] for one in itertools.product(given.families, given.items, given.ways)
    }
    seeds = range(given.first, given.first + given.seeds)
    for seed, cell in track(list(itertools.product(seeds, found))):
        found[cell].append(forecasts(cell.session(seed)))
    print_tables(found)


if __name__ == "__main__":
    main()
