"""Charts as SVG text, without a plotting library: shared elements, and the bar chart of `bestpair bench`."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

INK, FAINT = "#212529", "#495057"
COLOURS = {"floor": "#adb5bd", "hot": "#1c7ed6", "plain": "#f08c00", "keys": "#2f9e44"}

_WIDTH, _LEFT, _RIGHT = 760, 250, 90
_TOP, _ROW = 74, 24


class Bar(NamedTuple):
    """One bar: its name, its length, the label at its end, and the kind that selects its colour."""

    name: str
    value: float
    label: str
    kind: str = "hot"


def bar_chart(title: str, subtitle: str, bars: Sequence[Bar]) -> str:
    """Returns the chart; bars start at 0 and the longest one fills the width."""
    longest = max((bar.value for bar in bars), default=0.0) or 1.0
    parts = []
    for place, bar in enumerate(bars):
        y = _TOP + _ROW * place
        width = (_WIDTH - _LEFT - _RIGHT) * bar.value / longest
        parts += [
            text(_LEFT - 10, y + 12, bar.name, INK, anchor="end"),
            f'<rect x="{_LEFT}" y="{y}" width="{width:.1f}" height="16" rx="3" fill="{COLOURS[bar.kind]}"/>',
            text(_LEFT + width + 6, y + 12, bar.label, FAINT),
        ]
    return document((_WIDTH, _TOP + _ROW * len(bars) + 16), title, title, subtitle, parts)


def document(size: tuple[int, int], label: str, title: str, subtitle: str, parts: Sequence[str]) -> str:
    """Returns an SVG document of this width and height; `label` describes the chart for screen readers."""
    width, height = size
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="system-ui, sans-serif" '
        f'font-size="13" role="img" aria-label="{escape(label)}">',
        f'<rect width="{width}" height="{height}" rx="12" fill="#ffffff"/>',
        text(24, 32, title, INK, size=17, weight=600),
        text(24, 51, subtitle, FAINT),
        *parts,
        "</svg>",
        "",
    ]
    return "\n".join(lines)


def text(x: float, y: float, words: str, colour: str, *, size: int = 13, weight: int = 400, anchor: str = "") -> str:
    """Returns a text element at this position."""
    more = "" if size == 13 else f' font-size="{size}"'
    more += "" if weight == 400 else f' font-weight="{weight}"'
    more += f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{more} fill="{colour}">{escape(words)}</text>'


def tick_label(number: int) -> str:
    """Returns 1000000 as 1M: full numbers would overlap."""
    return f"{number // 10**6:,}M" if number >= 10**6 else f"{number:,}"
