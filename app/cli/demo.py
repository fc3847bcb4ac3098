"""`bestpair demo`: the service, a simulated shop, and the dashboard's address."""

import asyncio
import signal
import socket
import sys
import time
from typing import Annotated

import typer
from rich.progress import BarColumn, TextColumn

from app.cli.options import progress
from app.client import AsyncClient
from app.settings import InvalidSetting
from app.simulation.demo import Visit, open_session, run_shop, temporary_service
from app.simulation.server_process import free_port
from app.simulation.shop import Shop, shop
from app.wire.best_pair import BestPair

DEFAULT_PORT = 8000
LINE_SECONDS = 5.0
"""Between two lines of progress where there is no terminal for a bar."""

HOST = "127.0.0.1"


def demo(
    port: Annotated[
        int | None,
        typer.Option(
            min=1, max=65_535, envvar="BESTPAIR_PORT", help=f"Port to listen on; default {DEFAULT_PORT}, or a free one."
        ),
    ] = None,
    visitors: Annotated[float, typer.Option(min=1, max=5000, help="Simulated visitors a second.")] = 400,
    exit_when_certified: Annotated[
        bool, typer.Option("--exit-when-certified", help="End with the verdict instead of serving on.")
    ] = False,
) -> None:
    """See it work: the service on a temporary database, and a simulated shop that sends it visitors.

    Takes about a minute to certify and then serves on, so that you can look around; Ctrl-C ends it and leaves nothing.
    """
    try:
        with temporary_service(_port(port)) as server:
            url = f"http://{HOST}:{server.port}"
            asyncio.run(_show(url, Visit(visitors), exit_when_certified))
    except KeyboardInterrupt:  # before the shop had opened
        pass
    typer.echo("The demo has ended; its database is gone.")


def _port(asked: int | None) -> int:
    """Returns the port to use; raises InvalidSetting if the one asked for is taken."""
    if _is_free(asked or DEFAULT_PORT):
        return asked or DEFAULT_PORT
    if asked is not None:
        raise InvalidSetting("--port", f"something else listens on {HOST}:{asked}; leave it out, or choose another")
    return free_port()


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


async def _show(url: str, visit: Visit, exit_when_certified: bool) -> None:
    """Runs the shop until there is a verdict, then waits for Ctrl-C."""
    stop = asyncio.Event()
    for kind in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(kind, stop.set)
    store = shop()
    async with AsyncClient(url, timeout_seconds=30) as client:
        session_id = await open_session(client, store, visit)
        _introduce(url, session_id, store, visit)
        began = time.monotonic()
        with progress(BarColumn(bar_width=20), TextColumn("{task.fields[says]}")) as bar:
            task = bar.add_task("proof", total=1.0, says="the first visitors arrive")
            said_at = began

            def tell(best: BestPair) -> None:
                nonlocal said_at
                bar.update(task, completed=_share_done(best), says=_says_shortly(best))
                if bar.disable and time.monotonic() - said_at >= LINE_SECONDS:
                    said_at = time.monotonic()
                    typer.echo(f"  {_says(best)}")

            best = await run_shop(client, session_id, store, visit, stop, tell)
    if best.verdict == "not_yet":
        return
    typer.echo(_verdict(best, store, time.monotonic() - began))
    if not exit_when_certified:
        typer.echo(f"The service goes on at {url}/ until you press Ctrl-C.")
        await stop.wait()


def _introduce(url: str, session_id: str, store: Shop, visit: Visit) -> None:
    pairs = len(store.ads) * (len(store.ads) - 1) // 2
    typer.echo(f"Dashboard: {url}/   API: {url}/docs")
    typer.echo(f"Watch it:  {url}/#/sessions/{session_id}")
    typer.echo(
        f"A simulated shop: {len(store.ads)} ads, {pairs} pairs, {visit.visitors_per_second:g} visitors a second. "
        f"Which two ads leave the fewest visitors cold?"
    )
    sys.stdout.flush()


def _share_done(best: BestPair) -> float:
    """Returns how much of the way is behind us, by the forecast."""
    if best.forecast_samples is None:
        return 0.0
    return best.samples / max(best.samples + best.forecast_samples, 1)


def _says_shortly(best: BestPair) -> str:
    """Returns what fits beside a bar in 80 columns."""
    return f"{best.samples:,} shown, gap {best.gap:.3f}, {best.contenders:,} in the race"


def _says(best: BestPair) -> str:
    ahead = "" if best.forecast_samples is None else f", about {best.forecast_samples:,} to go"
    return f"{best.samples:,} impressions, gap {best.gap:.3f}, {best.contenders:,} pairs still in the race{ahead}"


def _verdict(best: BestPair, store: Shop, seconds: float) -> str:
    """Returns the end of the story, and what only a simulation knows."""
    labels = dict(store.ads)
    pair = " + ".join(labels[item] for item in best.pair)
    if not best.certified:
        return f"{best.verdict} after {best.samples:,} impressions: {pair} is within {best.gap:.3f} of the best"
    error = float(store.population.error(best.i, best.j))
    truth = "it is the best" if error == 0 else f"the best is {100 * error:.1f} points better"
    return (
        f"Certified after {best.samples:,} impressions in {seconds:.0f} s: {pair}\n"
        f"  proven within {100 * best.epsilon:g} points of the best pair, {100 * (1 - best.delta):g} % sure "
        f"(in truth, which only a simulation knows: {truth})"
        + "".join(f"\n  note: {entry.problem}" for entry in best.health)
    )
