"""report.html and README.md of noisy records: true about what can be shown, safe, and the same bytes every time."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given

from disjoin.charts.svg import drawing
from disjoin.charts.text_drawing import cells
from disjoin.forms.form import texts_of, titled
from disjoin.forms.noisy.page import SHOWN, largest
from disjoin.forms.noisy.pictures import draw_row, draw_rows, ranked
from disjoin.forms.registry import FORMS
from disjoin.model import Bag, DifferentialPrivacy, NoisyRecords
from disjoin.pipeline import write
from disjoin.report.documents import documents_of, summary_of
from disjoin.report.facts import facts_of
from disjoin.report.html import render_html
from disjoin.text import BY_CONSTRUCTION
from disjoin.verify import certify
from helpers.hypothesis_profile import examples
from unit.report.noisy_releases import PARAMETERS, figure, noisy, sealed
from unit.report.pages import (
    SUMMARY_LABELS,
    Page,
    assert_everybody_can_read,
    assert_written_again_is_the_same,
    charts_of,
    summary_text,
)

TEXTS = texts_of("disjoin.forms.noisy")
[SEEN], [WEAK], NOT_GUARANTEED = (titled(TEXTS[name]) for name in ("limits seen", "limits weak", "limits"))
READING = FORMS["noisy"].reading


@pytest.fixture(scope="module")
def html() -> str:
    return documents_of(sealed(figure()))["report.html"]


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    release = certify(figure(), DifferentialPrivacy(1), method="diffpart", parameters=PARAMETERS)
    monkeypatch.chdir(tmp_path)
    return write(release, tmp_path / "release")


def test_the_page_is_safe_and_can_be_read_by_everybody(html):
    assert_everybody_can_read(html)


def test_nothing_says_that_tables_show_the_guarantee(html):
    """Nothing in them can: it is about how they were made, and every page says that."""
    report, readme = facts_of(sealed(figure())), documents_of(sealed(figure()))["README.md"]
    for text in (Page(html).text, readme):
        assert BY_CONSTRUCTION in text
        assert "the guarantee holds" not in text
        assert "verifier checked this" not in text
        assert "Verified:" not in text
    assert summary_of(report)[0][0] == "Guaranteed by construction"
    assert "no number is one of the original" in readme
    assert "Neither the number of records nor that of terms is the number of the original" in Page(html).text


def test_the_page_says_what_is_guaranteed_and_the_limits(html):
    text = Page(html).text
    assert DifferentialPrivacy(1).sentence() in text
    assert all(title in text for title, _ in NOT_GUARANTEED)
    assert "For a person with 2 records the factor is 7.39, with 3 it is 20.1" in text
    assert "can rise from 50% to at most 73.1%" in text
    assert not re.search(r"chunk|cluster|\bgroups?\b|categor", text)
    assert "records.parquet opens in anything that reads Parquet" in text


def test_what_depends_on_the_promise_is_said_only_where_it_is_so():
    limits = FORMS["noisy"].limits
    seen, given_ = (dict(limits(facts_of(sealed(figure(), terms=terms)))) for terms in ("seen", "given"))
    assert seen.keys() - given_.keys() == {SEEN[0]}
    weak = dict(limits(facts_of(sealed(figure(), epsilon=8))))
    assert weak.keys() - given_.keys() == {WEAK[0]}
    assert "allows a factor of 2,980" in weak[WEAK[0]]


def test_every_number_of_the_page_follows_from_the_table(folder):
    records = pq.read_table(folder / "records.parquet").to_pylist()
    page = (folder / "report.html").read_text(encoding="utf-8")
    tiles = dict(re.findall(r"<dt>([^<]*)</dt><dd>([^<]*)</dd>", page))
    facts = dict(re.findall(r'<th scope="row">([^<]*)</th><td>([^<]*)</td>', page))
    total = sum(row["count"] for row in records)
    alone = sum(row["count"] for row in records if len(row["terms"]) == 1)
    assert tiles == {
        "synthetic records": str(total),
        "terms in them": str(len({term for row in records for term in row["terms"]})),
        "rows": str(len(records)),
        "epsilon": "1",
        "factor at most": f"{math.e:.3g}",
    }
    assert facts["records of a row"].startswith("7 to 40 records")
    assert facts["records of a single term"] == f"{alone} ({100 * alone / total:.1f}%)"
    assert facts["term occurrences in all records"] == str(sum(len(r["terms"]) * r["count"] for r in records))
    assert facts["factor for the content of a record, and for 2 records"] == f"{math.e**2:.3g}"


def test_a_release_that_is_read_and_written_again_is_the_same(folder, tmp_path):
    assert_written_again_is_the_same(folder, tmp_path / "again", "noisy")


@examples(10)
@given(noisy())
def test_any_records_give_a_well_formed_page_a_readme_and_a_summary(published):
    release = sealed(published)
    pictures = FORMS["noisy"].pictures(published)
    html = render_html(facts_of(release), pictures)
    assert not Page(html).named("script")
    assert "\x1b" not in html
    assert "\u202e" not in html
    assert html == render_html(facts_of(release), pictures)
    again = NoisyRecords(Bag.from_rows(published.records.rows()[::-1]))
    assert documents_of(release) == documents_of(sealed(again))
    assert all(len(line) <= 72 for line in summary_text(facts_of(release), 72).split("\n"))


def test_a_release_without_a_row_says_so():
    empty = sealed(NoisyRecords(Bag.from_rows([])))
    page = documents_of(empty)["report.html"]
    assert "the table is empty" in Page(page).text
    assert "What the rows look like" not in page
    assert charts_of(facts_of(empty)) == []


def test_terms_are_text_in_a_chart_whatever_they_contain():
    names = ["</text><script>alert(1)</script>", "a&b", "\x1b[31m", '"><img src=x>', "x" * 500]
    published = NoisyRecords(Bag.from_rows([([name], 3 + i) for i, name in enumerate(names)]))
    report = facts_of(sealed(published))
    html = render_html(report, FORMS["noisy"].pictures(published))
    assert not Page(html).named("script", "img")
    assert "\x1b" not in html
    for chart in charts_of(report):
        assert ElementTree.fromstring(drawing(chart)).tag == "svg"


def test_the_chart_of_rows_shows_the_largest_first():
    rows = [{"terms": [f"t{i:02d}", "u"], "count": 50 - i} for i in range(20)]
    chart = largest(rows, 1000)
    assert [name for name, _ in chart.rows] == [f"t{i:02d}, u" for i in range(SHOWN)]
    assert chart.body.count('width="340" height="8"') == 1  # the largest fills the width
    assert largest([], 0) is None


def test_the_readme_names_every_column(folder):
    readme = (folder / "README.md").read_text(encoding="utf-8")
    [table] = folder.glob("*.parquet")
    after = readme.split(f"`{table.name}`, one row", 1)[1]
    columns = pq.read_schema(table).names
    assert re.findall(r"^\| `(\w+)` \|", after, re.MULTILINE)[: len(columns)] == columns
    assert all(f"**{title}.**" in readme for title, _ in NOT_GUARANTEED)
    assert "milk" not in readme


@pytest.mark.parametrize("epsilon", ["1", "1/10", "3"])
def test_the_readme_says_how_large_the_noise_is(epsilon):
    """A count that is listed has at least half of epsilon and at most all of it: noise of scale 1 to 2 / epsilon."""
    readme = documents_of(sealed(figure(), epsilon))["README.md"].replace("\n", " ")
    least = 1 / DifferentialPrivacy(epsilon).epsilon
    said = re.search(
        r"scale between (\S+) and (\S+) records .* it is at most (\S+) records.* the noise, (\S+) to (\S+) records",
        readme,
    )
    low, high, off, first, last = (float(number) for number in said.groups())
    assert (low, high) == (pytest.approx(float(least), rel=0.01), pytest.approx(float(2 * least), rel=0.01))
    # What the discrete Laplace distribution has beyond `off`, summed term by term.
    ratio = math.exp(-1 / float(2 * least))
    chances = [2 * (1 - ratio) / (1 + ratio) * ratio**i for i in range(1, 5000)]  # of being off by i, up or down
    assert sum(chances[int(off) :]) <= 0.05 < sum(chances[int(off) - 1 :])
    assert (first, last) == (pytest.approx(2.75 * 2**0.5 * low, rel=0.01), pytest.approx(2 * first, rel=0.01))


def test_of_another_method_the_readme_does_not_know_the_noise():
    assert "How exact the counts are" not in documents_of(sealed(figure(), method="other"))["README.md"]


def test_the_python_of_the_readme_runs_and_counts_right(folder):
    assert READING.python in (folder / "README.md").read_text(encoding="utf-8")
    names: dict = {}
    exec(READING.python, names)  # our own text
    assert names["support"].to_dict() == {"tea": 52, "milk": 44, "jam": 7, "rye": 7}
    assert names["together"]("tea", "milk") == 12
    assert names["together"]("milk") == 44


def test_the_sql_of_the_readme_runs_and_counts_right(folder):
    duckdb = pytest.importorskip("duckdb")
    assert READING.sql in (folder / "README.md").read_text(encoding="utf-8")
    found = [(term, int(count)) for term, count in duckdb.sql(READING.sql).fetchall()]
    assert found == [("tea", 52), ("milk", 44), ("jam", 7), ("rye", 7)]


def test_the_summary_tells_of_rows_and_odds():
    rows = dict(summary_of(facts_of(sealed(figure()))))
    assert rows["Records"] == "84 synthetic records made from noisy counts, 4 of them different"
    assert rows["Kept"] == "4 terms, 1 to 3 terms (median 1) per record; 77.4% of the records have one term only."
    assert rows["Still learnable"].endswith("can become at most 73.1% sure of it.")


def test_the_summary_has_few_labels_and_every_statistic_is_explained():
    page = (Path(__file__).parents[3] / "docs" / "reference" / "reading-a-report.md").read_text(encoding="utf-8")
    report = facts_of(sealed(figure()))
    assert {label for label, _ in summary_of(report)[1:]} <= SUMMARY_LABELS
    [told] = re.findall(r"^\| `statistics` of noisy records \| (.*) \|$", page, re.MULTILINE)
    assert all(f"`{name}`" in told for name in report.statistics)


@examples(15)
@given(noisy())
def test_drawings_of_rows_keep_to_the_width_and_move_no_cursor(published):
    rows = ranked(published.records)
    for width in (40, 77):
        drawn = [draw_rows(rows, range(len(rows)), width)] if len(rows) else []
        drawn += [draw_row(rows, number, width) for number in range(len(rows))]
        for text in drawn:
            assert all(cells(line) <= width for line in text.split("\n"))
            assert "\x1b" not in text
            assert "\u202e" not in text
