"""Files that the documents name exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]
FULL = re.compile(
    r"(?<![\w/.])(?:app|tests|experiments|docs|alembic|docker)/[\w/.-]+\.(?:py|md|json|js|sh|yml|sql|conf)\b"
)
IN_APP = re.compile(r"`(\w+/[\w/]+\.py)\b")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_a_page_names_exist(page: Path) -> None:
    text = page.read_text()
    named = {ROOT / path for path in FULL.findall(text)}
    named |= {ROOT / "app" / path for path in IN_APP.findall(text) if not (ROOT / path).exists()}
    assert sorted(str(path.relative_to(ROOT)) for path in named if not path.exists()) == []
