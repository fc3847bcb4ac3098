"""The table that `bestpair bench serving` prints: one line for each path of each server."""

from rich import box
from rich.table import Table

from app.experiments.serving import ACCESS_TARGET, Row

COLUMNS = ("path", "server", "cpu us", "ratio", "goal", "gain", "keys", "rps", "p50", "p99")


def serving_table(rows: list[Row]) -> Table:
    """Returns medians over rounds; a ratio or gain below its target is red."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    for heading in COLUMNS:
        table.add_column(heading, justify="left" if heading in COLUMNS[:2] else "right", no_wrap=True)
    for row in rows:
        table.add_row(*_cells(row))
    table.caption = (
        "ratio: floor / cost; gain: impressions per CPU s, times single calls; keys: what keys and limits add."
    )
    return table


def _cells(row: Row) -> list[str]:
    gain, target = row.batch_gain, row.target
    judged = row.ratio if gain is None else gain
    colour = "" if target is None else "[green]" if judged >= target else "[red]"
    return [
        row.path,
        row.lane if row.lane == "floor" else f"{row.lane} {row.backend}",
        f"{row.median('cpu_us'):.1f}",
        f"{'' if gain else colour}{row.ratio:.2f}",
        "" if target is None else f"{target:g}",
        "" if gain is None else f"{colour}{gain:.1f}",
        _access(row),
        f"{row.median('rps'):.0f}",
        f"{row.median('p50_ms'):.1f}",
        f"{row.median('p99_ms'):.1f}",
    ]


def _access(row: Row) -> str:
    """Returns what keys and limits add to the cost, red beyond the target."""
    cost = row.access_cost
    if cost is None:
        return ""
    return f"{'[green]' if cost <= ACCESS_TARGET else '[red]'}{100 * (cost - 1):+.0f}%"
