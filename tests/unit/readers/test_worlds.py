"""Possible originals on disk: whole or not at all, and read back as they were."""

from collections import Counter

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import disjoin
from disjoin.errors import CannotWrite, InvalidParameter, OutputExists
from disjoin.model import Transactions
from disjoin.release import reconstructions as door
from disjoin.release.reconstructions import FORMATS, check_worlds_destination, write_worlds

SIMPLE = Transactions.from_sets([{"tea", "milk"}, {"tea"}, {"tea"}, {"jam", "tea"}])
READING = {"parquet": {}, "csv": {"format": "basket", "separator": ","}, "fimi": {"format": "fimi"}}

NASTY = ["1 2", " ", " a", "a ", "\t", "a\tb", "a,b", "a;b", "a|b", '"', '""', 'a"b', "two\nlines", "\r", "a\rb"]
NASTY += ["\r\n", "\ufeff", "\ufeffa", "PAR1", "ARROW1", "BZh9", "%PDF-1", "PK\x03\x04", "P*M\x18", "茶", "\x1b[2J"]
NASTY += [
    "\u2028",
    "\x0b",
    "\x85",
    "\u00a0",
    "{",
    "[1]",
    "-1",
    "-2",
    "#",
    "@ITEM=",
    "'",
    "\\",
    "null",
    "7",
    "id",
    "item",
]
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=4)
RECORDS = st.lists(st.sets(st.sampled_from(NASTY) | TEXTS, min_size=1, max_size=4), min_size=1, max_size=6)


def bag(records):
    return Counter(records.to_sets())


def has_blank(term):
    return any(blank in term for blank in " \t\r\n")


@given(RECORDS, st.sampled_from(["parquet", "csv"]))
def test_what_is_written_is_read_back_as_the_same_bag_of_records(tmp_path_factory, records, format):
    data = Transactions.from_sets(records)
    folder = tmp_path_factory.mktemp("out") / "worlds"
    [name] = write_worlds([data], folder, format=format)
    assert bag(disjoin.read(folder / name, **READING[format])) == bag(data)


@given(RECORDS)
def test_fimi_is_read_back_as_the_same_bag_of_records_or_refused(tmp_path_factory, records):
    data = Transactions.from_sets(records)
    folder = tmp_path_factory.mktemp("out") / "worlds"
    if any(has_blank(term) for record in records for term in record):
        with pytest.raises(InvalidParameter, match="FIMI separates terms by blanks"):
            write_worlds([data], folder, format="fimi")
        assert not folder.exists()
    else:
        [name] = write_worlds([data], folder, format="fimi")
        assert bag(disjoin.read(folder / name, **READING["fimi"])) == bag(data)
        assert bag(disjoin.read(folder / name)) == bag(data)  # the name says what it is


@pytest.mark.parametrize("format", FORMATS)
def test_ordinary_baskets_need_no_options_to_be_read_back(format, tmp_path):
    records = [{"tea", "milk"}, {"tea", "jam-jar"}, {"7"}, {"tea"}] * 3
    names = write_worlds([Transactions.from_sets(records)] * 2, tmp_path / "w", format=format)
    assert names == [f"reconstruction-0.{format}", f"reconstruction-1.{format}"]
    for name in names:
        assert bag(disjoin.read(tmp_path / "w" / name)) == bag(Transactions.from_sets(records))


def test_csv_quotes_only_what_needs_it(tmp_path):
    write_worlds([Transactions.from_sets([["whole milk", "a,b", 'say "hi"']])], tmp_path / "w", format="csv")
    assert (tmp_path / "w" / "reconstruction-0.csv").read_text() == '"a,b","say ""hi""",whole milk\n'


def test_a_parquet_file_has_one_column_of_lists_of_strings(tmp_path):
    write_worlds([SIMPLE], tmp_path / "w")
    table = pq.read_table(tmp_path / "w" / "reconstruction-0.parquet")
    assert table.column_names == ["terms"]
    assert str(table.schema.field("terms").type).startswith("list<element: string")
    assert table.num_rows == len(SIMPLE)


@pytest.mark.parametrize("format", ["csv", "fimi"])
def test_large_worlds_are_written_in_blocks(format, tmp_path, monkeypatch):
    monkeypatch.setattr(door, "_ITEMS_AT_ONCE", 7)
    random = np.random.default_rng(1)
    records = [set(random.integers(0, 50, random.integers(1, 20)).tolist()) for _ in range(60)]
    data = Transactions.from_sets(records)
    [name] = write_worlds([data], tmp_path / "w", format=format)
    assert disjoin.read(tmp_path / "w" / name, **READING[format]).to_sets() == data.to_sets()


@pytest.mark.parametrize("format", ["csv", "fimi"])
def test_a_term_with_a_nul_cannot_be_written_as_text(format, tmp_path):
    with pytest.raises(InvalidParameter, match=r"the term 'a\\x00' has a NUL character.*Use Parquet instead\."):
        write_worlds([Transactions.from_sets([["a\0"]])], tmp_path / "w", format=format)
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_format_is_refused(tmp_path):
    with pytest.raises(InvalidParameter, match="one of parquet, csv, fimi, got 'xml'"):
        write_worlds([SIMPLE], tmp_path / "w", format="xml")


@pytest.mark.parametrize("failure", [KeyboardInterrupt, MemoryError, InvalidParameter])
def test_whatever_stops_the_work_nothing_is_left_behind(failure, tmp_path):
    def interrupted():
        yield SIMPLE
        raise failure

    with pytest.raises(failure):
        write_worlds(interrupted(), tmp_path / "deep" / "w")
    assert list(tmp_path.iterdir()) == []


def test_older_reconstructions_stay_until_the_new_ones_are_complete(tmp_path):
    write_worlds([SIMPLE] * 3, tmp_path / "w", format="csv")
    before = {file.name for file in (tmp_path / "w").iterdir()}

    def interrupted():
        yield SIMPLE
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_worlds(interrupted(), tmp_path / "w", overwrite=True)
    assert {file.name for file in (tmp_path / "w").iterdir()} == before
    write_worlds([SIMPLE], tmp_path / "w", overwrite=True)
    assert sorted(file.name for file in (tmp_path / "w").iterdir()) == ["files.json", "reconstruction-0.parquet"]


def test_a_taken_place_is_refused_unless_there_are_only_reconstructions(tmp_path):
    write_worlds([SIMPLE], tmp_path / "w")
    with pytest.raises(OutputExists, match="already exists"):
        write_worlds([SIMPLE], tmp_path / "w")
    (tmp_path / "w" / "thesis.txt").write_text("years of work")
    with pytest.raises(OutputExists, match=r"'thesis.txt', which is not a part of the folder of reconstructions"):
        write_worlds([SIMPLE], tmp_path / "w", overwrite=True)
    assert (tmp_path / "w" / "thesis.txt").read_text() == "years of work"
    (tmp_path / "names").mkdir()
    (tmp_path / "names" / "reconstruction-0.csv").write_text("years of work")
    with pytest.raises(OutputExists, match="not a folder of reconstructions from disjoin"):
        write_worlds([SIMPLE], tmp_path / "names", overwrite=True)
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputExists, match="it is not a folder"):
        check_worlds_destination(tmp_path / "file", overwrite=True)


def test_a_place_below_a_file_is_refused_in_words_about_reconstructions(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(CannotWrite, match=r"The folder of reconstructions cannot be written to .* is a file"):
        write_worlds([SIMPLE], tmp_path / "file" / "w")
