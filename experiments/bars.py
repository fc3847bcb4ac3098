"""A bar chart as SVG text: the plots of `bestpair bench`, without a plotting library."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

_WIDTH, _LEFT, _RIGHT = 760, 250, 90
_TOP, _ROW = 74, 24
_INK, _GREY = "#212529", "#495057"
COLOURS = {"floor": "#adb5bd", "hot": "#1c7ed6", "plain": "#f08c00", "optuna": "#ae3ec9"}


class Bar(NamedTuple):
    """One bar: its name, its length, what is written at its end, and whose colour it has."""

    name: str
    value: float
    label: str
    kind: str = "hot"


def bar_chart(title: str, subtitle: str, bars: Sequence[Bar]) -> str:
    """Returns the chart; bars start at 0 and the longest one fills the width."""
    height = _TOP + _ROW * len(bars) + 16
    longest = max((bar.value for bar in bars), default=0.0) or 1.0
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" font-family="system-ui, sans-serif"'
        f' font-size="13" role="img" aria-label="{escape(title)}">',
        f'<rect width="{_WIDTH}" height="{height}" rx="12" fill="#ffffff"/>',
        f'<text x="24" y="32" font-size="17" font-weight="600" fill="{_INK}">{escape(title)}</text>',
        f'<text x="24" y="51" fill="{_GREY}">{escape(subtitle)}</text>',
    ]
    for place, bar in enumerate(bars):
        y = _TOP + _ROW * place
        width = (_WIDTH - _LEFT - _RIGHT) * bar.value / longest
        lines += [
            f'<text x="{_LEFT - 10}" y="{y + 12}" text-anchor="end" fill="{_INK}">{escape(bar.name)}</text>',
            f'<rect x="{_LEFT}" y="{y}" width="{width:.1f}" height="16" rx="3" fill="{COLOURS[bar.kind]}"/>',
            f'<text x="{_LEFT + width + 6:.1f}" y="{y + 12}" fill="{_GREY}">{escape(bar.label)}</text>',
        ]
    return "\n".join([*lines, "</svg>", ""])
