"""`bestpair demo`: starts the service and a simulated shop, and prints the address of the dashboard."""

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
from app.simulation.demo import Shop, Visitors, open_session, run_shop, shop, temporary_service
from app.simulation.server_process import free_port
from app.wire.best_pair import BestPair

DEFAULT_PORT = 8000
LINE_SECONDS = 5.0
"""Time between two lines of progress where there is no terminal for a progress bar."""

HOST = "127.0.0.1"


def demo(
    port: Annotated[
        int | None,
        typer.Option(
            min=1, max=65_535, envvar="BESTPAIR_PORT", help=f"Port to listen on; default {DEFAULT_PORT}, or a free one."
        ),
    ] = None,
    visitors: Annotated[float, typer.Option(min=1, max=5000, help="Simulated visitors per second.")] = 400,
    exit_when_certified: Annotated[bool, typer.Option("--exit-when-certified", help="Exit after the verdict.")] = False,
) -> None:
    """Run the service on a temporary database, with a simulated shop that sends it visitors.

    It takes about a minute to certify. Then the service keeps running, so that you can explore it; Ctrl-C stops it and
    deletes the database.
    """
    try:
        with temporary_service(_port(port)) as server:
            url = f"http://{HOST}:{server.port}"
            asyncio.run(_run(url, Visitors(visitors), exit_when_certified))
    except KeyboardInterrupt:  # before the signal handlers were installed
        pass
    typer.echo("The demo has ended; its database is deleted.")


def _port(requested: int | None) -> int:
    """Returns the port to use; raises InvalidSetting if the requested one is in use."""
    if _is_free(requested or DEFAULT_PORT):
        return requested or DEFAULT_PORT
    if requested is not None:
        raise InvalidSetting("--port", f"{HOST}:{requested} is in use; omit the option, or choose another port")
    return free_port()


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


async def _run(url: str, visitors: Visitors, exit_when_certified: bool) -> None:
    """Runs the shop until there is a verdict, then waits for Ctrl-C."""
    stop = asyncio.Event()
    for kind in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(kind, stop.set)
    store = shop()
    async with AsyncClient(url, timeout_seconds=30) as client:
        session_id = await open_session(client, store, visitors)
        _introduce(url, session_id, store, visitors)
        began = time.monotonic()
        with progress(BarColumn(bar_width=20), TextColumn("{task.fields[status]}")) as bar:
            task = bar.add_task("proof", total=1.0, status="waiting for visitors")
            printed_at = began

            def show(best: BestPair) -> None:
                nonlocal printed_at
                bar.update(task, completed=_share_done(best), status=_short_status(best))
                if bar.disable and time.monotonic() - printed_at >= LINE_SECONDS:
                    printed_at = time.monotonic()
                    typer.echo(f"  {_status(best)}")

            best = await run_shop(client, session_id, store, visitors, stop, show)
    if best.verdict == "not_yet":
        return
    typer.echo(_verdict(best, store, time.monotonic() - began))
    if not exit_when_certified:
        typer.echo(f"The service keeps running at {url}/ until you press Ctrl-C.")
        await stop.wait()


def _introduce(url: str, session_id: str, store: Shop, visitors: Visitors) -> None:
    pairs = len(store.ads) * (len(store.ads) - 1) // 2
    typer.echo(f"Dashboard: {url}/   API: {url}/docs")
    typer.echo(f"Watch it:  {url}/#/sessions/{session_id}")
    typer.echo(
        f"A simulated shop: {len(store.ads)} ads, {pairs} pairs, {visitors.per_second:g} visitors per second. "
        "Which two ads together are clicked by the most visitors?"
    )
    sys.stdout.flush()


def _share_done(best: BestPair) -> float:
    """Returns the share of the impressions that are done, by the forecast."""
    if best.forecast_samples is None:
        return 0.0
    return best.samples / max(best.samples + best.forecast_samples, 1)


def _short_status(best: BestPair) -> str:
    """Returns a status that fits next to the progress bar in 80 columns."""
    return f"{best.samples:,} shown, gap {best.gap:.3f}, {best.contenders:,} pairs left"


def _status(best: BestPair) -> str:
    remaining = "" if best.forecast_samples is None else f", about {best.forecast_samples:,} to go"
    return f"{best.samples:,} impressions, gap {best.gap:.3f}, {best.contenders:,} pairs left{remaining}"


def _verdict(best: BestPair, store: Shop, seconds: float) -> str:
    """Returns the verdict, and the true error, which is known only in a simulation."""
    labels = dict(store.ads)
    pair = " + ".join(labels[item] for item in best.pair)
    if not best.certified:
        return f"{best.verdict} after {best.samples:,} impressions: {pair} is within {best.gap:.3f} of the best"
    error = float(store.population.error(best.i, best.j))
    truth = "0, it is the best pair" if error == 0 else f"{100 * error:.1f} points"
    return (
        f"Certified after {best.samples:,} impressions in {seconds:.0f} s: {pair}\n"
        f"  proven within {100 * best.epsilon:g} points of the best pair, confidence {100 * (1 - best.delta):g} % "
        f"(true error, known only in a simulation: {truth})"
        + "".join(f"\n  note: {entry.problem}" for entry in best.health)
    )
