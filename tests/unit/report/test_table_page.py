"""report.html and README.md of tables: true, safe, small, and the same bytes every time."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given

from disjoin.charts.svg import drawing
from disjoin.charts.text_drawing import cells
from disjoin.forms.form import texts_of, titled
from disjoin.forms.registry import FORMS
from disjoin.forms.table.facts import classes_of
from disjoin.forms.table.page import SHOWN, example_html, figures_of
from disjoin.forms.table.pictures import COLUMNS, draw_class, picture_of
from disjoin.model.generalized import Generalized
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.table import Role, Table
from disjoin.pipeline import write
from disjoin.report.documents import documents_of, summary_of
from disjoin.report.facts import facts_of
from disjoin.report.html import render_html
from disjoin.verify import certify
from helpers.hypothesis_profile import examples
from unit.report.pages import (
    SUMMARY_LABELS,
    Page,
    assert_everybody_can_read,
    assert_written_again_is_the_same,
    charts_of,
    summary_text,
)
from unit.report.table_releases import (
    PARAMETERS,
    QUASI,
    SENSITIVE,
    canonical,
    classes_by_hand,
    figure,
    generalized,
    promise_of,
    rows_of,
    sealed,
)

NOT_GUARANTEED = titled(texts_of("disjoin.forms.table")["limits"])
ALIKE, OTHER_COLUMNS = NOT_GUARANTEED[0][0], NOT_GUARANTEED[1][0]
READING = FORMS["table"].reading

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def html() -> str:
    return documents_of(sealed(figure()))["report.html"]


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    release = certify(figure(), promise_of(figure()), method="generalization", parameters=PARAMETERS)
    monkeypatch.chdir(tmp_path)
    return write(release, tmp_path / "release")


def test_the_page_is_safe_and_can_be_read_by_everybody(html):
    assert_everybody_can_read(html)


def test_the_page_says_what_is_guaranteed_checked_and_not_covered(html):
    text = Page(html).text
    assert promise_of(figure()).sentence() in text
    assert "Every class of rows with the same quasi-identifiers has at least 2 rows." in text
    assert all(title in text for title, _ in NOT_GUARANTEED)
    assert "For 4 rows in 2 classes, Illness is certain." in text
    assert "published unchanged: Illness, Note." in text
    assert "minimality attack" in text
    assert "The largest class has 2 rows. 100% of the rows are in classes of exactly 2," in text
    assert not re.search("chunk|cluster|group|ordinary", text)
    assert all(name in text for name in ("table.parquet", "table.csv"))


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, "there is no alpha and no l"),
        ({"alpha": 1}, "The guarantee limits this for the sensitive columns"),
        ({"l": 2}, "The guarantee limits this for the sensitive columns"),
    ],
)
def test_what_a_class_gives_away_is_said_according_to_the_promise(more, words):
    limits = dict(FORMS["table"].limits(facts_of(sealed(figure(), **more))))
    assert words in limits[ALIKE]


def test_a_table_without_sensitive_columns_is_told_so():
    published = Generalized(Table.from_columns({"q": ["7", "7"]}, {"q": QUASI}))
    report = facts_of(sealed(published))
    limits = dict(FORMS["table"].limits(report))
    assert "No column was named as sensitive" in limits[ALIKE]
    assert "all its columns are quasi-identifiers" in limits[OTHER_COLUMNS]
    assert "In the worst class" not in dict(summary_of(report)).get("Still learnable", "")
    assert Page(render_html(report, FORMS["table"].pictures(published))).named("h1")


def test_every_number_of_the_page_follows_from_the_table(folder):
    rows = pq.read_table(folder / "table.parquet").to_pylist()
    sizes = Counter((row["Job"], row["Birth"], row["Postcode"]) for row in rows)
    html = (folder / "report.html").read_text(encoding="utf-8")
    tiles = dict(re.findall(r"<dt>([^<]*)</dt><dd>([^<]*)</dd>", html))
    facts = dict(re.findall(r'<th scope="row">([^<]*)</th><td>([^<]*)</td>', html))
    # Two births stand for 2 of 2, two postcodes for 2 of 3.
    kept = 1 - (2 * 1 + 2 * 1 / 2) / 18
    assert tiles == {
        "rows": str(len(rows)),
        "columns": str(len(rows[0])),
        "classes": str(len(sizes)),
        "rows of the smallest class": str(min(sizes.values())),
        "granularity kept": f"{kept:.2%}",
    }
    assert facts["classes"] == "3 of 2 rows"
    assert facts["rows in classes of exactly k"] == "6"
    assert facts["precision"] == f"{1 - 2.5 / 18:.2%}"
    assert facts["smallest alpha that holds"] == facts["largest l that holds"] == "1"


def test_a_release_that_is_read_and_written_again_is_the_same(folder, tmp_path):
    assert (folder / "hierarchies" / "Birth.csv").is_file()
    assert_written_again_is_the_same(folder, tmp_path / "again", "table")


@examples(15)
@given(generalized())
def test_any_table_gives_a_well_formed_page_a_readme_and_a_summary(published):
    release = sealed(published)
    report, pictures = facts_of(release), FORMS["table"].pictures(published)
    html = render_html(report, pictures)
    assert not Page(html).named("script", "i")
    texts = documents_of(release)
    for text in (html, texts["README.md"], summary_text(report)):
        assert not {"\x1b", "\u202e"} & set(text)
    assert html == render_html(facts_of(sealed(published)), pictures)
    assert all(cells(line) <= 72 for line in summary_text(report, 72).split("\n"))


def test_names_and_values_are_text_in_charts_whatever_they_contain():
    names = ["</text><script>alert(1)</script>", "a&b", "\x1b[31m", '"><img src=x>', "x" * 500]
    columns = {name: ["7"] * 5 for name in names} | {"s" + names[0]: sorted(names)}
    roles = dict.fromkeys(names, QUASI) | {"s" + names[0]: SENSITIVE}
    published = canonical(Table.from_columns(columns, roles))
    report = facts_of(sealed(published, alpha="1/2"))
    html = render_html(report, FORMS["table"].pictures(published))
    assert not Page(html).named("script", "img")
    assert "\x1b" not in html
    assert len(charts_of(report)) == 4
    for chart in charts_of(report):
        assert ElementTree.fromstring(drawing(chart)).tag == "svg"


def chart_of(report, title):
    return next(chart for chart in charts_of(report) if chart.title == title)


def notes_of(report):
    return {figure.chart.title: figure.notes for figure in figures_of(report)}


def test_the_limit_is_in_the_chart_only_where_it_is_promised():
    title = "Largest share of a value of Illness"
    free, bound = (facts_of(sealed(figure(), **more)) for more in ({}, {"alpha": "2/3"}))
    assert "the limit is 2/3" in chart_of(bound, title).description
    assert ">limit<" in drawing(chart_of(bound, title))
    assert ">limit<" not in drawing(chart_of(free, title))
    assert "The line is the limit: 2/3." in notes_of(bound)[title][0]
    assert "No limit is guaranteed." in notes_of(free)[title][0]
    diverse = facts_of(sealed(figure(), l=2))
    assert "The guarantee limits these shares by l." in notes_of(diverse)[title][0]


@examples(30)
@given(generalized())
def test_the_parts_of_a_stacked_bar_make_up_all_rows(published):
    chart = chart_of(facts_of(sealed(published)), "How far values were generalised")
    for _, *parts in chart.rows:
        assert sum(float(part.rstrip("%")) for part in parts if part) == pytest.approx(100, abs=0.3)


def test_of_many_columns_those_that_lost_most_are_drawn_and_a_class_shows_some():
    tree = Hierarchy.from_rows([["a", "*"], ["b", "*"]])
    names = [f"q{i:02d}" for i in range(40)]
    table = Table.from_columns({n: ["*" if n > "q30" else "a"] * 3 for n in names}, dict.fromkeys(names, QUASI))
    published = Generalized(table.with_hierarchies(dict.fromkeys(names, tree)))
    report = facts_of(sealed(published))
    bars = chart_of(report, "What is kept of each column").rows
    assert len(bars) == SHOWN
    assert {name for name, _ in bars} >= {f"q{i}" for i in range(31, 40)}
    assert "28 more columns keep as much or more" in notes_of(report)["What is kept of each column"][1]
    picture = picture_of(classes_of(published), 0)
    assert (len(picture.shared), picture.more_columns) == (COLUMNS, 40 - COLUMNS)
    assert "16 columns not shown." in example_html(picture)
    assert "and 35 more columns" in dict(summary_of(report))["Kept"]


@examples(30)
@given(generalized())
def test_a_picture_has_the_rows_of_its_class(published):
    classes, by_hand = classes_of(published), list(classes_by_hand(published).items())
    for number, (values, rows) in enumerate(by_hand):
        picture = picture_of(classes, number, rows=3)
        assert tuple(value for _, value in picture.shared) == values
        different = Counter(tuple(row[name] for name in picture.columns) for row in rows)
        assert list(picture.rows) == sorted(different.items())[:3]
        assert picture.more_rows == max(0, len(different) - 3)
        assert [c for c, secret in zip(picture.columns, picture.sensitive, strict=True) if secret] == ["s`1|", "s2"]


@examples(30)
@given(generalized())
def test_a_drawing_of_a_class_keeps_to_the_width_and_moves_no_cursor(published):
    for width in (40, 77):
        drawing = draw_class(classes_of(published), 0, width)
        assert all(cells(line) <= width for line in drawing.split("\n"))
        assert not {"\x1b", "\u202e"} & set(drawing)


def test_the_readme_explains_every_column(folder):
    readme = (folder / "README.md").read_text(encoding="utf-8")
    section = readme.split("\n## How to read the tables\n")[1].split("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == ["Job", "Birth", "Postcode", "Illness", "Note"]
    assert "6 rows with 5 columns, in 3 equivalence classes." in readme
    assert "`hierarchies/` has one file per column" in readme
    assert all(f"**{title}.**" in readme for title, _ in NOT_GUARANTEED)
    assert "HIV" not in readme
    assert "set of terms" not in readme
    numbers = documents_of(sealed(Generalized(Table.from_columns({"age": ["7", "7"]}, {"age": QUASI}))))["README.md"]
    assert "`hierarchies/` has" not in numbers
    assert "`[from, to]`" in numbers


def test_the_python_of_the_readme_runs_and_counts_right(folder):
    assert READING.python in (folder / "README.md").read_text(encoding="utf-8")
    names: dict = {}
    exec(READING.python, names)  # our own text
    rows = [tuple(row.values()) for row in rows_of(figure())]
    assert [tuple(row) for row in names["table"].to_numpy()] == rows
    assert names["same"].equals(names["table"].astype(names["same"].dtypes.to_dict()))
    assert names["counts"].to_dict() == Counter(rows)
    trees = {name: [tuple(row) for row in tree.to_numpy()] for name, tree in names["hierarchies"].items()}
    assert trees == {name: tree.rows() for name, tree in figure().table.hierarchies.items()}


def test_the_sql_of_the_readme_runs_and_counts_right(folder):
    duckdb = pytest.importorskip("duckdb")
    assert READING.sql in (folder / "README.md").read_text(encoding="utf-8")
    rows = Counter(tuple(row.values()) for row in rows_of(figure()))
    for statement in READING.sql.strip().split("\n"):
        assert {tuple(found[:-1]): found[-1] for found in duckdb.sql(statement).fetchall()} == rows


def test_the_summary_tells_of_classes_and_columns():
    rows = dict(summary_of(facts_of(sealed(figure()))))
    assert rows["Records"] == "6 rows in 3 classes; columns: 3 quasi-identifying, 1 sensitive, 1 other"
    assert rows["Kept"] == "83.3% of the detail of the quasi-identifiers (Job 100%, Birth 66.7%, Postcode 83.3%)."
    assert "In the worst class, 2 of 2 rows have the same Illness; guessing is right" in rows["Still learnable"]


def test_the_summary_has_few_labels_and_every_statistic_is_explained():
    page = (ROOT / "docs" / "reference" / "reading-a-report.md").read_text(encoding="utf-8")
    section = page.split("\n## Tables\n")[1].split("\n## ")[0]
    report = facts_of(sealed(figure()))
    assert {label for label, _ in summary_of(report)[1:]} <= SUMMARY_LABELS
    [told] = re.findall(r"^\| `statistics` of tables \| (.*) \|$", page, re.MULTILINE)
    assert all(f"`{name}`" in told for name in report.statistics)
    facts = [*report.statistics["quasi_identifiers"], *report.statistics["sensitive_columns"]]
    assert all(f"`{name}`" in section for entry in facts for name in entry.keys() - {"column"})


def test_roles_are_told_in_the_order_of_the_table():
    table = Table.from_columns({"b": ["7"], "x": ["1"], "a": ["7"]}, {"a": QUASI, "b": QUASI, "x": Role.OTHER})
    facts = facts_of(sealed(Generalized(table))).statistics
    assert facts["columns"] == {"quasi": ["b", "a"], "sensitive": [], "other": ["x"]}
    assert [entry["column"] for entry in facts["quasi_identifiers"]] == ["b", "a"]
