"""The page of the mathematics has every constant and every share of delta that a proof depends on, as in the code."""

import ast
import importlib
import math
import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from app.engine import bounds, certificate, choices, confidence, delta_shares
from app.engine.policies import POLICIES
from app.engine.problem import Goal, Problem
from app.planning.plan import IDENTITY

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "mathematics.md").read_text()

NOT_IN_PROOFS = {
    "engine.bounds.item_clicks.CHUNK_PAIRS",  # memory only
    "engine.bounds.contrast.LEFT_U",  # the definition of q
    "engine.bounds.contrast.LEFT_V",
    "engine.bounds.contrast.SLOT_PAIRS",  # the order of a loop
    "engine.choices.DIGITS",  # of stored numbers, which proofs use as they are
    "engine.confidence._STIRLING_FROM",  # how a function is computed
    "engine.confidence._NEWTON_STEPS",
}
"""Numbers that a verifier does not need, because its results do not depend on them."""


def rows(first_column: str) -> list[list[str]]:
    """Returns the rows of the table with this first heading."""
    lines = PAGE.splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith(f"| {first_column} |"))
    table: list[list[str]] = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            return table
        table.append([cell.strip() for cell in line.strip("|").split("|")])
    return table


CONSTANTS = {row[2].strip("`"): ast.literal_eval(row[1]) for row in rows("meaning")}


def value_of(name: str) -> object:
    """Returns the value of a dotted name in `app`: a constant of a module, or a member of a class in it."""
    parts = ["app", *name.split(".")]
    module = next(end for end in range(len(parts), 0, -1) if ROOT.joinpath(*parts[:end]).with_suffix(".py").exists())
    value: object = importlib.import_module(".".join(parts[:module]))
    for part in parts[module:]:
        value = getattr(value, part)
    return value


@pytest.mark.parametrize("name", CONSTANTS)
def test_the_page_has_the_value_of_the_code(name: str) -> None:
    assert value_of(name) == CONSTANTS[name]


def numeric(value: object) -> bool:
    if isinstance(value, tuple):
        return all(map(numeric, value))
    return isinstance(value, int | float | np.ndarray) and not isinstance(value, bool)


def constants(module: ModuleType) -> Iterator[str]:
    """Yields the names of the numbers that a module defines."""
    assert module.__file__ is not None
    for statement in ast.parse(Path(module.__file__).read_text()).body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        targets += [statement.target] if isinstance(statement, ast.AnnAssign) else []
        for name in (node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)):
            if numeric(getattr(module, name)):
                yield f"{module.__name__.removeprefix('app.')}.{name}"


def proving_modules() -> list[ModuleType]:
    files = sorted(Path(bounds.__path__[0]).glob("*.py"))
    names = [f"app.engine.bounds.{file.stem}" for file in files if file.stem != "__init__"]
    return [bounds, certificate, choices, confidence, delta_shares, *map(importlib.import_module, names)]


def test_every_number_that_a_proof_depends_on_is_on_the_page() -> None:
    found = {name for module in proving_modules() for name in constants(module)}
    assert len(found) > 20
    assert found - NOT_IN_PROOFS - CONSTANTS.keys() == set(), "add them to section 8, and to the recipes"
    assert found >= NOT_IN_PROOFS


def test_recipes_have_the_numbers_of_the_table() -> None:
    """The recipes repeat the numbers, so a constant that changes must change there too."""
    recipes = PAGE[PAGE.index("## 3.") : PAGE.index("## 8.")]
    written = {
        name: f"{abs(value):g}".replace("e-0", "e-").removeprefix("0")
        for name, value in CONSTANTS.items()
        if not isinstance(value, tuple)
    }
    written |= {"engine.confidence.JEFFREYS": "1/2", "engine.bounds.item_clicks.TWO_WAYS": "log 2"}
    missing = {
        name: text for name, text in written.items() if not re.search(rf"(?<![\d.]){re.escape(text)}(?!\d)", recipes)
    }
    assert missing == {}


def test_the_page_lists_the_columns_that_ids_of_plans_are_made_from() -> None:
    sentence = PAGE[PAGE.index("an empty text for plan 1), then") :].split(".")[0]
    assert tuple(re.findall(r"`(\w+)`", sentence)) == IDENTITY
    assert len(IDENTITY) + 1 == 11, "the page says eleven entries"


def test_the_page_has_no_placeholders() -> None:
    assert not re.search(r"<<|>>|TODO", PAGE)


@pytest.mark.parametrize("feedback", ["pair", "items"])
@pytest.mark.parametrize("policy", POLICIES)
def test_shares_of_delta_are_those_of_the_policy(policy: str, feedback: str) -> None:
    K = 5
    table = {
        (row[0].strip("`"), kind): row[2:]
        for row in rows("policy")
        for kind in (["pair", "items"] if row[1] == "both" else [row[1]])
    }
    assert {name for name, _ in table} <= {*POLICIES, "all others"}
    problem = Problem(n_items=K, goal=Goal(0.1), delta=0.1, item_clicks=feedback == "items")
    stated = table.get((policy, feedback), table["all others", feedback])
    parts = [float(cell.removesuffix("/P")) / (problem.n_pairs if cell.endswith("/P") else 1) for cell in stated]
    assert parts == list(asdict(POLICIES[policy].shares(problem)).values())
    assert math.fsum(parts) <= 1 + 1e-12


def test_the_columns_of_a_plan_id_are_those_of_the_code() -> None:
    start = PAGE.index("the id of the plan before it (")
    listed = re.findall(r"`(\w+)`", PAGE[start : PAGE.index(".", start)])
    assert tuple(listed) == IDENTITY


def test_no_placeholder_is_left() -> None:
    assert "<<" not in PAGE
