"""What a hierarchy of a stranger may cost: a row is bounded while it is read, and all hierarchies together."""

from __future__ import annotations

import csv

import pytest

from disjoin.errors import UnreadableInput
from disjoin.forms.table import tables as tables_read
from disjoin.model import Generalized, Hierarchy, Role, Table
from disjoin.parquet import hierarchies
from disjoin.readers.hierarchies import read_hierarchy
from disjoin.release.reader import read_release, write_release
from helpers.item_releases import pantry, sealed_items
from helpers.table_releases import sealed_table


@pytest.fixture
def taken(monkeypatch):
    """Count the characters that the CSV reader gets to see."""
    seen = []
    reader = csv.reader

    def counting(lines, **settings):
        return reader((seen.append(len(line)) or line for line in lines), **settings)

    monkeypatch.setattr(csv, "reader", counting)
    return seen


ENDLESS = {
    "one line": ";".join(["n"] * 600_000),
    "names with line ends": ";".join(['"a\nb"'] * 200_000),
}


@pytest.mark.parametrize("how", ENDLESS)
def test_a_row_without_an_end_is_refused_before_it_is_taken_apart(how, tmp_path, taken):
    (tmp_path / "h.csv").write_text(f"tea;*\n{ENDLESS[how]};*\n")
    with pytest.raises(UnreadableInput, match=r"rows of at most 1,048,576 characters, found a longer one") as caught:
        read_hierarchy(tmp_path / "h.csv")
    assert caught.value.source == str(tmp_path / "h.csv")
    assert caught.value.line is not None
    assert caught.value.line >= 2
    assert sum(taken) <= hierarchies.LONGEST_ROW + 6


@pytest.mark.parametrize("how", ENDLESS)
def test_a_row_without_an_end_in_a_release_is_refused_before_it_is_taken_apart(how, tmp_path, taken):
    path = write_release(sealed_items(pantry()), tmp_path / "release", documents={})
    (path / "hierarchy.csv").write_text(f"tea;*\n{ENDLESS[how]};*\n")
    with pytest.raises(UnreadableInput, match=r"rows of at most 1,048,576 characters, found a longer one") as caught:
        read_release(path)
    assert caught.value.source == str(path / "hierarchy.csv")
    assert sum(taken) <= hierarchies.LONGEST_ROW + 6


def test_a_row_that_is_too_deep_ends_the_reading(tmp_path):
    (tmp_path / "h.csv").write_text("tea;*\n" + ";".join(map(str, range(1001))) + ';*\n"an open quote')
    with pytest.raises(UnreadableInput, match=r"at most 1,000 names, but row 2 has 1,002") as caught:
        read_hierarchy(tmp_path / "h.csv")
    assert caught.value.line == 2


def test_all_hierarchies_of_a_release_have_a_limit_together(tmp_path, monkeypatch):
    tree = Hierarchy.from_rows([["a", "p", "*"], ["b", "p", "*"]])
    columns = {name: ["a", "b"] for name in ("job", "city")}
    table = Table.from_columns(columns, dict.fromkeys(columns, Role.QUASI_IDENTIFIER))
    table = table.with_hierarchies(dict.fromkeys(columns, tree))
    path = write_release(sealed_table(Generalized(table)), tmp_path / "release", documents={})
    monkeypatch.setattr(tables_read, "_MOST_NAMES", 12)
    assert read_release(path)
    monkeypatch.setattr(tables_read, "_MOST_NAMES", 11)
    with pytest.raises(UnreadableInput, match=r"at most 11 names in their rows, with this one 12") as caught:
        read_release(path)
    assert "hierarchies" in str(caught.value.source)
