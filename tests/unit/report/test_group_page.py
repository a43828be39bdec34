"""report.html and README.md of groups: true, safe, small, and the same bytes every time."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given

from disjoin.charts.svg import drawing
from disjoin.charts.text_drawing import cells
from disjoin.forms.form import texts_of, titled
from disjoin.forms.groups.page import SHOWN, matrices_of, shares
from disjoin.forms.groups.pictures import draw_group, picture_of, typical_group
from disjoin.forms.registry import FORMS
from disjoin.model import Groups, PrivacyDegree
from disjoin.pipeline import write
from disjoin.report.documents import documents_of, summary_of
from disjoin.report.facts import facts_of
from disjoin.report.html import render_html
from disjoin.verify import certify
from helpers.hypothesis_profile import examples
from unit.report.group_releases import figure, groups, sealed
from unit.report.pages import (
    SUMMARY_LABELS,
    Page,
    assert_everybody_can_read,
    assert_written_again_is_the_same,
    charts_of,
    summary_text,
)

NOT_GUARANTEED = titled(texts_of("disjoin.forms.groups")["limits"])
READING = FORMS["groups"].reading


@pytest.fixture(scope="module")
def html() -> str:
    return documents_of(sealed(figure()))["report.html"]


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    release = certify(figure(), PrivacyDegree(2), method="cahd", parameters={"p": 2, "alpha": 3, "order": "aat"})
    monkeypatch.chdir(tmp_path)
    return write(release, tmp_path / "release")


def test_the_page_is_safe_and_can_be_read_by_everybody(html):
    assert_everybody_can_read(html)


def test_the_page_says_what_is_guaranteed_checked_and_not_covered(html):
    text = Page(html).text
    assert PrivacyDegree(2).sentence() in text
    assert "In every group, at most one record in 2 has the same sensitive item." in text
    assert all(title in text for title, _ in NOT_GUARANTEED)
    assert "This release has 1. An attacker" in text
    assert "minimality attack" in text
    assert "chunk" not in text
    assert "cluster" not in text
    assert all(name in text for name in ("groups.parquet", "records.parquet", "sensitive.parquet"))


def test_every_number_of_the_page_follows_from_the_tables(folder):
    sizes = pq.read_table(folder / "groups.parquet").to_pylist()
    records = pq.read_table(folder / "records.parquet").to_pylist()
    hidden = pq.read_table(folder / "sensitive.parquet").to_pylist()
    size = {row["group"]: row["size"] for row in sizes}
    tiles, facts = numbers_of((folder / "report.html").read_text(encoding="utf-8"))
    degree = min(size[row["group"]] / row["count"] for row in hidden)
    assert tiles == {
        "records": str(sum(row["count"] for row in records)),
        "ordinary items": str(len({term for row in records for term in row["terms"]})),
        "sensitive items": str(len({row["term"] for row in hidden})),
        "groups": str(len(sizes)),
        "privacy degree": f"{degree:g}",
    }
    bare = [row for row in records if not row["terms"]]
    assert facts["groups"] == tiles["groups"]
    assert facts["groups without sensitive items"] == str(len(size.keys() - {row["group"] for row in hidden}))
    assert facts["records in the largest group"] == str(max(size.values()))
    assert facts["distinct records, counted in each group"] == str(len(records))
    assert facts["records without ordinary items"] == f"{sum(row['count'] for row in bare)} in {len(bare)} group"
    assert facts["entries of sensitive items"] == str(len(hidden))
    assert facts["privacy degree"] == f"{degree:g}"
    # Rows by content: bare, CMW, CS, MS, MW, MW; columns C, M, S, W; spans 3, 2, 1, 2, 2.
    assert facts["mean span of a record before and after"].startswith("2.0 and ")
    # In quarters of a row, 6j - 4i lies between -14 (the last M) and 14 (the first W).
    assert facts["bandwidth before and after ordering"].startswith("8.0 and ")


def numbers_of(html: str) -> tuple[dict[str, str], dict[str, str]]:
    tiles = dict(re.findall(r"<dt>([^<]*)</dt><dd>([^<]*)</dd>", html))
    return tiles, dict(re.findall(r'<th scope="row">([^<]*)</th><td>([^<]*)</td>', html))


def test_a_release_that_is_read_and_written_again_is_the_same(folder, tmp_path):
    assert_written_again_is_the_same(folder, tmp_path / "again", "groups")


@examples(10)
@given(groups())
def test_any_groups_give_a_well_formed_page_a_readme_and_a_summary(published):
    release = sealed(published)
    pictures = FORMS["groups"].pictures(published)
    html = render_html(facts_of(release), pictures)
    page = Page(html)
    assert not page.named("script")
    assert "\x1b" not in html
    assert "\u202e" not in html
    assert html == render_html(facts_of(release), pictures)
    assert documents_of(release) == documents_of(sealed(Groups.from_nested(published.to_nested())))
    assert all(len(line) <= 72 for line in summary_text(facts_of(release), 72).split("\n"))


def test_sensitive_terms_are_text_in_a_chart_whatever_they_contain():
    names = ["</text><script>alert(1)</script>", "a&b", "\x1b[31m", '"><img src=x>', "x" * 500]
    published = Groups.from_nested([{"records": [[["tea"], 9]], "sensitive": dict.fromkeys(sorted(names), 1)}])
    report = facts_of(sealed(published))
    html = render_html(report, [picture_of(published, 0)])
    assert not Page(html).named("script", "img")
    assert "\x1b" not in html
    for chart in charts_of(report):
        assert ElementTree.fromstring(drawing(chart)).tag == "svg"


def test_the_chart_of_shares_shows_the_worst_items_first_and_the_limit():
    entries = [
        {"term": f"s{i:02d}", "records": i, "groups": 1, "largest_share": {"count": 1, "size": s, "rounded": 1 / s}}
        for i, s in enumerate(range(30, 10, -1))
    ]
    chart = shares(entries, 10)
    assert [name for name, _ in chart.rows] == [f"s{i}" for i in range(19, 19 - SHOWN, -1)]
    assert chart.description.endswith("s10 1 of 20; the limit is 1 in 10.")
    assert drawing(chart).count('fill="var(--accent)"') == SHOWN
    assert "var(--warn)" in drawing(chart)
    assert shares([], 10) is None


def test_a_picture_of_a_matrix_is_small_and_coloured_by_the_page():
    """A chequered matrix is the worst case: no two neighbouring cells have the same level."""
    rows = [[[f"i{j:02d}" for j in range(64) if (i * j) % 7 < 1 + i % 3], 1] for i in range(48)]
    published = Groups.from_nested([{"records": rows, "sensitive": {"s": 1}}])
    for each in matrices_of(facts_of(sealed(published))):
        svg = drawing(each.chart)
        assert len(svg) < 150_000
        assert ElementTree.fromstring(svg).tag == "svg"
        assert set(re.findall(r'fill="([^"]*)"', svg)) == {"var(--accent)", "var(--paper)", "var(--muted)"}
        assert f"rows of {facts_of(sealed(published)).statistics['matrix']['rows']:,}." in each.notes[0]


def test_the_runs_of_a_picture_cover_what_is_not_empty():
    report = facts_of(sealed(figure()))
    before = drawing(matrices_of(report)[0].chart)
    covered = {
        (int(y), int(x) + step)
        for x, y, length in re.findall(r"M(\d+) (\d+)h(\d+)v1h", before)
        for step in range(int(length))
    }
    lines = report.statistics["matrix"]["before"]["density"]
    assert covered == {(y, x) for y, line in enumerate(lines) for x, n in enumerate(line.split()) if n != "0"}


def test_the_readme_names_every_column_of_every_table(folder):
    readme = (folder / "README.md").read_text(encoding="utf-8")
    tables = sorted(folder.glob("*.parquet"))
    assert len(tables) == 3
    for table in tables:
        columns = pq.read_schema(table).names
        after = readme.split(f"`{table.name}`, one row", 1)[1]
        assert re.findall(r"^\| `(\w+)` \|", after, re.MULTILINE)[: len(columns)] == columns
    assert "2 of them are sensitive" in readme
    assert all(f"**{title}.**" in readme for title, _ in NOT_GUARANTEED)
    assert "Viagra" not in readme


def expected_together(published: Groups) -> dict[tuple[str, str], float]:
    found: dict[tuple[str, str], float] = defaultdict(float)
    for group in published.to_nested():
        for term, a in group["sensitive"].items():
            for items, b in group["records"]:
                for item in items:
                    found[term, item] += a * b / group["size"]
    return found


def test_the_python_of_the_readme_runs_and_counts_right(folder):
    assert READING.python in (folder / "README.md").read_text(encoding="utf-8")
    names: dict = {}
    exec(READING.python, names)  # our own text
    ordinary = {"Cream": 2, "Meat": 4, "Strawberries": 2, "Wine": 3}
    assert names["support"].to_dict() == ordinary | {"Pregnancy Test": 1, "Viagra": 1}
    assert names["together"].to_dict() == pytest.approx(expected_together(figure()))


def test_the_sql_of_the_readme_runs_and_counts_right(folder):
    duckdb = pytest.importorskip("duckdb")
    assert READING.sql in (folder / "README.md").read_text(encoding="utf-8")
    found = {(sensitive, ordinary): n for sensitive, ordinary, n in duckdb.sql(READING.sql).fetchall()}
    assert found == pytest.approx(expected_together(figure()))


def test_the_summary_tells_of_groups():
    rows = dict(summary_of(facts_of(sealed(figure()))))
    assert rows["Records"] == "6 in 2 groups of 3 records"
    assert rows["Kept"].startswith("All 4 ordinary items are published unchanged; 2 sensitive items (")
    odd = Groups.from_nested([{"records": [[["a"], 7]], "sensitive": {"s": 2}}])
    learnable = dict(summary_of(facts_of(sealed(odd))))["Still learnable"]
    assert "In the worst group, 2 of 7 records have the same sensitive item." in learnable


def test_the_summary_has_few_labels_and_every_statistic_is_explained():
    page = (Path(__file__).parents[3] / "docs" / "reference" / "reading-a-report.md").read_text(encoding="utf-8")
    report = facts_of(sealed(figure()))
    assert {label for label, _ in summary_of(report)[1:]} <= SUMMARY_LABELS
    [told] = re.findall(r"^\| `statistics` of groups \| (.*) \|$", page, re.MULTILINE)
    distributions = {name for name, value in report.statistics.items() if isinstance(value, dict) and "median" in value}
    assert all(f"`{name}`" in told for name in report.statistics.keys() - distributions)
    assert distributions == {"group_sizes", "record_lengths", "sensitive_items_of_a_group"}


def test_the_typical_group_has_something_to_see():
    telling = {"records": [[["a", "b"], 2], [["a", "c"], 2], [["a", "d", "e"], 1]], "sensitive": {"s": 1}}
    dull = {"records": [[["a"], 5]], "sensitive": {"s": 1}}
    silent = {"records": telling["records"], "sensitive": {}}
    rest = {"records": [[[f"i{i}", "x", "y"], 1] for i in range(200)], "sensitive": {"s": 9}}
    assert typical_group(Groups.from_nested([dull, silent, dull, telling, rest])) == 3
    assert typical_group(Groups.from_nested([silent])) == 0


@examples(30)
@given(groups())
def test_a_drawing_of_a_group_keeps_to_the_width_and_moves_no_cursor(published):
    for width in (40, 77):
        drawing = draw_group(published, len(published) - 1, width)
        assert all(cells(line) <= width for line in drawing.split("\n"))
        assert "\x1b" not in drawing
        assert "\u202e" not in drawing
