"""The list of all terms that might occur, as people give it."""

import gzip

import pytest

from disjoin.errors import InvalidParameter, UnreadableInput
from disjoin.readers.term_lists import domain_from


def test_terms_of_files_and_between_commas_go_together(tmp_path):
    (tmp_path / "items.txt").write_text("\ufefftea\n\n green tea \n", encoding="utf-8")
    assert domain_from(["items.txt", "milk, rye"], tmp_path) == ("tea", "green tea", "milk", "rye")


def test_of_a_hierarchy_the_leaves_are_taken_plain_or_packed(tmp_path):
    text = 'tea;hot;*\n"tea; green";hot;*\nwater;*\n'
    (tmp_path / "tree.csv").write_text(text)
    (tmp_path / "tree.csv.gz").write_bytes(gzip.compress(text.encode()))
    for name in ("tree.csv", "./tree.csv.gz"):
        assert sorted(domain_from([name], tmp_path)) == ["tea", "tea; green", "water"]


def test_the_word_seen_is_the_word_and_a_file_of_that_name_has_a_path(tmp_path):
    (tmp_path / "seen").write_text("tea\n")
    assert domain_from(["seen"], tmp_path) == "seen"
    assert domain_from(["./seen"], tmp_path) == ("tea",)
    assert domain_from(["seen,"], tmp_path) == ("seen",)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", None, "found an empty file"),
        ("\n \n", None, "blank lines only"),
        ("tea\nmilk;drinks;*\n", 2, "found both. In a hierarchy, a term with a semicolon needs double quotes"),
        ("tea;drinks;*\nmilk;food;all\n", 2, "all rows must end with the same root"),
    ],
)
def test_what_is_neither_a_list_nor_a_hierarchy_is_told_with_its_line(tmp_path, text, line, message):
    (tmp_path / "items.csv").write_text(text)
    with pytest.raises(UnreadableInput, match=message) as raised:
        domain_from(["items.csv"], tmp_path)
    assert raised.value.line == line


def test_what_looks_like_a_file_and_is_none_is_no_term(tmp_path):
    with pytest.raises(UnreadableInput, match="one term per line"):
        domain_from(["absent.txt"], tmp_path)
    with pytest.raises(InvalidParameter, match="not both"):
        domain_from(["seen", "absent.txt"], tmp_path)
