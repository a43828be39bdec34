"""report.html and its charts: self-contained, safe, accessible, the same bytes every time."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from html import unescape
from itertools import pairwise
from types import SimpleNamespace

import pytest
from hypothesis import given

from disjoin.charts.svg import drawing
from disjoin.forms.clusters.pictures import picture_of
from disjoin.forms.registry import FORMS
from disjoin.model import Clusters, KmAnonymity
from disjoin.report.documents import documents_of
from disjoin.report.facts import facts_of
from disjoin.report.html import _reading, render_html
from disjoin.verify.inspection import all_invariants
from helpers.hypothesis_profile import examples
from helpers.releases import CHECKED, figure_3, forests, sealed
from unit.report.pages import Page, charts_of

FIRST = ("What is kept", "What an attacker could still learn", "How to read the tables")
SHARES = ("What is kept", "What an attacker could still learn")


def page_of(published: Clusters) -> str:
    return render_html(facts_of(sealed(published)), [picture_of(published, 0)])


@pytest.fixture(scope="module")
def html() -> str:
    return documents_of(sealed(figure_3()))["report.html"]


def test_the_page_loads_nothing_and_runs_nothing(html):
    page = Page(html)
    assert not page.named("script", "link", "img", "iframe", "object", "embed", "base", "form")
    assert [link["href"] for link in page.named("a")] == ["#guarantee", "#reading", "#limits"]
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    assert not re.search(r"https?:|//|url\((?!#)|@import|data:", html)
    policy = [a["content"] for a in page.named("meta") if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy == ["default-src 'none'; style-src 'unsafe-inline'"]


def test_the_page_can_be_read_by_everybody(html):
    page = Page(html)
    assert page.named("html") == [{"lang": "en"}]
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert all(svg.get("aria-hidden") or svg["role"] == "img" for svg in page.named("svg"))
    assert html.count('<svg role="img"') == html.count("<desc>") > 4
    assert page.named("th")
    assert all(cell.get("scope") in ("row", "col") for cell in page.named("th"))
    assert len(page.named("caption")) == len(
        [t for t in page.named("table") if t.get("class") not in ("facts", "rows")]
    )
    assert any(meta.get("name") == "viewport" for meta in page.named("meta"))


def test_the_page_says_what_is_guaranteed_what_was_checked_and_the_limits(html):
    text = Page(html).text
    assert KmAnonymity(3, 2).sentence() in text
    assert "a combination of up to 2 terms occurs at least 3 times or not at all" in text
    assert "minimality attack" in text
    assert all(name in text for name in CHECKED)
    assert all(name in text for name in ("max_cluster_size", "adding", "madonna", "viagra"))


def test_the_first_screen_is_the_decision_and_the_rest_is_folded(html):
    order = ["Verified: the guarantee holds", "<h1", *(f"<h2>{title}</h2>" for title in FIRST), '<section id="limits">']
    places = [html.index(words) for words in order]
    assert places == sorted(places)
    brief = html.split('<div class="brief">')[1].split("</div>")[0]
    assert all(f"<h2>{title}</h2>" in brief for title in FIRST)
    assert "<details" not in brief
    folded = html.split('<details class="part">')[1:]
    assert len(folded) == 4  # the joint cluster, the tables, the checks, the settings
    assert "<details open" not in html


def test_in_print_everything_is_unfolded_and_pages_have_margins(html):
    printed = html.split("@media print {")[1]
    assert "details::details-content { display: block; content-visibility: visible;" in printed
    assert "@page { margin: 18mm; }" in html


@pytest.mark.parametrize("form", FORMS)
def test_code_on_the_page_has_its_lines(form):
    report = SimpleNamespace(form=form, statistics={"clusters": {"total": 1}, "subrecords": {"distinct": 1}})
    shown = re.findall(r"<pre>(.*?)</pre>", _reading(report), flags=re.DOTALL)
    assert [unescape(code) for code in shown] == [FORMS[form].reading.python, FORMS[form].reading.sql]
    assert all("\n" in code for code in shown)


def test_the_page_shows_a_joint_cluster_and_says_how_to_read_it(html):
    text = Page(html).text
    assert "Clusters with rare terms in common are joined" in text
    assert text.index("What a cluster looks like") < text.index("What a joint cluster looks like")
    assert "does not show from which of its clusters a row comes" in text
    assert "Joint cluster 0: 10 records" in text
    assert "shared chunk 0" in text


def test_where_nothing_was_joined_the_page_does_not_speak_of_it():
    alone = Clusters.from_nested(figure_3().to_nested()[0]["children"])
    text = Page(documents_of(sealed(alone))["report.html"]).text
    examples = text[: text.index("Code to read the tables")]
    assert "What a cluster looks like" in examples
    assert "join" not in examples
    assert "shared" not in examples


def test_terms_are_text_whatever_they_contain():
    nasty = ["<script>alert(1)</script>", '"><img src=x onerror=1>', "a&b", "\x1b[31m", "\u202e"]
    published = Clusters.from_nested(
        [{"size": 4, "record_chunks": [{"subrecords": [[sorted(nasty), 4]]}], "term_chunk": ["</td></table>"]}]
    )
    html = page_of(published)
    page = Page(html)
    assert not page.named("script", "img")
    assert "<script>alert(1)</script>" in page.text
    assert "</td></table>" in page.text
    assert "\x1b" not in html
    assert "\u202e" not in html


@examples(6)
@given(forests())
def test_any_release_gives_a_well_formed_page_and_the_same_one_twice(published):
    html = page_of(published)
    Page(html)
    assert html == page_of(Clusters.from_nested(published.to_nested()))


def test_charts_are_drawings_with_a_label_and_without_a_name_space():
    charts = charts_of(facts_of(sealed(figure_3())))
    titles = [*SHARES, "Records in a cluster", "Terms in a chunk", "Terms in a subrecord"]
    assert [chart.title for chart in charts] == titles
    for chart in charts:
        assert chart.description.endswith(".")
        assert ElementTree.fromstring(drawing(chart)).tag == "svg"
        assert "var(--accent)" in drawing(chart) or "var(--warn)" in drawing(chart)


def test_where_there_are_no_chunks_there_is_no_chart_of_them():
    published = Clusters.from_nested([{"size": 3, "term_chunk": ["a"]}])
    titles = [chart.title for chart in charts_of(facts_of(sealed(published)))]
    assert titles == [*SHARES, "Records in a cluster"]
    Page(page_of(published))


def test_every_invariant_has_words():
    assert set(CHECKED) <= set(all_invariants())
    assert all(each.sentence.endswith(".") for each in all_invariants().values())
