"""The notation table explains every single-letter name of the engine."""

import ast
from collections.abc import Iterator
from pathlib import Path

import app.engine


def listed() -> set[str]:
    """Returns the names in the second column of the table."""
    rows = [line.split("|") for line in (app.engine.__doc__ or "").splitlines() if line.startswith("|")]
    return {name.strip() for row in rows[2:] for name in row[2].split(",")}


def letters(tree: ast.Module) -> Iterator[str]:
    """Yields the single-letter names of parameters, fields and variables."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def test_every_single_letter_name_is_in_the_notation_table() -> None:
    known = listed()
    assert {"K", "d", "Z", "V", "y", "b", "gamma"} <= known
    missing = {
        f"{file.name}: {name}"
        for file in Path(app.engine.__path__[0]).rglob("*.py")
        for name in letters(ast.parse(file.read_text()))
        if len(name) == 1 and name != "_" and name not in known
    }
    assert missing == set()
