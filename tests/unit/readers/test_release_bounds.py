"""A release folder of a few bytes on the disk costs little to judge, however large its files say they are."""

from __future__ import annotations

from pathlib import Path

import pytest

import disjoin
from disjoin.errors import InvalidParameter, UnreadableInput
from disjoin.model import Bag, Generalized, GeneralizedItems, Hierarchy, NoisyRecords, Role, Table, Transactions
from disjoin.readers import baskets
from disjoin.readers.read import read
from disjoin.release import reader as release
from disjoin.release.reader import read_release, write_release
from helpers.item_releases import sealed_items, sealed_noisy
from helpers.releases import figure_3, sealed
from helpers.table_releases import sealed_table
from helpers.tampering import change, with_row

QUASI = Role.QUASI_IDENTIFIER


@pytest.fixture
def path(tmp_path: Path) -> Path:
    documents = {"README.md": "hello\n", "report.html": "<p>"}
    return write_release(sealed(figure_3()), tmp_path / "release", documents=documents)


def stretch(file: Path, size: int) -> None:
    with file.open("r+b") as stream:
        stream.truncate(size)  # sparse: it takes no room


@pytest.mark.parametrize("page", ["README.md", "report.html"])
def test_a_page_of_gigabytes_is_refused_before_it_is_read(path, page):
    stretch(path / page, 1 << 40)
    with pytest.raises(UnreadableInput, match=r"expected a page of at most 64 MB, found 1,099,511,") as caught:
        read_release(path)
    assert caught.value.source == str(path / page)


@pytest.mark.parametrize("table", ["clusters.parquet", "subrecords.parquet"])
def test_a_term_of_megabytes_in_a_table_is_refused(path, table):
    change(path, table, with_row(2, terms=["x" * (1 << 21)]))
    with pytest.raises(
        UnreadableInput, match=r"expected terms of at most 1,048,576 bytes, found one of 2,097"
    ) as caught:
        read_release(path)
    assert caught.value.source == str(path / table)


def test_a_value_of_megabytes_in_a_table_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(release, "objection_to_length", lambda texts: None)  # as another program would
    table = Table.from_columns({"job": ["x" * (1 << 21)] * 2}, {"job": Role.QUASI_IDENTIFIER})
    path = write_release(sealed_table(Generalized(table)), tmp_path / "release", documents={})
    with pytest.raises(UnreadableInput, match=r"at most 1,048,576 bytes"):
        read_release(path)


LONG = "x" * (1 << 20)
TREE = Hierarchy.from_rows([[f"{LONG}1", "*"], [f"{LONG}2", "*"]])
MAPPING = {f"{LONG}1": "*", f"{LONG}2": "*"}


def records(often, *once):
    """Return records that no reader has seen."""
    return Transactions.from_sets([often] * 20 + list(once))


TOO_LONG = {
    "clusters": lambda: disjoin.disassociate(records([f"{LONG}!"]), k=3),
    "groups": lambda: disjoin.cahd(records([f"{LONG}!", "b"], ["a", "b"]), p=2, sensitive=["a"]),
    "table": lambda: sealed_table(Generalized(Table.from_columns({"job": [f"{LONG}!"] * 2}, {"job": QUASI}))),
    "items": lambda: sealed_items(GeneralizedItems.from_mapping([(["*"], 5)], MAPPING, TREE)),
    "noisy": lambda: sealed_noisy(NoisyRecords(Bag.from_rows([([f"{LONG}!"], 3)]))),
}


@pytest.mark.parametrize("form", TOO_LONG)
def test_a_term_that_nobody_could_read_back_is_refused_before_anything_is_written(form, tmp_path, monkeypatch):
    monkeypatch.setattr(release, "whole_or_nothing", lambda *given, **more: pytest.fail("something is written"))
    with pytest.raises(InvalidParameter, match=r"at most 1,048,576 bytes, found one of 1,048,577. Shorten it before"):
        write_release(TOO_LONG[form](), tmp_path / "release", documents={})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", ["csv", "txt", "jsonl"])
def test_a_term_of_megabytes_in_the_input_is_refused(tmp_path, ending):
    word = "x" * ((1 << 20) + 1)
    text = f'["tea", "{word}"]\n["tea"]\n' if ending == "jsonl" else f"tea,milk\ntea,{word}\n"
    (tmp_path / f"input.{ending}").write_text(text)
    with pytest.raises(UnreadableInput, match=r"expected terms of at most 1,048,576 bytes, found one of 1,048,577"):
        read(tmp_path / f"input.{ending}")


def test_a_field_without_an_end_is_refused_with_its_line(tmp_path, monkeypatch):
    monkeypatch.setattr(baskets, "LONGEST_CELL", 1 << 10)
    (tmp_path / "input.csv").write_text("tea,milk\ntea," + "x" * 1025 + "\n")
    with pytest.raises(UnreadableInput, match=r"expected fields of at most 1,024 bytes, found one of 1,025") as caught:
        read(tmp_path / "input.csv")
    assert caught.value.line == 2


def test_a_file_of_another_size_than_stated_is_not_hashed(path):
    stretch(path / "README.md", 60 << 20)
    found = read_release(path).published.anomalies
    assert [f.message for f in found] == ["datapackage.json states bytes 6, but the file has 62914560"]
