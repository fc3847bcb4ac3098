"""The table that `bestpair compare` prints: one line a policy, narrow enough for a plain terminal."""

from pathlib import Path

from rich import box
from rich.table import Table

from experiments.compare import Row

COLUMNS = ("policy", "cert.", "wrong", "samples", "quartiles", "error", "worst", "gap", "plans")


def comparison_table(rows: list[Row]) -> Table:
    """Returns medians over sessions, with the quartiles of the samples and the worst error."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 0), show_edge=False)
    for heading in COLUMNS:
        table.add_column(heading, justify="left" if heading == "policy" else "right", no_wrap=True)
    previous = None
    for row in rows:
        if row.population != previous:
            table.add_row(Path(row.population).name, style="bold cyan")
            previous = row.population
        table.add_row(*_cells(row))
    table.caption = "Medians; wrong: certified, but not within epsilon of the best."
    return table


def _cells(row: Row) -> list[str]:
    low, samples, high = row.quartiles("samples")
    error, gap, plans = (row.quartiles(name)[1] for name in ("error", "gap", "plans"))
    return [
        row.policy,
        f"{row.certified}/{len(row.outcomes)}",
        str(row.failures),
        short(samples),
        f"{short(low)}-{short(high)}",
        f"{error:.3f}",
        f"{max(outcome.error for outcome in row.outcomes):.3f}",
        f"{gap:.2f}",
        f"{plans:.0f}",
    ]


def short(count: float) -> str:
    """Returns a count in two digits: 7.5e4; small ones as they are."""
    if count < 1000:
        return f"{count:.0f}"
    digits, exponent = f"{count:.1e}".split("e")
    return f"{digits}e{int(exponent)}"
