"""The commands of the documentation work: they run unchanged, page by page, against a real server."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.blocks import PAGES, ROOT, Block, blocks_of
from tests.e2e.harness import Server

# A refused request ends the script, unless the page shows a refusal.
_PRELUDE = """
set -euo pipefail
curl() { command curl $refusal "$@"; }
"""
# Functions that the examples expect in the caller's code.
_CALLER = """
import random
def visitors(): return range(60)
def show(visitor, *ads): return [ad for ad in ads if random.Random(f"{visitor} {ad}").random() < 0.2]
"""
REQUIRED = os.environ.get("BESTPAIR_TEST_TOOLS") == "required"
"""Set in continuous integration, where a missing tool is a failure."""
_MARK = "=== next block ==="


def address_of(server: Server) -> dict[str, str]:
    """Returns the addresses in the pages, with those of this test."""
    return {"localhost:8000": f"localhost:{server.port}", "127.0.0.1:8000": f"127.0.0.1:{server.port}"}


def on(server: Server, code: str) -> str:
    for written, real in address_of(server).items():
        code = code.replace(written, real)
    return code


def run(command: list[str], folder: Path) -> str:
    wide = {**os.environ, "COLUMNS": "120"}
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300, env=wide)
    assert ran.returncode == 0, f"{ran.stdout}\n{ran.stderr}"
    return ran.stdout


def script_of(blocks: list[Block]) -> str:
    """Returns one script with all blocks, so that later blocks see the variables of earlier ones."""
    parts = [f"refusal={'' if block.refused else '--fail-with-body'}\n{block.code}" for block in blocks]
    return _PRELUDE + f"\necho '{_MARK}'\n".join(parts)


def assert_prints(block: Block, output: str) -> None:
    squeezed = output.replace("}\n{", "}{")
    for text in block.prints:
        assert text in squeezed, f"{text!r} is not in\n{output}"


def with_commands(pages: list[Path]) -> list[Path]:
    return [page for page in pages if blocks_of(page.read_text())]


@pytest.mark.parametrize("page", with_commands(PAGES), ids=lambda page: page.name)
def test_commands_of_the_page(page: Path, sqlite_url: str, tmp_path: Path) -> None:
    blocks = blocks_of(page.read_text())
    missing = [tool for tool in ("bash", "curl", "jq") if shutil.which(tool) is None]
    if missing:
        advice = f"the commands of the documentation need {' and '.join(missing)}, not installed here"
        if REQUIRED:
            pytest.fail(advice)
        pytest.skip(advice)
    (tmp_path / ".venv").symlink_to(sys.prefix, target_is_directory=True)
    with Server(sqlite_url, tmp_path) as server:
        shell = [block for block in blocks if block.language in {"sh", "bash"}]
        outputs = run(["bash", "-c", on(server, script_of(shell))], tmp_path).split(_MARK) if shell else []
        for block, output in zip(shell, outputs, strict=True):
            assert_prints(block, output)
        for block in blocks:
            if block.language == "python":
                assert_prints(block, run([sys.executable, "-c", _CALLER + on(server, block.code)], tmp_path))
            else:
                assert block in shell, f"no interpreter for {block.language}"


def test_every_page_with_commands_has_blocks_that_are_run() -> None:
    assert {page.name for page in with_commands(PAGES)} >= {
        "README.md", "access.md", "api.md", "client.md", "choosing.md", "running.md", "simulating.md",
    }  # fmt: skip


def test_the_client_example_takes_ten_lines() -> None:
    (example,) = [block for block in blocks_of((ROOT / "README.md").read_text()) if block.language == "python"]
    assert len([line for line in example.code.splitlines() if line.strip()]) <= 10


@pytest.mark.parametrize("page", [*PAGES, *sorted((ROOT / "docs/decisions").glob("*.md"))], ids=lambda page: page.name)
def test_links_have_a_target(page: Path) -> None:
    text = page.read_text()
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith("http"):
            continue
        file, _, heading = target.partition("#")
        goal = (page.parent / file).resolve() if file else page
        assert goal.exists(), f"{page.name} links to {target}"
        if heading:
            anchors = {
                re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower()).replace(" ", "-")
                for line in goal.read_text().splitlines()
                if line.startswith("#")
            }
            assert heading in anchors, f"{page.name} links to {target}"


def test_every_page_is_linked_from_the_index_and_the_readme_stays_short() -> None:
    index = (ROOT / "docs/README.md").read_text() + (ROOT / "README.md").read_text()
    for page in PAGES:
        assert page.name == "README.md" or f"({page.name})" in index, page.name
    assert len((ROOT / "README.md").read_text().splitlines()) <= 200


def test_decisions_are_in_their_index() -> None:
    folder = ROOT / "docs/decisions"
    index = (folder / "README.md").read_text()
    missing = [page.name for page in folder.glob("[0-9]*.md") if f"({page.name})" not in index]
    assert missing == []
