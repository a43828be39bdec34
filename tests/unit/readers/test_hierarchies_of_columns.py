"""A folder of hierarchies: which file belongs to which column, and what is wrong with it, by file, line and value."""

from __future__ import annotations

import gzip

import pytest

from disjoin.errors import UnreadableInput
from disjoin.model import Hierarchy
from disjoin.parquet.hierarchies import file_name, hierarchy_text
from disjoin.readers.hierarchies import read_groups, read_hierarchies, read_hierarchy

AGES = Hierarchy.from_rows([["20", "20-29", "*"], ["31", "30-39", "*"]])
SEXES = Hierarchy.from_rows([["f", "*"], ["m", "*"]])


def put(path, tree: Hierarchy) -> None:
    text = hierarchy_text(tree)
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)


@pytest.mark.parametrize(
    "name", ["age.csv", "age.csv.gz", "adult_hierarchy_age.csv", "adult_hierarchy_age.csv.gz", "my_age.csv"]
)
def test_a_column_has_the_file_of_its_name(tmp_path, name):
    put(tmp_path / name, AGES)
    (tmp_path / "readme.txt").write_text("nothing for us")
    assert read_hierarchies(tmp_path, ["age", "sex"]) == {"age": AGES}


def test_the_nearer_name_is_taken(tmp_path):
    put(tmp_path / "age.csv", AGES)
    put(tmp_path / "adult_hierarchy_age.csv", SEXES)
    put(tmp_path / "old_age.csv", SEXES)
    assert read_hierarchies(tmp_path, ["age"]) == {"age": AGES}


def test_a_name_that_ends_as_another_does_is_not_taken_for_it(tmp_path):
    put(tmp_path / "adult_marital_status.csv", SEXES)
    assert read_hierarchies(tmp_path, ["status", "marital_status"]) == {"marital_status": SEXES}


def test_the_hierarchies_of_a_release_are_found_under_their_encoded_names(tmp_path):
    put(tmp_path / f"{file_name('a/b')}.csv", AGES)
    assert read_hierarchies(tmp_path, ["a/b", ".."]) == {"a/b": AGES}


def test_two_files_for_a_column_are_refused(tmp_path):
    put(tmp_path / "age.csv", AGES)
    put(tmp_path / "age.csv.gz", AGES)
    with pytest.raises(UnreadableInput, match=r"expected one hierarchy of 'age', found age\.csv, age\.csv\.gz"):
        read_hierarchies(tmp_path, ["age"])


def test_what_is_no_folder_is_refused(tmp_path):
    put(tmp_path / "age.csv", AGES)
    for place, found in ((tmp_path / "age.csv", "a file"), (tmp_path / "nowhere", "nothing")):
        with pytest.raises(UnreadableInput, match=f"expected a folder of hierarchies, found {found}"):
            read_hierarchies(place, ["age"])


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("20;20-29;*\n\n20;30-39;*\n", 3, "the rows 1 and 3 have the same leaf"),
        ("20;a;b;*\n21;a;c;*\n", 2, "name 2 of row 2 has a different parent"),
        ("20;a;*\n21;a;+\n", 2, "row 2 ends with another name than row 1"),
        ("20;a;*\n21;;*\n", 2, "row 2 of the hierarchy has an empty name"),
        ("20;a;20;*\n21;*\n", 1, "row 1 of the hierarchy has a cycle"),
        ("20;*\n21;20;*\n", 2, "the leaf of row 1 is above the leaf of row 2"),
        ("20;a;a;*\n21;b;a;*\n22;*\n", 2, "name 3 of row 2 has different leaves"),
        ('20;a;*\n21;"a;*\n', 2, "cannot be read"),
        ("*\n", None, "no row with two names"),
        ("20;20\n", None, "of 'age' with a root above its values, found one node"),
        (b"20;\xe9;*\n", 1, "UTF-8"),
    ],
)
def test_what_is_no_tree_is_refused_by_file_and_line(tmp_path, text, line, words):
    path = tmp_path / "age.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UnreadableInput, match=words) as refused:
        read_hierarchies(tmp_path, ["age"])
    assert (refused.value.source, refused.value.line) == (str(path), line)


def test_the_hierarchies_of_a_benchmark_dataset_are_found(datasets):
    columns = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
    trees = read_hierarchies(datasets, [*columns, "zip"])
    assert list(trees) == columns
    assert {name: tree.height for name, tree in trees.items()}["age"] == 4


def test_a_name_over_two_lines_keeps_its_line_end(tmp_path):
    tree = Hierarchy.from_rows([["two\nlines", "a;b", "*"]])
    put(tmp_path / "x.csv", tree)
    assert read_hierarchy(tmp_path / "x.csv") == tree


def test_groups_are_read_from_rows(tmp_path):
    path = tmp_path / "groups.csv"
    path.write_text('nurse; health\n\n"baker";food;work\n')
    assert read_groups(path) == {"nurse": ["health"], "baker": ["food", "work"]}


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("nurse\n", 1, "found less"),
        ("a;b\na;c\n", 2, "'a' has two rows"),
        ("a;b\nc;\n", 2, "found less"),
        ("\n", None, "none"),
    ],
)
def test_groups_that_are_none_are_refused(tmp_path, text, line, words):
    path = tmp_path / "groups.csv"
    path.write_text(text)
    with pytest.raises(UnreadableInput, match=words) as refused:
        read_groups(path)
    assert (refused.value.source, refused.value.line) == (str(path), line)
