"""The composition root: the only place where web and storage meet."""

import asyncio
import gc
import logging
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp

from app.access.admission import KeylessAccess
from app.access.audit import COMMAND_LINE
from app.access.key_cache import KeyCache
from app.access.keys import Scope, new_key
from app.access.rates import parse_rate
from app.access.sql import AccessStore
from app.database import migrations
from app.database.database import passwords_in
from app.database.store import SqlStore
from app.results.certificates import package_version
from app.sessions.service import Sessions
from app.settings import InvalidSetting, Settings, variable_of
from app.telemetry import logs
from app.telemetry.metrics import Cells, Meter, NoArrayFree, shared_file
from app.web.access_control import AccessControl, is_loopback
from app.web.api import Api, build_api
from app.web.event_stream import calls_on_signal
from app.web.server import http_protocol, set_request_seconds, use_own_workers

_YOUNG_OBJECTS = 10_000
"""Between two looks for cycles; the default, 700, is reached every few requests."""
_RESTART_SECONDS = 60
"""For a new process after SIGHUP, before the old one goes on instead."""
_COUNTS = "BESTPAIR_INTERNAL_COUNTS"
"""Variable that tells server processes in which file they count together; the one that starts them sets it."""

log = logging.getLogger("bestpair")


_NO_KEY_YET = (
    "{host} can be reached from other machines, and no access key was made yet: make one with "
    "`bestpair keys create --name NAME --scope admin`, or listen on 127.0.0.1 (in a network of your own, "
    "BESTPAIR_OPEN_ACCESS=1 lets everybody in until the first key is made; BESTPAIR_FIRST_KEY=print makes a key at "
    "the start and prints it)"
)
_FIRST_KEY = """
No access key was made for this database yet. This is the first one; it may do everything and is not shown again:

    {secret}

Paste it into the dashboard when it asks for a key, or send it as "Authorization: Bearer KEY".
Anyone who can read this output can use the key. To replace it: bestpair keys create --name NAME --scope admin,
then bestpair keys revoke {id}

"""


def create_app(settings: Settings, meter: Meter | None = None) -> Api:
    """Returns the application with its own database; nothing is opened before it starts."""
    meter = meter or Meter()
    store = SqlStore(settings.database_url, queue_limit=settings.queue_limit, meter=meter)
    sessions = Sessions(store, meter=meter, census_by_session=bool(settings.metrics_per_session))
    access = AccessStore(settings.database_url)
    keys = KeyCache(access)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await store.start()
        try:
            await keys.start()
            await sessions.start()
            try:
                with calls_on_signal(sessions.close_streams):
                    yield
            finally:
                await sessions.stop()
        finally:
            await keys.stop()
            await access.close()
            await store.close()  # after planning has ended, so that what it still writes is written

    return build_api(
        sessions,
        version=package_version(),
        body_limit_bytes=settings.body_limit_bytes,
        hot_lane=bool(settings.hot_lane),
        meter=meter,
        lifespan=lifespan,
        access_control=AccessControl(
            keys, rate=parse_rate(settings.rate_limit), keyless_access=_keyless_access(settings)
        ),
        access_store=access,
    )


def _keyless_access(settings: Settings) -> KeylessAccess:
    """Returns who may call as long as no key was ever made."""
    if settings.open_access:
        return KeylessAccess.ALL
    return KeylessAccess.LOOPBACK if is_loopback(settings.host.encode()) else KeylessAccess.NONE


def app_from_environment() -> ASGIApp:
    """Returns the application as the environment asks for it; server processes begin here."""
    settings = Settings.from_environment(os.environ)
    _configure_logs(settings)
    set_request_seconds(settings.request_seconds)
    app = create_app(settings, Meter(_cells(os.environ.get(_COUNTS))))
    _spare_the_collector()
    return app.entry


