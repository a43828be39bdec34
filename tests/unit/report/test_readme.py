"""README.md of a release: true about the tables, and its examples run."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from disjoin.forms.registry import FORMS
from disjoin.measure import pair_mass
from disjoin.model import Clusters
from disjoin.release.reader import write_release
from disjoin.report.documents import documents_of
from helpers.releases import figure_3, sealed

READING = FORMS["clusters"].reading


def least_supports(published: Clusters) -> dict[str, int]:
    """Count what chunks show, and one for every term chunk that has the term."""
    found = dict.fromkeys(published.vocabulary.to_pylist(), 0)
    for node in range(len(published)):
        for term in published.term_chunk_of(node):
            found[term] += 1
        for chunk in published.chunks_of(node):
            for terms, count in chunk:
                for term in terms:
                    found[term] += count
    return found


@pytest.fixture
def readme(tmp_path, monkeypatch) -> str:
    release = sealed(figure_3(), suppressed_records=7, sensitive=["a`b"])
    write_release(release, tmp_path / "release", documents=documents_of(release))
    monkeypatch.chdir(tmp_path)
    return (tmp_path / "release" / "README.md").read_text(encoding="utf-8")


def test_the_readme_says_what_was_done_and_the_limits(readme):
    assert "10 records" in readme
    assert "7 records were left out" in readme
    assert "finds at least 3 candidates" in readme
    for limit in (
        "more than 2 terms",
        "minimality",
        "Terms that all records of a cluster have",
        "Several records",
        "other records",
        "absent",
    ):
        assert limit in readme
    assert "`sensitive` = a\\`b" in readme


def test_the_readme_says_what_was_kept_and_what_it_may_cost(readme):
    kept = readme.split("## What is kept\n\n", 1)[1].split("\n\n")[0]
    shares = [f"About {pair_mass(figure_3()):.1%}", "At most 92.7%"]
    assert re.findall(r"(?:About|At most) \S+%", kept) == shares
    learned = readme.split("## What an attacker could still learn\n\n", 1)[1].split("\n\n## Limits")[0]
    assert "Up to 40.0% of the records are found among fewer than 3." in learned
    assert "For 30.0% of the records, a further term is certain (over all records that the tables allow" in learned
    assert "no term of a record chunk is in all records of its cluster" in learned


def test_the_readme_says_that_nothing_was_found_where_nothing_was():
    chunks = [{"subrecords": [[[term], 3]]} for term in "ab"]
    apart = Clusters.from_nested([{"type": "simple", "size": 6, "record_chunks": chunks, "term_chunk": ["c"]}])
    readme = documents_of(sealed(apart))["README.md"]
    assert "No further term is certain, in any record that these tables allow." in readme
    assert "No record is found among fewer than 3." in readme


def test_the_readme_says_in_how_many_records_of_a_sample_nothing_was_found(monkeypatch):
    monkeypatch.setattr("disjoin.attack.sure_inference.MOST_SETS_OF_KNOWN", 0)
    chunks = [{"subrecords": [[[term], 3]]} for term in "ab"]
    apart = Clusters.from_nested([{"type": "simple", "size": 6, "record_chunks": chunks, "term_chunk": ["c"]}])
    readme = documents_of(sealed(apart))["README.md"]
    assert "possible records drawn from the tables (95% confidence: at most" in readme


def test_the_readme_names_every_column_of_every_table(readme):
    tables = sorted(Path("release").glob("*.parquet"))
    assert len(tables) == 2
    for table in tables:
        columns = pq.read_schema(table).names
        after = readme.split(f"`{table.name}`, one row", 1)[1]
        assert re.findall(r"^\| `(\w+)` \|", after, re.MULTILINE)[: len(columns)] == columns


def test_the_readme_explains_parents_and_shared_chunks_where_there_are_some(readme):
    assert "Clusters with rare terms in common were joined" in readme
    joined = readme.split("### Joint clusters", 1)[1].split("##")[0]
    assert "name as their `parent`" in joined
    assert "it does not show in which of its clusters they are" in " ".join(joined.split())
    alone = Clusters.from_nested(figure_3().to_nested()[0]["children"])
    other = documents_of(sealed(alone))["README.md"]
    assert "Joint clusters" not in other
    assert "No cluster has a `parent`" in other


def test_a_record_is_made_of_rows_along_its_parents_as_the_readme_says():
    """Figure 3 itself: every record is found again by following `parent`, with at most one row of every chunk."""
    published = figure_3()
    original = {"audi a4", "flu", "madonna", "ruby", "sony tv", "viagra"}  # the second record, in cluster 1
    rows, node = [], 1
    left = original - set(published.term_chunk_of(node))
    while node >= 0:
        for chunk in published.chunks_of(node):
            domain = {term for terms, _ in chunk for term in terms}
            rows.append((left & domain, [set(terms) for terms, _ in chunk]))
        node = int(published.parents[node])
    assert all(not part or part in listed for part, listed in rows)
    assert set().union(*(part for part, _ in rows)) == left


def test_the_python_of_the_readme_runs_and_counts_right(readme):
    assert READING.python in readme
    names: dict = {}
    exec(READING.python, names)  # our own text
    assert names["support"].to_dict() == least_supports(figure_3())


def test_the_sql_of_the_readme_runs_and_counts_right(readme):
    duckdb = pytest.importorskip("duckdb")
    assert READING.sql in readme
    assert dict(duckdb.sql(READING.sql).fetchall()) == least_supports(figure_3())


def test_equal_releases_have_equal_documents():
    assert documents_of(sealed(figure_3())) == documents_of(sealed(figure_3()))
