"""A page as the tests see it: tags, texts, and whether it is well formed."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from io import StringIO
from itertools import pairwise
from pathlib import Path

from rich.console import Console

from disjoin.charts.svg import Chart
from disjoin.forms.registry import FORMS
from disjoin.model import Report
from disjoin.pipeline import load, write
from disjoin.report.documents import summary_table


def charts_of(report: Report) -> list[Chart]:
    return [figure.chart for figure in FORMS[report.form].page.figures(report)]


VOID = {"meta", "br", "img", "link", "input", "hr"}


class Page(HTMLParser):
    """Tags, texts and whether everything that was opened was closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data

    def named(self, *tags: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.tags if tag in tags]


def assert_everybody_can_read(html: str) -> None:
    """The page loads nothing, runs nothing, and says in words what it draws; its headings leave out no level."""
    page = Page(html)
    assert not page.named("script", "link", "img", "iframe", "object", "form")
    assert all(link["href"].startswith("#") for link in page.named("a"))
    assert not re.search(r"https?:|//|url\((?!#)|@import|data:", html)
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h\d", tag)]
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert all(svg.get("aria-hidden") or svg["role"] == "img" for svg in page.named("svg"))
    named = re.findall('<svg role="img" (?:aria-label="[^"]|[^>]*><title>[^<]+</title><desc>[^<])', html)
    assert html.count('<svg role="img"') == len(named)
    without = ("facts", "rows")  # facts of the release, and tables behind charts
    assert len(page.named("caption")) == len([t for t in page.named("table") if t.get("class") not in without])


def assert_written_again_is_the_same(folder: Path, elsewhere: Path, form: str) -> None:
    """A release that is read and written again has the same bytes, and its report says which form it is."""
    again = write(load(folder), elsewhere)
    for file in sorted(file.relative_to(folder) for file in folder.rglob("*") if file.is_file()):
        assert (folder / file).read_bytes() == (again / file).read_bytes(), file
    assert Report.from_json((folder / "report.json").read_text(encoding="utf-8")).form == form


SUMMARY_LABELS = {"Records", "Kept", "Still learnable"}


def summary_text(report: Report, width: int = 80) -> str:
    """Return the summary as it is on a screen of this width."""
    out = StringIO()
    Console(file=out, width=width, color_system=None, emoji=False).print(summary_table(report))
    return "\n".join(line.rstrip() for line in out.getvalue().rstrip("\n").split("\n"))
