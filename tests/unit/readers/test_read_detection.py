"""The format is found by content and name, and a wrong guess is refused rather than made."""

from __future__ import annotations

from pathlib import Path

import pytest

from disjoin.errors import UnreadableInput
from disjoin.readers.read import read

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
    with pytest.raises(UnreadableInput, match=r"format='basket' .* or format='long'"):
        read_named(tmp_path, "x.csv", "pid,dx\n" + PAIRS)
    assert read_named(tmp_path, "x.csv", "pid,dx\n" + PAIRS, format="long")[1][0] == {"d0", "d1"}
    assert read_named(tmp_path, "x.csv", PAIRS, format="basket")[1][0] == {"p0", "d0"}


def test_a_long_table_without_a_header_loses_no_row(tmp_path: Path) -> None:
    with pytest.raises(
        UnreadableInput, match=r"x\.csv, line 1: expected column names, found a row of data: its field 1"
    ):
        read_named(tmp_path, "x.csv", PAIRS, format="long")


def test_baskets_of_two_terms_are_baskets(tmp_path: Path) -> None:
    assert read_named(tmp_path, "x.csv", "tea,milk\n" * 20)[0] == "basket"
    assert read_named(tmp_path, "x.csv", "tea,milk\nmilk,bread\n" + PAIRS)[0] == "basket"


MIMIC = "row,subject_id,hadm,seq_num,code9\n" + "".join(f"{n},s{n // 3},h{n // 2},{n % 3},i{n % 5}\n" for n in range(9))

TABLES = {
    "many columns": ("x.csv", "pid,stay9,seq_num,dxtext\n16,145,1,9959\n16,145,2,9966\n11,105,1,570\n"),
    "three lines are enough": ("x.csv", "who;what;when\n1;tea;monday\n2;tea;monday\n"),
    "other names": ("x.csv", MIMIC),
    "a line break in quotes": ("x.csv", 'who,what,"when\nexactly"\n1,"a\nb",3\n2,"c\nd",3\n'),
    "one odd line": ("x.csv", "who,what,when\n" + "".join(f"p{n},d{n % 3},day\n" for n in range(30)) + "p1,a, b,c\n"),
    "tabs in a text file": ("x.txt", "who\twhat\twhen\n1\ta\t7\n2\ta\t7\n"),
    "bars in a text file": ("x.txt", "who|what|when\n1|a|7\n2|a|7\n"),
    "blanks in a text file": ("x.txt", "who what\n17 a\n17 b\n18 a\n"),
    "usual names between bars": ("x.txt", "patient|diagnosis\n1|a\n"),
}  # fmt: skip


@pytest.mark.parametrize("case", TABLES)
def test_a_table_with_unknown_names_is_never_taken_for_baskets(case: str, tmp_path: Path) -> None:
    name, text = TABLES[case]
    with pytest.raises(UnreadableInput, match=r"may be a table with columns.*id=NAME, terms=NAME"):
        read_named(tmp_path, name, text)


def test_both_ways_out_of_what_may_be_a_table_work(tmp_path: Path) -> None:
    text = "who,what,when\n1,tea,monday\n1,milk,monday\n"
    with pytest.raises(UnreadableInput, match=r"every line has 3 fields .* a table with columns\. Use format="):
        read_named(tmp_path, "x.csv", text)
    assert read_named(tmp_path, "x.csv", text, format="basket")[1][1] == {"1", "tea", "monday"}
    assert read_named(tmp_path, "x.csv", text, id="who", terms="what")[1] == [{"tea", "milk"}]


def test_two_columns_with_a_header_are_asked_about_however_few_lines_there_are(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match=r"a long table with 2 columns\. Use format='basket' .* or format='long'"):
        read_named(tmp_path, "x.csv", "pid,word9\n1,a\n1,b\n")


def test_repeated_rows_do_not_make_pairs_a_file_of_baskets(tmp_path: Path) -> None:
    for text in (PAIRS + "p0,d0\n", PAIRS * 3, "pid,dx\n" + PAIRS + "p0,d0\n"):
        with pytest.raises(UnreadableInput, match=r"format='basket' .* or format='long'"):
            read_named(tmp_path, "x.csv", text)


@pytest.mark.parametrize(
    ("name", "text", "format"),
    [
        ("x.csv", "a,b\na,c\nb,c\n", "basket"),
        ("x.csv", "tea,milk,rum\n" * 5, "basket"),
        ("x.csv", "tea,milk,rum\nham,eggs,jam\nrum,ham,oil\n", "basket"),
        ("x.csv", "tea,milk\nham,eggs\n", "basket"),
        ("x.csv", "tea,milk\nham,eggs\njam\n", "basket"),
        ("x.txt", "cheap flights\nold maps\nred shoes\n", "fimi"),
        ("x.dat", "1 2\n3 4\n5 6\n", "fimi"),
    ],
)
def test_records_of_equal_size_are_still_records(name: str, text: str, format: str, tmp_path: Path) -> None:
    assert read_named(tmp_path, name, text)[0] == format


@pytest.mark.parametrize(
    "header",
    ["stay,drug,when", "Fallnummer,Diagnose,Datum", "hadm_id,icd9_code,seq_num", "Case,ATC,x", "episode,dx,x",
     "admission,procedure,x", "subject,ICD10,x", "encounter,medication,x", "subject_id,icd,x", "fall,icd10_code,x"],
)  # fmt: skip
def test_usual_names_of_the_ward_are_known(header: str, tmp_path: Path) -> None:
    assert read_named(tmp_path, "x.csv", header + "\n1,a,3\n1,b,3\n2,a,4\n") == ("long", [{"a", "b"}, {"a"}])


def test_several_columns_that_may_be_the_record_are_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match=r"the record id, but subject_id, hadm_id all look.*id=NAME"):
        read_named(tmp_path, "x.csv", "subject_id,hadm_id,seq_num,icd9_code\n1,2,3,4\n1,2,4,5\n")
