"""The table that `bestpair bench serving` prints: one line for each path of each server."""

from rich import box
from rich.table import Table

from experiments.serving_rows import ACCESS_TARGET, Row

COLUMNS = ("path", "server", "cpu us", "ratio", "goal", "gain", "keys", "rps", "p50", "p99")


def serving_table(rows: list[Row]) -> Table:
    """Returns medians over rounds; a ratio or gain below its target is red."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    for heading in COLUMNS:
        table.add_column(heading, justify="left" if heading in COLUMNS[:2] else "right", no_wrap=True)
    for row in rows:
        table.add_row(*_cells(row))
    table.caption = (
        "ratio: floor / cost; gain: impressions per CPU s, times single calls; keys: what keys and limits add.\n"
        "A median beyond its goal by more than what stands after ± is more than noise (95%)."
    )
    return table


def _cells(row: Row) -> list[str]:
    gain, target = row.batch_gain, row.target
    judged = gain or row.ratio
    colour = "" if target is None else "[green]" if judged.median >= target else "[red]"
    return [
        row.path,
        row.lane if row.lane == "floor" else f"{row.lane} {row.backend}",
        f"{row.median('cpu_us'):.1f}",
        f"{'' if gain else colour}{row.ratio.median:.2f}±{row.ratio.notch:.2f}",
        "" if target is None else f"{target:g}",
        "" if gain is None else f"{colour}{gain.median:.1f}±{gain.notch:.1f}",
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
    colour = "[green]" if cost.median <= ACCESS_TARGET else "[red]"
    return f"{colour}{100 * (cost.median - 1):+.0f}±{100 * cost.notch:.0f}%"
