"""A page whose tables come from files: each stands between two comments, of which the first names its source."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

from experiments.figures import read_csv, sections
from experiments.fixed_budget import Cell
from experiments.result_tables import budget_table, certify_table, errors_table, growth_table

_BLOCK = re.compile(r"(?P<head><!-- from (?P<file>\S+?)(?P<words>(?: \S+)*) -->\n).*?(?P<tail><!-- end -->)", re.DOTALL)


def fill(text: str, folder: Path) -> str:
    """Returns the page with every marked part made anew from the files of the folder; the same if they agree."""
    if text.count("<!-- from ") != text.count("<!-- end -->"):
        raise ValueError("each table begins with <!-- from FILE ... --> and ends with <!-- end -->")

    def made(match: re.Match[str]) -> str:
        lines = part(folder / match["file"], match["words"].split())
        return f"{match['head']}\n" + "\n".join(lines) + f"\n\n{match['tail']}"

    return _BLOCK.sub(made, text)


def part(file: Path, words: Sequence[str]) -> list[str]:
    """Returns the lines that a file gives: `errors.csv`, or of it `MATRIX`; `budget.json`; `certify.json [growth]`."""
    content = file.read_text()
    if file.name == "errors.csv":
        cells = read_csv(content)
        if not words:
            return sections(cells, Path(file.parent.name))
        return errors_table([cell for cell in cells if cell.matrix == words[0]])
    if file.name == "budget.json":
        return budget_table([Cell(**row) for row in json.loads(content)])
    lines = json.loads(content)
    return growth_table(lines) if words else certify_table(lines)
