"""PgBouncer in transaction mode, in front of a PostgreSQL of a test: Debian's package, with its defaults otherwise."""

import os
import pwd
import shutil
import subprocess
import sys
import time
from pathlib import Path

import psycopg

from tests.clusters import Cluster
from tests.e2e.harness import free_port

REQUIRED = "BESTPAIR_TEST_PGBOUNCER"
"""Set to "required", the tests fail where there is no PgBouncer instead of being skipped."""

_CONFIGURATION = """
[databases]
* = host=127.0.0.1 port={database_port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {connections}
max_client_conn = 200
"""


def program() -> str | None:
    return shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")


class PgBouncer:
    """A running pooler. Few server connections, so that a transaction seldom gets the one of the last."""

    def __init__(self, folder: Path, cluster: Cluster, connections: int = 4) -> None:
        self.port = free_port()
        self._cluster = cluster
        self._file = folder / "pgbouncer.ini"
        text = _CONFIGURATION.format(database_port=cluster.port, port=self.port, connections=connections)
        self._file.write_text(text.replace("* = host", "* = user=postgres host"))

    def url(self, database: str) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"

    def __enter__(self) -> "PgBouncer":
        as_root = os.getuid() == 0  # it refuses to run as root; the file is handed over open, the folder is not
        account = pwd.getpwnam("nobody").pw_name if as_root else None
        with self._file.open() as configuration:
            self._process = subprocess.Popen(
                [str(program()), "--quiet", f"/dev/fd/{configuration.fileno()}"],
                pass_fds=[configuration.fileno()],
                user=account,
            )
            until = time.monotonic() + 20
            while time.monotonic() < until:
                assert self._process.poll() is None, "pgbouncer has ended"
                try:
                    psycopg.connect(self.url("postgres"), connect_timeout=2).close()
                except psycopg.OperationalError:
                    time.sleep(0.05)
                else:
                    return self
        raise AssertionError("pgbouncer does not answer")

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(20)


if __name__ == "__main__":
    sys.exit(program() is None)
