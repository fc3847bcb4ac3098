"""Code blocks of the documentation that tests run: those after a `run` comment, with the text they must print."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])

_BLOCK = re.compile(
    r"^<!-- run(?P<refused> refused)? -->\n"
    r"```(?P<language>\w+)\n(?P<code>.*?)^```\n"
    r"(?P<after>(?:<!-- prints .*? -->\n)*)",
    re.MULTILINE | re.DOTALL,
)
_PRINTS = re.compile(r"<!-- prints (.*?) -->")


@dataclass(frozen=True)
class Block:
    """Commands or Python, and texts that must be in the output."""

    language: str
    code: str
    prints: tuple[str, ...]
    refused: bool  # the service must refuse the request


def blocks_of(text: str) -> list[Block]:
    """Returns the blocks to run, in the order of the page."""
    found = [
        Block(match["language"], match["code"], tuple(_PRINTS.findall(match["after"])), match["refused"] is not None)
        for match in _BLOCK.finditer(text)
    ]
    assert len(found) == text.count("<!-- run"), "each comment stands right before its block"
    assert sum(len(block.prints) for block in found) == text.count("<!-- prints "), "and what it prints right after"
    return found
