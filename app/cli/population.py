"""`bestpair population`: make a population file."""

import json
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from app.cli.options import AsJson, Seed
from app.simulation.mixtures import FAMILIES, mixture, synthetic
from app.simulation.movielens import Grouping, sample_movies
from app.simulation.movielens_files import read_ratings
from app.simulation.population import InvalidPopulation, Population
from app.simulation.population_file import save_population

SYNTHETIC, MOVIELENS = "synthetic", "movielens"


def population(
    kind: Annotated[str, typer.Argument(help=f"{', '.join(FAMILIES)}, {SYNTHETIC} or {MOVIELENS}.")],
    out: Annotated[Path, typer.Option(help="The .npz file to write.")],
    items: Annotated[int, typer.Option(help="Number of items, K.")] = 50,
    rank: Annotated[int, typer.Option(help="Number of hidden groups, r.")] = 2,
    seed: Seed = 0,
    folder: Annotated[Path | None, typer.Option(help=f"{MOVIELENS}: folder of the data set (100K or 1M).")] = None,
    grouping: Annotated[
        Grouping, typer.Option(help=f"{MOVIELENS}: the property that defines the groups.")
    ] = Grouping.GENDER,
    threshold: Annotated[float, typer.Option(help=f"{MOVIELENS}: a rating of at least this is a click.")] = 4.0,
    as_json: AsJson = False,
) -> None:
    """Make a population file: the click probabilities of simulated users.

    ads6, ads20: few clicks; pref: many; clus: a few favourites per group; trap: the best pair consists of mediocre
    items; synthetic: as in the paper; movielens: from a MovieLens data set that you have.
    """
    rng = np.random.default_rng(seed)
    if kind == MOVIELENS:
        if folder is None:
            raise InvalidPopulation(
                "folder", "is missing: give the folder of the data set, --folder DIR (MovieLens 100K or 1M)"
            )
        made = sample_movies(read_ratings(folder), items, rank, rng, grouping=grouping, threshold=threshold)
    elif kind == SYNTHETIC:
        made = synthetic(items, rank, rng)
    elif kind in FAMILIES:
        made = mixture(kind, items, rank, rng)
    else:
        kinds = ", ".join([*FAMILIES, SYNTHETIC, MOVIELENS])
        raise InvalidPopulation("kind", f'must be one of {kinds}, got "{kind}"')
    save_population(made, out)
    described = _describe(made, out)
    if as_json:
        typer.echo(json.dumps(described))
    else:
        table = Table("", "value", title=str(out))
        for name, value in described.items():
            table.add_row(name, str(value))
        Console().print(table)


def _describe(made: Population, path: Path) -> dict[str, object]:
    """Returns a summary of the population."""
    best = made.best_pair()
    return {
        "file": str(path),
        "items": made.n_items,
        "rank": made.rank,
        "best_pair": [best.i, best.j],
        "best_reward": round(1 - best.value, 6),
        "eigenvalues": [round(float(value), 6) for value in made.eigenvalues()[:6]],
    }
