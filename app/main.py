"""The composition root: builds the application from database, services and web, and runs the server."""

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

from app.access.audit import COMMAND_LINE
from app.access.control import AccessControl, KeylessAccess, is_loopback
from app.access.key_cache import KeyCache
from app.access.keys import Scope, new_key
from app.access.rates import parse_rate
from app.access.sql import AccessStore
from app.database import migrations
from app.database.store import Store
from app.database.url import passwords_in
from app.results.certificates import package_version
from app.services import Services
from app.settings import InvalidSetting, Settings, variable_of
from app.telemetry import logs
from app.telemetry.metrics import Cells, Meter, NoArrayFree, shared_file
from app.web.api import Api, build_api
from app.web.event_stream import call_on_stop_signal
from app.web.server import http_protocol, set_request_seconds, use_own_workers

_GC_THRESHOLD = 10_000
"""New objects between two runs of the garbage collector; the default, 700, is reached every few requests."""
_RESTART_SECONDS = 60
"""Time that a new process has to start after SIGHUP; if it fails, the old one continues."""
_COUNTS = "BESTPAIR_INTERNAL_COUNTS"
"""Environment variable with the path of the file in which the server's processes count metrics together. The process
that starts them sets it."""

log = logging.getLogger("bestpair")


_NO_KEY_YET = (
    "{host} can be reached from other machines, and there is no access key yet: create one with "
    "`bestpair keys create --name NAME --scope admin`, or listen on 127.0.0.1 (in a private network, "
    "BESTPAIR_OPEN_ACCESS=1 allows all calls until the first key is created; BESTPAIR_FIRST_KEY=print creates a key at "
    "the start and prints it)"
)
_FIRST_KEY = """
There was no access key for this database. This is the first one; it has all rights and is not shown again:

    {secret}

Paste it into the dashboard when it asks for a key, or send it as "Authorization: Bearer KEY".
Anyone who can read this output can use the key. To replace it: bestpair keys create --name NAME --scope admin,
then bestpair keys revoke {id}

"""


def create_app(settings: Settings, meter: Meter | None = None) -> Api:
    """Returns the application; the database is opened when the application starts."""
    meter = meter or Meter()
    store = Store(settings.database_url, queue_limit=settings.queue_limit, meter=meter)
    services = Services.build(store, meter, census_by_session=bool(settings.metrics_per_session))
    access = AccessStore(settings.database_url)
    keys = KeyCache(access)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await store.start()
        try:
            await keys.start()
            services.start()
            try:
                with call_on_stop_signal(services.results.close_streams):
                    yield
            finally:
                await services.stop()
        finally:
            await keys.stop()
            await access.close()
            await store.close()  # after planning has ended, because planning may still write

    return build_api(
        services,
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
    """Returns who may call before the first key is created."""
    if settings.open_access:
        return KeylessAccess.ALL
    return KeylessAccess.LOOPBACK if is_loopback(settings.host.encode()) else KeylessAccess.NONE


def app_from_environment() -> ASGIApp:
    """Returns the application, configured by the environment. Every server process starts here."""
    settings = Settings.from_environment(os.environ)
    _configure_logs(settings)
    set_request_seconds(settings.request_seconds)
    app = create_app(settings, Meter(_cells(os.environ.get(_COUNTS))))
    _tune_gc()
    return app.entry


def _configure_logs(settings: Settings) -> None:
    secrets = passwords_in(settings.database_url, os.environ)
    logs.configure(logs.LogSettings(settings.log_format, settings.log_level, secrets))


def _cells(path: str | None) -> Cells:
    """Returns where to count metrics: in the file at `path`, shared with the server's other processes, if there is one.

    If the file cannot be used, this process counts alone: metrics must not keep a server from starting.
    """
    if path is None:
        return Cells.alone()
    try:
        return Cells.shared(Path(path))
    except (OSError, NoArrayFree) as error:
        advice = "the metrics of this process are not added to those of the others"
        log.error("counts_apart", extra={"reason": str(error), "advice": advice})
        return Cells.alone()


def _tune_gc() -> None:
    """Makes the garbage collector run less often, and skip all objects that exist now: requests wait while it runs."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_GC_THRESHOLD, 20, 20)


def _check_port_is_free(settings: Settings) -> None:
    """Raises InvalidSetting if the port is in use: uvicorn would report it only after the application has started."""
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


async def _check_startup(settings: Settings) -> None:
    """Opens and closes the store once, so that its errors are raised here instead of in a worker process."""
    store, access = Store(settings.database_url), AccessStore(settings.database_url)
    await store.start()
    try:
        await _print_first_key(settings, access)
        if _keyless_access(settings) is KeylessAccess.NONE and await access.active_keys(known_version=0) is None:
            raise InvalidSetting(variable_of("host"), _NO_KEY_YET.format(host=settings.host))
    finally:
        await access.close()
        await store.close()


def migrate(settings: Settings) -> None:
    """Upgrades the database to this version's tables, and creates the first key if the settings ask for it."""
    migrations.migrate(settings.database_url)

    async def prepare_access() -> None:
        access = AccessStore(settings.database_url)
        try:
            await _print_first_key(settings, access)
        finally:
            await access.close()

    asyncio.run(prepare_access())


async def _print_first_key(settings: Settings, access: AccessStore) -> None:
    """Creates an admin key and prints it, if the settings ask for it, calls need a key, and there was never one.

    This is the only place that prints a key without a command. It goes to stdout; log lines, which go to stderr, never
    contain a key.
    """
    if settings.first_key != "print" or _keyless_access(settings) is not KeylessAccess.NONE:
        return
    if await access.active_keys(known_version=0) is not None:
        return  # there was a key before; and the server's database user may have no right to create one
    secret, key = new_key("first key", [Scope.ADMIN])
    if await access.add_first_key(key, COMMAND_LINE) is not None:
        sys.stdout.write(_FIRST_KEY.format(secret=secret, id=key.id))
        sys.stdout.flush()


def serve(settings: Settings) -> None:
    """Serves until a signal arrives, then finishes the requests in flight."""
    _check_port_is_free(settings)
    _configure_logs(settings)
    asyncio.run(_check_startup(settings))
    # Worker processes import the factory by name and get their settings from the environment only.
    os.environ.update(settings.as_environment())
    # After its own shutdown, uvicorn restores this handler and raises the signal again: the default ends the process.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with ExitStack() as ending:
        os.environ.pop(_COUNTS, None)  # it may be that of a server that started this one
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
            ws="none",  # an installed websocket library would take over connections of that protocol
            interface="asgi3",
            proxy_headers=False,  # access depends on keys, not on the client's address
            log_config=None,  # its lines go through our own log configuration
            access_log=False,  # a log line costs more than the request
            timeout_graceful_shutdown=settings.shutdown_seconds,
            timeout_worker_healthcheck=_RESTART_SECONDS,
            server_header=False,
        )
