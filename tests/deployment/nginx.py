"""nginx with the configuration of the gateway in docker-compose.yml, in front of servers on this machine."""

import os
import pwd
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import httpx
import yaml

ROOT = Path(__file__).parents[2]
REQUIRED = "BESTPAIR_TEST_NGINX"
"""Set to "required", the tests fail where there is no nginx instead of being skipped."""

_AROUND = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log info;
{user}
events {{ worker_connections 256; }}
http {{
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
{config}
}}
"""


def is_installed() -> bool:
    return program() is not None


def program() -> str | None:
    return shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")


def carried() -> str:
    """Returns the configuration as nginx in the container reads it."""
    file = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["configs"]["gateway"]["file"]
    return (ROOT / str(file)).read_text()


def configuration(port: int, servers: Sequence[int]) -> str:
    """Returns it with the addresses of this machine: the replicas' name stands for all of them."""
    text, listens = re.subn(r"listen 8080;", f"listen 127.0.0.1:{port};", carried())
    several = "\n".join(rf"server 127.0.0.1:{server} \1;" for server in servers)
    text, names = re.subn(r"server app:8000 resolve ([^;]*);", several, text)
    assert (listens, names) == (1, 1), "the addresses are not where they were"
    return text


class Gateway:
    """A running nginx."""

    def __init__(self, folder: Path, port: int, servers: Sequence[int]) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self._file = folder / "nginx.conf"
        self._log = folder / "error.log"
        me = pwd.getpwuid(os.getuid()).pw_name
        text = _AROUND.format(
            folder=folder,
            config=configuration(port, servers),
            user=f"user {me};" if os.getuid() == 0 else "",
        )
        self._file.write_text(text)

    def __enter__(self) -> "Gateway":
        command = [str(program()), "-c", str(self._file), "-e", str(self._log)]
        self._process = subprocess.Popen(command)
        until = time.monotonic() + 20
        while time.monotonic() < until:
            assert self._process.poll() is None, self._log.read_text()
            try:
                httpx.get(f"{self.url}/livez", timeout=5)
            except httpx.TransportError:
                time.sleep(0.05)
            else:
                return self
        raise AssertionError(self._log.read_text())

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(20)


if __name__ == "__main__":
    sys.exit(not is_installed())
