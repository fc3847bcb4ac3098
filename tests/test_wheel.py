"""The installed package, without a checkout around it: migrations and static files travel in the wheel."""

import os
import sqlite3
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_migrate_works_from_a_wheel(tmp_path: Path) -> None:
    build = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        str(ROOT),
        "--no-deps",
        "--no-build-isolation",
        "-q",
        "-w",
        str(tmp_path),
    ]
    subprocess.run(build, check=True, capture_output=True, timeout=120)
    (wheel,) = tmp_path.glob("bestpair-*.whl")
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    assert not (site / "tests").exists()
    program = f"import app, app.cli; assert app.__file__.startswith({str(site)!r}), app.__file__; app.cli.main()"
    environment = {
        **os.environ,
        "PYTHONPATH": str(site),
        "BESTPAIR_DATABASE_URL": f"sqlite:///{tmp_path / 'from-wheel.db'}",
    }
    command = [sys.executable, "-c", program, "migrate"]
    run = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    assert run.returncode == 0, run.stderr
    tables = sqlite3.connect(tmp_path / "from-wheel.db").execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    assert {"sessions", "impressions", "plans", "evidence"} <= {name for (name,) in tables}
    assert list(site.glob("app/web/dashboard/*.html")), "the docs page is there"
