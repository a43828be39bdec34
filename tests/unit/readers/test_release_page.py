"""docs/formats/release.md: what it shows is true."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pytest

from disjoin.forms.registry import FORMS
from disjoin.model import GUARANTEES
from disjoin.release.reader import write_release
from helpers.group_releases import sealed_groups, shop
from helpers.item_releases import pantry, sealed_items
from helpers.releases import figure_3, sealed

PAGE = (Path(__file__).parents[3] / "docs" / "formats" / "release.md").read_text(encoding="utf-8")


@pytest.fixture
def here(tmp_path, monkeypatch) -> None:
    write_release(sealed(figure_3()), tmp_path / "release", documents={})
    monkeypatch.chdir(tmp_path)


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("number", [0, 1])
def test_the_python_of_the_page_runs(here, number, capsys):
    names: dict = {}
    exec(blocks("python")[number], names)  # our own text
    if number == 0:
        assert isinstance(names["clusters"], pa.Table)
        assert "'ikea'" in capsys.readouterr().out
    else:
        assert names["support"]["madonna"] == 8


def test_the_sql_of_the_page_spreads_sensitive_items_over_their_groups(tmp_path, monkeypatch):
    duckdb = pytest.importorskip("duckdb")
    write_release(sealed_groups(shop()), tmp_path / "release", documents={})
    monkeypatch.chdir(tmp_path)
    found = {(one, other): n for one, other, n in duckdb.sql(blocks("sql")[0]).fetchall()}
    assert found["test", "strawberries"] == 1
    assert found["viagra", "meat"] == pytest.approx(3 / 3 + 2 / 3, abs=0.01)


def test_the_sql_of_the_page_estimates_terms_that_were_generalised_as_support_does(tmp_path, monkeypatch):
    duckdb = pytest.importorskip("duckdb")
    release = sealed_items(pantry())
    write_release(release, tmp_path / "release", documents={})
    monkeypatch.chdir(tmp_path)
    found = duckdb.sql(blocks("sql")[1]).fetchall()
    assert {term for term, *_ in found} == set(pantry().mapping) - {"mustard"}
    for term, published, at_most, estimate in found:
        [row] = release.support([term]).to_pylist()
        assert (pantry().mapping[term], row["at_most"]) == (published, at_most)
        assert row["estimate"] == pytest.approx(estimate)


def test_the_sql_of_the_page_finds_the_pairs(here):
    duckdb = pytest.importorskip("duckdb")
    pairs = {(one, other): n for one, other, n in duckdb.sql(blocks("sql")[2]).fetchall()}
    assert pairs["audi a4", "sony tv"] == 3
    assert pairs["ikea", "ruby"] == 3


@pytest.mark.parametrize("form", FORMS)
def test_the_page_has_a_section_with_the_tables_of_the_form_and_their_columns(form):
    clusters = () if form == "clusters" else FORMS["clusters"].tables  # mixed data has them, too, as they are
    wanted = {table: layout.names for table, layout in FORMS[form].tables.items() if table not in clusters}
    assert wanted in [{table: columns_in(section, table) for table in wanted} for section in PAGE.split("\n## ")]


def columns_in(section: str, table: str) -> list[str] | None:
    """Return the columns that a section lists below the name of the table; None, if it does not name it."""
    if f"`{table}`\n" not in section:
        return None
    below = re.split(r"^`[\w.]+`\n", section.split(f"`{table}`\n", 1)[1], flags=re.MULTILINE)[0]
    return re.findall(r"^\|`(\w+)`\|.+?\|", below, re.MULTILINE)


def test_the_page_has_the_forms_with_their_tables_and_promises():
    kinds = {kind: name for name, kind in GUARANTEES.items()}
    for name, form in FORMS.items():
        tables = ", ".join(f"`{table}`" for table in form.tables)
        guarantees = ", ".join(f"`{kinds[kind]}`" for kind in form.guarantees)
        assert re.search(rf"^\|{name}\|.+\|{tables}\|{guarantees}\|$", PAGE, re.MULTILINE)
