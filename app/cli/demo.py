"""`bestpair demo`: starts the service and a simulated shop, and prints the address of the dashboard."""

import asyncio
import math
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
from app.wire.goal import goal_of, in_words
from app.wire.sessions import Session

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
    visitors: Annotated[float, typer.Option(min=1, max=5000, help="Simulated visitors per second.")] = 200,
    exit_when_certified: Annotated[bool, typer.Option("--exit-when-certified", help="Exit after the verdict.")] = False,
) -> None:
    """Run the service on a temporary database, with a simulated shop that sends it visitors.

    It takes less than a minute to certify. Then the service keeps running, so that you can explore it; Ctrl-C stops it
    and deletes the database.
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
        session = await open_session(client, store, visitors)
        _introduce(url, session, store, visitors)
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

            best = await run_shop(client, session.id, store, visitors, stop, show)
    if best.verdict == "not_yet":
        return
    typer.echo(_verdict(best, store, time.monotonic() - began))
    if not exit_when_certified:
        typer.echo(f"The service keeps running at {url}/ until you press Ctrl-C.")
        await stop.wait()


def _introduce(url: str, session: Session, store: Shop, visitors: Visitors) -> None:
    pairs = len(store.ads) * (len(store.ads) - 1) // 2
    typer.echo(f"Dashboard: {url}/   API: {url}/docs")
    typer.echo(f"Watch it:  {url}/#/sessions/{session.id}")
    typer.echo(
        f"A simulated shop: {len(store.ads)} ads, {pairs} pairs, {visitors.per_second:g} visitors per second. "
        "Which two ads together are clicked by the most visitors?"
    )
    typer.echo(
        f"Goal: a pair that earns {_goal(session.epsilon, session.relative_epsilon)}, {_least(session.delta)} % sure."
    )
    sys.stdout.flush()


def _share_done(best: BestPair) -> float:
    """Returns the share of the impressions that are done, by the forecast."""
    if best.forecast_samples is None:
        return 0.0
    return best.samples / max(best.samples + best.forecast_samples, 1)


def _goal(epsilon: float | None, relative_epsilon: float | None) -> str:
    return in_words(goal_of(epsilon, relative_epsilon))


def _least(lacking: float | None) -> str:
    """Returns the rest of a share, in percent and rounded down: "89" if at most 0.1001 are lacking."""
    return "0" if lacking is None else f"{math.floor(100 * (1 - lacking) + 1e-9)}"


def _short_status(best: BestPair) -> str:
    """Returns a status that fits next to the progress bar in 80 columns."""
    return f"{best.samples:,} shown, {_least(best.relative_gap)} % proven, {best.contenders:,} pairs left"


def _status(best: BestPair) -> str:
    remaining = "" if best.forecast_samples is None else f", about {best.forecast_samples:,} to go"
    return (
        f"{best.samples:,} impressions, proven: at least {_least(best.relative_gap)} % of the best, "
        f"{best.contenders:,} pairs left{remaining}"
    )


def _verdict(best: BestPair, store: Shop, seconds: float) -> str:
    """Returns the verdict, and the truth, which is known only in a simulation."""
    labels = dict(store.ads)
    pair = " + ".join(labels[item] for item in best.pair)
    after = f"after {best.samples:,} impressions in {seconds:.0f} s"
    so_far = f"at least {_least(best.relative_gap)} % of what the best pair earns"
    proven = _goal(best.epsilon, best.relative_epsilon) if best.certified else so_far
    head = "Certified" if best.certified else best.verdict.capitalize()
    return (
        f"{head} {after}: {pair}\n"
        f"  It earns {proven}, {_least(best.delta)} % sure.\n"
        f"  The truth, known only in a simulation: {_truth(best, store)}."
        + "".join(f"\n  note: {entry.problem}" for entry in best.health)
    )


def _truth(best: BestPair, store: Shop) -> str:
    error = float(store.population.error(best.i, best.j))
    if error == 0:
        return "it is the best pair"
    reward = 1 - float(store.population.loss(best.i, best.j))
    return f"it earns {100 * reward / (reward + error):.1f} %"
