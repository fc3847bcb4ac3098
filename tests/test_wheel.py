"""The installed package, without a checkout: the wheel contains migrations and static files, and only `app`."""

import os
import sqlite3
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# The environment of the tests has an editable install, whose path entry would find the checkout's `experiments`.
PROGRAM = """
import sys
from pathlib import Path
sys.path[:] = [entry for entry in sys.path if not (Path(entry) / "experiments/bestpair_commands.py").exists()]
import app, app.cli
assert app.__file__.startswith({site!r}), app.__file__
app.cli.main()
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the wheel is unpacked to."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", str(ROOT), "--no-deps", "--no-build-isolation", "-q"]
    subprocess.run([*build, "-w", str(folder)], check=True, capture_output=True, timeout=120)
    (wheel,) = folder.glob("bestpair-*.whl")
    site = folder / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    return site


def installed(site: Path, folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs the command of the unpacked wheel in this folder."""
    environment = {**os.environ, "PYTHONPATH": str(site), **variables}
    command = [sys.executable, "-c", PROGRAM.format(site=str(site)), *words]
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False, timeout=60)


def test_the_wheel_contains_only_the_service(site: Path) -> None:
    assert sorted(path.name for path in site.iterdir() if path.suffix != ".dist-info") == ["app"]
    assert list(site.glob("app/web/dashboard/*.html")), "the docs page is there"


def test_migrate_works_from_a_wheel(site: Path, tmp_path: Path) -> None:
    database = tmp_path / "from-wheel.db"
    run = installed(site, tmp_path, "migrate", BESTPAIR_DATABASE_URL=f"sqlite:///{database}")
    assert run.returncode == 0, run.stderr
    tables = sqlite3.connect(database).execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    assert {"sessions", "impressions", "plans", "evidence"} <= {name for (name,) in tables}


@pytest.mark.parametrize("words", [("experiment", "certify", "--runs", "1"), ("bench", "--help"), ("compare",)])
def test_experiments_need_a_checkout(site: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    run = installed(site, tmp_path, *words)
    assert (run.returncode, run.stdout) == (2, "")
    (line,) = run.stderr.splitlines()
    assert line.startswith(f"bestpair: {words[0]} is not part of the installed service; ")
    assert "make install" in line


def test_help_of_the_installed_service_lists_what_it_can_do(site: Path, tmp_path: Path) -> None:
    shown = installed(site, tmp_path, "--help").stdout
    assert "simulate" in shown
    assert not any(f" {command} " in shown for command in ("experiment", "bench", "compare"))


def test_simulations_are_deployed(site: Path, tmp_path: Path) -> None:
    made = installed(site, tmp_path, "population", "ads6", "--items", "4", "--out", "ads.npz")
    assert made.returncode == 0, made.stderr
    run = installed(site, tmp_path, "simulate", "--population", "ads.npz", "--epsilon", "0.4", "--json")
    assert run.returncode == 0, run.stderr
    assert installed(site, tmp_path, "demo", "--help").returncode == 0


def test_the_model_of_forecasts_is_deployed(site: Path, tmp_path: Path) -> None:
    assert (site / "app/forecast/model.json").is_file()
    run = installed(site, tmp_path, "forecast", "--items", "30", "--click-rate", "0.005", "--json")
    assert run.returncode == 0, run.stderr
    assert '"impressions"' in run.stdout


def test_a_package_of_another_project_is_not_imported(site: Path, tmp_path: Path) -> None:
    other = tmp_path / "experiments"
    other.mkdir()
    (other / "__init__.py").write_text("raise RuntimeError('imported')")
    run = installed(site, tmp_path, "experiment", "certify")  # `-c` puts the folder first in sys.path
    assert run.returncode == 2
    assert "not part of the installed service" in run.stderr
    assert installed(site, tmp_path, "--help").returncode == 0
