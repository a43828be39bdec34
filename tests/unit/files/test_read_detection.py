"""The format is found by content and name, and a wrong guess is refused rather than made."""

from __future__ import annotations

from pathlib import Path

import pytest

from disjoin.errors import UnreadableInput
from disjoin.files.reading import read

PAIRS = "".join(f"p{number // 2},d{number % 7}\n" for number in range(20))


def read_named(folder: Path, name: str, text: str, **options: object) -> tuple[str, list[frozenset[str]]]:
    path = folder / name
    path.write_text(text, newline="")
    data = read(path, **options)
    return data.intake.format, data.to_sets()


@pytest.mark.parametrize(
    ("name", "text", "format", "first"),
    [
        ("x.dat", "1 2\n3\n", "fimi", {"1", "2"}),
        ("x.dat", "1\t2\n3\n", "fimi", {"1", "2"}),
        ("x.fimi", "a,b c\n", "fimi", {"a,b", "c"}),
        ("x.csv", "whole milk,butter\nbread\n", "basket", {"whole milk", "butter"}),
        ("x.csv", "whole milk\nbread\n", "basket", {"whole milk"}),
        ("x.csv", "1 2 3\n4 5\n", "fimi", {"1", "2", "3"}),
        ("x.csv", "milk 1,5%;tea\ntea;bread\n", "basket", {"milk 1,5%", "tea"}),
        ("x.csv", '"a;b";"c;d"\n', "basket", {"a;b", "c;d"}),
        ("x.tsv", "a,b\tc\n", "basket", {"a,b", "c"}),
        ("x.tsv", "1\t2\n", "basket", {"1", "2"}),
        ("x.txt", "whole milk,butter\nbread\n", "basket", {"whole milk", "butter"}),
        ("x.txt", "a|b c\n", "fimi", {"a|b", "c"}),
        ("x.csv", "a|b c\nd\n", "basket", {"a", "b c"}),
        ("x.txt", "tea milk\n", "fimi", {"tea", "milk"}),
        ("x.txt", "[tea milk\n", "fimi", {"[tea", "milk"}),
        ("x.txt", '["tea", "milk"]\n', "jsonl", {"tea", "milk"}),
        ("x.json", '{"t": ["tea", "milk"]}\n', "jsonl", {"tea", "milk"}),
        ("x.txt", "1 -1 2 -1 -2\n3 -1 -2\n", "spmf", {"1", "2"}),
        ("x.spmf", "1 2\n", "spmf", {"1", "2"}),
        ("x.csv", "Invoice No,StockCode\n1,a\n1,b\n", "long", {"a", "b"}),
        ("x.txt", '"patient";"diagnosis";"day"\n1;a;3\n1;b;3\n', "long", {"a", "b"}),
        ("x.TSV", "id\titem\n1\ta\n1\tb\n", "long", {"a", "b"}),
    ],
)
def test_the_format_is_found(name: str, text: str, format: str, first: set[str], tmp_path: Path) -> None:
    found, records = read_named(tmp_path, name, text)
    assert (found, records[0]) == (format, first)


def test_a_given_format_overrides_what_the_file_looks_like(tmp_path: Path) -> None:
    assert read_named(tmp_path, "x.csv", "a,b c\n", format="fimi") == ("fimi", [{"a,b", "c"}])
    assert read_named(tmp_path, "x.dat", "record,term\n1,a\n", format="basket")[1] == [{"record", "term"}, {"1", "a"}]


@pytest.mark.parametrize("separator", ["\t", "\\t", "tab"])
def test_a_separator_can_be_given_by_name(separator: str, tmp_path: Path) -> None:
    assert read_named(tmp_path, "x", "a,b\tc\n", separator=separator) == ("basket", [{"a,b", "c"}])


def test_pairs_that_may_be_ids_and_terms_are_not_taken_for_baskets(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="--format basket or --format long"):
        read_named(tmp_path, "x.csv", "pid,dx\n" + PAIRS)
    assert read_named(tmp_path, "x.csv", "pid,dx\n" + PAIRS, format="long")[1][0] == {"d0", "d1"}
    assert read_named(tmp_path, "x.csv", PAIRS, format="basket")[1][0] == {"p0", "d0"}


def test_a_long_table_without_a_header_loses_no_row(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match=r"x\.csv, line 1: expected column names, found p0, d0"):
        read_named(tmp_path, "x.csv", PAIRS, format="long")


def test_baskets_of_two_terms_are_baskets(tmp_path: Path) -> None:
    assert read_named(tmp_path, "x.csv", "tea,milk\n" * 20)[0] == "basket"
    assert read_named(tmp_path, "x.csv", "tea,milk\nmilk,bread\n" + PAIRS)[0] == "basket"
