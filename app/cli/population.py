"""`bestpair population`: make a population file."""

import json
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from app.cli.options import AsJson, Seed
from app.simulation.mixtures import FAMILIES, mixture
from app.simulation.movielens import Grouping, movielens
from app.simulation.population import InvalidPopulation, Population
from app.simulation.population_file import save_population
from app.simulation.synthetic import synthetic

SYNTHETIC, MOVIELENS = "synthetic", "movielens"


def population(
    kind: Annotated[str, typer.Argument(help=f"{', '.join(FAMILIES)}, {SYNTHETIC} or {MOVIELENS}.")],
    out: Annotated[Path, typer.Option(help="The .npz file to write.")],
    items: Annotated[int, typer.Option(help="Number of items, K.")] = 50,
    rank: Annotated[int, typer.Option(help="Number of hidden groups, r.")] = 2,
    seed: Seed = 0,
    folder: Annotated[Path | None, typer.Option(help=f"{MOVIELENS}: folder of the data set (100K or 1M).")] = None,
    grouping: Annotated[Grouping, typer.Option(help=f"{MOVIELENS}: what makes a group of users.")] = Grouping.GENDER,
    threshold: Annotated[float, typer.Option(help=f"{MOVIELENS}: a rating this high is a click.")] = 4.0,
    as_json: AsJson = False,
) -> None:
    """Make a population file: click probabilities to simulate with.

    ads6, ads20: few clicks; pref: many; clus: few favourites a group; trap: the best pair is made of weak items;
    synthetic: the paper's; movielens: from ratings you have.
    """
    rng = np.random.default_rng(seed)
    if kind == MOVIELENS:
        if folder is None:
            raise InvalidPopulation("folder", "say where the data set is: --folder DIR (MovieLens 100K or 1M)")
        made = movielens(folder, items, rank, rng, grouping=grouping, threshold=threshold)
    elif kind == SYNTHETIC:
        made = synthetic(items, rank, rng)
    elif kind in FAMILIES:
        made = mixture(kind, items, rank, rng)
    else:
        kinds = ", ".join([*FAMILIES, SYNTHETIC, MOVIELENS])
        raise InvalidPopulation("kind", f'there is no population called "{kind}"; there are {kinds}')
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
    """Returns what people ask first about a population."""
    best = made.best_pair()
    return {
        "file": str(path),
        "items": made.n_items,
        "rank": made.rank,
        "best_pair": [best.i, best.j],
        "best_reward": round(1 - best.value, 6),
        "eigenvalues": [round(float(value), 6) for value in made.eigenvalues()[:6]],
    }
