"""report.html and README.md of generalised terms: true, safe, small, and the same bytes every time."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from itertools import combinations
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given

from disjoin.charts.svg import drawing
from disjoin.charts.text_drawing import cells
from disjoin.forms.form import texts_of, titled
from disjoin.forms.items.facts import cut_of
from disjoin.forms.items.page import SHOWN, branch_svg, example_html
from disjoin.forms.items.pictures import draw_node, picture_of
from disjoin.forms.registry import FORMS
from disjoin.model import GeneralizedItems, Hierarchy, KmAnonymity
from disjoin.pipeline import write
from disjoin.report.documents import documents_of, summary_of
from disjoin.report.facts import facts_of
from disjoin.report.html import render_html
from disjoin.verify import certify
from helpers.hypothesis_profile import examples
from unit.report.item_releases import PARAMETERS, figure, items, sealed
from unit.report.pages import (
    SUMMARY_LABELS,
    Page,
    assert_everybody_can_read,
    assert_written_again_is_the_same,
    charts_of,
    summary_text,
)

NOT_GUARANTEED = titled(texts_of("disjoin.forms.items")["limits"])
READING = FORMS["items"].reading


@pytest.fixture(scope="module")
def html() -> str:
    return documents_of(sealed(figure()))["report.html"]


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    release = certify(figure(), KmAnonymity(2, 2), method="apriori", parameters=PARAMETERS)
    monkeypatch.chdir(tmp_path)
    return write(release, tmp_path / "release")


def test_the_page_is_safe_and_can_be_read_by_everybody(html):
    assert_everybody_can_read(html)


def test_the_page_says_what_is_guaranteed_checked_and_not_covered(html):
    text = Page(html).text
    assert KmAnonymity(2, 2).sentence() in text
    assert "Verified: the guarantee holds" in text
    assert all(title.format(m="2 terms") in text for title, _ in NOT_GUARANTEED)
    assert "Knowing more than 2 terms" in text
    assert not re.search(r"chunk|cluster|\bgroups?\b|\bnode", text)
    assert "records.parquet, mapping.parquet and hierarchy.csv open in anything that reads Parquet and CSV" in text


def test_every_number_of_the_page_follows_from_the_tables(folder):
    records = pq.read_table(folder / "records.parquet").to_pylist()
    mapping = pq.read_table(folder / "mapping.parquet").to_pylist()
    page = (folder / "report.html").read_text(encoding="utf-8")
    tiles = dict(re.findall(r"<dt>([^<]*)</dt><dd>([^<]*)</dd>", page))
    facts = dict(re.findall(r'<th scope="row">([^<]*)</th><td>([^<]*)</td>', page))
    general = [row for row in mapping if row["term"] != row["published"]]
    categories = {row["published"] for row in general}
    assert tiles == {
        "records": str(sum(row["count"] for row in records)),
        "terms of the hierarchy": str(len(mapping)),
        "published as themselves": str(len(mapping) - len(general)),
        "generalised": str(len(general)),
        "categories": str(len(categories)),
    }
    held = sum(len(row["terms"]) * row["count"] for row in records)
    above = sum(len(categories.intersection(row["terms"])) * row["count"] for row in records)
    assert facts["published terms and categories"] == str(len({row["published"] for row in mapping}))
    assert facts["of these, in records"] == str(len({term for row in records for term in row["terms"]}))
    assert facts["record entries"] == str(held)
    assert facts["of these, categories"] == f"{above} ({100 * above / held:g}%)"
    assert facts["records with the rarest term or category"] == "3"
    assert facts["distinct records"] == str(len(records))


def test_a_release_that_is_read_and_written_again_is_the_same(folder, tmp_path):
    assert_written_again_is_the_same(folder, tmp_path / "again", "items")


@examples(10)
@given(items())
def test_any_cut_gives_a_well_formed_page_a_readme_and_a_summary(published):
    release = sealed(published)
    pictures = FORMS["items"].pictures(published)
    html = render_html(facts_of(release), pictures)
    assert not Page(html).named("script")
    assert "\x1b" not in html
    assert "\u202e" not in html
    assert html == render_html(facts_of(release), pictures)
    rows = published.records.rows()
    again = GeneralizedItems.from_mapping(rows[::-1], published.mapping, published.hierarchy)
    assert documents_of(release) == documents_of(sealed(again))
    assert all(len(line) <= 72 for line in summary_text(facts_of(release), 72).split("\n"))


@examples(15)
@given(items())
def test_a_branch_is_drawn_whole_and_only_with_colours_of_the_page(published):
    cut = cut_of(published)
    for node in range(len(cut)):
        picture = picture_of(cut, node)
        drawing = ElementTree.fromstring(branch_svg(picture))
        high, wide = float(drawing.get("height")), float(drawing.get("width"))
        places = [(float(text.get("x")), float(text.get("y"))) for text in drawing.iter("text")]
        assert all(0 <= x <= wide and 0 <= y <= high for x, y in places)
        assert len(set(places)) == len(places)
        filled = [box for box in drawing.iter("rect") if box.get("fill") == "var(--soft)"]
        assert len(filled) == sum(sibling.records is not None for sibling in picture.siblings)
        colours = {part.get(name) for part in drawing.iter() for name in ("fill", "stroke")}
        assert all(colour is None or colour == "none" or colour.startswith("var(--") for colour in colours)


def test_a_branch_without_a_cut_and_a_branch_cut_further_down_are_explained():
    tree = Hierarchy.from_rows([["a", "A", "*"], ["b", "A", "*"], ["c", "C", "*"], ["d", "C", "*"]])
    cut = cut_of(GeneralizedItems.from_mapping([(["C"], 4)], {"a": "a", "b": "b", "c": "C", "d": "C"}, tree))
    [half, whole] = [example_html(picture_of(cut, node)) for node in (0, 1)]
    assert "What a category looks like" in half
    assert "there the cut is further down" in half
    assert "What a term looks like" in whole
    assert "cut" not in Page(whole).text


def test_a_release_in_which_nothing_was_generalised_says_so():
    tree = Hierarchy.from_rows([["a", "*"], ["b", "*"]])
    published = GeneralizedItems.from_mapping([(["a", "b"], 4)], {"a": "a", "b": "b"}, tree)
    report = facts_of(sealed(published))
    assert "No term had to be generalised" in documents_of(sealed(published))["README.md"]
    assert "No term had to be generalised" in render_html(report, [])
    rows = dict(summary_of(report))
    assert rows["Kept"].startswith("2 terms: 2 published as themselves, none generalised. 0% of the terms in records")
    assert "Terms behind a category" not in {chart.title for chart in charts_of(report)}


def test_names_are_text_in_a_chart_whatever_they_contain():
    names = ["</text><script>alert(1)</script>", "a&b", "\x1b[31m", '"><img src=x>', "x" * 500]
    mapping = {f"{i}{j}": name for i, name in enumerate(sorted(names)) for j in range(2)}
    tree = Hierarchy.from_rows([[term, name, "*"] for term, name in mapping.items()])
    published = GeneralizedItems.from_mapping([([name], 3) for name in names], mapping, tree)
    report = facts_of(sealed(published))
    html = render_html(report, FORMS["items"].pictures(published))
    assert not Page(html).named("script", "img")
    assert "\x1b" not in html
    for chart in charts_of(report):
        assert ElementTree.fromstring(drawing(chart)).tag == "svg"


def test_the_charts_tell_of_every_level_and_of_the_largest_categories():
    many = {f"t{i:02d}{j}": f"g{i:02d}" for i in range(2 * SHOWN) for j in range(2)}
    tree = Hierarchy.from_rows([[term, node, "*"] for term, node in many.items()] + [["z", "*"]])
    levels, largest = charts_of(facts_of(sealed(GeneralizedItems.from_mapping([], many | {"z": "z"}, tree))))
    assert (levels.title, largest.title) == ("What terms are published as", "Terms behind a category")
    assert [name for name, _ in levels.rows] == [
        "as themselves",
        "1 step up",
        "as the root",
    ]
    assert levels.description.endswith("as the root 0 of 33.")
    assert len(largest.rows) == SHOWN


def test_the_readme_names_every_column_of_every_table(folder):
    readme = (folder / "README.md").read_text(encoding="utf-8")
    tables = sorted(folder.glob("*.parquet"))
    assert len(tables) == 2
    for table in tables:
        columns = pq.read_schema(table).names
        after = readme.split(f"`{table.name}`, one row", 1)[1]
        assert re.findall(r"^\| `(\w+)` \|", after, re.MULTILINE)[: len(columns)] == columns
    assert "`hierarchy.csv`, one line per term" in readme
    assert "2 of 5 terms were generalised to 1 category" in readme
    assert "A record with several terms of one category has the category once" in readme
    assert all(f"**{title.format(m='2 terms')}.**" in readme for title, _ in NOT_GUARANTEED)
    assert "b1" not in readme


def estimates(published: GeneralizedItems) -> dict[tuple[str, str], float]:
    """Section E.2: records with both images, divided by the numbers of leaves."""
    image, rows = published.mapping, published.records.rows()
    leaves = {node: list(image.values()).count(node) for node in image.values()}
    return {
        (a, b): sum(n for row, n in rows if {image[a], image[b]} <= {*row}) / (leaves[image[a]] * leaves[image[b]])
        for a, b in combinations(image, 2)
    }


def test_the_python_of_the_readme_runs_and_counts_right(folder):
    assert READING.python in (folder / "README.md").read_text(encoding="utf-8")
    names: dict = {}
    exec(READING.python, names)  # our own text
    assert names["support"].to_dict() == {"A": 4, "b1": 3, "b2": 3}
    assert names["hierarchy"].shape == (5, 3)
    expected = estimates(figure())
    assert {pair: names["together"](*pair) for pair in expected} == expected
    assert (expected["a1", "a2"], expected["a1", "b1"], expected["b1", "b2"]) == (1.0, 1.5, 2.0)


def test_the_sql_of_the_readme_runs_and_counts_right(folder):
    duckdb = pytest.importorskip("duckdb")
    assert READING.sql in (folder / "README.md").read_text(encoding="utf-8")
    found = {row[0]: row[1:] for row in duckdb.sql(READING.sql).fetchall()}
    assert found == {
        "a1": ("A", 4, 2.0),
        "a2": ("A", 4, 2.0),
        "b1": ("b1", 3, 3.0),
        "b2": ("b2", 3, 3.0),
        "c": ("c", 0, 0.0),
    }


def test_the_summary_tells_of_terms_and_categories():
    rows = dict(summary_of(facts_of(sealed(figure()))))
    assert rows["Records"] == "4, each of 2 to 3 terms (median 2)"
    assert rows["Kept"] == (
        "5 terms: 3 published as themselves, 2 generalised to 1 category. 40% of the terms in records are categories: "
        "A (2 terms)."
    )


def test_the_summary_has_few_labels_and_every_statistic_is_explained():
    page = (Path(__file__).parents[3] / "docs" / "reference" / "reading-a-report.md").read_text(encoding="utf-8")
    report = facts_of(sealed(figure()))
    assert {label for label, _ in summary_of(report)[1:]} <= SUMMARY_LABELS
    [told] = re.findall(r"^\| `statistics` of generalised terms \| (.*) \|$", page, re.MULTILINE)
    assert all(f"`{name}`" in told for name in report.statistics)


@examples(15)
@given(items())
def test_a_drawing_of_a_node_keeps_to_the_width_and_moves_no_cursor(published):
    cut = cut_of(published)
    for width in (40, 77):
        drawing = draw_node(cut, len(cut) - 1, width)
        assert all(cells(line) <= width for line in drawing.split("\n"))
        assert "\x1b" not in drawing
        assert "\u202e" not in drawing