def _configure_logs(settings: Settings) -> None:
    secrets = passwords_in(settings.database_url, os.environ)
    logs.configure(logs.LogSettings(settings.log_format, settings.log_level, secrets))


def _cells(path: str | None) -> Cells:
    """Returns where to count: beside the server's other processes, if there are any. Counting stops no server."""
    if path is None:
        return Cells.alone()
    try:
        return Cells.shared(Path(path))
    except (OSError, NoArrayFree) as error:
        log.error("counts_apart", extra={"reason": str(error), "advice": "metrics of this process are its own"})
        return Cells.alone()


def _spare_the_collector() -> None:
    """Keeps Python's cycle collector from walking through what was imported, again and again, while requests wait."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG_OBJECTS, 20, 20)


def _check_port_is_free(settings: Settings) -> None:
    """Raises InvalidSetting if something else listens there: uvicorn would say so only after starting up."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            raise InvalidSetting(
                variable_of("port"),
                f"cannot listen on {settings.host}:{settings.port}: {error.strerror}; choose another",
            ) from error


async def _rehearse(settings: Settings) -> None:
    """Opens and closes the store once: what keeps it from starting is raised here, not lost in a worker's log."""
    store, access = SqlStore(settings.database_url), AccessStore(settings.database_url)
    await store.start()
    try:
        await _print_first_key(settings, access)
        if _keyless_access(settings) is KeylessAccess.NONE and await access.active_keys(known_version=0) is None:
            raise InvalidSetting(variable_of("host"), _NO_KEY_YET.format(host=settings.host))
    finally:
        await access.close()
        await store.close()


def migrate(settings: Settings) -> None:
    """Brings the database to this version's tables, and makes the first key if the settings ask for it."""
    migrations.migrate(settings.database_url)

    async def prepare_access() -> None:
        access = AccessStore(settings.database_url)
        try:
            await _print_first_key(settings, access)
        finally:
            await access.close()

    asyncio.run(prepare_access())


async def _print_first_key(settings: Settings, access: AccessStore) -> None:
    """Makes an admin key and prints it, if the settings ask for it, calls need a key, and none was ever made.

    The only place that prints a key unasked. It goes to stdout: log lines, on stderr, never contain one.
    """
    if settings.first_key != "print" or _keyless_access(settings) is not KeylessAccess.NONE:
        return
    if await access.active_keys(known_version=0) is not None:
        return  # there was a key; a server's database user may have no right to make one
    secret, key = new_key("first key", [Scope.ADMIN])
    if await access.add_first_key(key, COMMAND_LINE) is not None:
        sys.stdout.write(_FIRST_KEY.format(secret=secret, id=key.id))
        sys.stdout.flush()


def serve(settings: Settings) -> None:
    """Serves until a signal comes; requests in flight are finished first."""
    _check_port_is_free(settings)
    _configure_logs(settings)
    asyncio.run(_rehearse(settings))
    # Worker processes import the factory by name and know nothing but the environment.
    os.environ.update(settings.as_environment())
    # What was set before is called again after uvicorn has finished: the default then ends the process as before.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with ExitStack() as ending:
        os.environ.pop(_COUNTS, None)  # of a server that this one may have been started by
        if settings.workers > 1:
            os.environ[_COUNTS] = str(ending.enter_context(shared_file(settings.workers)))
            use_own_workers()
        uvicorn.run(
            "app.main:app_from_environment",
            factory=True,
            host=settings.host,
            port=settings.port,
            workers=settings.workers,
            loop="auto",  # uvloop where it is installed
            http=http_protocol(),
            ws="none",  # an installed websocket library would take connections out of that protocol
            interface="asgi3",
            proxy_headers=False,  # nothing here depends on who calls; keys do
            log_config=None,  # its lines go where all lines go
            access_log=False,  # a line per request costs more than the request
            timeout_graceful_shutdown=settings.shutdown_seconds,
            timeout_worker_healthcheck=_RESTART_SECONDS,
            server_header=False,
        )
