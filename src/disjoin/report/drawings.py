"""A report page that nobody vouches for: its words must be those that the release makes, its drawings only drawings.

Charts are not drawn again, which would take longer than everything else and may differ from machine to machine. So
between the words of the page there may be drawings, of the parts that ours are made of, with the words of the charts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

from disjoin.charts.specifications import Specification
from disjoin.forms.registry import FORMS
from disjoin.model.release import Release
from disjoin.report.facts import facts_of
from disjoin.report.html import render_html

_GAP = "\0drawing\0"  # no page has that in it
_ELEMENTS = {"svg", "g", "defs", "clipPath", "path", "line", "text", "rect", "circle", "tspan"}
_ENGINE = {"img", "graphics-symbol", "graphics-object", "true", "false", "end", "start", "middle", "none", "nonzero"}
_MARKS = re.compile(
    r"(text|rect|group|rule|symbol|line|area|path) mark( container)?|axis|legend|title|round|square|butt"
)
_NUMBER = r"[-+]?(?>[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?|\.[0-9]+)"
_NUMBERS = rf"{_NUMBER}(?:(?:[, ]|(?=-)){_NUMBER})*"
_SHAPE = re.compile(
    rf"(?:{_NUMBERS}(?:px)?)?|(?:[Zz]|[MLHVCSQTAmlhvcsqta]{_NUMBERS})*|(?: ?(?:translate|rotate|scale)\({_NUMBERS}\))*"
)
_ID = re.compile(r"(url\(#)?c[0-9a-f]{8}-[0-9]+\)?")
_TICK = re.compile(r"[-+\u2212]?[0-9][0-9.,]*\s?[%kMGTPmµn+]?")


def is_page_of(release: Release, page: str) -> bool:
    """Tell whether this is the report page of the release, whatever the lines and areas of its charts look like."""
    charts: list[Specification] = []

    def leave_a_gap(chart: Specification) -> str:
        charts.append(chart)
        return _GAP

    report = facts_of(release)
    words = render_html(report, FORMS[report.form].pictures(release.published), leave_a_gap).split(_GAP)
    if not page.startswith(words[0]):
        return False
    place = len(words[0])
    for chart, following in zip(charts, words[1:], strict=True):
        end = page.find("</svg>", place) + len("</svg>")
        if end < place or not page.startswith(following, end) or not is_drawing(page[place:end], chart):
            return False
        place = end + len(following)
    return place == len(page)


def is_drawing(text: str, chart: Specification) -> bool:
    """Tell whether a text is an SVG element of lines, areas and letters that says nothing but what the chart says.

    >>> is_drawing('<svg width="3"><text>tea</text></svg>', {"title": "tea"})
    True
    >>> is_drawing('<svg width="3"><text>Bob</text></svg>', {"title": "tea"})
    False
    """
    if "<!" in text or "<?" in text:
        return False
    try:
        drawing = ElementTree.fromstring(text)
    except ElementTree.ParseError:
        return False
    known = set(_words(chart))
    return drawing.tag == "svg" and all(_is_part(element, known) for element in drawing.iter())


def _is_part(element: ElementTree.Element, known: set[str]) -> bool:
    texts = (text.strip() for text in (element.text or "", element.tail or ""))
    return (
        element.tag in _ELEMENTS
        and all(not name.lower().startswith("on") and "}" not in name for name in element.attrib)
        and all(_is_value(value, known) for value in element.attrib.values())
        and all(not text or text in known or _TICK.fullmatch(text) for text in texts)
    )


def _is_value(value: str, known: set[str]) -> bool:
    return (
        value in known
        or value in _ENGINE
        or any(pattern.fullmatch(value) is not None for pattern in (_SHAPE, _ID, _MARKS))
    )


def _words(part: Any) -> Iterator[str]:
    """Yield every text in a specification, as it is and as it is drawn."""
    if isinstance(part, dict):
        part = part.values()
    elif isinstance(part, str):
        yield part
        yield part.strip()
        return
    elif not isinstance(part, (list, tuple)):
        return
    for inner in part:
        yield from _words(inner)
