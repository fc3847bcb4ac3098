"""Plots without a plotting library: well-formed, to scale, and safe with any name."""

from xml.etree import ElementTree as Tree

from experiments.bars import COLOURS, Bar, bar_chart


def test_bars_are_to_scale_and_names_are_escaped() -> None:
    drawn = Tree.fromstring(bar_chart("a < b", "c & d", [Bar("one", 50.0, "50", "floor"), Bar("<two>", 100.0, "100")]))  # noqa: S314
    _, one, two = drawn.findall("{*}rect")
    assert float(two.attrib["width"]) == 2 * float(one.attrib["width"])
    assert [bar.attrib["fill"] for bar in (one, two)] == [COLOURS["floor"], COLOURS["hot"]]
    assert {"a < b", "c & d", "one", "<two>", "100"} <= {text.text for text in drawn.findall("{*}text")}
    assert float(drawn.attrib["viewBox"].split()[3]) > float(two.attrib["y"]) + float(two.attrib["height"])


def test_nothing_to_draw_is_still_a_picture() -> None:
    assert Tree.fromstring(bar_chart("title", "", [])).tag.endswith("svg")  # noqa: S314
    assert "NaN" not in bar_chart("title", "", [Bar("zero", 0.0, "0")])
