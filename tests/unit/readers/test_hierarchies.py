"""Hierarchies in files: what is read, what is refused and how."""

import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.errors import UnreadableInput
from disjoin.model import Hierarchy
from disjoin.readers.hierarchies import read_hierarchy

ROWS = [["tea", "hot; drinks", "*"], ["cola", "cold", "*"], ["milk, 1 l", "cold", "*"]]
TEXT = 'tea;"hot; drinks";*\n\n cola ; cold;*\nmilk, 1 l;cold;*\n'


def test_a_file_is_read_plain_or_packed_with_blanks_and_quotes(tmp_path):
    plain, packed = tmp_path / "items.csv", tmp_path / "items.csv.gz"
    plain.write_text(TEXT, encoding="utf-8")
    packed.write_bytes(gzip.compress(TEXT.replace("\n", "\r\n").encode()))
    expected = Hierarchy.from_rows(ROWS)
    assert read_hierarchy(plain) == read_hierarchy(str(packed)) == expected
    assert read_hierarchy(io.BytesIO(b"\xef\xbb\xbf" + TEXT.encode())) == expected


@given(st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=8, unique=True))
def test_what_a_hierarchy_writes_as_rows_is_read_back(leaves):
    tree = Hierarchy.from_rows([[leaf, f"group {leaf[0]}", "*"] for leaf in leaves])
    text = "\n".join(";".join(row) for row in tree.rows())
    assert read_hierarchy(io.BytesIO(text.encode())) == tree


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tea,drinks,*\nmilk,dairy,*\n", "Found no row with two names"),
        ("tea;drinks;*\nmilk;dairy;all\n", "all rows must end with the same root"),
        ("tea;drinks;*\ntea;dairy;*\n", "the rows 1 and 2 have the same leaf"),
        ("tea;;*\n", "empty name"),
        ('tea;"drinks;*\n', "cannot be read"),
        ("\n \n", "Found no row with two names"),
        ("", "expected a hierarchy, found an empty file"),
    ],
)
def test_what_is_no_hierarchy_is_refused_by_name(tmp_path, text, message):
    path = tmp_path / "items.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UnreadableInput, match=message) as refused:
        read_hierarchy(path)
    assert "items.csv" in str(refused.value)


def test_the_hierarchy_of_a_benchmark_dataset_is_read(datasets):
    tree = read_hierarchy(datasets / "wv2_hierarchy.csv.gz")
    assert (tree.n_leaves, tree.height) == (3340, 6)
